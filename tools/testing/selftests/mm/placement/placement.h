/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests share: the NUMA system calls without libnuma, and where pages
 * ended up (placement.c); node lists and memory that comes and goes (nodes.c);
 * weights in sysfs and their rounds (weights.c); cpusets and memory cgroups
 * (cgroup.c); text files, waits and children (utils.c).
 *
 * Functions that can fail return 0 or a value on success, -errno otherwise.
 */
#ifndef PLACEMENT_H
#define PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <linux/mempolicy.h>
#include <linux/types.h>

/* A macro where the headers of an older kernel have no enumerator */
#ifndef MPOL_WEIGHTED_INTERLEAVE
#define MPOL_WEIGHTED_INTERLEAVE 6
#endif

#ifndef __NR_set_mempolicy2
#define __NR_set_mempolicy2 600
#endif
#ifndef __NR_get_mempolicy2
#define __NR_get_mempolicy2 601
#endif
#ifndef __NR_mbind2
#define __NR_mbind2 602
#endif

#ifndef MPOL_PARAM_SIZE_VER0
#define MPOL_PARAM_SIZE_VER0 32

struct mpol_param {
	__u16 mode;
	__u16 mode_flags;
	__s32 home_node;
	__u16 pol_maxnodes;
	__u8 resv[6];
	__aligned_u64 pol_nodes;
	__aligned_u64 il_weights;
};
#endif

#ifndef MPOL_MF_HOME_NODE
#define MPOL_MF_HOME_NODE 0x10
#endif
#ifndef MPOL_F_OWN_WEIGHTS
#define MPOL_F_OWN_WEIGHTS 0x08
#endif

/*
 * Seconds are the host's where a machine is emulated: beside other work each thing
 * takes many times as long. So no verdict depends on them: what is waited for is
 * bounded by passes, rounds or ticks, and only a hang meets these. A whole case
 * has longer than a wait in it, so that the wait can say what it was for.
 */
#define GUARD_SECONDS 1200
#define TIMEOUT_SECONDS 3600
#ifdef TEST_TIMEOUT_DEFAULT
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT TIMEOUT_SECONDS
#endif

#define WEIGHT_DIR "/sys/kernel/mm/mempolicy/weighted_interleave"
#define NODE_DIR "/sys/devices/system/node"

#define MAX_NODES 1024
#define BITS_PER_WORD (8 * sizeof(unsigned long))
#define MAX_WEIGHT 255
#define MAX_ROUND_NODES 64

/* Rounds of settle() in which the kernel has done what it does in its own time */
#define SETTLE_ROUNDS 100

/*
 * Slab that a test's own files and mappings take, and what each CPU holds back;
 * in the whole machine others are at work, too, and pages are not full
 */
#define SLAB_NOISE (64 << 10)
#define SLAB_NOISE_OF_ALL (2 << 20)

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
/* Of a transparent huge page */
#define HUGE_BYTES (2UL << 20)

/* A node mask as the system calls take it */
struct nodeset {
	unsigned long word[MAX_NODES / BITS_PER_WORD];
};

void nodeset_clear(struct nodeset *set);
void nodeset_add(struct nodeset *set, int node);
bool nodeset_has(const struct nodeset *set, int node);
bool nodeset_equal(const struct nodeset *a, const struct nodeset *b);
int nodeset_count(const struct nodeset *set);
/* The @nth node of @set, counted from 0; -1 when there are fewer */
int nodeset_nth(const struct nodeset *set, int nth);
/* The first @count nodes of @set */
struct nodeset nodeset_head(const struct nodeset *set, int count);
struct nodeset nodeset_of(int node);
struct nodeset nodeset_pair(int a, int b);
/* "0-1,4", and back */
int nodeset_parse(const char *list, struct nodeset *set);
const char *nodeset_format(const struct nodeset *set, char *buf, size_t size);
/* A list file of NODE_DIR: "online", "has_memory", "has_normal_memory" */
int nodeset_read(const char *name, struct nodeset *set);
/* An id that no memory belongs to */
int node_without_memory(void);
/* What the firmware says of two nodes that are online, -errno */
int node_distance(int from, int to);
/*
 * Those with memory that serves CPUs: nodes with CPUs, and what is nearest to CPUs
 * without memory where none of these is as near
 */
int serving_nodes(struct nodeset *set);
/* One of those, the nearest to @node; @node itself when it is one of them; -1 for none */
int serving_node(int node);
/* The first node whose CPUs the memory of @node serves, -1 for none */
int served_node(int node);
/* The first CPU of that one, -EINVAL if there is none */
int served_cpu(int node);

/* set_mempolicy(2), mbind(2), get_mempolicy(2), set_mempolicy_home_node(2) */
int policy_set(int mode, const struct nodeset *nodes);
int policy_bind(void *addr, size_t len, int mode, const struct nodeset *nodes,
		unsigned int flags);
int policy_get(int *mode, struct nodeset *nodes, void *addr,
	       unsigned long flags);
int policy_set_home(void *addr, size_t len, int node);
/* MPOL_F_NODE: where the task's next kernel page goes */
int policy_next_node(void);

/* set_mempolicy2(2), get_mempolicy2(2), mbind2(2): what is given goes as it is */
int param_set(const void *param, size_t usize, unsigned long flags);
int param_get(void *param, size_t usize, const void *addr,
	      unsigned long flags);
int param_bind(const void *addr, size_t len, const void *param, size_t usize,
	       unsigned long flags);

/* A policy as those calls take it, with a mask and weights for all nodes */
struct own_policy {
	struct mpol_param param;
	struct nodeset nodes;
	unsigned char weight[MAX_NODES];
};

/*
 * The weights are in the order of @nodes; without them il_weights is 0. The
 * result refers to itself: fill another one instead of copying it.
 */
void own_init(struct own_policy *own, int mode, int mode_flags,
	      const struct nodeset *nodes, const unsigned int *weight);
int own_set(const struct own_policy *own);
int own_bind(const void *addr, size_t len, const struct own_policy *own,
	     unsigned long flags);
/* The task's policy, or with MPOL_F_ADDR in @flags that of @addr */
int own_get(struct own_policy *own, const void *addr, unsigned long flags);
/* Mode, flags, home node, mask and weights, whatever the pointers are */
bool own_equal(const struct own_policy *a, const struct own_policy *b);
/* One more than the largest node id that there can be */
int possible_nodes(void);

/*
 * Says which file is missing. One of this series is a failure when it is, and no
 * reason to skip.
 */
bool is_there(const char *path);

/* Text files. file_write() is one write(2) of @len bytes. */
int file_read(const char *path, char *buf, size_t size);
int file_write(const char *path, const void *buf, size_t len);
int file_print(const char *path, const char *fmt, ...);
/* The number after @key in a file with one pair a line */
long long file_value(const char *path, const char *key);
/* The number that a file begins with */
long long file_number(const char *path);

const char *weight_path(int node, char *buf, size_t size);
int weight_read(int node);
int weight_write(int node, unsigned int weight);

/* The weights of all nodes with memory, to be put back after a test */
struct saved_weights {
	struct nodeset nodes;
	bool automatic;
	long long mix;
	unsigned char weight[MAX_NODES];
};

#define WEIGHT_AUTO WEIGHT_DIR "/auto"
/* Percent of reads that weights are derived for */
#define WEIGHT_MIX WEIGHT_DIR "/mix"

/* Of reads and writes at the mix in force, as the CPUs see it, MB/s; 0: not told */
long long node_bandwidth(int node);
/* One of "read" and "write" alone */
long long node_speed(int node, const char *name);
/*
 * Are the weights of @nodes those of their bandwidths, to one percent or as close
 * as weights can be, and 1 where none is told? Waits a while until they are.
 */
bool weights_fit(const struct nodeset *nodes);
/* Do all nodes follow their derived weights? */
bool weights_automatic(void);
int weights_save(struct saved_weights *saved);
int weights_restore(const struct saved_weights *saved);
/* The same weight on every node with memory */
int weights_flatten(unsigned int weight);
/*
 * What a test of weighted interleaving begins with: saves all weights, and makes
 * them @weight unless that is 0. @missing is why it cannot, if there is a reason.
 */
int weights_enter(struct saved_weights *saved, unsigned int weight,
		  const char **missing);

long node_free_pages(int node);
/* Every node of @nodes can give @pages more without falling back */
bool nodes_have_room(const struct nodeset *nodes, size_t pages);
long long node_interleave_hits(int node);

/*
 * A mapping with unmapped guards on both sides, so that it merges with no
 * neighbour. The index of the page at @start is a multiple of the alignment
 * that was asked for.
 */
struct area {
	char *start;
	size_t len;
	char *reserve;
	size_t reserve_len;
};

size_t page_bytes(void);
/*
 * What places a page of @size bytes in private anonymous memory: its offset,
 * which is its address, in 32 bits as MPOL_INTERLEAVE takes it
 */
unsigned int page_index(const void *addr, size_t size);
int area_map(struct area *area, size_t pages, size_t align);
int area_map_shared(struct area *area, size_t pages);
void area_unmap(struct area *area);
/*
 * Pins all pages of @area, as those of a device are, until the file that is returned
 * is closed: they are the buffers of an io_uring. -ENOSYS without that.
 */
int area_pin(const struct area *area);
/*
 * Asks for one page and leaves none: a task whose cpuset has moved completes the
 * policy of a mapping then. 0 or -errno.
 */
int area_touch_once(const struct area *area);
/* Takes all of a node's free memory without asking for more than there is */
int area_fill_node(struct area *area, int node);
/* Writes to @count pages of @stride bytes */
void touch(void *addr, size_t count, size_t stride);
/* The node, or -errno, of each of @count pages of @stride bytes */
int nodes_of_pages(void *addr, size_t count, size_t stride, int *node);
/* Touches and looks up in one go */
int place(void *addr, size_t count, size_t stride, int *node);
/* Creates or extends @fd by @count pages with write(2) */
int file_append(int fd, size_t count);
/* Where the pages [@first, @first + @count) of a file are */
int nodes_of_file(int fd, size_t first, size_t count, int *node);
/*
 * Page cache without any other kernel memory in between. One page in 16 is
 * placed beforehand and keeps the nodes of the page cache's tree; the others
 * are counted from 0.
 */
int file_prepare(int fd, size_t count);
int file_fill(int fd, size_t first, size_t count);
int nodes_of_filled(int fd, size_t first, size_t count, int *node);
unsigned long inode_of_mapping(void *addr);

/*
 * Mounts a file system in the caller's own mount namespace, at a fresh
 * directory that @dir receives; and back.
 */
int fs_mount(const char *type, const char *options, char *dir, size_t size);
void fs_unmount(const char *dir);
/* A new, unlinked file in @dir */
int fs_file(const char *dir);

/* The numa_maps line of the mapping that starts at @addr; its policy alone */
int numa_maps_line(void *addr, char *buf, size_t size);
int numa_maps_policy(void *addr, char *buf, size_t size);
/* How many mappings lie in [addr, addr + len) */
int mappings_within(void *addr, size_t len);

/* One round of weighted interleaving, weights divided by their gcd */
struct round {
	int nr;
	int node[MAX_ROUND_NODES];
	unsigned int weight[MAX_ROUND_NODES];
	unsigned int total;
};

/* From weights in the order of the nodes, or from sysfs */
void round_init(struct round *round, const struct nodeset *nodes,
		const unsigned int *weight);
int round_read(struct round *round, const struct nodeset *nodes);
/* Writes the weights and describes the round they make */
int round_write(struct round *round, const struct nodeset *nodes,
		const unsigned int *weight);

/*
 * The checks say on stderr what is wrong and where.
 *
 * round_exact: @placed starts with a round; each whole round has exactly the
 * weight of each node.
 * round_smooth: at each prefix of each round every node is within
 * 1 - 1/(2n-2) pages of its share.
 * round_window: the counts of any run of @count pages: two nodes at most one
 * page from the share, more nodes less than two.
 */
bool round_exact(const struct round *round, const int *placed, size_t count);
bool round_smooth(const struct round *round, const int *placed, size_t count);
bool round_window(const struct round *round, const int *placed, size_t count);
bool round_counts(const struct round *round, const long long *pages);
/* Which node each page of a round goes to, seen on a private mapping */
int round_sample(const struct round *round, const struct nodeset *nodes,
		 int *order);
/* @placed[i] is on the node of place (@i + @shift) of a round */
bool round_follows(const struct round *round, const int *order,
		   unsigned long shift, const int *placed, size_t count);
/* Every page of @a is on the node of the same page of @b */
bool same_nodes(const int *a, const int *b, size_t count);

/*
 * fork(2) of a child that does not outlive who forked it, however that ends: a child
 * that waits or goes round would keep memory, a cgroup or the console
 */
pid_t fork_child(void);
/* The exit status of a child that runs @check(@arg), -1 when it was killed */
int in_child(int (*check)(void *arg), void *arg);
/* Of all its capabilities the calling task keeps CAP_SYS_NICE, or none; whether it worked */
bool keep_sys_nice(bool keep);

/*
 * Fault injection for the calling thread: the @nth allocation from fault_nth()
 * on fails, and fault_hit() ends that and tells whether one did. fault_open()
 * gives the file for both, or -errno where the kernel has no such thing.
 */
int fault_open(void);
void fault_nth(int fd, int nth);
bool fault_hit(int fd);

/*
 * A cpuset of its own with @nodes for the calling process, in cgroup 2 or else
 * in a hierarchy of cgroup 1. -EOPNOTSUPP without cpusets.
 */
struct cpuset {
	char mount[64];
	char group[96];
	const char *mems;
};

int cpuset_enter(struct cpuset *cpuset, const struct nodeset *nodes);
int cpuset_move(const struct cpuset *cpuset, const struct nodeset *nodes);
/* Also after cpuset_enter() failed */
void cpuset_leave(struct cpuset *cpuset);

/*
 * A memory cgroup of its own for the calling process, in cgroup 2.
 * -EOPNOTSUPP without. cpuset_enter() makes one, too, where it can.
 */
struct memcg {
	char mount[64];
	char group[96];
};

int memcg_enter(struct memcg *memcg);
/* Also after memcg_enter() failed */
void memcg_leave(struct memcg *memcg);
/*
 * The bytes of slab that do not go by reclaim. Of a memory cgroup: its objects,
 * exact but for the page that each CPU may hold back, -ENOENT when they are not
 * counted. With NULL: the pages of the whole machine. slab_settle() reads until
 * they are at most @limit, or for SETTLE_ROUNDS.
 */
long long slab_bytes(const char *group);
long long slab_settle(const char *group, long long limit);

/* A node whose memory can come and go */
#define MAX_BLOCKS 512

struct hot_node {
	int node;
	int block[MAX_BLOCKS];
	int blocks;
};

/* Writes the ids of the memory blocks of @node to @block, and returns how many */
int memory_blocks(int node, int *block);
/* -ENOENT when no memory is offline, or just some of a node */
int hot_find(struct hot_node *hot);
bool hot_has_memory(const struct hot_node *hot);
/* "online_movable" or "offline"; 0 when it is that already */
int hot_block_state(int block, const char *state);
/* The first @blocks blocks come; all of @blocks blocks that have come go */
int hot_add(const struct hot_node *hot, int blocks);
int hot_remove(const struct hot_node *hot, int blocks);

/*
 * How many times slower than usual the machine is, at least 1: what the
 * environment has as KSELFTEST_SLOWDOWN
 */
int slowdown(void);

/* A wait begins, and has taken so long that it must be a hang, which is noted */
time_t guard_begin(void);
bool guard_over(time_t begin);

/*
 * One of SETTLE_ROUNDS in which each CPU has let others run and timers go off,
 * however slow they are; false when there have been as many. @rounds is 0 at first.
 */
bool settle(int *rounds);

/*
 * Sets what gets through to the console, and returns what did. For the report of
 * the out-of-memory killer where it has nobody to kill: that has a call trace, at
 * the level of warnings, 4. What is worse still gets through. Or -errno.
 */
int console_level(int level);

/* A message of a helper, as a TAP comment */
void note(const char *fmt, ...);

#endif /* PLACEMENT_H */
