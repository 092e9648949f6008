// SPDX-License-Identifier: GPL-2.0
/*
 * What own weights cost: policies with the same nodes and weights share one
 * table, the caller's memory cgroup pays for the weights and the first user's
 * for the table, and what no policy needs any more is given back.
 *
 * A table has an entry for each page of a round, and one byte is the least that
 * an entry can take. So a lower limit of what tables cost is known without
 * knowing how the kernel stores them.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>

#include "cases.h"
#include "placement.h"

/* On a kernel that is KSELFTEST_SLOWDOWN times slower as many times fewer */
#define MAPPINGS 10000
#define SHARED_MAPPINGS 2000
#define TASKS 200
#define REPETITIONS 100000

/* More mappings than the limit has room for, as each has a table */
#define LIMIT (1024 * 1024)
#define LIMIT_MAPPINGS 1500
#define TRIES 64

/* No allocation is smaller */
#define SMALLEST 8

/* The lower half of the weights, which have short rounds, is left out */
#define PAIRS_PER_WEIGHT 128

struct context {
	struct saved_weights saved;
	struct nodeset nodes;
	const char *missing;
};

FIXTURE(memory)
{
	struct context ctx;
};

FIXTURE_SETUP(memory)
{
	struct context *ctx = &self->ctx;
	struct memcg memcg;
	int ret;

	ASSERT_TRUE(is_there(WEIGHT_DIR));
	if (geteuid()) {
		ctx->missing = "needs root";
		return;
	}
	ASSERT_EQ(0, weights_save(&ctx->saved));
	ctx->nodes = nodeset_head(&ctx->saved.nodes, 2);
	if (nodeset_count(&ctx->nodes) < 2) {
		ctx->missing = "needs two nodes with memory";
		return;
	}
	ret = memcg_enter(&memcg);
	if (!ret && slab_bytes(memcg.group) < 0)
		ret = -EOPNOTSUPP;
	memcg_leave(&memcg);
	if (ret == -EOPNOTSUPP) {
		ctx->missing = "no memory cgroups that count slab";
		return;
	}
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, weights_flatten(1));
}

FIXTURE_TEARDOWN(memory)
{
	if (!self->ctx.missing)
		EXPECT_EQ(0, weights_restore(&self->ctx.saved));
}

/* Different weights for each @i below 128 * 128; 0 has a round of 509 pages */
static void weights_of(size_t i, unsigned int *weight)
{
	weight[0] = 255 - i % PAIRS_PER_WEIGHT;
	weight[1] = 254 - i / PAIRS_PER_WEIGHT % PAIRS_PER_WEIGHT;
}

static void own_fill(struct own_policy *own, const struct nodeset *nodes,
		     size_t i)
{
	unsigned int weight[2];

	weights_of(i, weight);
	own_init(own, MPOL_WEIGHTED_INTERLEAVE, 0, nodes, weight);
}

static long long pages_of_rounds(const struct nodeset *nodes, size_t count)
{
	unsigned int weight[2];
	long long pages = 0;
	struct round round;
	size_t i;

	for (i = 0; i < count; i++) {
		weights_of(i, weight);
		round_init(&round, nodes, weight);
		pages += round.total;
	}
	return pages;
}

static int scaled(int count)
{
	return count / slowdown();
}

static void unmap_pages(char *map, size_t count)
{
	munmap(map, 2 * count * page_bytes());
}

/* @count mappings of a page each, with a hole after each */
static char *map_pages(size_t count)
{
	const size_t page = page_bytes();
	char *map;
	size_t i;

	map = mmap(NULL, 2 * count * page, PROT_NONE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return NULL;
	unmap_pages(map, count);
	for (i = 0; i < count; i++)
		if (mmap(map + 2 * i * page, page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
		    MAP_FAILED)
			return NULL;
	return map;
}

enum kind { NO_WEIGHTS, SAME_WEIGHTS, DIFFERENT_WEIGHTS, NR_KINDS };

/* Binds the mappings from the first one on; how many before one failed */
static size_t bind_pages(char *map, size_t count, const struct nodeset *nodes,
			 enum kind kind, int *ret)
{
	const size_t page = page_bytes();
	struct own_policy own;
	size_t i;

	*ret = 0;
	for (i = 0; i < count; i++) {
		if (kind == NO_WEIGHTS)
			own_init(&own, MPOL_BIND, 0, nodes, NULL);
		else
			own_fill(&own, nodes, kind == SAME_WEIGHTS ? 0 : i);
		*ret = own_bind(map + 2 * i * page, page, &own, 0);
		if (*ret)
			break;
	}
	return i;
}

/* What a child finds out is told in memory that it shares with its parent */
static void *shared_memory(size_t size)
{
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return map == MAP_FAILED ? NULL : map;
}

struct costs {
	struct nodeset nodes;
	int nr;
	int ret[NR_KINDS];
	/* Slab bytes with policies of each kind, over those without a policy */
	long long cost[NR_KINDS];
	/* The same when there are no own weights any more, and no mappings */
	long long given_back;
	long long left;
};

static int finds_costs(void *arg)
{
	struct costs *costs = arg;
	long long start, mapped;
	struct memcg memcg;
	int kind, ret;
	char *map;

	if (memcg_enter(&memcg))
		return 1;
	start = slab_bytes(memcg.group);
	map = map_pages(costs->nr);
	if (!map)
		return 2;
	mapped = slab_bytes(memcg.group);
	for (kind = 0; kind < NR_KINDS; kind++) {
		bind_pages(map, costs->nr, &costs->nodes, kind,
			   &costs->ret[kind]);
		costs->cost[kind] = slab_bytes(memcg.group) - mapped;
	}
	bind_pages(map, costs->nr, &costs->nodes, NO_WEIGHTS, &ret);
	if (ret)
		return 3;
	costs->given_back = slab_settle(memcg.group, mapped + SLAB_NOISE) -
			    mapped;
	unmap_pages(map, costs->nr);
	costs->left = slab_settle(memcg.group, start + SLAB_NOISE) - start;
	memcg_leave(&memcg);
	return 0;
}

TEST_F(memory, ten_thousand_mappings)
{
	const struct nodeset *nodes = &self->ctx.nodes;
	const int nr = scaled(MAPPINGS);
	struct costs *costs;
	int kind;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);

	costs = shared_memory(sizeof(*costs));
	ASSERT_TRUE(!!costs);
	costs->nodes = *nodes;
	costs->nr = nr;
	ASSERT_EQ(0, in_child(finds_costs, costs));
	for (kind = 0; kind < NR_KINDS; kind++)
		EXPECT_EQ(0, costs->ret[kind]);
	/* Own weights are something that each mapping has ... */
	EXPECT_LE(costs->cost[NO_WEIGHTS] + nr * SMALLEST,
		  costs->cost[SAME_WEIGHTS]);
	/* ... but less than a table; different ones have a table each */
	EXPECT_GE(costs->cost[NO_WEIGHTS] + nr * pages_of_rounds(nodes, 1),
		  costs->cost[SAME_WEIGHTS]);
	EXPECT_LE(costs->cost[SAME_WEIGHTS] + pages_of_rounds(nodes, nr),
		  costs->cost[DIFFERENT_WEIGHTS]);
	EXPECT_GE(SLAB_NOISE, costs->given_back);
	EXPECT_GE(SLAB_NOISE, costs->left);
}

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

/* A process that fails ends all turns, so that the other one does not wait */
static void wait_for_turn(const struct witness *witness, int turn)
{
	while (__atomic_load_n(witness->turn, __ATOMIC_ACQUIRE) < turn)
		usleep(1000);
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
	/* Own weights and mappings go, the tables are in use */
	witness->kept = slab_settle(memcg.group, 0);
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

/* Tables are the first user's, even when only others use them by now */
TEST_F(memory, first_user_pays)
{
	int (*const use[])(void *arg) = { uses_first, uses_second };
	const struct nodeset *nodes = &self->ctx.nodes;
	const int nr = scaled(SHARED_MAPPINGS);
	struct witness *witness;
	long long tables;
	pid_t pid[2];
	int status, i;
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
		pid[i] = fork();
		if (!pid[i])
			_exit(use[i](&witness[i]));
		ASSERT_LT(0, pid[i]);
	}
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(pid[i], waitpid(pid[i], &status, 0));
		ASSERT_EQ(0, status);
		EXPECT_EQ(0, witness[i].ret);
		EXPECT_GE(SLAB_NOISE, witness[i].left);
	}
	tables = pages_of_rounds(nodes, nr);
	EXPECT_LE(witness[1].cost + tables, witness[0].cost);
	EXPECT_LE(nr * SMALLEST, witness[1].cost);
	EXPECT_LE(tables, witness[0].kept);
}

/* Processes whose cpuset somebody else widens */
struct tenant {
	struct nodeset nodes;
	/* Mappings, and tasks in addition, each with a table of its own */
	int nr;
	int tasks;
	int turn;
	struct cpuset cpuset;
	int ret;
	int move_ret;
	/* Slab bytes that the other nodes cost, and that all of it leaves behind */
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

/* Tasks with a policy each, which all end with @pipes[1]; how many there are */
static int start_tasks(const struct tenant *tenant, const int pipes[2])
{
	int ready[2], i, started;
	char byte = 0;

	if (pipe(ready))
		return 0;
	for (i = 0; i < tenant->tasks; i++) {
		struct own_policy own;

		if (fork())
			continue;
		close(pipes[1]);
		fill_static(&own, &tenant->nodes, tenant->nr + i);
		if (own_set(&own) || write(ready[1], &byte, 1) != 1)
			_exit(1);
		_exit(read(pipes[0], &byte, 1));
	}
	close(ready[1]);
	for (started = 0; read(ready[0], &byte, 1) == 1; started++)
		if (started + 1 == tenant->tasks)
			return tenant->tasks;
	return started;
}

static int lets_others_move_it(void *arg)
{
	struct tenant *tenant = arg;
	struct witness turns = { .turn = &tenant->turn };
	const size_t page = page_bytes();
	int pipes[2], i;
	long long start;
	char *map;

	map = map_pages(tenant->nr);
	if (!map || pipe(pipes) || start_tasks(tenant, pipes) != tenant->tasks)
		return leave_turns(&turns, 1);
	for (i = 0; i < tenant->nr && !tenant->ret; i++) {
		struct own_policy own;

		fill_static(&own, &tenant->nodes, i);
		tenant->ret = own_bind(map + 2 * i * page, page, &own, 0);
	}
	start = slab_bytes(tenant->cpuset.group);
	end_turn(&turns);
	wait_for_turn(&turns, 2);
	tenant->cost = slab_bytes(tenant->cpuset.group) - start;
	unmap_pages(map, tenant->nr);
	close(pipes[1]);
	while (wait(NULL) > 0)
		;
	return 0;
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
	int status, ret = 1;
	char path[128];
	pid_t pid;

	if (cpuset_enter(&tenant->cpuset, &first) ||
	    slab_bytes(tenant->cpuset.group) < 0) {
		cpuset_leave(&tenant->cpuset);
		return 2;
	}
	pid = fork();
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
 * administrator, in another group. Nothing of it stays when the owner has ended, or
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

/*
 * The report of the out-of-memory killer, which has nobody to kill here, has a
 * call trace, at the level of warnings. What is worse still gets through.
 */
static int console_level(int level)
{
	const char *path = "/proc/sys/kernel/printk";
	char text[64];
	int ret, old;

	ret = file_read(path, text, sizeof(text));
	if (ret < 0)
		return ret;
	old = atoi(text);
	ret = file_print(path, "%d", level);
	return ret ? ret : old;
}

struct limited {
	struct nodeset nodes;
	/* What the calls at the limit answered, and one below it later */
	int ret;
	int set_ret;
	int later;
	/* How many mappings came before that, and have their weights */
	int bound;
	int made;
	bool old_stays;
	bool old_task_stays;
	long long slab;
};

static bool mapping_has(const char *addr, const struct own_policy *own)
{
	struct own_policy got;

	return !own_get(&got, addr, MPOL_F_ADDR | MPOL_F_OWN_WEIGHTS) &&
	       own_equal(own, &got);
}

/*
 * Everything that is used at the limit is there before it: a page fault there
 * would wait for memory for ever.
 */
static int meets_limit(void *arg)
{
	const size_t page = page_bytes();
	struct limited *limited = arg;
	struct own_policy old, own, got;
	struct memcg memcg;
	char path[128];
	size_t i, task;
	char *map;
	int fd;

	/* With nobody to be killed the allocation fails */
	if (file_print("/proc/self/oom_score_adj", "-1000") ||
	    mlockall(MCL_CURRENT))
		return 1;
	map = map_pages(LIMIT_MAPPINGS);
	if (!map)
		return 2;
	/* Each mapping has a policy beforehand, and so has the task */
	own_fill(&old, &limited->nodes, LIMIT_MAPPINGS);
	for (i = 0; i < LIMIT_MAPPINGS; i++)
		if (own_bind(map + 2 * i * page, page, &old, 0))
			return 3;
	if (own_set(&old))
		return 4;
	if (memcg_enter(&memcg))
		return 5;
	snprintf(path, sizeof(path), "%s/memory.max", memcg.group);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || dprintf(fd, "%d", LIMIT) < 0)
		return 6;

	i = bind_pages(map, LIMIT_MAPPINGS, &limited->nodes, DIFFERENT_WEIGHTS,
		       &limited->ret);
	/*
	 * What one allocation does not get, the next may: memory comes back from
	 * RCU late. Then the rest is used up again.
	 */
	for (task = LIMIT_MAPPINGS; task < LIMIT_MAPPINGS + TRIES; task++) {
		own_fill(&own, &limited->nodes, task + 1);
		limited->set_ret = own_set(&own);
		if (limited->set_ret)
			break;
		for (; i < LIMIT_MAPPINGS; i++) {
			own_fill(&own, &limited->nodes, i);
			if (own_bind(map + 2 * i * page, page, &own, 0))
				break;
		}
	}
	if (pwrite(fd, "max", 3, 0) != 3)
		return 7;

	limited->slab = slab_bytes(memcg.group);
	own_fill(&own, &limited->nodes, task);
	limited->old_task_stays = !own_get(&got, NULL, MPOL_F_OWN_WEIGHTS) &&
				  own_equal(&own, &got);
	limited->old_stays = i < LIMIT_MAPPINGS &&
			     mapping_has(map + 2 * i * page, &old);
	/* Those that were made are not affected */
	while (i-- > 0) {
		own_fill(&own, &limited->nodes, i);
		limited->made += mapping_has(map + 2 * i * page, &own);
		limited->bound++;
	}

	/* When they have gone the same call succeeds below the same limit */
	unmap_pages(map, LIMIT_MAPPINGS);
	slab_settle(memcg.group, SLAB_NOISE);
	if (dprintf(fd, "%d", LIMIT) < 0)
		return 8;
	limited->later = own_set(&own);
	memcg_leave(&memcg);
	return 0;
}

TEST_F(memory, limit)
{
	struct limited *limited;
	int level, status;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);

	limited = shared_memory(sizeof(*limited));
	ASSERT_TRUE(!!limited);
	limited->nodes = self->ctx.nodes;
	level = console_level(4);
	ASSERT_LE(0, level);
	status = in_child(meets_limit, limited);
	ASSERT_EQ(4, console_level(level));
	ASSERT_EQ(0, status);
	EXPECT_EQ(-ENOMEM, limited->ret);
	EXPECT_TRUE(limited->old_stays);
	EXPECT_LT(0, limited->bound);
	EXPECT_EQ(limited->bound, limited->made);
	EXPECT_EQ(-ENOMEM, limited->set_ret);
	EXPECT_TRUE(limited->old_task_stays);
	EXPECT_GE(LIMIT + SLAB_NOISE, limited->slab);
	EXPECT_EQ(0, limited->later);
}

struct repeated {
	struct nodeset nodes;
	bool mapping;
	/* Slab of the cgroup, which pays for the tables, and of the machine */
	long long group[2];
	long long all[2];
};

static int repeats(void *arg)
{
	const size_t calls = scaled(REPETITIONS);
	struct repeated *repeated = arg;
	struct own_policy own;
	struct memcg memcg;
	char *map;
	size_t i;
	int ret;

	if (memcg_enter(&memcg))
		return 1;
	map = map_pages(1);
	if (!map)
		return 2;
	repeated->group[0] = slab_bytes(memcg.group);
	for (i = 0; i < calls; i++) {
		/* By then the caches of each CPU and node are there */
		if (i == calls / 100)
			repeated->all[0] = slab_bytes(NULL);
		own_fill(&own, &repeated->nodes, i);
		ret = repeated->mapping ? own_bind(map, page_bytes(), &own, 0) :
					  own_set(&own);
		if (ret)
			return 3;
	}
	repeated->group[1] = slab_settle(memcg.group,
					 repeated->group[0] + SLAB_NOISE);
	repeated->all[1] = slab_settle(NULL, repeated->all[0] +
					     SLAB_NOISE_OF_ALL);
	memcg_leave(&memcg);
	return 0;
}

static void repeat(struct __test_metadata *_metadata, struct context *ctx,
		   bool mapping)
{
	struct repeated *repeated;

	repeated = shared_memory(sizeof(*repeated));
	ASSERT_TRUE(!!repeated);
	repeated->nodes = ctx->nodes;
	repeated->mapping = mapping;
	ASSERT_EQ(0, in_child(repeats, repeated));
	EXPECT_GE(repeated->group[0] + SLAB_NOISE, repeated->group[1]);
	EXPECT_GE(repeated->all[0] + SLAB_NOISE_OF_ALL, repeated->all[1]);
}

/* As many tables as live policies, however many there have been */
TEST_F(memory, repeated_for_a_task)
{
	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	repeat(_metadata, &self->ctx, false);
}

TEST_F(memory, repeated_for_a_mapping)
{
	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);
	repeat(_metadata, &self->ctx, true);
}
