// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that mbind2(2) moves with MPOL_MF_LAZY: as they are touched, and as soon
 * as no other process has them.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/wait.h>

#include "cases.h"
#include "migration.h"

TEST_F(migration, lazy_mbind2_flags)
{
	const unsigned long bad[] = {
		MPOL_MF_LAZY, MPOL_MF_LAZY | MPOL_MF_MOVE_ALL,
		MPOL_MF_LAZY | MPOL_MF_MOVE | MPOL_MF_STRICT,
		MPOL_MF_LAZY | MPOL_MF_MOVE | MPOL_MF_MOVE_ALL,
	};
	struct nodeset nodes;
	struct own_policy own;
	struct area area;
	size_t i;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	nodes = nodeset_of(self->move.to);
	own_init(&own, MPOL_BIND, 0, &nodes, NULL);
	ASSERT_EQ(0, area_map(&area, 1, 1));
	for (i = 0; i < ARRAY_LEN(bad); i++)
		EXPECT_EQ(-EINVAL, own_bind(area.start, area.len, &own, bad[i]));
	EXPECT_EQ(0, own_bind(area.start, area.len, &own,
			      MPOL_MF_LAZY | MPOL_MF_MOVE));
	own_init(&own, MPOL_DEFAULT, 0, NULL, NULL);
	EXPECT_EQ(0, own_bind(area.start, area.len, &own,
			      MPOL_MF_LAZY | MPOL_MF_MOVE));
	/* mbind() never took it */
	EXPECT_EQ(-EINVAL, policy_bind(area.start, area.len, MPOL_BIND, &nodes,
				       MPOL_MF_LAZY | MPOL_MF_MOVE));
	EXPECT_EQ(-EINVAL, policy_bind(area.start, area.len, MPOL_BIND, &nodes,
				       MPOL_MF_LAZY));
}

/* Whatever numa_balancing is, and automatic migration, which is off */
TEST_F_TIMEOUT(migration, lazy_mbind2, PATIENT_TIMEOUT)
{
	static const char * const modes[] = { "0", "1", "2" };
	struct move *move = &self->move;
	const unsigned int weights[] = { 3, 1 };
	int from = move->from, to = move->to;
	struct nodeset nodes, pair;
	struct own_policy own;
	size_t i;
	int huge;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	nodes = nodeset_of(to);
	pair = nodeset_pair(from, to);
	for (i = 0; i < ARRAY_LEN(modes); i++) {
		ASSERT_EQ(0, sysctl_write("numa_balancing", modes[i]));
		for (huge = 0; huge < 2; huge++) {
			ASSERT_EQ(0, stay_on(from));
			ASSERT_EQ(0, map_on(&move->area, from, SOME_PAGES, huge));
			own_init(&own, MPOL_BIND, 0, &nodes, NULL);
			EXPECT_EQ(0, own_bind(move->area.start, move->area.len,
					      &own, MPOL_MF_LAZY | MPOL_MF_MOVE));
			EXPECT_EQ(0, count_on(&move->area, to));
			touch_once(&move->area);
			EXPECT_LE(MOST_OF(SOME_PAGES), count_on(&move->area, to))
				TH_LOG("mode %s, huge %d", modes[i], huge);
			area_unmap(&move->area);
		}
		ASSERT_EQ(0, map_on(&move->area, from, SOME_PAGES, false));
		own_init(&own, MPOL_WEIGHTED_INTERLEAVE, 0, &pair, weights);
		EXPECT_EQ(0, own_bind(move->area.start, move->area.len, &own,
				      MPOL_MF_LAZY | MPOL_MF_MOVE));
		touch_once(&move->area);
		EXPECT_LE(MOST_OF(SOME_PAGES / 4), count_on(&move->area, to));
		EXPECT_GE(SOME_PAGES / 4, count_on(&move->area, to));
		area_unmap(&move->area);
	}
}

/* Without MPOL_MF_MOVE_ALL, also if it was marked before others mapped it */
TEST_F(migration, lazy_mbind2_leaves_what_others_map)
{
	struct move *move = &self->move;
	struct nodeset from, to;
	struct own_policy own;
	struct area area;
	int marked_first;
	pid_t pid;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	from = nodeset_of(move->from);
	to = nodeset_of(move->to);
	own_init(&own, MPOL_BIND, 0, &to, NULL);
	for (marked_first = 0; marked_first < 2; marked_first++) {
		ASSERT_EQ(0, area_map_shared(&area, SOME_PAGES));
		ASSERT_EQ(0, policy_bind(area.start, area.len, MPOL_BIND, &from,
					 0));
		touch_once(&area);
		ASSERT_EQ(SOME_PAGES, count_on(&area, move->from));
		if (marked_first)
			ASSERT_EQ(0, own_bind(area.start, area.len, &own,
					      MPOL_MF_LAZY | MPOL_MF_MOVE));
		pid = fork_child();
		ASSERT_LE(0, pid);
		if (!pid) {
			touch_once(&area);
			raise(SIGSTOP);
			_exit(0);
		}
		ASSERT_EQ(pid, waitpid(pid, NULL, WUNTRACED));
		if (!marked_first)
			ASSERT_EQ(0, own_bind(area.start, area.len, &own,
					      MPOL_MF_LAZY | MPOL_MF_MOVE));
		touch_once(&area);
		EXPECT_EQ(SOME_PAGES, count_on(&area, move->from));
		kill(pid, SIGKILL);
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
		area_unmap(&area);
	}
}

/* Whether all blocks of @node took that, or were as it says */
static bool blocks_are(int node, const char *state)
{
	char path[96];
	bool all = true;
	int i;

	for (i = 0; block_of(node, i, path, sizeof(path)); i++)
		if (file_print(path, "%s", state))
			all = false;
	return all;
}

/* A node whose memory is movable has no other zone */
TEST(lazy_mbind2_to_movable_memory)
{
	struct nodeset memory, cpu, there;
	struct own_policy own;
	struct area area;
	int i, node = -1;

	ASSERT_TRUE(is_there(LAZY));
	ASSERT_EQ(0, nodeset_read("has_memory", &memory));
	ASSERT_EQ(0, nodeset_read("has_cpu", &cpu));
	for (i = 0; i < MAX_NODES; i++)
		if (nodeset_has(&memory, i) && !nodeset_has(&cpu, i))
			node = i;
	if (geteuid() || node < 0 || !blocks_are(node, "offline")) {
		if (node >= 0)
			blocks_are(node, "online");
		SKIP(return, "needs a node whose memory can go offline");
	}
	EXPECT_TRUE(blocks_are(node, "online_movable"));

	there = nodeset_of(node);
	ASSERT_EQ(0, map_on(&area, nodeset_nth(&cpu, 0), SOME_PAGES, false));
	own_init(&own, MPOL_BIND, 0, &there, NULL);
	EXPECT_EQ(0, own_bind(area.start, area.len, &own,
			      MPOL_MF_LAZY | MPOL_MF_MOVE));
	touch_once(&area);
	EXPECT_LE(MOST_OF(SOME_PAGES), count_on(&area, node));
	there = nodeset_of(nodeset_nth(&cpu, 0));
	own_init(&own, MPOL_PREFERRED_MANY, 0, &there, NULL);
	EXPECT_EQ(0, own_bind(area.start, area.len, &own,
			      MPOL_MF_LAZY | MPOL_MF_MOVE));
	touch_once(&area);
	EXPECT_LE(MOST_OF(SOME_PAGES), count_on(&area, nodeset_nth(&cpu, 0)));
	area_unmap(&area);
	EXPECT_TRUE(blocks_are(node, "offline"));
	EXPECT_TRUE(blocks_are(node, "online"));
}

/* Under the default policy a page belongs to who touches it. */
TEST_F_TIMEOUT(migration, lazy_mbind2_to_who_touches, PATIENT_TIMEOUT)
{
	long long faults, misplaced, failed;
	struct move *move = &self->move;
	struct own_policy own;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, stay_on(move->from));
	ASSERT_EQ(0, map_on(&move->area, move->from, SOME_PAGES, false));
	own_init(&own, MPOL_DEFAULT, 0, NULL, NULL);
	/* Where they are already, which is no failure to move */
	faults = counter("auto_migrate_faults");
	misplaced = counter("auto_migrate_misplaced");
	failed = counter("auto_migrate_failed");
	EXPECT_EQ(0, own_bind(move->area.start, move->area.len, &own,
			      MPOL_MF_LAZY | MPOL_MF_MOVE));
	touch_once(&move->area);
	EXPECT_LE(faults + MOST_OF(SOME_PAGES), counter("auto_migrate_faults"));
	EXPECT_GE(misplaced + SOME_PAGES / 4, counter("auto_migrate_misplaced"));
	EXPECT_GE(failed + SOME_PAGES / 4, counter("auto_migrate_failed"));
	EXPECT_EQ(0, count_on(&move->area, move->to));

	EXPECT_EQ(0, own_bind(move->area.start, move->area.len, &own,
			      MPOL_MF_LAZY | MPOL_MF_MOVE));
	ASSERT_EQ(0, stay_on(move->to));
	EXPECT_EQ(0, count_on(&move->area, move->to));
	touch_once(&move->area);
	EXPECT_LE(MOST_OF(SOME_PAGES), count_on(&move->area, move->to));
	area_unmap(&move->area);
}

/* MPOL_BIND with a home node: to that one, wherever the page is touched */
TEST_F_TIMEOUT(migration, lazy_mbind2_to_the_home_node, PATIENT_TIMEOUT)
{
	struct nodeset memory, nodes;
	struct move *move = &self->move;
	struct own_policy own;
	int i, home = -1;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(0, nodeset_read("has_memory", &memory));
	for (i = 0; i < MAX_NODES; i++)
		if (nodeset_has(&memory, i) && i != move->from && i != move->to &&
		    has_room(i, SOME_PAGES))
			home = i;
	if (home < 0)
		SKIP(return, "needs a third node with room");
	nodes = nodeset_pair(move->to, home);
	ASSERT_EQ(0, stay_on(move->to));
	ASSERT_EQ(0, map_on(&move->area, move->from, SOME_PAGES, false));
	own_init(&own, MPOL_BIND, 0, &nodes, NULL);
	own.param.home_node = home;
	EXPECT_EQ(0, own_bind(move->area.start, move->area.len, &own,
			      MPOL_MF_LAZY | MPOL_MF_MOVE | MPOL_MF_HOME_NODE));
	EXPECT_EQ(0, count_on(&move->area, home));
	touch_once(&move->area);
	EXPECT_LE(MOST_OF(SOME_PAGES), count_on(&move->area, home));
	area_unmap(&move->area);
}
