// SPDX-License-Identifier: GPL-2.0
/*
 * The mempolicy2 calls while other threads rewrite what they read, and policies
 * of a task whose nodes others change.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "placement.h"
#include "portions.h"
#include "races.h"
#include "stress.h"

enum victim { MODE, MODE_FLAGS, HOME_NODE, RESERVED, MASK_POINTER, LENGTH,
	      WEIGHTS_POINTER, MASK, WEIGHTS, TAIL, NR_VICTIMS };

static const char * const victim_name[NR_VICTIMS] = {
	"mode", "mode_flags", "home_node", "resv", "pol_nodes",
	"pol_maxnodes", "il_weights", "mask", "weights", "tail",
};

struct writer {
	struct arguments *args;
	const struct context *ctx;
	enum victim victim;
	bool stop;
};

/* Good arguments; and then the victim as it is every other time */
static void fill(struct arguments *args, const struct context *ctx,
		 enum victim victim)
{
	memset(args, 0, sizeof(*args));
	args->param.mode = victim == HOME_NODE ? MPOL_BIND :
			   MPOL_WEIGHTED_INTERLEAVE;
	args->param.mode_flags = MPOL_F_STATIC_NODES;
	args->param.home_node = ctx->first;
	args->param.pol_maxnodes = MAX_NODES;
	args->param.pol_nodes = (uintptr_t)args->nodes.word;
	if (victim != HOME_NODE)
		args->param.il_weights = (uintptr_t)args->weight;
	args->nodes = ctx->nodes;
	args->weight[ctx->first] = 5;
	args->weight[ctx->second] = 5;
}

static void spoil(struct arguments *args, const struct context *ctx,
		  enum victim victim, bool spoilt)
{
	struct mpol_param *param = &args->param;

	switch (victim) {
	case MODE:
		/* A mode that takes no weights */
		PUT(param->mode, spoilt ? MPOL_INTERLEAVE :
					  MPOL_WEIGHTED_INTERLEAVE);
		break;
	case MODE_FLAGS:
		PUT(param->mode_flags, spoilt ? MPOL_F_STATIC_NODES |
						MPOL_F_RELATIVE_NODES :
						MPOL_F_STATIC_NODES);
		break;
	case HOME_NODE:
		PUT(param->home_node, spoilt ? -1 : ctx->first);
		break;
	case RESERVED:
		PUT(param->resv[5], spoilt);
		break;
	case MASK_POINTER:
		PUT(param->pol_nodes,
		    spoilt ? 0 : (uintptr_t)args->nodes.word);
		break;
	case LENGTH:
		PUT(param->pol_maxnodes, spoilt ? 0 : MAX_NODES);
		break;
	case WEIGHTS_POINTER:
		PUT(param->il_weights, spoilt ? 16 : (uintptr_t)args->weight);
		break;
	case MASK:
		PUT(args->nodes.word[0], spoilt ? 0 : ctx->nodes.word[0]);
		break;
	case WEIGHTS:
		PUT(args->weight[ctx->first], spoilt ? 1 : 5);
		PUT(args->weight[ctx->second], spoilt ? 1 : 5);
		break;
	case TAIL:
		PUT(args->tail[0], spoilt);
		break;
	case NR_VICTIMS:
		break;
	}
}

static void *rewrites(void *arg)
{
	struct writer *writer = arg;
	bool spoilt = false;

	while (!__atomic_load_n(&writer->stop, __ATOMIC_RELAXED)) {
		spoilt = !spoilt;
		spoil(writer->args, writer->ctx, writer->victim, spoilt);
	}
	return NULL;
}

/* Is what was accepted all of one valid state? */
static bool valid(const struct context *ctx, enum victim victim,
		  const struct own_policy *got)
{
	int mode = victim == HOME_NODE ? MPOL_BIND : MPOL_WEIGHTED_INTERLEAVE;
	int a = got->weight[ctx->first], b = got->weight[ctx->second];

	if (got->param.mode != mode ||
	    got->param.mode_flags != MPOL_F_STATIC_NODES ||
	    got->param.home_node != (victim == HOME_NODE ? ctx->first : -1) ||
	    !nodeset_equal(&got->nodes, &ctx->nodes))
		return false;
	if (victim == HOME_NODE)
		return true;
	if (victim == WEIGHTS)
		return (a == 1 || a == 5) && (b == 1 || b == 5);
	return a == 5 && b == 5;
}

static void race(struct __test_metadata *_metadata, struct context *ctx,
		 enum victim victim, struct area *area)
{
	const unsigned long flags = victim == HOME_NODE ? MPOL_MF_HOME_NODE : 0;
	const size_t usize = sizeof(struct mpol_param) +
			     (victim == TAIL ? 32 : 0);
	const int error = victim == TAIL ? -E2BIG :
			  victim == WEIGHTS_POINTER ? -EFAULT : -EINVAL;
	static struct arguments args;
	struct writer writer = {
		.args = &args, .ctx = ctx, .victim = victim,
	};
	int accepted = 0, refused = 0, ret = 0;
	bool valid_states = true;
	struct own_policy got;
	pthread_t thread;

	fill(&args, ctx, victim);
	ASSERT_EQ(0, pthread_create(&thread, NULL, rewrites, &writer));
	while (accepted + refused < RACES ||
	       ((!accepted || !refused) && victim != WEIGHTS &&
		accepted + refused < MOST_RACES)) {
		if (policy_set(MPOL_DEFAULT, NULL) ||
		    policy_bind(area->start, area->len, MPOL_DEFAULT, NULL, 0))
			break;
		if ((accepted + refused) % 2) {
			ret = param_bind(area->start, area->len, &args, usize,
					 flags);
			if (own_get(&got, area->start,
				    MPOL_F_ADDR | MPOL_F_OWN_WEIGHTS))
				break;
		} else {
			ret = param_set(&args, usize, flags);
			if (own_get(&got, NULL, MPOL_F_OWN_WEIGHTS))
				break;
		}
		if (ret && ret != error)
			break;
		if (ret)
			refused++;
		else
			accepted++;
		valid_states &= ret ? got.param.mode == MPOL_DEFAULT :
				      valid(ctx, victim, &got);
	}
	PUT(writer.stop, true);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_LE(RACES, accepted + refused)
		TH_LOG("%s: a call answered %d", victim_name[victim], ret);
	EXPECT_TRUE(valid_states)
		TH_LOG("%s: what was accepted is no valid state",
		       victim_name[victim]);
	EXPECT_LT(0, accepted)
		TH_LOG("%s", victim_name[victim]);
	/* Any weights are good ones */
	EXPECT_TRUE(victim == WEIGHTS ? !refused : refused > 0)
		TH_LOG("%s: %d refused", victim_name[victim], refused);
}

TEST_F(race, arguments_change)
{
	struct area area;
	int victim;

	if (self->ctx.missing)
		SKIP(return, "%s", self->ctx.missing);

	ASSERT_EQ(0, area_map(&area, 4, 1));
	for (victim = 0; victim < NR_VICTIMS; victim++)
		race(_metadata, &self->ctx, victim, &area);
}

/* get_mempolicy2 reads its length once: it writes as many weights, or none */
struct lengths {
	struct mpol_param *param;
	unsigned short bits[2];
	bool stop;
};

static void *rewrites_length(void *arg)
{
	struct lengths *lengths = arg;
	unsigned int i = 0;

	while (!__atomic_load_n(&lengths->stop, __ATOMIC_RELAXED))
		PUT(lengths->param->pol_maxnodes, lengths->bits[i++ % 2]);
	return NULL;
}

TEST_F(race, length_of_get_changes)
{
	static const unsigned int weight[] = { 5, 3 };
	static unsigned char buf[MAX_NODES];
	static struct mpol_param param;
	struct context *ctx = &self->ctx;
	int calls, ret = 0, written = 0, accepted = 0, refused = 0, i;
	struct lengths lengths = { .param = &param };
	struct own_policy own;
	pthread_t thread;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	lengths.bits[0] = ctx->nr_ids - 1;
	lengths.bits[1] = ctx->nr_ids + 64;
	own_init(&own, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes, weight);
	ASSERT_EQ(0, own_set(&own));
	ASSERT_EQ(0, pthread_create(&thread, NULL, rewrites_length, &lengths));
	for (calls = 0; calls < RACES ||
	     ((!accepted || !refused) && calls < MOST_RACES); calls++) {
		memset(buf, 0xa5, sizeof(buf));
		param.pol_nodes = 0;
		param.il_weights = (uintptr_t)buf;
		ret = param_get(&param, sizeof(param), NULL,
				MPOL_F_OWN_WEIGHTS);
		for (written = 0, i = 0; i < (int)sizeof(buf); i++)
			if (buf[i] != 0xa5)
				written = i + 1;
		if (ret == -EINVAL && !written)
			refused++;
		else if (!ret && written == lengths.bits[1] &&
			 buf[ctx->first] == 5 && buf[ctx->second] == 3)
			accepted++;
		else
			break;
	}
	PUT(lengths.stop, true);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(calls, accepted + refused);
	EXPECT_LE(RACES, calls)
		TH_LOG("a call answered %d and wrote %d bytes", ret, written);
	EXPECT_LT(0, accepted);
	EXPECT_LT(0, refused);
}

/* Sets of nodes for which each write of a weight has to make an order, one by one */
#define BYSTANDERS 250
#define WRITES 50
#define PAGES 420

struct weight_writer {
	int node;
	unsigned int weight;
	int error;
};

static void *writes_weight(void *arg)
{
	struct weight_writer *writer = arg;

	writer->error = weight_write(writer->node, writer->weight);
	return NULL;
}

/* A policy that is set while a global weight is being written follows the new one */
TEST_F(race, followed_weight_changes)
{
	struct context *ctx = &self->ctx;
	struct weight_writer writer = { .node = ctx->first };
	struct area bystanders, area;
	const size_t page = page_bytes();
	unsigned int weight[2], calls = 0;
	int placed[PAGES], i, error;
	struct own_policy own;
	struct round round;
	pthread_t thread;
	time_t begin;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);

	ASSERT_EQ(0, area_map(&bystanders, BYSTANDERS, 1));
	ASSERT_EQ(0, area_map(&area, PAGES, 1));
	for (i = 0; i < BYSTANDERS; i++) {
		weight[0] = 0;
		weight[1] = MAX_WEIGHT - i;
		own_init(&own, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes, weight);
		ASSERT_EQ(0, own_bind(bystanders.start + i * page, page, &own, 0));
	}
	for (i = 0; i < WRITES; i++) {
		begin = guard_begin();
		writer.weight = i % 2 ? 7 : 200;
		ASSERT_EQ(0, pthread_create(&thread, NULL, writes_weight, &writer));
		/* The last call has waited for the write, but for a few that came after it. */
		do {
			/* Neither a bystander's set nor the last one: it is made anew. */
			weight[0] = 0;
			weight[1] = 1 + calls++ % 2;
			own_init(&own, MPOL_WEIGHTED_INTERLEAVE, 0, &ctx->nodes, weight);
			error = own_bind(area.start, area.len, &own, 0);
		} while (!error && weight_read(ctx->first) != (int)writer.weight &&
			 !guard_over(begin));
		ASSERT_EQ(0, pthread_join(thread, NULL));
		ASSERT_EQ(0, error);
		ASSERT_EQ(0, writer.error);

		weight[0] = writer.weight;
		round_init(&round, &ctx->nodes, weight);
		ASSERT_EQ(0, place(area.start, PAGES, page, placed));
		ASSERT_TRUE(round_window(&round, placed, PAGES))
			TH_LOG("write %d, weights %u:%u", i, weight[0], weight[1]);
		ASSERT_EQ(0, madvise(area.start, area.len, MADV_DONTNEED));
	}
	area_unmap(&area);
	area_unmap(&bystanders);
}

/* How often nodes change, and weights are shown, while pages are asked for */
#define NODE_CHANGES 100

struct journey {
	struct stress stress;
	struct context *ctx;
	struct area area;
};

static void *changes_nodes(void *arg)
{
	struct worker *worker = arg;
	struct journey *journey = (struct journey *)worker->stress;
	struct context *ctx = journey->ctx;
	const struct nodeset stop[] = {
		nodeset_of(ctx->first), ctx->nodes, nodeset_of(ctx->second),
	};
	size_t i = 0;

	while (!stopped(worker))
		if (cpuset_move(&ctx->cpuset, &stop[i++ % ARRAY_LEN(stop)]))
			journey->stress.wrong = "the cpuset could not be moved";
	return NULL;
}

/* Of one's own, or the global ones of a node that is about to go or to come */
static bool are_weights(const struct context *ctx, const char *text)
{
	int node, weight, len;

	while (sscanf(text, "%d:%d%n", &node, &weight, &len) == 2) {
		if (node != ctx->first && node != ctx->second)
			return false;
		if (weight != 1 && weight != (node == ctx->first ? 5 : 3))
			return false;
		text += len + (text[len] == ',');
	}
	return *text == '\n';
}

static void *reads_numa_maps(void *arg)
{
	static const char name[] = " weights=";
	struct worker *worker = arg;
	struct journey *journey = (struct journey *)worker->stress;
	char line[1024], *text;

	while (!stopped(worker)) {
		text = numa_maps_line(journey->area.start, line, sizeof(line)) ?
		       NULL : strstr(line, name);
		if (!text || !are_weights(journey->ctx, text + strlen(name)))
			journey->stress.wrong = "what is shown are no weights";
	}
	return NULL;
}

/* A task's own weights are used and shown while others change its nodes. */
TEST_F(race, nodes_change)
{
	static const unsigned int weight[] = { 5, 3 };
	struct context *ctx = &self->ctx;
	struct journey journey = { .ctx = ctx };
	struct worker worker[] = {
		{ .stress = &journey.stress, .work = changes_nodes },
		{ .stress = &journey.stress, .work = reads_numa_maps },
	};
	struct own_policy own;
	int ret;
	size_t i;

	if (ctx->missing)
		SKIP(return, "%s", ctx->missing);
	ret = cpuset_enter(&ctx->cpuset, &ctx->memory);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "no cpusets");
	ASSERT_EQ(0, ret);

	own_init(&own, MPOL_WEIGHTED_INTERLEAVE, MPOL_F_STATIC_NODES, &ctx->nodes, weight);
	ASSERT_EQ(0, own_set(&own));
	ASSERT_EQ(0, area_map(&journey.area, 64, 1));
	for (i = 0; i < ARRAY_LEN(worker); i++)
		ASSERT_EQ(0, pthread_create(&worker[i].thread, NULL,
					    worker[i].work, &worker[i]));
	while (!journey.stress.wrong &&
	       !all_worked(worker, ARRAY_LEN(worker), NODE_CHANGES)) {
		touch(journey.area.start, 64, page_bytes());
		ASSERT_EQ(0, madvise(journey.area.start, journey.area.len, MADV_DONTNEED));
	}
	__atomic_store_n(&journey.stress.stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < ARRAY_LEN(worker); i++)
		ASSERT_EQ(0, pthread_join(worker[i].thread, NULL));
	EXPECT_TRUE(!journey.stress.wrong)
		TH_LOG("%s", journey.stress.wrong);

	ASSERT_EQ(0, cpuset_move(&ctx->cpuset, &ctx->memory));
	EXPECT_EQ(0, own_get(&own, NULL, MPOL_F_OWN_WEIGHTS));
	EXPECT_TRUE(nodeset_equal(&ctx->nodes, &own.nodes));
	EXPECT_EQ(5, own.weight[ctx->first]);
	EXPECT_EQ(3, own.weight[ctx->second]);
	area_unmap(&journey.area);
}

/* Some page tables, between each of which numa_maps lets others in */
#define SHOWN_PAGES 4096
#define SHOWN_LINES 40
#define KILLS 20

struct shown {
	struct stress stress;
	/* Nobody changes this one, and somebody all the time the other. */
	struct area whole;
	struct area torn;
};

static void *maps_and_tears(void *arg)
{
	struct worker *worker = arg;
	struct shown *shown = (struct shown *)worker->stress;
	const size_t page = page_bytes();
	char *middle = shown->torn.start + SHOWN_PAGES / 2 * page;

	while (!stopped(worker))
		if (map_once() || mprotect(middle, page, PROT_READ) ||
		    mprotect(middle, page, PROT_READ | PROT_WRITE) ||
		    mmap(middle, SHOWN_PAGES / 2 * page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != middle)
			shown->stress.wrong = "nothing could be mapped";
	return NULL;
}

/* On all nodes */
static long long pages_shown(const char *line)
{
	long long sum = 0, pages;
	const char *text;

	for (text = strstr(line, " N"); text; text = strstr(text + 1, " N"))
		if (sscanf(text, " N%*d=%lld", &pages) == 1)
			sum += pages;
	return sum;
}

static void *reads_all_of_numa_maps(void *arg)
{
	struct worker *worker = arg;
	struct shown *shown = (struct shown *)worker->stress;
	const uintptr_t begin = (uintptr_t)shown->whole.start;
	unsigned long long addr;
	char line[1024];
	int lines;
	FILE *file;

	while (!stopped(worker)) {
		file = fopen("/proc/self/numa_maps", "re");
		for (lines = 0; file && fgets(line, sizeof(line), file);) {
			addr = strtoull(line, NULL, 16);
			if (addr < begin || addr >= begin + shown->whole.len)
				continue;
			lines++;
			if (addr != begin || pages_shown(line) != SHOWN_PAGES)
				shown->stress.wrong = "a mapping is not shown as it is";
		}
		if (lines != 1)
			shown->stress.wrong = "a mapping is not shown once";
		if (file)
			fclose(file);
	}
	return NULL;
}

static int map_shown(struct shown *shown)
{
	int err = area_map(&shown->whole, SHOWN_PAGES, 1);

	if (!err)
		err = area_map(&shown->torn, SHOWN_PAGES, 1);
	if (err)
		return err;
	touch(shown->whole.start, SHOWN_PAGES, page_bytes());
	touch(shown->torn.start, SHOWN_PAGES, page_bytes());
	return 0;
}

static void unmap_shown(struct shown *shown)
{
	area_unmap(&shown->torn);
	area_unmap(&shown->whole);
}

/* numa_maps lets others in, and shows each mapping once and whole all the same. */
TEST_F(race, mappings_change_while_they_are_shown)
{
	struct shown shown = {};
	struct worker worker[] = {
		{ .stress = &shown.stress, .work = maps_and_tears },
		{ .stress = &shown.stress, .work = reads_all_of_numa_maps },
	};
	size_t i;

	ASSERT_EQ(0, map_shown(&shown));
	for (i = 0; i < ARRAY_LEN(worker); i++)
		ASSERT_EQ(0, pthread_create(&worker[i].thread, NULL,
					    worker[i].work, &worker[i]));
	while (!shown.stress.wrong && !all_worked(worker, ARRAY_LEN(worker), SHOWN_LINES))
		usleep(1000);
	__atomic_store_n(&shown.stress.stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < ARRAY_LEN(worker); i++)
		ASSERT_EQ(0, pthread_join(worker[i].thread, NULL));
	EXPECT_TRUE(!shown.stress.wrong)
		TH_LOG("%s", shown.stress.wrong);
	unmap_shown(&shown);
}

/* A process that reads and says so, for ever */
static pid_t start_reader(int *said)
{
	char path[64], line[1024];
	pid_t parent = getpid(), pid;
	FILE *file;
	int fds[2];

	snprintf(path, sizeof(path), "/proc/%d/numa_maps", parent);
	if (pipe(fds))
		return -1;
	pid = fork();
	if (!pid) {
		for (;;) {
			file = fopen(path, "re");
			if (!file)
				_exit(1);
			while (fgets(line, sizeof(line), file))
				;
			fclose(file);
			if (write(fds[1], "", 1) != 1)
				_exit(1);
		}
	}
	close(fds[1]);
	*said = fds[0];
	return pid;
}

/* Who is killed while others have been let in leaves no lock behind. */
TEST_F(race, reader_is_killed)
{
	struct shown shown = {};
	struct worker worker = { .stress = &shown.stress, .work = maps_and_tears };
	int i, said, status;
	char byte;
	pid_t pid;

	ASSERT_EQ(0, map_shown(&shown));
	ASSERT_EQ(0, pthread_create(&worker.thread, NULL, worker.work, &worker));
	for (i = 0; i < KILLS; i++) {
		pid = start_reader(&said);
		ASSERT_LT(0, pid);
		ASSERT_EQ(1, read(said, &byte, 1));
		usleep(i * 200);
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
		close(said);
	}
	__atomic_store_n(&shown.stress.stop, true, __ATOMIC_RELAXED);
	ASSERT_EQ(0, pthread_join(worker.thread, NULL));
	EXPECT_TRUE(!shown.stress.wrong)
		TH_LOG("%s", shown.stress.wrong);
	unmap_shown(&shown);
}
