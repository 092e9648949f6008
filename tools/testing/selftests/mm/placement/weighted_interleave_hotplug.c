// SPDX-License-Identifier: GPL-2.0
/*
 * A node whose memory comes and goes: its weight file follows, its weight
 * survives, and the policies over it do what those of MPOL_INTERLEAVE do.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/uio.h>

#include "cases.h"
#include "placement.h"

#define PAGES 400

FIXTURE(hotplug)
{
	struct saved_weights saved;
	struct nodeset memory;
	/* A node with memory and the one without */
	int other;
	struct hot_node hot;
	const char *missing;
};

FIXTURE_SETUP(hotplug)
{
	ASSERT_EQ(0, weights_enter(&self->saved, 0, &self->missing));
	if (self->missing)
		return;
	self->memory = self->saved.nodes;
	self->other = nodeset_nth(&self->memory, 0);
	if (hot_find(&self->hot))
		self->missing = "needs a node whose memory is offline";
}

FIXTURE_TEARDOWN(hotplug)
{
	policy_set(MPOL_DEFAULT, NULL);
	if (!self->missing && hot_has_memory(&self->hot)) {
		EXPECT_EQ(0, weight_write(self->hot.node, 1));
		EXPECT_EQ(0, hot_remove(&self->hot, self->hot.blocks));
	}
	if (!geteuid())
		EXPECT_EQ(0, weights_restore(&self->saved));
}

/* A mapping under each mode, with the same mask and flags */
struct mappings {
	struct area plain;
	struct area weighted;
};

static int map_both(struct mappings *maps, int flags,
		    const struct nodeset *nodes)
{
	int ret;

	ret = area_map(&maps->plain, PAGES, 1);
	if (!ret)
		ret = area_map(&maps->weighted, PAGES, 1);
	if (!ret)
		ret = policy_bind(maps->plain.start, maps->plain.len,
				  MPOL_INTERLEAVE | flags, nodes, 0);
	if (!ret)
		ret = policy_bind(maps->weighted.start, maps->weighted.len,
				  MPOL_WEIGHTED_INTERLEAVE | flags, nodes, 0);
	return ret;
}

/* Masks and texts agree; the nodes in use go to @in_use */
static bool compare_masks(const struct mappings *maps, struct nodeset *in_use)
{
	struct nodeset plain, weighted;
	char plain_text[128], text[128];
	int mode;

	if (policy_get(&mode, &plain, maps->plain.start, MPOL_F_ADDR) ||
	    policy_get(&mode, &weighted, maps->weighted.start, MPOL_F_ADDR) ||
	    numa_maps_policy(maps->plain.start, plain_text,
			     sizeof(plain_text)) ||
	    numa_maps_policy(maps->weighted.start, text, sizeof(text)))
		return false;
	if (!nodeset_equal(&plain, &weighted) ||
	    strncmp(text, "weighted ", 9) || strcmp(text + 9, plain_text)) {
		note("'%s' beside '%s'", text, plain_text);
		return false;
	}
	return strchr(text, ':') &&
	       !nodeset_parse(strchr(text, ':') + 1, in_use);
}

/* All are rebound some time after the memory came or went: @node is in use, or not */
static bool masks_agree(const struct mappings *maps, struct nodeset *in_use,
			int node, bool there)
{
	int rounds = 0;

	do {
		if (compare_masks(maps, in_use) && nodeset_has(in_use, node) == there)
			return true;
	} while (settle(&rounds));
	return false;
}

/* Every page is there, on a node in use, by the weights of those */
static bool placed_well(const struct mappings *maps,
			const struct nodeset *in_use)
{
	struct round round;
	int node[PAGES];
	bool good;

	/* The first fault may find an order that was lost */
	if (round_read(&round, in_use) || area_touch_once(&maps->weighted) ||
	    place(maps->weighted.start, PAGES, page_bytes(), node))
		return false;
	good = round_exact(&round, node, PAGES);
	madvise(maps->weighted.start, maps->weighted.len, MADV_DONTNEED);
	return good;
}

TEST_F(hotplug, comes_and_goes)
{
	struct nodeset nodes, in_use;
	struct mappings plain, fixed;
	struct round round;
	int placed[PAGES];

	if (self->missing)
		SKIP(return, "%s", self->missing);

	EXPECT_EQ(-ENOENT, weight_read(self->hot.node));
	nodes = nodeset_of(self->hot.node);
	EXPECT_EQ(-EINVAL, policy_set(MPOL_WEIGHTED_INTERLEAVE, &nodes));

	ASSERT_EQ(0, hot_add(&self->hot, self->hot.blocks));
	ASSERT_EQ(0, weight_write(self->other, 2));
	ASSERT_EQ(0, weight_write(self->hot.node, 7));
	nodes = nodeset_pair(self->other, self->hot.node);
	ASSERT_EQ(0, round_read(&round, &nodes));
	EXPECT_EQ(9, round.total);
	ASSERT_EQ(0, map_both(&plain, 0, &nodes));
	ASSERT_EQ(0, map_both(&fixed, MPOL_F_STATIC_NODES, &nodes));
	EXPECT_TRUE(placed_well(&plain, &nodes));
	EXPECT_TRUE(placed_well(&fixed, &nodes));

	/* Gone: no file; both modes have the same nodes left */
	ASSERT_EQ(0, policy_set(MPOL_WEIGHTED_INTERLEAVE |
				MPOL_F_STATIC_NODES, &nodes));
	ASSERT_EQ(0, hot_remove(&self->hot, self->hot.blocks));
	EXPECT_EQ(-ENOENT, weight_read(self->hot.node));
	ASSERT_TRUE(masks_agree(&plain, &in_use, self->hot.node, false));
	EXPECT_TRUE(placed_well(&plain, &in_use));
	ASSERT_TRUE(masks_agree(&fixed, &in_use, self->hot.node, false));
	EXPECT_TRUE(nodeset_has(&in_use, self->other));
	EXPECT_TRUE(placed_well(&fixed, &in_use));
	ASSERT_EQ(0, place(plain.plain.start, PAGES, page_bytes(), placed));
	EXPECT_EQ(self->other, placed[0]);
	ASSERT_EQ(0, madvise(plain.plain.start, plain.plain.len,
			     MADV_DONTNEED));

	/* Back: the weight it had */
	ASSERT_EQ(0, hot_add(&self->hot, self->hot.blocks));
	EXPECT_EQ(7, weight_read(self->hot.node));
	ASSERT_TRUE(masks_agree(&fixed, &in_use, self->hot.node, true));
	EXPECT_TRUE(nodeset_equal(&nodes, &in_use));
	EXPECT_TRUE(placed_well(&fixed, &in_use));
	/* What it had lost is not given back to this one */
	ASSERT_TRUE(masks_agree(&plain, &in_use, self->hot.node, false));
	EXPECT_TRUE(placed_well(&plain, &in_use));
}

/*
 * The nodes of whose weight the log says from which bandwidth it was derived. Fails when
 * a line names another bandwidth than that of its node. All lines that there are:
 * the last ones may have been too many at a time.
 */
static int told_bandwidths(struct nodeset *told)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	static const char intro[] = "weighted interleave: node ";
	char line[1024], *text;
	long long bandwidth;
	unsigned int weight;
	int node, ret = 0;
	ssize_t len;

	memset(told, 0, sizeof(*told));
	if (log < 0)
		return -1;
	/* EPIPE: lines were overwritten meanwhile, and the next one is there */
	while ((len = read(log, line, sizeof(line) - 1)) > 0 || errno == EPIPE) {
		line[len > 0 ? len : 0] = '\0';
		text = strstr(line, intro);
		if (!text || sscanf(text + strlen(intro), "%d: weight %u derived from %lld MB/s",
				    &node, &weight, &bandwidth) != 3)
			continue;
		if (bandwidth != node_bandwidth(node)) {
			note("%s", text);
			ret = -1;
			break;
		}
		nodeset_add(told, node);
	}
	close(log);
	return ret;
}

/*
 * The derived weights are those of the nodes that have memory; once somebody has
 * written one, a node that comes has the weight it had.
 */
TEST_F(hotplug, derived_weights_follow)
{
	int before[MAX_NODES], nr, weight, i;
	struct nodeset all = self->memory, told;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, file_print(WEIGHT_AUTO, "true"));
	EXPECT_TRUE(weights_fit(&self->memory));
	nr = nodeset_count(&self->memory);
	for (i = 0; i < nr; i++)
		before[i] = weight_read(nodeset_nth(&self->memory, i));

	ASSERT_EQ(0, hot_add(&self->hot, self->hot.blocks));
	nodeset_add(&all, self->hot.node);
	EXPECT_TRUE(weights_fit(&all));
	EXPECT_TRUE(weights_automatic());
	/* Each of them, also of the one whose weight is what it was before: 1 */
	EXPECT_EQ(0, told_bandwidths(&told));
	for (i = 0; i <= nr; i++) {
		if (node_bandwidth(nodeset_nth(&all, i)) > 0)
			EXPECT_TRUE(nodeset_has(&told, nodeset_nth(&all, i)));
	}
	weight = weight_read(self->hot.node);

	ASSERT_EQ(0, hot_remove(&self->hot, self->hot.blocks));
	EXPECT_TRUE(weights_fit(&self->memory));
	for (i = 0; i < nr; i++)
		EXPECT_EQ(before[i], weight_read(nodeset_nth(&self->memory, i)));

	/* Frozen while it is away, it comes back as it was. */
	ASSERT_EQ(0, file_print(WEIGHT_AUTO, "false"));
	ASSERT_EQ(0, hot_add(&self->hot, self->hot.blocks));
	EXPECT_EQ(weight, weight_read(self->hot.node));
	ASSERT_EQ(0, weight_write(self->hot.node, 13));
	ASSERT_EQ(0, hot_remove(&self->hot, self->hot.blocks));
	ASSERT_EQ(0, hot_add(&self->hot, self->hot.blocks));
	EXPECT_FALSE(weights_automatic());
	EXPECT_EQ(13, weight_read(self->hot.node));
	/* Handed back, it follows again. */
	ASSERT_EQ(0, weight_write(self->hot.node, 0));
	EXPECT_EQ(weight, weight_read(self->hot.node));
}

/* A node that comes writes more slowly than it reads, and weighs less the more is written. */
TEST_F(hotplug, derived_weights_are_for_the_mix)
{
	/* With more writes it is too slow for any weight. */
	static const unsigned int mixes[] = { 100, 90, 67 };
	int node = self->hot.node, first, weight;
	struct nodeset all = self->memory;
	double share = 1, now;
	size_t i;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	first = nodeset_nth(&self->memory, 0);
	ASSERT_EQ(0, file_print(WEIGHT_AUTO, "true"));
	ASSERT_EQ(0, hot_add(&self->hot, self->hot.blocks));
	nodeset_add(&all, node);
	if (node_speed(node, "write") * node_speed(first, "read") >=
	    node_speed(node, "read") * node_speed(first, "write"))
		SKIP(return, "needs a node that writes more slowly than it reads");
	for (i = 0; i < ARRAY_LEN(mixes); i++) {
		ASSERT_EQ(0, file_print(WEIGHT_MIX, "%u", mixes[i]));
		weight = weight_read(node);
		EXPECT_TRUE(weights_fit(&all)) TH_LOG("mix %u", mixes[i]);
		EXPECT_EQ(weight, weight_read(node));
		now = (double)weight / weight_read(first);
		EXPECT_LT(now, share) TH_LOG("mix %u", mixes[i]);
		share = now;
	}
	/* What somebody has written stays until the kernel derives again. */
	ASSERT_EQ(0, file_print(WEIGHT_AUTO, "false"));
	weight = weight_read(node);
	ASSERT_EQ(0, file_print(WEIGHT_MIX, "100"));
	EXPECT_EQ(weight, weight_read(node));
	ASSERT_EQ(0, file_print(WEIGHT_AUTO, "true"));
	EXPECT_TRUE(weights_fit(&all));
	now = (double)weight_read(node) / weight_read(first);
	EXPECT_LT((double)weight / weight_read(first), now);
}

/* Another block of a node that has memory already changes nothing */
TEST_F(hotplug, one_block_after_the_other)
{
	int i;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (self->hot.blocks < 2)
		SKIP(return, "needs two memory blocks");

	ASSERT_EQ(0, hot_add(&self->hot, 1));
	ASSERT_EQ(0, weight_write(self->hot.node, 9));
	for (i = 1; i < self->hot.blocks; i++)
		ASSERT_EQ(0, hot_block_state(self->hot.block[i],
					     "online_movable"));
	EXPECT_EQ(9, weight_read(self->hot.node));
	for (i = 1; i < self->hot.blocks; i++)
		EXPECT_EQ(0, hot_block_state(self->hot.block[i], "offline"));
	EXPECT_EQ(9, weight_read(self->hot.node));
}

static void do_nothing(int number)
{
}

/* A page that cannot move keeps the last memory of a node online, and its weight. */
TEST_F(hotplug, stays_when_it_cannot_go)
{
	const struct itimerval later = { { 0, 500000 }, { 0, 500000 } }, never = {};
	/* Without SA_RESTART: the write ends, or it would try for ever */
	const struct sigaction action = { .sa_handler = do_nothing };
	struct nodeset nodes;
	struct iovec iov;
	struct area area;
	int pipes[2], node;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	nodes = nodeset_of(self->hot.node);
	ASSERT_EQ(0, hot_add(&self->hot, 1));
	ASSERT_EQ(0, weight_write(self->hot.node, 9));
	ASSERT_EQ(0, area_map(&area, 1, 1));
	ASSERT_EQ(0, policy_bind(area.start, area.len, MPOL_BIND, &nodes, 0));
	ASSERT_EQ(0, place(area.start, 1, page_bytes(), &node));
	ASSERT_EQ(self->hot.node, node);
	/* The pipe holds the page. */
	ASSERT_EQ(0, pipe(pipes));
	iov.iov_base = area.start;
	iov.iov_len = page_bytes();
	ASSERT_EQ(page_bytes(), vmsplice(pipes[1], &iov, 1, 0));

	ASSERT_EQ(0, sigaction(SIGALRM, &action, NULL));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &later, NULL));
	EXPECT_EQ(-EINTR, hot_block_state(self->hot.block[0], "offline"));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &never, NULL));
	EXPECT_TRUE(hot_has_memory(&self->hot));
	EXPECT_EQ(9, weight_read(self->hot.node));
	close(pipes[0]);
	close(pipes[1]);
	area_unmap(&area);
}

/* The file goes while it is being written */
TEST_F(hotplug, writes_during_hotplug)
{
	int status, i;
	pid_t pid;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	pid = fork_child();
	if (!pid) {
		unsigned int weight = 0;
		int ret;

		for (;;) {
			weight = weight % MAX_WEIGHT + 1;
			ret = weight_write(self->hot.node, weight);
			if (ret && ret != -ENOENT && ret != -ENODEV)
				_exit(-ret);
		}
	}
	ASSERT_LT(0, pid);
	for (i = 0; i < 5; i++) {
		EXPECT_EQ(0, hot_add(&self->hot, 1));
		EXPECT_EQ(0, hot_remove(&self->hot, 1));
	}
	EXPECT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	EXPECT_EQ(-ENOENT, weight_read(self->hot.node));
	ASSERT_EQ(0, hot_add(&self->hot, 1));
	EXPECT_LT(0, weight_read(self->hot.node));
}
