// SPDX-License-Identifier: GPL-2.0
/*
 * process_get_mempolicy2(2) and process_mbind2(2): policies of another process,
 * who may look at them and change them, and what becomes of its pages.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "placement.h"
#include "policies.h"
#include "targets.h"

#define MANY_PAGES	1024UL
#define NOBODY		65534
/* What the kernel needs for one more mapping, at least */
#define MAPPING_BYTES	150
/* That of the kernel's threads */
#define KTHREADD	2
#define YAMA		"/proc/sys/kernel/yama/ptrace_scope"

TEST_F(mempolicy2, get_of_another_process)
{
	const unsigned long of_address = MPOL_F_ADDR | MPOL_F_OWN_WEIGHTS;
	struct context *ctx = &self->ctx;
	struct own_policy got, bind;
	struct inherited own;
	struct target target;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	ASSERT_TRUE(inherit(&own, ctx));
	ASSERT_TRUE(target_begin(&target, &own, 0));
	/* What this process does from now on is its own. */
	own_init(&bind, MPOL_BIND, 0, &ctx->nodes, NULL);
	ASSERT_EQ(0, own_set(&bind));
	ASSERT_EQ(0, own_bind(ctx->area.start, ctx->area.len, &bind, 0));
	EXPECT_EQ(0, process_get(target.pidfd, &got, NULL, MPOL_F_OWN_WEIGHTS));
	EXPECT_TRUE(own_equal(&ctx->task, &got));
	EXPECT_EQ(0, process_get(target.pidfd, &got, ctx->area.start, of_address));
	EXPECT_TRUE(own_equal(&ctx->mapping, &got));
	EXPECT_EQ(0, process_get(target.pidfd, &got, own.area.start, of_address));
	EXPECT_EQ(MPOL_DEFAULT, got.param.mode);
	EXPECT_EQ(-EFAULT, process_get(target.pidfd, &got, NULL, MPOL_F_ADDR));
	/* A stopped one is not waited for. */
	ASSERT_EQ(0, kill(target.pid, SIGSTOP));
	ASSERT_EQ(target.pid, waitpid(target.pid, NULL, WUNTRACED));
	EXPECT_EQ(0, process_get(target.pidfd, &got, ctx->area.start, of_address));
	EXPECT_TRUE(own_equal(&ctx->mapping, &got));
	ASSERT_EQ(0, kill(target.pid, SIGCONT));
	/* Nor is it gone while one thread lives. */
	ASSERT_EQ(0, told(&target, END_FIRST_THREAD));
	ASSERT_TRUE(first_thread_ends(&target));
	EXPECT_EQ(0, process_get(target.pidfd, &got, NULL, MPOL_F_OWN_WEIGHTS));
	EXPECT_TRUE(own_equal(&ctx->task, &got));
	EXPECT_EQ(0, process_bind(target.pidfd, own.area.start, own.area.len, &bind, 0));
	target_end(&target);
	area_unmap(&own.area);
}

TEST_F(mempolicy2, weights_of_another_process)
{
	static const unsigned int three_to_one[] = { 3, 1 };
	struct context *ctx = &self->ctx;
	struct own_policy weighted, got;
	struct inherited own;
	struct target target;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (ctx->second < 0)
		SKIP(return, "needs two nodes with memory");
	ASSERT_TRUE(inherit(&own, ctx));
	ASSERT_TRUE(target_begin(&target, &own, 0));
	own_init(&weighted, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes, three_to_one);
	/* By 5:3, which is the task's */
	ASSERT_EQ(0, told(&target, TOUCH_HALF));
	ASSERT_EQ(0, kill(target.pid, SIGSTOP));
	ASSERT_EQ(target.pid, waitpid(target.pid, NULL, WUNTRACED));
	EXPECT_EQ(0, process_bind(target.pidfd, own.area.start, own.area.len, &weighted,
				  MPOL_MF_MOVE));
	ASSERT_EQ(0, kill(target.pid, SIGCONT));
	EXPECT_EQ(0, process_get(target.pidfd, &got, own.area.start,
				 MPOL_F_ADDR | MPOL_F_OWN_WEIGHTS));
	EXPECT_EQ(MPOL_WEIGHTED_INTERLEAVE, got.param.mode);
	EXPECT_EQ(3, got.weight[ctx->first]);
	EXPECT_EQ(1, got.weight[ctx->second]);
	/* What had moved, and what comes now */
	ASSERT_EQ(0, told(&target, TOUCH_ALL));
	EXPECT_EQ(0, told(&target, LIES_THREE_TO_ONE));
	/* Nothing of this process has changed. */
	EXPECT_EQ(0, own_get(&got, own.area.start, MPOL_F_ADDR));
	EXPECT_EQ(MPOL_DEFAULT, got.param.mode);
	EXPECT_TRUE(policies_kept(ctx));
	target_end(&target);
	area_unmap(&own.area);
}

/* Pages go back by the policy of the task that they belong to. */
TEST_F(mempolicy2, default_of_another_process)
{
	struct context *ctx = &self->ctx;
	struct own_policy all, none, mine;
	struct nodeset second;
	struct inherited own;
	struct target target;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (ctx->second < 0)
		SKIP(return, "needs two nodes with memory");
	second = nodeset_of(ctx->second);
	ASSERT_TRUE(inherit(&own, ctx));
	own_init(&all, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes,
		 (const unsigned int[]) { 3, 1 });
	ASSERT_EQ(0, own_set(&all));
	ASSERT_TRUE(target_begin(&target, &own, 0));
	own_init(&mine, MPOL_BIND, 0, &second, NULL);
	ASSERT_EQ(0, own_set(&mine));
	EXPECT_EQ(0, process_bind(target.pidfd, own.area.start, own.area.len, &mine, 0));
	ASSERT_EQ(0, told(&target, TOUCH_ALL));
	EXPECT_EQ(1, told(&target, LIES_THREE_TO_ONE));
	own_init(&none, MPOL_DEFAULT, 0, NULL, NULL);
	EXPECT_EQ(0, process_bind(target.pidfd, own.area.start, own.area.len, &none,
				  MPOL_MF_MOVE));
	EXPECT_EQ(0, told(&target, LIES_THREE_TO_ONE));
	target_end(&target);
	area_unmap(&own.area);
}

TEST_F(mempolicy2, no_such_process)
{
	struct context *ctx = &self->ctx;
	struct own_policy got, bind;
	char *start = ctx->area.start;
	struct inherited own;
	struct target target;
	siginfo_t info;
	char link[64];
	int fds[3], i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	own_init(&bind, MPOL_BIND, 0, &ctx->nodes, NULL);
	fds[0] = -1;
	fds[1] = 1;
	fds[2] = open("/proc/self", O_RDONLY);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(-EBADF, process_get(fds[i], &got, NULL, 0));
		EXPECT_EQ(-EBADF, process_bind(fds[i], start, ctx->area.len, &bind, 0));
	}
	close(fds[2]);
	/* It has no memory of its own, unless it is another one of its namespace. */
	fds[0] = pidfd_of(KTHREADD);
	if (fds[0] >= 0 && readlink("/proc/2/exe", link, sizeof(link)) < 0) {
		EXPECT_EQ(-ESRCH, process_get(fds[0], &got, NULL, 0));
		EXPECT_EQ(-ESRCH, process_bind(fds[0], start, ctx->area.len, &bind, 0));
	}
	close(fds[0]);

	ASSERT_TRUE(inherit(&own, ctx));
	ASSERT_TRUE(target_begin(&target, &own, 0));
	/* What is wrong in any case is said first. */
	EXPECT_EQ(-EINVAL, process_get(target.pidfd, &got, start, 0));
	EXPECT_EQ(-EINVAL, process_get(target.pidfd, &got, NULL, 1));
	EXPECT_EQ(-EINVAL, process_bind(target.pidfd, start + 1, 1, &bind, 0));
	EXPECT_EQ(-EINVAL, process_bind(target.pidfd, start, 1, &bind, 1UL << 5));
	EXPECT_EQ(-EFAULT, process_bind(target.pidfd, NULL, 1, &bind, 0));
	EXPECT_EQ(0, process_bind(target.pidfd, start, 0, &bind, 0));
	bind.param.mode = MPOL_DEFAULT;
	EXPECT_EQ(-EINVAL, process_bind(target.pidfd, start, 0, &bind, 0));
	bind.param.mode = MPOL_BIND;
	/* It has ended, but nobody has asked how yet; then that, too */
	ASSERT_EQ(0, kill(target.pid, SIGKILL));
	ASSERT_EQ(0, waitid(P_PID, target.pid, &info, WEXITED | WNOWAIT));
	EXPECT_EQ(-ESRCH, process_get(target.pidfd, &got, NULL, 0));
	EXPECT_EQ(-ESRCH, process_bind(target.pidfd, start, ctx->area.len, &bind, 0));
	ASSERT_EQ(target.pid, waitpid(target.pid, NULL, 0));
	EXPECT_EQ(-ESRCH, process_get(target.pidfd, &got, NULL, 0));
	EXPECT_EQ(-ESRCH, process_bind(target.pidfd, start, ctx->area.len, &bind, 0));
	EXPECT_TRUE(policies_kept(ctx));
	close(target.to);
	close(target.from);
	close(target.pidfd);
	area_unmap(&own.area);
}

/* Of a task of NOBODY's: what it may do to another of his, and to one of root's */
struct neighbours {
	struct context *ctx;
	struct inherited own;
	struct target his;
	struct target roots;
	/* His as well, but nobody is to look into it, nor to attach to it */
	struct target shy;
	/* What Yama is to be set to, and what it was set to; below 0 where it is not there */
	int scope;
	int old_scope;
};

static bool neighbours_end(struct neighbours *others)
{
	target_end(&others->his);
	target_end(&others->roots);
	target_end(&others->shy);
	area_unmap(&others->own.area);
	return others->old_scope < 0 || others->old_scope == others->scope ||
	       !file_print(YAMA, "%d", others->old_scope);
}

static bool neighbours_begin(struct neighbours *others, struct context *ctx, int scope)
{
	others->ctx = ctx;
	others->scope = scope;
	others->old_scope = file_number(YAMA);
	if (!inherit(&others->own, ctx) || !target_begin(&others->his, &others->own, NOBODY) ||
	    !target_begin(&others->roots, &others->own, 0) ||
	    !target_begin(&others->shy, &others->own, NOBODY))
		return false;
	if (!told(&others->shy, NO_DUMPS) &&
	    (others->old_scope < 0 || others->old_scope == scope ||
	     !file_print(YAMA, "%d", scope)))
		return true;
	neighbours_end(others);
	return false;
}

static int calls_of_nobody(void *arg)
{
	struct neighbours *others = arg;
	struct context *ctx = others->ctx;
	char *start = ctx->area.start;
	struct own_policy got, bind;

	own_init(&bind, MPOL_BIND, 0, &ctx->nodes, NULL);
	if (setresuid(NOBODY, NOBODY, NOBODY))
		return 2;
	if (process_get(others->roots.pidfd, &got, NULL, 0) != -EPERM ||
	    process_get(others->shy.pidfd, &got, start, MPOL_F_ADDR) != -EPERM)
		return 3;
	if (process_bind(others->roots.pidfd, start, ctx->area.len, &bind, 0) != -EPERM ||
	    process_bind(others->shy.pidfd, start, 0, &bind, MPOL_MF_MOVE) != -EPERM)
		return 4;
	if (process_get(others->his.pidfd, &got, start, MPOL_F_ADDR))
		return 5;
	if (process_bind(others->his.pidfd, start, ctx->area.len, &bind,
			 MPOL_MF_MOVE_ALL) != -EPERM)
		return 6;
	return process_bind(others->his.pidfd, start, ctx->area.len, &bind, MPOL_MF_MOVE) ? 7 : 0;
}

/* The privilege to move pages of others opens no process that was closed */
static int calls_with_sys_nice(void *arg)
{
	struct neighbours *others = arg;
	struct context *ctx = others->ctx;
	char *start = ctx->area.start;
	struct own_policy bind;

	own_init(&bind, MPOL_BIND, 0, &ctx->nodes, NULL);
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) || setresuid(NOBODY, NOBODY, NOBODY) ||
	    !keep_sys_nice(true))
		return 2;
	if (process_bind(others->roots.pidfd, start, ctx->area.len, &bind, 0) != -EPERM ||
	    process_set(others->roots.pidfd, &bind, 0) != -EPERM)
		return 3;
	if (process_bind(others->shy.pidfd, start, ctx->area.len, &bind, 0) != -EPERM ||
	    process_set(others->shy.pidfd, &bind, 0) != -EPERM)
		return 4;
	if (process_set(others->his.pidfd, &bind, 0) ||
	    process_bind(others->his.pidfd, start, ctx->area.len, &bind, MPOL_MF_MOVE_ALL))
		return 5;
	if (!keep_sys_nice(false))
		return 6;
	return process_bind(others->his.pidfd, start, ctx->area.len, &bind,
			    MPOL_MF_MOVE_ALL) == -EPERM ? 0 : 7;
}

/* Of one to whom Yama lets nobody attach who is not above him */
static int calls_of_who_may_look(void *arg)
{
	struct neighbours *others = arg;
	struct context *ctx = others->ctx;
	int his = others->his.pidfd;
	char *start = ctx->area.start;
	struct own_policy got, bind;

	own_init(&bind, MPOL_BIND, 0, &ctx->nodes, NULL);
	if (setresuid(NOBODY, NOBODY, NOBODY))
		return 2;
	if (process_get(his, &got, NULL, 0) || process_get(his, &got, start, MPOL_F_ADDR))
		return 3;
	if (process_set(his, &bind, 0) != -EPERM)
		return 4;
	return process_bind(his, start, ctx->area.len, &bind, 0) == -EPERM ? 0 : 5;
}

TEST_F(mempolicy2, rights_to_a_process)
{
	struct context *ctx = &self->ctx;
	struct neighbours others;
	struct own_policy got;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	ASSERT_TRUE(neighbours_begin(&others, ctx, 0));
	EXPECT_EQ(0, in_child(calls_of_nobody, &others));
	EXPECT_EQ(0, in_child(calls_with_sys_nice, &others));
	EXPECT_EQ(0, process_get(others.his.pidfd, &got, ctx->area.start, MPOL_F_ADDR));
	EXPECT_EQ(MPOL_BIND, got.param.mode);
	EXPECT_EQ(0, process_get(others.roots.pidfd, &got, ctx->area.start,
				 MPOL_F_ADDR | MPOL_F_OWN_WEIGHTS));
	EXPECT_TRUE(own_equal(&ctx->mapping, &got));
	EXPECT_EQ(0, process_get(others.shy.pidfd, &got, ctx->area.start,
				 MPOL_F_ADDR | MPOL_F_OWN_WEIGHTS));
	EXPECT_TRUE(own_equal(&ctx->mapping, &got));
	EXPECT_TRUE(neighbours_end(&others));
}

TEST_F(mempolicy2, yama_lets_users_look)
{
	struct context *ctx = &self->ctx;
	struct neighbours others;
	struct own_policy got;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (access(YAMA, W_OK))
		SKIP(return, "needs Yama");
	ASSERT_TRUE(neighbours_begin(&others, ctx, 1));
	EXPECT_EQ(0, in_child(calls_of_who_may_look, &others));
	EXPECT_EQ(0, process_get(others.his.pidfd, &got, ctx->area.start,
				 MPOL_F_ADDR | MPOL_F_OWN_WEIGHTS));
	EXPECT_TRUE(own_equal(&ctx->mapping, &got));
	/* What one may look at, one may change with that privilege. */
	EXPECT_EQ(0, in_child(calls_with_sys_nice, &others));
	EXPECT_TRUE(neighbours_end(&others));
}

TEST_F(mempolicy2, nodes_that_another_process_may_use)
{
	struct context *ctx = &self->ctx;
	struct own_policy both, second, got;
	struct nodeset other, first;
	struct inherited own;
	struct target target;
	char answer;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (ctx->second < 0)
		SKIP(return, "needs two nodes with memory");
	ASSERT_TRUE(inherit(&own, ctx));
	ASSERT_TRUE(target_begin(&target, &own, 0));
	answer = told(&target, ENTER_FIRST_NODE);
	if (answer == EOPNOTSUPP) {
		target_end(&target);
		SKIP(return, "needs cpusets");
	}
	ASSERT_EQ(0, answer);
	other = nodeset_of(ctx->second);
	first = nodeset_of(ctx->first);
	own_init(&second, MPOL_BIND, 0, &other, NULL);
	own_init(&both, MPOL_BIND, 0, &ctx->nodes, NULL);
	EXPECT_EQ(-EINVAL, process_bind(target.pidfd, own.area.start, own.area.len,
					&second, 0));
	EXPECT_EQ(0, own_bind(own.area.start, own.area.len, &second, 0));
	EXPECT_EQ(0, process_bind(target.pidfd, own.area.start, own.area.len, &both, 0));
	EXPECT_EQ(0, process_get(target.pidfd, &got, own.area.start, MPOL_F_ADDR));
	EXPECT_TRUE(nodeset_equal(&first, &got.nodes));
	EXPECT_EQ(0, told(&target, LEAVE));
	target_end(&target);
	area_unmap(&own.area);
}

/* Moves all to the second node from a cpuset that has the first one only */
static int moves_from_the_first(void *arg)
{
	struct target *target = arg;
	struct inherited *own = target->own;
	struct nodeset first = nodeset_of(own->ctx->first);
	struct nodeset second = nodeset_of(own->ctx->second);
	struct own_policy bind;
	struct cpuset cpuset;
	int ret = cpuset_enter(&cpuset, &first);

	own_init(&bind, MPOL_BIND, 0, &second, NULL);
	if (!ret)
		ret = process_bind(target->pidfd, own->area.start, own->area.len, &bind,
				   MPOL_MF_MOVE | MPOL_MF_STRICT);
	cpuset_leave(&cpuset);
	return -ret;
}

/* Nothing goes where the process did not want it, and nobody says that it had moved. */
TEST_F(mempolicy2, nodes_that_the_caller_may_use)
{
	struct context *ctx = &self->ctx;
	struct inherited own;
	struct target target;
	int ret, lies;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (ctx->second < 0)
		SKIP(return, "needs two nodes with memory");
	ASSERT_TRUE(inherit(&own, ctx));
	ASSERT_TRUE(target_begin(&target, &own, 0));
	target.own = &own;
	ASSERT_EQ(0, told(&target, TOUCH_ALL));
	ret = in_child(moves_from_the_first, &target);
	if (ret == EOPNOTSUPP) {
		target_end(&target);
		SKIP(return, "needs cpusets");
	}
	/* All of it has moved, or it says so. */
	lies = told(&target, LIES_ON_SECOND);
	note("the call answers %d, the pages %d", ret, lies);
	EXPECT_TRUE(ret == EIO || (!ret && !lies));
	target_end(&target);
	area_unmap(&own.area);
}

/* Local is where the process runs, wherever the caller does. */
TEST_F(mempolicy2, local_to_another_process)
{
	struct context *ctx = &self->ctx;
	struct own_policy there, local;
	struct nodeset node;
	struct inherited own;
	struct target target;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	if (ctx->second < 0 || served_cpu(ctx->second) < 0 ||
	    served_node(ctx->second) != ctx->second)
		SKIP(return, "needs two nodes with CPUs and memory");
	ASSERT_TRUE(inherit(&own, ctx));
	ASSERT_TRUE(target_begin(&target, &own, 0));
	ASSERT_EQ(0, told(&target, RUN_ON_SECOND));
	ASSERT_EQ(0, run_on(served_cpu(ctx->first)));
	node = nodeset_of(ctx->first);
	own_init(&there, MPOL_BIND, 0, &node, NULL);
	own_init(&local, MPOL_LOCAL, 0, NULL, NULL);
	ASSERT_EQ(0, process_bind(target.pidfd, own.area.start, own.area.len, &there, 0));
	ASSERT_EQ(0, told(&target, TOUCH_ALL));
	EXPECT_EQ(1, told(&target, LIES_ON_SECOND));
	EXPECT_EQ(0, process_bind(target.pidfd, own.area.start, own.area.len, &local,
				  MPOL_MF_MOVE));
	EXPECT_EQ(0, told(&target, LIES_ON_SECOND));
	target_end(&target);
	area_unmap(&own.area);
}

/* Mappings that are split, and policies with weights, of a process in @group */
TEST_F(mempolicy2, the_other_process_pays)
{
	static const unsigned int weight[] = { 3, 1 };
	struct context *ctx = &self->ctx;
	long long before, after;
	struct own_policy weighted;
	struct inherited own;
	struct target target;
	struct memcg memcg;
	struct area many;
	char path[160];
	size_t i;
	int ret;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	ret = memcg_enter(&memcg);
	if (ret == -EOPNOTSUPP) {
		memcg_leave(&memcg);
		SKIP(return, "needs memory cgroups");
	}
	ASSERT_EQ(0, ret);
	ASSERT_TRUE(inherit(&own, ctx));
	ASSERT_EQ(0, area_map(&many, MANY_PAGES, 1));
	ASSERT_TRUE(target_begin(&target, &own, 0));
	snprintf(path, sizeof(path), "%s/cgroup.procs", memcg.mount);
	ASSERT_EQ(0, file_print(path, "%d", getpid()));
	own_init(&weighted, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes, weight);
	before = slab_bytes(memcg.group);
	ASSERT_LE(0, before);
	for (i = 0; i < MANY_PAGES; i += 2)
		ASSERT_EQ(0, process_bind(target.pidfd, many.start + i * page_bytes(),
					  page_bytes(), &weighted, 0));
	after = slab_bytes(memcg.group);
	/* Each is a mapping of its own, and so is what lies between. */
	note("%lld bytes more", after - before);
	EXPECT_LE((long long)MANY_PAGES * MAPPING_BYTES - SLAB_NOISE, after - before);
	EXPECT_EQ(1, mappings_within(many.start, many.len));
	target_end(&target);
	area_unmap(&many);
	area_unmap(&own.area);
	memcg_leave(&memcg);
}

/* Whenever it ends, or becomes another program, the answer is one of these. */
TEST_F(mempolicy2, process_that_goes)
{
	struct context *ctx = &self->ctx;
	struct own_policy bind, got;
	struct area area;
	int ret, round, fd;
	pid_t pid;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	own_init(&bind, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes, NULL);
	ASSERT_EQ(0, area_map(&area, SOME_PAGES, 1));
	for (round = 0; round < 64; round++) {
		pid = fork_child();
		ASSERT_LE(0, pid);
		if (!pid) {
			touch(area.start, SOME_PAGES, page_bytes());
			if (round % 2)
				_exit(0);
			close(1);
			open("/dev/null", O_WRONLY);
			execl("/proc/self/exe", "again", "-l", NULL);
			_exit(1);
		}
		fd = pidfd_of(pid);
		ASSERT_LE(0, fd);
		do {
			ret = process_get(fd, &got, NULL, 0);
			ASSERT_TRUE(!ret || ret == -ESRCH) TH_LOG("get: %d", ret);
			ret = process_bind(fd, area.start, area.len, &bind, MPOL_MF_MOVE);
			ASSERT_TRUE(!ret || ret == -ESRCH || ret == -EFAULT)
				TH_LOG("bind: %d", ret);
		} while (ret != -ESRCH);
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
		close(fd);
	}
	area_unmap(&area);
}
