// SPDX-License-Identifier: GPL-2.0
/*
 * Tenants of one machine, each with a memory cgroup of its own: each pays for the
 * tables of its own policies, whoever moves it or writes a weight, and when there
 * is no room in one cgroup its tables go, nobody else's.
 *
 * A table has an entry for each page of a round, and one byte is the least that
 * an entry can take.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "cases.h"
#include "interleave.h"
#include "memory_costs.h"
#include "placement.h"

/* On a kernel that is KSELFTEST_SLOWDOWN times slower as many times fewer */
#define SHARED_MAPPINGS 2000
#define TASKS 200

/* Of two processes in cgroups of their own, which take turns */
struct witness {
	struct nodeset nodes;
	int nr;
	int *turn;
	int ret;
	/* Slab bytes that the policies cost, and that are left after them */
	long long cost;
	long long left;
	/* Those of the first one when only the other one has its policies */
	long long kept;
};

/* Has a child ended? It can be waited for still. */
static bool child_ended(void)
{
	siginfo_t info = {};

	return !waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid;
}

/*
 * Until others have made @count at least @least. False when they never will: the
 * caller's children stay until they are told to go, or they have failed.
 */
static bool wait_until(const int *count, int least)
{
	while (__atomic_load_n(count, __ATOMIC_ACQUIRE) < least) {
		if (child_ended())
			return __atomic_load_n(count, __ATOMIC_ACQUIRE) >= least;
		usleep(1000);
	}
	return true;
}

/* A process that fails ends all turns, so that the other one does not wait */
static bool wait_for_turn(const struct witness *witness, int turn)
{
	return wait_until(witness->turn, turn);
}

static void end_turn(const struct witness *witness)
{
	__atomic_fetch_add(witness->turn, 1, __ATOMIC_RELEASE);
}

static int leave_turns(const struct witness *witness, int status)
{
	__atomic_store_n(witness->turn, INT_MAX / 2, __ATOMIC_RELEASE);
	return status;
}

static int uses_first(void *arg)
{
	struct witness *witness = arg;
	struct memcg memcg;
	long long start;
	char *map;

	if (memcg_enter(&memcg))
		return leave_turns(witness, 1);
	map = map_pages(witness->nr);
	if (!map)
		return leave_turns(witness, 2);
	start = slab_bytes(memcg.group);
	bind_pages(map, witness->nr, &witness->nodes, DIFFERENT_WEIGHTS,
		   &witness->ret);
	witness->cost = slab_bytes(memcg.group) - start;
	end_turn(witness);

	wait_for_turn(witness, 2);
	unmap_pages(map, witness->nr);
	witness->kept = slab_settle(memcg.group, SLAB_NOISE);
	end_turn(witness);

	wait_for_turn(witness, 4);
	witness->left = slab_settle(memcg.group, SLAB_NOISE);
	memcg_leave(&memcg);
	return 0;
}

static int uses_second(void *arg)
{
	struct witness *witness = arg;
	struct memcg memcg;
	long long start;
	char *map;

	if (memcg_enter(&memcg))
		return leave_turns(witness, 1);
	map = map_pages(witness->nr);
	if (!map)
		return leave_turns(witness, 2);
	start = slab_bytes(memcg.group);
	wait_for_turn(witness, 1);
	bind_pages(map, witness->nr, &witness->nodes, DIFFERENT_WEIGHTS,
		   &witness->ret);
	witness->cost = slab_bytes(memcg.group) - start;
	end_turn(witness);

	wait_for_turn(witness, 3);
	unmap_pages(map, witness->nr);
	witness->left = slab_settle(memcg.group, SLAB_NOISE);
	end_turn(witness);
	memcg_leave(&memcg);
	return 0;
}

/* Each group pays for what it uses, not for what others use like it */
TEST_F(memory, each_group_pays)
{
	int (*const use[])(void *arg) = { uses_first, uses_second };
	const struct nodeset *nodes = &self->ctx.nodes;
	const int nr = scaled(SHARED_MAPPINGS);
	struct witness *witness;
	long long tables;
	int status, i;
	pid_t pid;
	int *turn;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);

	turn = shared_memory(sizeof(*turn));
	witness = shared_memory(2 * sizeof(*witness));
	ASSERT_TRUE(turn && witness);
	for (i = 0; i < 2; i++) {
		witness[i].nodes = *nodes;
		witness[i].nr = nr;
		witness[i].turn = turn;
		pid = fork_child();
		if (!pid)
			_exit(use[i](&witness[i]));
		ASSERT_LT(0, pid);
	}
	/* Whichever is first: the other one may wait for what has failed. */
	for (i = 0; i < 2; i++) {
		ASSERT_LT(0, wait(&status));
		ASSERT_EQ(0, status);
	}
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, witness[i].ret);
		EXPECT_GE(SLAB_NOISE, witness[i].left);
	}
	tables = pages_of_rounds(nodes, nr);
	EXPECT_LE(tables, witness[0].cost);
	EXPECT_LE(tables, witness[1].cost);
	EXPECT_GE(SLAB_NOISE, witness[0].kept);
}

/* Processes whose cpuset somebody else widens */
struct tenant {
	struct nodeset nodes;
	/* Mappings, and tasks in addition, each with a table of its own */
	int nr;
	int tasks;
	int turn;
	/* How often one of the tasks has done what it was to do */
	int done;
	struct cpuset cpuset;
	int ret;
	int move_ret;
	/* Slab bytes of the move, of the other nodes, and that all of it leaves behind */
	long long moved;
	long long cost;
	long long left;
};

/* Weights for both nodes, of which a cpuset may allow the task just one */
static void fill_static(struct own_policy *own, const struct nodeset *nodes, size_t i)
{
	unsigned int weight[2];

	weights_of(i, weight);
	own_init(own, MPOL_WEIGHTED_INTERLEAVE, MPOL_F_STATIC_NODES, nodes, weight);
}

/* What the tasks of a tenant wait for, and end with */
enum { GO, END, NR_PIPES };

/* Tasks with a policy each: they go to user space once in between. */
static bool start_tasks(struct tenant *tenant, int pipes[NR_PIPES][2])
{
	char byte = 0;
	pid_t pid;
	int i;

	for (i = 0; i < NR_PIPES; i++)
		if (pipe(pipes[i]))
			return false;
	for (i = 0; i < tenant->tasks; i++) {
		struct own_policy own;

		pid = fork_child();
		if (pid < 0)
			return false;
		if (pid)
			continue;
		close(pipes[END][1]);
		fill_static(&own, &tenant->nodes, tenant->nr + i);
		if (own_set(&own))
			_exit(1);
		__atomic_fetch_add(&tenant->done, 1, __ATOMIC_RELEASE);
		if (read(pipes[GO][0], &byte, 1) != 1)
			_exit(1);
		__atomic_fetch_add(&tenant->done, 1, __ATOMIC_RELEASE);
		_exit(read(pipes[END][0], &byte, 1));
	}
	return wait_until(&tenant->done, tenant->tasks);
}

static bool let_tasks_go(struct tenant *tenant, int pipes[NR_PIPES][2])
{
	char byte = 0;
	int i;

	for (i = 0; i < tenant->tasks; i++)
		if (write(pipes[GO][1], &byte, 1) != 1)
			return false;
	return wait_until(&tenant->done, 2 * tenant->tasks);
}

/* Nothing is made before somebody asks for it: a page of a mapping, or a task. */
static int lets_others_move_it(void *arg)
{
	struct tenant *tenant = arg;
	struct witness turns = { .turn = &tenant->turn };
	const size_t page = page_bytes();
	int pipes[NR_PIPES][2], i;
	long long start;
	char *map;

	map = map_pages(tenant->nr);
	if (!map || !start_tasks(tenant, pipes))
		return leave_turns(&turns, 1);
	for (i = 0; i < tenant->nr && !tenant->ret; i++) {
		struct own_policy own;

		fill_static(&own, &tenant->nodes, i);
		tenant->ret = own_bind(map + 2 * i * page, page, &own, 0);
	}
	start = slab_bytes(tenant->cpuset.group);
	end_turn(&turns);
	if (!wait_for_turn(&turns, 2))
		return 1;
	tenant->moved = slab_bytes(tenant->cpuset.group) - start;
	touch(map, tenant->nr, 2 * page);
	if (!let_tasks_go(tenant, pipes))
		tenant->ret = -EIO;
	tenant->cost = slab_bytes(tenant->cpuset.group) - start;
	unmap_pages(map, tenant->nr);
	close(pipes[END][1]);
	while (wait(NULL) > 0)
		;
	return 0;
}

/*
 * A CPU keeps the group that it has charged last. When that is removed, it lets go of
 * it if there is something left of the charge; if not, when it charges another one.
 */
static int charges_each_cpu(void *unused)
{
	long cpu, cpus = sysconf(_SC_NPROCESSORS_CONF);
	char *map = map_pages(cpus);
	struct memcg memcg;
	cpu_set_t one;
	int ret;

	ret = map ? memcg_enter(&memcg) : -ENOMEM;
	for (cpu = 0; cpu < cpus && !ret; cpu++) {
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (!sched_setaffinity(0, sizeof(one), &one))
			touch(map + 2 * cpu * page_bytes(), 1, page_bytes());
	}
	if (map)
		memcg_leave(&memcg);
	return ret ? 1 : 0;
}

/*
 * The groups that were removed and are still there: reads until they are at most
 * @limit, or for SETTLE_ROUNDS. For a process that was in none of them, whose memory
 * would be theirs.
 */
static long long dying_groups(long long limit)
{
	char mount[64], path[128];
	long long dying;
	int rounds = 0;

	if (fs_mount("cgroup2", NULL, mount, sizeof(mount)))
		return -1;
	snprintf(path, sizeof(path), "%s/cgroup.stat", mount);
	do {
		if (rounds)
			in_child(charges_each_cpu, NULL);
		dying = file_value(path, "nr_dying_descendants");
	} while (dying > limit && settle(&rounds));
	fs_unmount(mount);
	return dying;
}

/* Makes the group, and leaves it to its child */
static int moves_a_tenant(void *arg)
{
	struct tenant *tenant = arg;
	struct nodeset first = nodeset_head(&tenant->nodes, 1);
	struct witness turns = { .turn = &tenant->turn };
	char path[128];
	int status, ret;
	pid_t pid;

	ret = cpuset_enter(&tenant->cpuset, &first);
	if (!ret && slab_bytes(tenant->cpuset.group) < 0)
		ret = -EOPNOTSUPP;
	if (ret) {
		cpuset_leave(&tenant->cpuset);
		return ret == -EOPNOTSUPP ? 2 : 1;
	}
	ret = 1;
	pid = fork_child();
	if (!pid)
		_exit(lets_others_move_it(tenant));
	snprintf(path, sizeof(path), "%s/cgroup.procs", tenant->cpuset.mount);
	if (pid > 0 && !file_print(path, "0")) {
		wait_for_turn(&turns, 1);
		tenant->move_ret = cpuset_move(&tenant->cpuset, &tenant->nodes);
		end_turn(&turns);
		ret = waitpid(pid, &status, 0) != pid || status;
		tenant->left = slab_settle(tenant->cpuset.group, SLAB_NOISE);
	}
	cpuset_leave(&tenant->cpuset);
	return ret;
}

/*
 * The tables for the new nodes are the owner's, whoever moves it: here the
 * administrator, in another group, who makes none. Nothing of it stays when the owner has ended, or
 * keeps a group that is removed.
 */
static void owner_pays(struct __test_metadata *_metadata, struct context *ctx,
		       int mappings, int tasks)
{
	struct tenant *tenant;
	long long dying;
	int ret;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	tenant = shared_memory(sizeof(*tenant));
	ASSERT_TRUE(!!tenant);
	tenant->nodes = ctx->nodes;
	tenant->nr = mappings;
	tenant->tasks = tasks;
	dying = dying_groups(0);
	ASSERT_LE(0, dying);
	ret = in_child(moves_a_tenant, tenant);
	if (ret == 2)
		SKIP(return, "no cpusets that count slab");
	EXPECT_EQ(0, ret);
	EXPECT_EQ(0, tenant->ret);
	EXPECT_EQ(0, tenant->move_ret);
	EXPECT_GE(SLAB_NOISE, tenant->moved);
	EXPECT_LE(pages_of_rounds(&tenant->nodes, mappings + tasks), tenant->cost);
	EXPECT_GE(SLAB_NOISE, tenant->left);
	EXPECT_GE(dying, dying_groups(dying));
}

TEST_F(memory, owner_pays_for_a_move)
{
	owner_pays(_metadata, &self->ctx, scaled(SHARED_MAPPINGS), 0);
}

TEST_F(memory, owner_pays_for_a_move_of_tasks)
{
	owner_pays(_metadata, &self->ctx, 1, TASKS);
}

/* 10,200 sets: in each group one for each weight that the first node can have */
#define GROUPS 40
#define SETS_OF_GROUP 255
#define MAX_CACHES 100

/*
 * Bytes of objects that kmalloc() has given: to be paid for by somebody, and not.
 * The latter without the pointers to payers that the kernel itself takes, one for
 * each object that a slab with paid ones has room for.
 */
struct census {
	long long paid;
	long long unpaid;
};

/* What kmalloc() takes for so many bytes: 96 and 192 are sizes, too */
static unsigned long kmalloc_bytes(unsigned long bytes)
{
	unsigned long size = 8;

	while (size < bytes) {
		if ((size == 64 || size == 128) && bytes <= size + size / 2)
			return size + size / 2;
		size *= 2;
	}
	return size;
}

/*
 * 0 or -errno. What a CPU has taken of a slab but not given out counts as given:
 * each cache is told first to hand such back, by a file that stays open, as each one
 * that is closed leaves an object to RCU.
 */
static int take_census(struct census *census)
{
	unsigned long active, room, size, per_slab;
	char line[256], name[64], path[128];
	static int shrink[MAX_CACHES];
	static int nr_shrink;
	FILE *file = fopen("/proc/slabinfo", "re");
	bool failed = false;
	int i;

	if (!file)
		return -errno;
	*census = (struct census) {};
	while (!nr_shrink && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63s", name) != 1 || strncmp(name, "kmalloc-", 8))
			continue;
		snprintf(path, sizeof(path), "/sys/kernel/slab/%s/shrink", name);
		shrink[nr_shrink] = open(path, O_WRONLY | O_CLOEXEC);
		failed |= shrink[nr_shrink] < 0 || nr_shrink == MAX_CACHES - 1;
		nr_shrink += !failed;
	}
	for (i = 0; i < nr_shrink; i++)
		failed |= pwrite(shrink[i], "1", 1, 0) != 1;
	if (failed || !nr_shrink) {
		fclose(file);
		return -ENOENT;
	}
	rewind(file);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63s %lu %lu %lu %lu", name, &active, &room, &size,
			   &per_slab) != 5)
			continue;
		if (!strncmp(name, "kmalloc-cg-", 11) || !strcmp(name, "vm_area_struct"))
			census->unpaid -= room / per_slab *
					  kmalloc_bytes(per_slab * sizeof(void *));
		if (!strncmp(name, "kmalloc-cg-", 11))
			census->paid += active * size;
		else if (!strncmp(name, "kmalloc-", 8))
			census->unpaid += active * size;
	}
	fclose(file);
	return 0;
}

/* What the groups of a census say and wait for */
struct groups {
	struct nodeset nodes;
	int turn;
	/* How many have their sets, and had none of its calls fail */
	int ready;
	int end;
};

static int has_sets(void *arg)
{
	struct groups *groups = arg;
	const struct witness turns = { .turn = &groups->turn };
	const size_t page = page_bytes();
	unsigned int weight[2] = {};
	struct own_policy own;
	struct memcg memcg;
	int failed = 0;
	char *map;

	if (memcg_enter(&memcg))
		failed = 1;
	map = map_pages(SETS_OF_GROUP);
	__atomic_fetch_add(&groups->ready, 1, __ATOMIC_RELEASE);
	wait_for_turn(&turns, 1);
	for (weight[0] = 1; map && !failed && weight[0] <= SETS_OF_GROUP; weight[0]++) {
		own_init(&own, MPOL_WEIGHTED_INTERLEAVE, 0, &groups->nodes, weight);
		failed = !!own_bind(map + 2 * (weight[0] - 1) * page, page, &own, 0);
	}
	__atomic_fetch_add(&groups->ready, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&groups->end, __ATOMIC_ACQUIRE))
		usleep(1000);
	memcg_leave(&memcg);
	return failed || !map;
}

/* A writer of weights, for as long as the census is taken */
static int writes_weights(void *arg)
{
	static const unsigned int weights[] = { 254, 3, 128, 255, 1, 77, 200, 254 };
	struct groups *groups = arg;
	int node = nodeset_nth(&groups->nodes, 1);
	size_t i;

	for (i = 0; i < ARRAY_LEN(weights); i++)
		if (weight_write(node, weights[i]))
			return 1;
	return 0;
}

/*
 * Whatever weights are written, at any moment: what is not paid for is less than a
 * hundredth, and tables old and new are never there together for all sets.
 */
TEST_F(memory, each_table_is_paid_for)
{
	long long most_paid = 0, most_unpaid = 0, paid, unpaid, last = 0;
	struct census before, full, now;
	int i, status, failed = 0;
	struct groups *groups;
	pid_t pid[GROUPS], writer;
	bool running = true;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	if (take_census(&before))
		SKIP(return, "no /proc/slabinfo or /sys/kernel/slab");

	groups = shared_memory(sizeof(*groups));
	ASSERT_TRUE(!!groups);
	groups->nodes = self->ctx.nodes;
	for (i = 0; i < GROUPS; i++) {
		pid[i] = fork_child();
		if (!pid[i])
			_exit(has_sets(groups));
		ASSERT_LT(0, pid[i]);
	}
	ASSERT_TRUE(wait_until(&groups->ready, GROUPS));
	ASSERT_EQ(0, take_census(&before));
	groups->turn = 1;
	ASSERT_TRUE(wait_until(&groups->ready, 2 * GROUPS));
	/* The longest rounds that there will be */
	ASSERT_EQ(0, weight_write(nodeset_nth(&self->ctx.nodes, 1), 254));
	ASSERT_EQ(0, take_census(&full));

	writer = fork_child();
	if (!writer)
		_exit(writes_weights(groups));
	ASSERT_LT(0, writer);
	while (running) {
		running = !waitpid(writer, &status, WNOHANG);
		ASSERT_EQ(0, take_census(&now));
		if (now.paid - before.paid > most_paid)
			most_paid = now.paid - before.paid;
		/* A slab that a CPU took in between counts as given: two in a row agree */
		unpaid = now.unpaid - before.unpaid;
		if (unpaid > most_unpaid && last > most_unpaid)
			most_unpaid = unpaid < last ? unpaid : last;
		last = unpaid;
	}
	EXPECT_EQ(0, status);
	paid = full.paid - before.paid;
	__atomic_store_n(&groups->end, 1, __ATOMIC_RELEASE);
	for (i = 0; i < GROUPS; i++) {
		ASSERT_EQ(pid[i], waitpid(pid[i], &status, 0));
		failed += !!status;
	}
	EXPECT_EQ(0, failed);
	/* An entry has at least a byte */
	EXPECT_LT(GROUPS * SETS_OF_GROUP * 254LL, paid);
	TH_LOG("%lld of %lld bytes are nobody's", most_unpaid, most_paid);
	EXPECT_GT(paid / 100, most_unpaid);
	EXPECT_GT(paid + paid / 4, most_paid)
		TH_LOG("%lld bytes at most, %lld at rest", most_paid, paid);
}

/* Tasks of a group at its limit, and of another one */
#define LIMITED_TASKS 16
#define LIMIT_MAPPINGS 3000
/* So many in a row say that nothing comes back any more */
#define REFUSALS 10
/* Bytes of memory to reclaim, and steps of it; then of what cannot be */
#define ROOM_FOR_CACHE (8 * 1024 * 1024)
#define SMALL_ROOM (256 * 1024)
#define ROOM_FOR_POLICIES (128 * 1024)
#define NR_FILLED 32

struct limited {
	struct nodeset nodes;
	/* In a cpuset that has one node and then gets both; policies are static */
	bool in_cpuset;
	int move_ret;
	/* What the group is full of can be reclaimed */
	bool reclaimable;
	/* Bytes that the group has room for when it is full */
	long long room;
	int turn;
	int ready;
	/* Says that tasks are to ask once more for a node, and how many have */
	int ask;
	int asked;
	int end;
	int ret;
};

static int asks_for_nodes(struct limited *limited, unsigned int weight)
{
	const unsigned int weights[2] = { weight };
	struct own_policy own;
	int asked = 0;

	own_init(&own, MPOL_WEIGHTED_INTERLEAVE,
		 limited->in_cpuset ? MPOL_F_STATIC_NODES : 0, &limited->nodes, weights);
	if (own_set(&own))
		return 1;
	policy_next_node();
	__atomic_fetch_add(&limited->ready, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&limited->end, __ATOMIC_ACQUIRE)) {
		if (__atomic_load_n(&limited->ask, __ATOMIC_ACQUIRE) == asked) {
			usleep(1000);
			continue;
		}
		policy_next_node();
		asked++;
		__atomic_fetch_add(&limited->asked, 1, __ATOMIC_RELEASE);
	}
	return 0;
}

/* How many of the tasks were answered in run order, or -ECHILD when not all answer */
static long long ask_all(struct limited *limited)
{
	long long before = run_order_placements();

	limited->asked = 0;
	__atomic_fetch_add(&limited->ask, 1, __ATOMIC_RELEASE);
	if (!wait_until(&limited->asked, LIMITED_TASKS))
		return -ECHILD;
	return run_order_placements() - before;
}

static long long number_in(int file)
{
	char text[32] = {};

	return pread(file, text, sizeof(text) - 1, 0) > 0 ? atoll(text) : -EIO;
}

/*
 * Makes policies until there is no room for another one. What a call does not get,
 * another may: memory comes back late, after a grace period, or from what a CPU holds
 * in advance, until what is used, which @current tells, stays as it is.
 */
static int fill_with_policies(const struct limited *limited, char *map, int current)
{
	const size_t page = page_bytes();
	int i, ret = 0, refused = 0, rounds = 0;
	long long used = 0, now;
	struct own_policy own;

	for (i = 0; i < LIMIT_MAPPINGS && refused < REFUSALS; i += !ret) {
		if (limited->in_cpuset)
			fill_static(&own, &limited->nodes, i);
		else
			own_fill(&own, &limited->nodes, i);
		ret = own_bind(map + 2 * i * page, page, &own, 0);
		now = number_in(current);
		refused = ret && now == used ? refused + 1 : 0;
		used = now;
		if (ret && !settle(&rounds))
			break;
	}
	return ret;
}

/* What was charged in advance, which is more than small objects would use up */
static void fill_pipes(const int pipes[NR_FILLED][2])
{
	static const char page[4096];
	int i;

	for (i = 0; i < NR_FILLED; i++)
		while (write(pipes[i][1], page, sizeof(page)) > 0)
			;
}

/*
 * The limit goes below what is used, which takes back what was charged in advance and
 * some of the rest; then what there is room for is filled page by page. Returns the
 * bytes that are left.
 */
static long long leave_no_margin(int max, int current, const int pipes[NR_FILLED][2])
{
	const long long limit = number_in(current) - SMALL_ROOM;
	static const char page[4096];
	int i = 0;

	if (limit < 0 || dprintf(max, "%lld", limit) < 0)
		return -EIO;
	while (i < NR_FILLED && number_in(current) + (long long)page_bytes() <= limit)
		if (write(pipes[i][1], page, sizeof(page)) < 0)
			i++;
	return limit - number_in(current);
}

/* Memory that nobody needs any more, but nobody has taken back yet */
static int fill_with_cache(void)
{
	const size_t page = page_bytes(), piece = SMALL_ROOM;
	struct area area;
	size_t at;

	if (area_map(&area, 2 * ROOM_FOR_CACHE / page, 1))
		return -ENOMEM;
	for (at = 0; at < area.len; at += piece) {
		touch(area.start + at, piece / page, page);
		if (madvise(area.start + at, piece, MADV_FREE))
			return -errno;
	}
	return 0;
}

/*
 * The group of the tasks. At the limit all that is used is there before it: a page
 * fault there would wait for memory for ever. Nobody can be killed.
 */
static int has_tasks(struct limited *limited, bool at_limit)
{
	const struct nodeset first = nodeset_head(&limited->nodes, 1);
	const struct witness turns = { .turn = &limited->turn };
	struct cpuset cpuset = {};
	int pipes[NR_FILLED][2], fd, current, mems = -1, i;
	struct memcg memcg = {};
	const char *group;
	char path[128], list[64];
	long long limit;
	char *map;

	nodeset_format(&limited->nodes, list, sizeof(list));
	if (file_print("/proc/self/oom_score_adj", "-1000"))
		return 1;
	if (limited->in_cpuset ? cpuset_enter(&cpuset, &first) :
				 memcg_enter(&memcg))
		return 1;
	group = limited->in_cpuset ? cpuset.group : memcg.group;
	for (i = 0; i < LIMITED_TASKS; i++) {
		const pid_t pid = fork_child();

		if (pid < 0)
			return 1;
		if (!pid)
			_exit(mlockall(MCL_CURRENT) ?: asks_for_nodes(limited, 200 + i));
	}
	if (!wait_until(&limited->ready, LIMITED_TASKS))
		return 1;
	map = map_pages(LIMIT_MAPPINGS);
	for (i = 0; i < NR_FILLED; i++)
		if (pipe2(pipes[i], O_CLOEXEC | O_NONBLOCK))
			return 2;
	if (limited->in_cpuset) {
		snprintf(path, sizeof(path), "%s/%s", group, cpuset.mems);
		mems = open(path, O_WRONLY | O_CLOEXEC);
	}
	snprintf(path, sizeof(path), "%s/memory.max", group);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "%s/memory.current", group);
	current = open(path, O_RDONLY | O_CLOEXEC);
	if (!map || fd < 0 || current < 0 || (limited->in_cpuset && mems < 0) ||
	    mlockall(MCL_CURRENT))
		return 2;
	if (at_limit) {
		limit = number_in(current) +
			(limited->reclaimable ? ROOM_FOR_CACHE : ROOM_FOR_POLICIES);
		if (dprintf(fd, "%lld", limit) < 0)
			return 3;
		if (!limited->reclaimable)
			fill_pipes(pipes);
		limited->ret = limited->reclaimable ? fill_with_cache() :
						      fill_with_policies(limited, map, current);
		if (limited->reclaimable)
			limited->room = leave_no_margin(fd, current, pipes);
	}
	if (limited->in_cpuset && dprintf(mems, "%s", list) < 0)
		limited->move_ret = -errno;
	end_turn(&turns);
	if (!wait_for_turn(&turns, 2) || dprintf(fd, "max") < 0)
		return 4;
	end_turn(&turns);
	while (wait(NULL) > 0)
		;
	unmap_pages(map, LIMIT_MAPPINGS);
	memcg_leave(&memcg);
	cpuset_leave(&cpuset);
	return 0;
}

/* Until all tasks are answered in order again, twice; false after too long */
static bool comes_back(struct limited *limited)
{
	int tries, in_order = 0;
	long long answer = 0;

	for (tries = 0; tries < 600 && in_order < 2 && answer >= 0; tries++) {
		answer = ask_all(limited);
		in_order = answer ? 0 : in_order + 1;
		usleep(100 * 1000);
	}
	return in_order == 2;
}

/* There is room again, for which the group waits */
static void give_room(struct __test_metadata *_metadata, struct limited *limited)
{
	end_turn(&(struct witness) { .turn = &limited->turn });
	ASSERT_TRUE(wait_until(&limited->turn, 3));
}

/*
 * A weight for whose tables one group has no room: the write succeeds, the tasks of
 * the group go without, those of the other one do not, and nothing has to be done
 * for the tables to come back when there is room.
 */
TEST_F(memory, no_room_in_one_group)
{
	struct limited *limited[2];
	int status, i;
	pid_t pid[2];

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);

	self->ctx.console = console_level(4);
	ASSERT_LE(0, self->ctx.console);
	for (i = 0; i < 2; i++) {
		limited[i] = shared_memory(sizeof(*limited[i]));
		ASSERT_TRUE(!!limited[i]);
		limited[i]->nodes = self->ctx.nodes;
		pid[i] = fork_child();
		if (!pid[i])
			_exit(has_tasks(limited[i], !i));
		ASSERT_LT(0, pid[i]);
		ASSERT_TRUE(wait_until(&limited[i]->turn, 1));
	}
	EXPECT_EQ(-ENOMEM, limited[0]->ret);
	EXPECT_EQ(0, ask_all(limited[0]));

	EXPECT_EQ(0, weight_write(nodeset_nth(&self->ctx.nodes, 1), 254));
	EXPECT_EQ(0, ask_all(limited[1]));
	EXPECT_LE(LIMITED_TASKS / 2, ask_all(limited[0]));
	EXPECT_EQ(0, ask_all(limited[1]));

	for (i = 0; i < 2; i++)
		give_room(_metadata, limited[i]);
	EXPECT_TRUE(comes_back(limited[0]));
	for (i = 0; i < 2; i++) {
		__atomic_store_n(&limited[i]->end, 1, __ATOMIC_RELEASE);
		ASSERT_EQ(pid[i], waitpid(pid[i], &status, 0));
		EXPECT_EQ(0, status);
	}
}

/* The group with a limit, which has one node and then gets both */
static void move_at_limit(struct __test_metadata *_metadata, const struct context *ctx,
			  struct limited *limited, bool reclaimable, pid_t *pid)
{
	ASSERT_TRUE(!!limited);
	/* A table of both nodes takes more than what one of one node leaves. */
	ASSERT_EQ(0, weight_write(nodeset_nth(&ctx->nodes, 1), 254));
	limited->nodes = ctx->nodes;
	limited->in_cpuset = true;
	limited->reclaimable = reclaimable;
	*pid = fork_child();
	if (!*pid)
		_exit(has_tasks(limited, true));
	ASSERT_LT(0, *pid);
	ASSERT_TRUE(wait_until(&limited->turn, 1));
	EXPECT_EQ(0, limited->move_ret);
}

static void end_limited(struct __test_metadata *_metadata, struct limited *limited,
			pid_t pid)
{
	int status;

	__atomic_store_n(&limited->end, 1, __ATOMIC_RELEASE);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/*
 * A group whose limit is full of what can be reclaimed, as that of a container mostly
 * is, gets its tables after a move: there is room for who asks for it.
 */
TEST_F(memory, moved_when_full_of_cache)
{
	struct limited *limited;
	pid_t pid;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);

	limited = shared_memory(sizeof(*limited));
	move_at_limit(_metadata, &self->ctx, limited, true, &pid);
	EXPECT_EQ(0, limited->ret);
	EXPECT_LE(0, limited->room);
	EXPECT_GT((long long)page_bytes(), limited->room);
	EXPECT_TRUE(comes_back(limited));
	give_room(_metadata, limited);
	end_limited(_metadata, limited, pid);
}

/* No order is lost for good: it is back when there is room again, by itself. */
TEST_F(memory, moved_without_room)
{
	struct limited *limited;
	pid_t pid;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);

	self->ctx.console = console_level(4);
	ASSERT_LE(0, self->ctx.console);
	limited = shared_memory(sizeof(*limited));
	move_at_limit(_metadata, &self->ctx, limited, false, &pid);
	EXPECT_EQ(-ENOMEM, limited->ret);
	EXPECT_LE(LIMITED_TASKS / 2, ask_all(limited));
	give_room(_metadata, limited);
	EXPECT_TRUE(comes_back(limited));
	end_limited(_metadata, limited, pid);
}
