// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of how memory cgroups share fast nodes.
 */
#include <kunit/test.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/page-flags.h>
#include <linux/tiering_share.h>

#include "../share.h"

/* What a cgroup with so many pages on the node wants in each of @looks more */
static bool competes_after(struct tiering_share *share, unsigned int looks, u32 wanted,
			   unsigned long fast)
{
	bool competes = false;
	u32 sum = share->seen;

	while (looks--) {
		sum += wanted;
		competes = share_competes(share, sum, fast);
	}
	return competes;
}

static void who_wants_little_does_not_compete(struct kunit *test)
{
	struct tiering_share share = {};

	KUNIT_EXPECT_FALSE(test, competes_after(&share, 100, 0, 0));
	KUNIT_EXPECT_FALSE(test, competes_after(&share, 1, 255, 0));
	share = (struct tiering_share){};
	KUNIT_EXPECT_TRUE(test, competes_after(&share, 1, 256, 0));
	KUNIT_EXPECT_FALSE(test, competes_after(&share, 20, 0, 0));
}

static void what_is_wanted_goes_by_what_there_is(struct kunit *test)
{
	struct tiering_share share = {};

	/* 1 GiB: a 64th of it in eight looks */
	KUNIT_EXPECT_TRUE(test, competes_after(&share, 100, 4096 / 8 + 8, 262144));
	KUNIT_EXPECT_FALSE(test, competes_after(&share, 100, 4096 / 8 - 8, 262144));
}

static void the_count_may_wrap(struct kunit *test)
{
	struct tiering_share share = { .seen = U32_MAX - 99 };

	KUNIT_EXPECT_TRUE(test, share_competes(&share, 200, 0));
	KUNIT_EXPECT_EQ(test, share.recent, 300);
	share.recent = U32_MAX;
	KUNIT_EXPECT_TRUE(test, share_competes(&share, 199, 0));
	KUNIT_EXPECT_EQ(test, share.recent, U32_MAX);
}

static void each_part_doubles_or_halves_the_threshold(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, share_shift(0, 0), 0);
	KUNIT_EXPECT_EQ(test, share_shift(1000, 0), 0);
	KUNIT_EXPECT_EQ(test, share_shift(1600, 1600), 0);
	KUNIT_EXPECT_EQ(test, share_shift(1501, 1600), 0);
	KUNIT_EXPECT_EQ(test, share_shift(1500, 1600), 1);
	KUNIT_EXPECT_EQ(test, share_shift(1300, 1600), 3);
	KUNIT_EXPECT_EQ(test, share_shift(1200, 1600), 4);
	KUNIT_EXPECT_EQ(test, share_shift(0, 1600), SHARE_SHIFT);
	KUNIT_EXPECT_EQ(test, share_shift(1699, 1600), 0);
	KUNIT_EXPECT_EQ(test, share_shift(1700, 1600), -1);
	KUNIT_EXPECT_EQ(test, share_shift(1900, 1600), -3);
	KUNIT_EXPECT_EQ(test, share_shift(ULONG_MAX / 16, 1600), -SHARE_SHIFT);
}

static void a_threshold_is_never_wrapped(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, share_threshold(1000, 4, 0), 1000);
	KUNIT_EXPECT_EQ(test, share_threshold(1000, 4, 1), 2000);
	KUNIT_EXPECT_EQ(test, share_threshold(1000, 4, SHARE_SHIFT), 16000);
	KUNIT_EXPECT_EQ(test, share_threshold(1000, 4, -1), 500);
	KUNIT_EXPECT_EQ(test, share_threshold(1000, 4, -SHARE_SHIFT), 62);
	KUNIT_EXPECT_EQ(test, share_threshold(1, 1, -1), 0);
	KUNIT_EXPECT_EQ(test, share_threshold(1U << 31, 4, SHARE_SHIFT), UINT_MAX - 15);
}

/* Else nobody would compete any more, and the one with more keep it. */
static void where_all_is_as_hot_shares_go_on(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, share_threshold(0, 4, 0), 0);
	KUNIT_EXPECT_EQ(test, share_threshold(0, 4, -1), 0);
	KUNIT_EXPECT_EQ(test, share_threshold(0, 4, 1), 8);
	KUNIT_EXPECT_EQ(test, share_threshold(0, 4, SHARE_SHIFT), 64);
	KUNIT_EXPECT_TRUE(test, share_wants(63, 0, 4));
	KUNIT_EXPECT_FALSE(test, share_wants(64, 0, 4));
	KUNIT_EXPECT_TRUE(test, share_wants(15999, 1000, 4));
	KUNIT_EXPECT_FALSE(test, share_wants(16000, 1000, 4));
}

/* An even share of so many cgroups, those of them that can be left with @most */
static unsigned long even_of(const struct share_group *group, size_t count, unsigned long most)
{
	struct share_sum sum = { .most = most };
	size_t i;

	for (i = 0; i < count; i++)
		share_add_rival(&sum, &group[i]);
	for (i = 0; i < count; i++)
		share_add(&sum, &group[i]);
	return share_even(&sum);
}

static void an_even_share_is_of_those_that_compete(struct kunit *test)
{
	static const struct share_group group[] = {
		{ .pages = 3000, .could = 9000, .competes = true },
		{ .pages = 1000, .could = 9000, .competes = true },
		{ .pages = 1500 },
	};

	KUNIT_EXPECT_EQ(test, even_of(group, ARRAY_SIZE(group), ULONG_MAX), 2000);
	KUNIT_EXPECT_EQ(test, even_of(group + 2, 1, ULONG_MAX), 1500);
	KUNIT_EXPECT_EQ(test, even_of(group, 0, ULONG_MAX), 0);
}

static void who_has_more_is_counted_in(struct kunit *test)
{
	struct share_group group[] = {
		{ .pages = 1000, .could = 9000, .competes = true },
		{ .pages = 5000 },
	};

	KUNIT_EXPECT_EQ(test, even_of(group, ARRAY_SIZE(group), ULONG_MAX), 3000);
	group[1].pages = 1000;
	KUNIT_EXPECT_EQ(test, even_of(group, ARRAY_SIZE(group), ULONG_MAX), 1000);
	group[1].pages = 1002;
	KUNIT_EXPECT_EQ(test, even_of(group, ARRAY_SIZE(group), ULONG_MAX), 1001);
}

static void what_stays_is_no_part_of_a_share(struct kunit *test)
{
	struct share_group group[] = {
		{ .pages = 1000, .could = 9000, .competes = true },
		{ .pages = 5000, .stays = 3000 },
		{ .pages = 9000, .could = 9900, .competes = true, .stays = 4000 },
	};

	/* A little that stays is a part of its share. */
	KUNIT_EXPECT_EQ(test, even_of(group, 2, 3000), 3000);
	group[1].stays = 3001;
	KUNIT_EXPECT_EQ(test, even_of(group, 2, 3000), 2999);
	/* Whatever it wants: the others share the rest. */
	group[1].stays = 0;
	KUNIT_EXPECT_EQ(test, even_of(group, ARRAY_SIZE(group), 4000), 5000);
	KUNIT_EXPECT_EQ(test, even_of(group, ARRAY_SIZE(group), 3999), 5500);
}

static void who_is_small_leaves_the_rest_to_others(struct kunit *test)
{
	struct share_group group[] = {
		{ .pages = 3400, .could = 9000, .competes = true },
		{ .pages = 200, .could = 9000, .competes = true },
		{ .pages = 300, .could = 500, .competes = true },
	};

	KUNIT_EXPECT_EQ(test, even_of(group, ARRAY_SIZE(group), ULONG_MAX), 1700);
}

/* What they have may change between two looks at it. */
static void a_share_is_never_less_than_nothing(struct kunit *test)
{
	struct share_sum sum = { .had = 3900, .rivals = 3, .most = ULONG_MAX };
	struct share_group group = { .pages = 100, .could = 500, .competes = true };

	share_add(&sum, &group);
	share_add(&sum, &group);
	KUNIT_EXPECT_EQ(test, share_even(&sum), 100);
	group.could = 9000;
	group.pages = 900;
	share_add(&sum, &group);
	KUNIT_EXPECT_EQ(test, share_even(&sum), 100);
	sum.pages = 999;
	KUNIT_EXPECT_EQ(test, share_even(&sum), 0);
}

static void less_than_a_share_is_spared(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, share_is_spared(0, 0));
	KUNIT_EXPECT_FALSE(test, share_is_spared(3200, 3200));
	KUNIT_EXPECT_FALSE(test, share_is_spared(3100, 3200));
	KUNIT_EXPECT_TRUE(test, share_is_spared(3099, 3200));
	KUNIT_EXPECT_TRUE(test, share_is_spared(0, 3200));
}

static void more_than_a_share_is_given(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, share_gives(1000, 0), 0);
	KUNIT_EXPECT_EQ(test, share_gives(3200, 3200), 0);
	KUNIT_EXPECT_EQ(test, share_gives(3201, 3200), 1);
	KUNIT_EXPECT_EQ(test, share_gives(10000, 3200), 6800);
	KUNIT_EXPECT_EQ(test, share_gives(ULONG_MAX, 3200), S32_MAX);
}

static void no_more_than_that_is_given(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, share_gives_more(1000, 1000));
	KUNIT_EXPECT_TRUE(test, share_gives_more(1000, 1001));
	KUNIT_EXPECT_FALSE(test, share_gives_more(1002, 1001));
	KUNIT_EXPECT_TRUE(test, share_gives_more(1000, 1000U + S32_MAX));
	KUNIT_EXPECT_TRUE(test, share_gives_more(U32_MAX, 0));
	KUNIT_EXPECT_FALSE(test, share_gives_more(0, U32_MAX));
}

static void few_pages_say_nothing_of_who_gave_them(struct kunit *test)
{
	struct share_demoted gone = { .all = U32_MAX, .spared = 7 }, seen = gone;

	/* They count with those that come. */
	gone.all += 255;
	gone.spared += 255;
	KUNIT_EXPECT_FALSE(test, share_was_taken(&gone, &seen));
	gone.all++;
	KUNIT_EXPECT_TRUE(test, share_was_taken(&gone, &seen));
	KUNIT_EXPECT_FALSE(test, share_was_taken(&gone, &seen));
	gone.all += 256;
	gone.spared += 128;
	KUNIT_EXPECT_FALSE(test, share_was_taken(&gone, &seen));
	gone.all += 256;
	gone.spared += 129;
	KUNIT_EXPECT_TRUE(test, share_was_taken(&gone, &seen));
}

/* How many looks in a row nobody has a share, of @most */
static unsigned int looks_of_rest(unsigned int *rest, bool taken, unsigned int pass_ms,
				  unsigned int most)
{
	unsigned int looks = 0;

	while (looks < most && share_rests(rest, taken, pass_ms)) {
		taken = false;
		looks++;
	}
	return looks;
}

static void shares_rest_for_a_pass(struct kunit *test)
{
	unsigned int rest = 0;

	KUNIT_EXPECT_EQ(test, looks_of_rest(&rest, false, 60000, 100), 0);
	KUNIT_EXPECT_EQ(test, looks_of_rest(&rest, true, 60000, 100), 61);
	KUNIT_EXPECT_EQ(test, looks_of_rest(&rest, true, 500, 100), 1);
	KUNIT_EXPECT_EQ(test, looks_of_rest(&rest, true, UINT_MAX, 100), 100);
	KUNIT_EXPECT_EQ(test, looks_of_rest(&rest, true, 2000, 100), 3);
}

/* Of those that have an even share between them one gives whenever another one is spared */
static void who_is_spared_has_a_giver(struct kunit *test)
{
	unsigned long one, all = 1000;

	for (one = 0; one <= all; one++) {
		bool spared = share_is_spared(one, all / 2);

		KUNIT_EXPECT_FALSE(test, spared && share_is_spared(all - one, all / 2));
		KUNIT_EXPECT_FALSE(test, spared && !share_gives(all - one, all / 2));
		KUNIT_EXPECT_FALSE(test, spared && share_gives(one, all / 2));
	}
}

static void what_cannot_be_demoted_stays_in_use(struct kunit *test)
{
	struct folio *folio = folio_alloc(GFP_KERNEL, 0);
	LIST_HEAD(taken);
	LIST_HEAD(kept);

	KUNIT_ASSERT_NOT_NULL(test, folio);
	list_add(&folio->lru, &taken);
	tiering_keeps(&taken, &kept);
	KUNIT_EXPECT_TRUE(test, list_empty(&taken));
	KUNIT_EXPECT_PTR_EQ(test, kept.next, &folio->lru);
	KUNIT_EXPECT_TRUE(test, folio_test_clear_active(folio));
	list_del(&folio->lru);
	folio_put(folio);
}

static struct kunit_case share_cases[] = {
	KUNIT_CASE(who_wants_little_does_not_compete),
	KUNIT_CASE(what_is_wanted_goes_by_what_there_is),
	KUNIT_CASE(the_count_may_wrap),
	KUNIT_CASE(each_part_doubles_or_halves_the_threshold),
	KUNIT_CASE(a_threshold_is_never_wrapped),
	KUNIT_CASE(where_all_is_as_hot_shares_go_on),
	KUNIT_CASE(an_even_share_is_of_those_that_compete),
	KUNIT_CASE(who_has_more_is_counted_in),
	KUNIT_CASE(what_stays_is_no_part_of_a_share),
	KUNIT_CASE(who_is_small_leaves_the_rest_to_others),
	KUNIT_CASE(a_share_is_never_less_than_nothing),
	KUNIT_CASE(less_than_a_share_is_spared),
	KUNIT_CASE(more_than_a_share_is_given),
	KUNIT_CASE(no_more_than_that_is_given),
	KUNIT_CASE(few_pages_say_nothing_of_who_gave_them),
	KUNIT_CASE(shares_rest_for_a_pass),
	KUNIT_CASE(who_is_spared_has_a_giver),
	KUNIT_CASE(what_cannot_be_demoted_stays_in_use),
	{}
};

static struct kunit_suite share_suite = {
	.name = "tiering_share",
	.test_cases = share_cases,
};

kunit_test_suite(share_suite);
