// SPDX-License-Identifier: GPL-2.0
/*
 * The mempolicy2 calls with random arguments from several threads, each for itself
 * and for a process of its own that goes on creating threads and processes, while the
 * cpuset moves, the global weights change and, where there is such a node,
 * memory comes and goes.
 *
 * MEMPOLICY2_CALLS is the number of random calls, MEMPOLICY2_SEED asks for other
 * ones: without it they are the same in each run.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "placement.h"
#include "process_calls.h"
#include "races.h"

#define DEFAULT_CALLS 50000
#define THREADS 4
/* Each write computes the orders of all live sets anew */
#define LARGEST_WRITTEN 16
/* A million calls on a debug kernel are to be affordable */
#define PAGES 8
/* Between what a process does, whose policy its caller sets */
#define REST_US 20000
/* Below what mmap(2) hands out */
#define NOTHING_MAPPED ((void *)page_bytes())

struct disturber {
	struct context *ctx;
	pthread_t thread;
	bool stop;
	bool idle;
	long rounds;
	const char *wrong;
};

#define DISTURBERS 3

struct caller {
	struct context *ctx;
	pthread_t thread;
	const struct disturber *disturber;
	unsigned long long random;
	/* Still to be made */
	long calls;
	long accepted;
	struct area area;
	struct area edge;
	/* A process that has them as well, and whether the next call is for that one */
	pid_t pid;
	int pidfd;
	bool outside;
	/* What the next call is given, and whether something is wrong in it */
	struct arguments *args;
	bool bad;
	/* EINVAL is right when the cpuset has no node of the mask */
	bool one_node;
	const char *wrong;
};

static unsigned int draw(struct caller *caller, unsigned int below)
{
	caller->random ^= caller->random << 13;
	caller->random ^= caller->random >> 7;
	caller->random ^= caller->random << 17;
	return (caller->random >> 16) % below;
}

static bool one_in(struct caller *caller, unsigned int times)
{
	return !draw(caller, times);
}

static unsigned long wrong_pointer(struct caller *caller)
{
	char *end = caller->edge.start + caller->edge.len;
	const unsigned long pointers[] = {
		16, (unsigned long)end, (unsigned long)end - 1, -1UL, -4096UL,
	};

	return pointers[draw(caller, ARRAY_LEN(pointers))];
}

/* Small ones meet those of others; large ones make long rounds */
static int random_weight(struct caller *caller)
{
	return draw(caller, one_in(caller, 32) ? MAX_WEIGHT + 1 : 6);
}

static void fill_random(struct caller *caller)
{
	static const int modes[] = {
		MPOL_DEFAULT, MPOL_LOCAL, MPOL_PREFERRED, MPOL_BIND,
		MPOL_INTERLEAVE, MPOL_PREFERRED_MANY, MPOL_WEIGHTED_INTERLEAVE,
		MPOL_WEIGHTED_INTERLEAVE, MPOL_WEIGHTED_INTERLEAVE,
		MPOL_WEIGHTED_INTERLEAVE,
	};
	static const int flags[] = {
		0, MPOL_F_STATIC_NODES, MPOL_F_RELATIVE_NODES,
	};
	struct arguments *args = caller->args;
	const struct context *ctx = caller->ctx;
	struct mpol_param *param = &args->param;
	bool nodes, plain;
	int i;

	memset(args, 0, sizeof(*args));
	caller->bad = false;
	caller->one_node = false;
	param->mode = modes[draw(caller, ARRAY_LEN(modes))];
	plain = param->mode == MPOL_DEFAULT || param->mode == MPOL_LOCAL;
	nodes = !plain && (param->mode != MPOL_PREFERRED || draw(caller, 2));
	if (nodes)
		param->mode_flags = flags[draw(caller, ARRAY_LEN(flags))];
	param->home_node = draw(caller, 2) ? -1 : (int)draw(caller, 9999);
	param->pol_maxnodes = 64 + draw(caller, MAX_NODES - 64 + 1);
	param->pol_nodes = (uintptr_t)args->nodes.word;
	if (nodes) {
		caller->one_node = one_in(caller, 4);
		args->nodes = caller->one_node ?
			      nodeset_of(draw(caller, 2) ? ctx->first :
							   ctx->second) :
			      ctx->nodes;
		if (ctx->hot.blocks && one_in(caller, 3))
			nodeset_add(&args->nodes, ctx->hot.node);
	}
	if (param->mode == MPOL_WEIGHTED_INTERLEAVE && draw(caller, 4)) {
		param->il_weights = (uintptr_t)args->weight;
		for (i = 0; i < ctx->nr_ids; i++)
			args->weight[i] = random_weight(caller);
	}
	if (draw(caller, 3))
		return;

	/* Now something that no kernel may take */
	caller->bad = true;
	switch (draw(caller, 9)) {
	case 0:
		param->mode = MPOL_WEIGHTED_INTERLEAVE + 1 +
			      draw(caller, 60000);
		break;
	case 1:
		param->mode_flags |= 1 << draw(caller, 13);
		break;
	case 2:
		param->mode_flags = MPOL_F_STATIC_NODES |
				    MPOL_F_RELATIVE_NODES;
		break;
	case 3:
		param->resv[draw(caller, 6)] = 1 + draw(caller, 255);
		break;
	case 4:
		param->pol_nodes = wrong_pointer(caller);
		break;
	case 5:
		param->mode = MPOL_WEIGHTED_INTERLEAVE;
		args->nodes = ctx->nodes;
		param->il_weights = wrong_pointer(caller);
		break;
	case 6:
		param->mode = MPOL_WEIGHTED_INTERLEAVE;
		nodeset_clear(&args->nodes);
		break;
	case 7:
		param->mode = MPOL_BIND;
		args->nodes = ctx->nodes;
		param->il_weights = (uintptr_t)args->weight;
		break;
	case 8:
		param->mode = MPOL_LOCAL;
		args->nodes = ctx->nodes;
		break;
	}
}

/* A size, mostly that of the struct; marks the call as bad when it is wrong */
static size_t random_size(struct caller *caller)
{
	const size_t page = page_bytes();
	const size_t wrong[] = { 0, 1, 31, page + 1, SIZE_MAX };

	if (draw(caller, 16))
		return sizeof(struct mpol_param) + 8 * draw(caller, 5);
	caller->bad = true;
	return wrong[draw(caller, ARRAY_LEN(wrong))];
}

/* What a random call may answer when it is refused */
static bool known_error(int ret)
{
	return ret == -EINVAL || ret == -EFAULT || ret == -E2BIG;
}

static int set_of(struct caller *caller, size_t usize, unsigned long flags)
{
	if (caller->outside)
		return process_param_set(caller->pidfd, caller->args, usize, flags);
	return param_set(caller->args, usize, flags);
}

static int bind_of(struct caller *caller, const char *start, size_t len, size_t usize,
		   unsigned long flags)
{
	if (caller->outside)
		return process_param_bind(caller->pidfd, start, len, caller->args, usize,
					  flags);
	return param_bind(start, len, caller->args, usize, flags);
}

static int get_of(struct caller *caller, void *param, size_t usize, const void *addr,
		  unsigned long flags)
{
	if (caller->outside)
		return process_param_get(caller->pidfd, param, usize, addr, flags);
	return param_get(param, usize, addr, flags);
}

/* A policy that was accepted is there; others may move with the cpuset */
static const char *look_at_policy(struct caller *caller, const void *addr)
{
	const struct arguments *args = caller->args;
	int mode = args->param.mode, i;
	struct own_policy policy;
	const struct own_policy *got = &policy;

	own_init(&policy, 0, 0, NULL, NULL);
	policy.param.il_weights = (uintptr_t)policy.weight;
	if (get_of(caller, &policy.param, sizeof(policy.param), addr,
		   MPOL_F_OWN_WEIGHTS | (addr ? MPOL_F_ADDR : 0)))
		return "get_mempolicy2 does not answer";
	if (mode == MPOL_PREFERRED && !nodeset_count(&args->nodes))
		mode = MPOL_LOCAL;
	if (got->param.mode != mode ||
	    got->param.mode_flags != args->param.mode_flags)
		return "another policy than the one that was set";
	if (mode != MPOL_WEIGHTED_INTERLEAVE ||
	    !(args->param.mode_flags & MPOL_F_STATIC_NODES))
		return NULL;
	if (!nodeset_equal(&got->nodes, &args->nodes))
		return "another mask than the one that was set";
	for (i = 0; i < caller->ctx->nr_ids && args->param.il_weights; i++)
		if (nodeset_has(&got->nodes, i) &&
		    got->weight[i] != args->weight[i])
			return "other weights than those that were set";
	return NULL;
}

static void call_set(struct caller *caller)
{
	unsigned long flags = 0;
	size_t usize;
	int ret;

	fill_random(caller);
	usize = random_size(caller);
	if (one_in(caller, 16)) {
		flags = 1UL << draw(caller, 4);
		if (flags != MPOL_MF_MOVE || !caller->outside)
			caller->bad = true;
	}
	ret = set_of(caller, usize, flags);
	if (ret && !known_error(ret))
		caller->wrong = "an unknown error of set_mempolicy2";
	else if (!ret == caller->bad &&
		 !(ret == -EINVAL && caller->one_node))
		caller->wrong = ret ? "good arguments are refused" :
				      "bad arguments are accepted";
	else if (!ret)
		caller->wrong = look_at_policy(caller, NULL);
	caller->accepted += !ret;
}

static bool lazy_possible(void)
{
	return !access("/sys/kernel/migration/auto_migrate_lazy", F_OK);
}

static void call_bind(struct caller *caller)
{
	const size_t page = page_bytes();
	/* Cutting mappings costs more than all else together */
	bool whole = draw(caller, 16);
	size_t first = whole ? 0 : draw(caller, PAGES), usize;
	size_t pages = whole ? PAGES : 1 + draw(caller, PAGES - first);
	char *start = caller->area.start + first * page;
	unsigned long flags = 0;
	int ret;

	fill_random(caller);
	usize = random_size(caller);
	if (one_in(caller, 16))
		touch(start, pages, page);
	if (one_in(caller, 4))
		flags |= MPOL_MF_STRICT;
	if (one_in(caller, 64))
		flags |= draw(caller, 2) ? MPOL_MF_MOVE : MPOL_MF_MOVE_ALL;
	if (one_in(caller, 16)) {
		flags |= draw(caller, 2) ? MPOL_MF_LAZY : 1UL << 5;
		/* Lazily goes with MPOL_MF_MOVE, and with nothing else */
		if (flags != (MPOL_MF_LAZY | MPOL_MF_MOVE) || !lazy_possible())
			caller->bad = true;
	}
	if (one_in(caller, 32)) {
		start++;
		caller->bad = true;
	}
	/* The default policy may be given to what is not there */
	if (one_in(caller, 32) && caller->args->param.mode != MPOL_DEFAULT) {
		start = NOTHING_MAPPED;
		pages = 1;
		caller->bad = true;
	}
	ret = bind_of(caller, start, pages * page, usize, flags);
	if (ret == -EIO && (flags & MPOL_MF_STRICT) && !caller->bad)
		return;
	if (ret && !known_error(ret))
		caller->wrong = "an unknown error of mbind2";
	else if (!ret == caller->bad &&
		 !(ret == -EINVAL && caller->one_node))
		caller->wrong = ret ? "good arguments are refused" :
				      "bad arguments are accepted";
	else if (!ret)
		caller->wrong = look_at_policy(caller, start);
	if (one_in(caller, 32))
		madvise(caller->area.start, caller->area.len, MADV_DONTNEED);
	caller->accepted += !ret;
}

static void call_get(struct caller *caller)
{
	struct arguments *args = caller->args;
	const void *addr = NULL;
	unsigned long flags = 0;
	struct own_policy own;
	size_t usize;
	int ret;

	memset(args, 0, sizeof(*args));
	memset(&own, 0xff, sizeof(own));
	caller->bad = false;
	args->param = own.param;
	memset(args->param.resv, 0, sizeof(args->param.resv));
	args->param.pol_maxnodes = caller->ctx->nr_ids + draw(caller, 200);
	args->param.pol_nodes = draw(caller, 2) ?
				(uintptr_t)args->nodes.word : 0;
	args->param.il_weights = draw(caller, 2) ?
				 (uintptr_t)args->weight : 0;
	usize = random_size(caller);
	if (draw(caller, 2))
		flags |= MPOL_F_OWN_WEIGHTS;
	if (draw(caller, 2)) {
		flags |= MPOL_F_ADDR;
		addr = caller->area.start +
		       draw(caller, PAGES) * page_bytes();
	}
	switch (draw(caller, 32)) {
	case 0:
		flags |= 1UL << (4 + draw(caller, 28));
		caller->bad = true;
		break;
	case 1:
		flags |= MPOL_F_ADDR;
		addr = NOTHING_MAPPED;
		caller->bad = true;
		break;
	case 2:
		args->param.pol_nodes = (uintptr_t)args->nodes.word;
		args->param.pol_maxnodes = draw(caller, caller->ctx->nr_ids);
		caller->bad = true;
		break;
	case 3:
		args->param.pol_nodes = wrong_pointer(caller);
		caller->bad = true;
		break;
	}
	ret = get_of(caller, args, usize, addr, flags);
	if (ret && !known_error(ret))
		caller->wrong = "an unknown error of get_mempolicy2";
	else if (!ret == caller->bad)
		caller->wrong = ret ? "a good question is refused" :
				      "a bad question is answered";
	else if (!ret && args->param.mode > MPOL_WEIGHTED_INTERLEAVE)
		caller->wrong = "get_mempolicy2 answers no mode";
	caller->accepted += !ret;
}

/* Whether each disturber with anything to do has done it at least once */
static bool all_disturbed(const struct caller *caller)
{
	int i;

	for (i = 0; i < DISTURBERS; i++)
		if (!caller->disturber[i].idle &&
		    !__atomic_load_n(&caller->disturber[i].rounds,
				     __ATOMIC_RELAXED))
			return false;
	return true;
}

static void *calls_at_random(void *arg)
{
	/* A bind costs as much as eight questions */
	static void (*const calls[])(struct caller *caller) = {
		call_bind, call_set, call_set, call_get, call_get, call_get,
		call_get, call_get,
	};
	struct caller *caller = arg;
	struct own_policy get;

	while (!caller->wrong &&
	       (caller->calls > 0 ||
		(!all_disturbed(caller) && caller->calls > -MOST_RACES))) {
		caller->outside = one_in(caller, 4);
		calls[draw(caller, ARRAY_LEN(calls))](caller);
		caller->calls--;
	}
	/* Still in order, whatever was asked before */
	if (!caller->wrong && own_get(&get, NULL, 0))
		caller->wrong = "get_mempolicy2 fails at the end";
	return NULL;
}

static long long microseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

/*
 * Rests several times as long as was worked since @start, however slow the
 * machine is: most of it is for the calls.
 */
static void rest(const struct disturber *disturber, long long start)
{
	long long end = microseconds();

	end += 4 * (end - start) + 1000;
	while (microseconds() < end &&
	       !__atomic_load_n(&disturber->stop, __ATOMIC_RELAXED))
		usleep(1000);
}

static void *moves_cpuset(void *arg)
{
	struct disturber *disturber = arg;
	struct context *ctx = disturber->ctx;
	struct nodeset stops[] = {
		ctx->memory, nodeset_of(ctx->first), ctx->nodes,
		nodeset_of(ctx->second), ctx->memory,
	};
	const size_t with_hot = ARRAY_LEN(stops) - 1;
	long long start;
	size_t i = 0;
	int ret;

	if (ctx->hot.blocks)
		nodeset_add(&stops[with_hot], ctx->hot.node);
	while (!__atomic_load_n(&disturber->stop, __ATOMIC_RELAXED)) {
		start = microseconds();
		ret = cpuset_move(&ctx->cpuset, &stops[i]);
		/* Cgroup 1 wants the memory to be there */
		if (ret && !(ret == -EINVAL && i == with_hot))
			disturber->wrong = "the cpuset could not be moved";
		i = (i + 1) % ARRAY_LEN(stops);
		PUT(disturber->rounds, disturber->rounds + !i);
		rest(disturber, start);
	}
	if (cpuset_move(&ctx->cpuset, &ctx->memory))
		disturber->wrong = "the cpuset could not be moved back";
	return NULL;
}

static void *writes_weights(void *arg)
{
	struct disturber *disturber = arg;
	struct context *ctx = disturber->ctx;
	unsigned int weight = 0;
	long long start;
	int ret;

	while (!__atomic_load_n(&disturber->stop, __ATOMIC_RELAXED)) {
		start = microseconds();
		weight = weight % LARGEST_WRITTEN + 1;
		if (weight_write(ctx->first, weight) ||
		    weight_write(ctx->second, LARGEST_WRITTEN + 1 - weight))
			disturber->wrong = "a weight could not be written";
		ret = ctx->hot.blocks ? weight_write(ctx->hot.node, weight) : 0;
		if (ret && ret != -ENOENT && ret != -ENODEV)
			disturber->wrong = "a weight could not be written";
		PUT(disturber->rounds, disturber->rounds + 1);
		rest(disturber, start);
	}
	return NULL;
}

/* A page in use may keep a block for a while, that is no mistake */
static void *plugs_memory(void *arg)
{
	struct disturber *disturber = arg;
	struct hot_node *hot = &disturber->ctx->hot;
	long long start;

	if (disturber->idle)
		return NULL;
	while (!__atomic_load_n(&disturber->stop, __ATOMIC_RELAXED)) {
		start = microseconds();
		if (hot_block_state(hot->block[0], "online_movable"))
			disturber->wrong = "memory does not come online";
		rest(disturber, start);
		start = microseconds();
		if (!hot_block_state(hot->block[0], "offline"))
			PUT(disturber->rounds, disturber->rounds + 1);
		rest(disturber, start);
	}
	/* Its weight outlives it: leave it as it was */
	if (hot_block_state(hot->block[0], "online_movable") ||
	    weight_write(hot->node, 1))
		disturber->wrong = "memory does not come online at the end";
	return NULL;
}

static unsigned long long number_of(const char *variable,
				    unsigned long long otherwise)
{
	const char *text = getenv(variable);

	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

static void *is_created(void *arg)
{
	return arg;
}

/* What is being created while its policy is set has that one. */
static void *forks(void *arg)
{
	pid_t pid;

	for (;;) {
		pid = fork();
		if (!pid)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
		usleep(REST_US);
	}
	return arg;
}

static void lives(const struct area *area)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, forks, NULL))
		_exit(1);
	for (;;) {
		if (!pthread_create(&thread, NULL, is_created, NULL))
			pthread_join(thread, NULL);
		touch(area->start, PAGES, page_bytes());
		usleep(REST_US);
	}
}

static int caller_init(struct caller *caller, struct context *ctx,
		       unsigned long long seed, long calls)
{
	int ret;

	memset(caller, 0, sizeof(*caller));
	caller->ctx = ctx;
	caller->random = seed * 0x9e3779b97f4a7c15ULL | 1;
	caller->calls = calls;
	caller->args = malloc(sizeof(*caller->args));
	if (!caller->args)
		return -ENOMEM;
	ret = area_map(&caller->area, PAGES, 1);
	if (!ret)
		ret = area_map(&caller->edge, 1, 1);
	if (ret)
		return ret;
	caller->pid = fork_child();
	if (!caller->pid)
		lives(&caller->area);
	if (caller->pid < 0)
		return -ECHILD;
	caller->pidfd = pidfd_of(caller->pid);
	return caller->pidfd < 0 ? caller->pidfd : 0;
}

static void caller_free(struct caller *caller)
{
	close(caller->pidfd);
	kill(caller->pid, SIGKILL);
	waitpid(caller->pid, NULL, 0);
	area_unmap(&caller->area);
	area_unmap(&caller->edge);
	free(caller->args);
}

/* Returns how many calls were accepted */
static long call_and_disturb(struct __test_metadata *_metadata,
			     struct context *ctx, unsigned long long seed,
			     long calls)
{
	static void *(*const work[DISTURBERS])(void *) = {
		writes_weights, moves_cpuset, plugs_memory,
	};
	struct disturber disturber[DISTURBERS] = {};
	struct caller caller[THREADS];
	long accepted = 0;
	size_t i;

	for (i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, caller_init(&caller[i], ctx, seed + i,
					 (calls + THREADS - 1) / THREADS));
		caller[i].disturber = disturber;
	}
	for (i = 0; i < DISTURBERS; i++) {
		disturber[i].ctx = ctx;
		disturber[i].idle = work[i] == plugs_memory && !ctx->hot.blocks;
		ASSERT_EQ(0, pthread_create(&disturber[i].thread, NULL, work[i],
					    &disturber[i]));
	}
	for (i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_create(&caller[i].thread, NULL,
					    calls_at_random, &caller[i]));
	for (i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, pthread_join(caller[i].thread, NULL));
		EXPECT_TRUE(!caller[i].wrong)
			TH_LOG("thread %zu, %ld calls to go: %s", i,
			       caller[i].calls, caller[i].wrong);
		accepted += caller[i].accepted;
		caller_free(&caller[i]);
	}
	for (i = 0; i < DISTURBERS; i++) {
		PUT(disturber[i].stop, true);
		ASSERT_EQ(0, pthread_join(disturber[i].thread, NULL));
		EXPECT_TRUE(!disturber[i].wrong)
			TH_LOG("%s", disturber[i].wrong);
		EXPECT_TRUE(disturber[i].idle || disturber[i].rounds)
			TH_LOG("disturber %zu had nothing to show", i);
	}
	if (ctx->hot.blocks)
		EXPECT_EQ(0, hot_remove(&ctx->hot, 1));
	return accepted;
}

TEST_F_TIMEOUT(race, random_calls, 7200)
{
	unsigned long long seed = number_of("MEMPOLICY2_SEED", 1);
	long calls = number_of("MEMPOLICY2_CALLS", DEFAULT_CALLS);
	struct context *ctx = &self->ctx;
	const char *group = ctx->cpuset.group;
	long long slab, all;
	int ret;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	ASSERT_LT(9, calls);
	ret = cpuset_enter(&ctx->cpuset, &ctx->memory);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "no cpusets");
	ASSERT_EQ(0, ret);

	TH_LOG("%ld calls, MEMPOLICY2_SEED=%llu", calls, seed);
	slab = slab_bytes(group);
	/* By then the caches of each CPU and node are there */
	call_and_disturb(_metadata, ctx, ~seed, calls / 10);
	all = slab_bytes(NULL);
	/* A third of them has something wrong, the others are good */
	EXPECT_LT(calls / 4, call_and_disturb(_metadata, ctx, seed, calls));

	/* What they made is gone */
	if (slab < 0)
		TH_LOG("no memory cgroup that counts slab");
	else
		EXPECT_GE(slab + SLAB_NOISE,
			  slab_settle(group, slab + SLAB_NOISE));
	EXPECT_GE(all + SLAB_NOISE_OF_ALL,
		  slab_settle(NULL, all + SLAB_NOISE_OF_ALL));
}
