/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The harness, and a main() that is told which cases not to run: in place of
 * "../../kselftest_harness.h" and TEST_HARNESS_MAIN.
 *
 * A case is called fixture.case, or fixture.variant.case. Cases whose names fit
 * one of the shell patterns in the environment, KSELFTEST_WITHOUT="PATTERN ...",
 * are not in the plan and print nothing. A pattern that fits no case is an
 * error, and so is it when no case is left: both are about a program that has
 * changed. With -l the names of all that would run are printed, and nothing
 * runs.
 */
#ifndef CASES_H
#define CASES_H

#include <fnmatch.h>

#include "../../kselftest_harness.h"

#define MOST_PATTERNS 64

struct case_patterns {
	const char *pattern[MOST_PATTERNS];
	bool fits[MOST_PATTERNS];
	int count;
};

static void cases_read(struct case_patterns *without)
{
	const char *names = getenv("KSELFTEST_WITHOUT");
	char *word = names ? strtok(strdup(names), " ") : NULL;

	for (; word; word = strtok(NULL, " ")) {
		if (without->count == MOST_PATTERNS)
			ksft_exit_fail_msg("KSELFTEST_WITHOUT: more than %d patterns\n",
					   MOST_PATTERNS);
		without->pattern[without->count++] = word;
	}
}

/* All patterns are tried, so that none of them passes for one without a case */
static bool case_is_left(struct case_patterns *without, const char *name)
{
	bool left = true;
	int i;

	for (i = 0; i < without->count; i++) {
		if (fnmatch(without->pattern[i], name, 0))
			continue;
		without->fits[i] = true;
		left = false;
	}
	return left;
}

/*
 * The harness runs each case of a fixture with each of its variants. What is
 * not all of them is as many fixtures of the same name as there are variants.
 */
static int cases_of(struct __fixture_metadata *from, struct __fixture_variant_metadata *variant,
		    struct case_patterns *without, bool list)
{
	struct __fixture_metadata *fixture = calloc(1, sizeof(*fixture));
	struct __test_metadata *test, *copy;
	int count = 0;
	char name[256];

	fixture->name = from->name;
	if (variant) {
		fixture->variant = calloc(1, sizeof(*variant));
		*fixture->variant = *variant;
		fixture->variant->next = NULL;
	}
	for (test = from->tests; test; test = test->next) {
		snprintf(name, sizeof(name), "%s.%s%s%s", from->name,
			 variant ? variant->name : "", variant ? "." : "", test->name);
		if (!case_is_left(without, name))
			continue;
		if (list)
			printf("%s\n", name);
		copy = calloc(1, sizeof(*copy));
		*copy = *test;
		copy->fixture = fixture;
		__register_test(copy);
		count++;
	}
	if (count)
		__register_fixture(fixture);
	return count;
}

int main(int argc, char **argv)
{
	struct __fixture_metadata *fixture = __fixture_list;
	struct __fixture_variant_metadata *variant;
	struct case_patterns without = {};
	bool list = argc == 2 && !strcmp(argv[1], "-l");
	int i, count = 0;

	if (argc > 1 && !list) {
		fprintf(stderr, "usage: %s [-l]\n", argv[0]);
		return KSFT_FAIL;
	}
	cases_read(&without);
	/* What is registered goes to the end from here on; the harness has had two words for it */
#ifdef _CONSTRUCTOR_ORDER_FORWARD
	__constructor_order = _CONSTRUCTOR_ORDER_FORWARD;
#else
	__constructor_order_forward = true;
#endif
	__fixture_list = NULL;
	for (; fixture; fixture = fixture->next) {
		variant = fixture->variant;
		do {
			count += cases_of(fixture, variant, &without, list);
			variant = variant ? variant->next : NULL;
		} while (variant);
	}
	for (i = 0; i < without.count; i++)
		if (!without.fits[i])
			ksft_exit_fail_msg("KSELFTEST_WITHOUT: no case is called '%s'\n",
					   without.pattern[i]);
	if (!count)
		ksft_exit_fail_msg("KSELFTEST_WITHOUT leaves no case\n");
	return list ? KSFT_PASS : test_harness_run(argc, argv);
}

#endif /* CASES_H */
