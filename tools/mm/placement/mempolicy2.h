/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * set_mempolicy2, get_mempolicy2 and mbind2, and the same for another process,
 * for programs that are built with a C library and kernel headers that do not know
 * them. For C and C++; may be included before or after <linux/mempolicy.h> or <numaif.h>.
 */
#ifndef _MEMPOLICY2_H
#define _MEMPOLICY2_H

#include <errno.h>
#include <linux/types.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* <numaif.h> has the modes as macros, which the kernel's enum cannot follow */
#ifndef MPOL_DEFAULT
#include <linux/mempolicy.h>
#endif

#if defined(__alpha__)
#define MEMPOLICY2_NR	710
#elif defined(__ia64__)
#define MEMPOLICY2_NR	1624
#elif defined(__mips__) && _MIPS_SIM == _MIPS_SIM_ABI32
#define MEMPOLICY2_NR	4600
#elif defined(__mips__) && _MIPS_SIM == _MIPS_SIM_ABI64
#define MEMPOLICY2_NR	5600
#elif defined(__mips__) && _MIPS_SIM == _MIPS_SIM_NABI32
#define MEMPOLICY2_NR	6600
#elif defined(__x86_64__) && defined(__ILP32__)
#define MEMPOLICY2_NR	(0x40000000 + 600)
#else
#define MEMPOLICY2_NR	600
#endif

#ifndef __NR_set_mempolicy2
#define __NR_set_mempolicy2	(MEMPOLICY2_NR + 0)
#endif
#ifndef __NR_get_mempolicy2
#define __NR_get_mempolicy2	(MEMPOLICY2_NR + 1)
#endif
#ifndef __NR_mbind2
#define __NR_mbind2		(MEMPOLICY2_NR + 2)
#endif
#ifndef __NR_process_set_mempolicy2
#define __NR_process_set_mempolicy2	(MEMPOLICY2_NR + 3)
#endif
#ifndef __NR_process_get_mempolicy2
#define __NR_process_get_mempolicy2	(MEMPOLICY2_NR + 4)
#endif
#ifndef __NR_process_mbind2
#define __NR_process_mbind2	(MEMPOLICY2_NR + 5)
#endif

/* Enumerators in newer kernel headers, where a macro does no harm */
#ifndef MPOL_LOCAL
#define MPOL_LOCAL 4
#endif
#ifndef MPOL_PREFERRED_MANY
#define MPOL_PREFERRED_MANY 5
#endif
#ifndef MPOL_WEIGHTED_INTERLEAVE
#define MPOL_WEIGHTED_INTERLEAVE 6
#endif

/* Flags for mode_flags */
#ifndef MPOL_F_STATIC_NODES
#define MPOL_F_STATIC_NODES	0x8000
#endif
#ifndef MPOL_F_RELATIVE_NODES
#define MPOL_F_RELATIVE_NODES	0x4000
#endif
#ifndef MPOL_F_NUMA_BALANCING
#define MPOL_F_NUMA_BALANCING	0x2000
#endif

/* Flag for get_mempolicy2 */
#ifndef MPOL_F_OWN_WEIGHTS
#define MPOL_F_OWN_WEIGHTS	0x8
#endif

/* Flags for mbind2, the second one for set_mempolicy2 as well */
#ifndef MPOL_MF_LAZY
#define MPOL_MF_LAZY		0x8
#endif
#ifndef MPOL_MF_HOME_NODE
#define MPOL_MF_HOME_NODE	0x10
#endif

#ifndef MPOL_PARAM_SIZE_VER0
#define MPOL_PARAM_SIZE_VER0	32

/**
 * struct mpol_param - a memory policy
 * @mode: MPOL_*, without flags
 * @mode_flags: MPOL_F_STATIC_NODES, MPOL_F_RELATIVE_NODES,
 *	MPOL_F_NUMA_BALANCING
 * @home_node: used with MPOL_MF_HOME_NODE; get_mempolicy2 stores -1 for none
 * @pol_maxnodes: number of bits in @pol_nodes and of bytes in @il_weights
 * @resv: 0
 * @pol_nodes: address of an array of unsigned long, or 0
 * @il_weights: address of an array of __u8, or 0
 */
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

/* With -std=c11 and the like <unistd.h> does not declare it */
#ifndef __cplusplus
long syscall(long number, ...);
#endif

/**
 * mpol_address - a pointer as the fields of struct mpol_param hold it
 * @pointer: the pointer, or NULL
 */
static inline __u64 mpol_address(const void *pointer)
{
	return (unsigned long)pointer;
}

/**
 * set_mempolicy2 - set the memory policy of the calling thread
 * @param: the policy
 * @usize: sizeof(*@param)
 * @flags: 0 or MPOL_MF_HOME_NODE
 *
 * Return: 0, or -1 and errno.
 */
static inline int set_mempolicy2(const struct mpol_param *param, size_t usize,
				 unsigned long flags)
{
	return (int)syscall(__NR_set_mempolicy2, param, usize, flags);
}

/**
 * get_mempolicy2 - get the memory policy of the calling thread or a mapping
 * @param: where the policy goes; names the buffers for nodes and weights
 * @usize: sizeof(*@param)
 * @addr: an address in the mapping with MPOL_F_ADDR, else 0
 * @flags: MPOL_F_ADDR, MPOL_F_OWN_WEIGHTS
 *
 * Return: 0, or -1 and errno.
 */
static inline int get_mempolicy2(struct mpol_param *param, size_t usize,
				 unsigned long addr, unsigned long flags)
{
	return (int)syscall(__NR_get_mempolicy2, param, usize, addr, flags);
}

/**
 * mbind2 - set the memory policy of a range of addresses
 * @addr: the first address, at the start of a page
 * @len: bytes
 * @param: the policy
 * @usize: sizeof(*@param)
 * @flags: MPOL_MF_STRICT, MPOL_MF_MOVE, MPOL_MF_MOVE_ALL, MPOL_MF_LAZY,
 *	MPOL_MF_HOME_NODE
 *
 * Return: 0, or -1 and errno.
 */
static inline int mbind2(unsigned long addr, unsigned long len,
			 const struct mpol_param *param, size_t usize,
			 unsigned long flags)
{
	return (int)syscall(__NR_mbind2, addr, len, param, usize, flags);
}

/**
 * process_set_mempolicy2 - set the memory policy of all threads of another process
 * @pidfd: of the process
 * @param: the policy
 * @usize: sizeof(*@param)
 * @flags: MPOL_MF_HOME_NODE, MPOL_MF_MOVE
 *
 * Return: 0, or -1 and errno.
 */
static inline int process_set_mempolicy2(int pidfd, const struct mpol_param *param,
					 size_t usize, unsigned long flags)
{
	return (int)syscall(__NR_process_set_mempolicy2, pidfd, param, usize, flags);
}

/**
 * process_get_mempolicy2 - get the memory policy of another process
 * @pidfd: of the process
 * @param: where the policy goes; names the buffers for nodes and weights
 * @usize: sizeof(*@param)
 * @addr: an address of the process with MPOL_F_ADDR, else 0
 * @flags: MPOL_F_ADDR, MPOL_F_OWN_WEIGHTS
 *
 * Return: 0, or -1 and errno.
 */
static inline int process_get_mempolicy2(int pidfd, struct mpol_param *param, size_t usize,
					 unsigned long addr, unsigned long flags)
{
	return (int)syscall(__NR_process_get_mempolicy2, pidfd, param, usize, addr, flags);
}

/**
 * process_mbind2 - set the memory policy of a range of another process's addresses
 * @pidfd: of the process
 * @addr: the first address, at the start of a page
 * @len: bytes
 * @param: the policy
 * @usize: sizeof(*@param)
 * @flags: as for mbind2()
 *
 * Return: 0, or -1 and errno.
 */
static inline int process_mbind2(int pidfd, unsigned long addr, unsigned long len,
				 const struct mpol_param *param, size_t usize,
				 unsigned long flags)
{
	return (int)syscall(__NR_process_mbind2, pidfd, addr, len, param, usize, flags);
}

/**
 * mempolicy2_available - do the calls work here
 *
 * Asks with arguments that are refused, so that nothing changes.
 *
 * Return: 1, or 0 and errno: the kernel does not know the calls, or a filter
 * of system calls, such as a container's, forbids them.
 */
static inline int mempolicy2_available(void)
{
	return !set_mempolicy2(NULL, 0, 0) || errno == EINVAL;
}

#endif /* _MEMPOLICY2_H */
