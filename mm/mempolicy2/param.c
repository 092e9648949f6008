// SPDX-License-Identifier: GPL-2.0
/*
 * struct mpol_param in and out.
 *
 * Each byte of user memory is read once, into a copy that is checked and used.
 * A mask is an array of the caller's own longs: 32 bits wide from a 32-bit
 * task, whatever the byte order. Bit n of it is bit n % width of element
 * n / width.
 */
#include <linux/compat.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "internal.h"

/* A pointer that was passed as 64 bits; NULL if it cannot be one. */
static void __user *user_pointer(u64 value)
{
#ifdef CONFIG_COMPAT
	if (in_compat_syscall())
		return value >> 32 ? NULL : compat_ptr(value);
#endif
	return value == (unsigned long)value ? u64_to_user_ptr(value) : NULL;
}

static unsigned int bits_per_element(void)
{
	return in_compat_syscall() ? 32 : BITS_PER_LONG;
}

static int get_element(unsigned long *element, void __user *array,
		       unsigned int nr)
{
	if (in_compat_syscall())
		return get_user(*element, (u32 __user *)array + nr);
	return get_user(*element, (unsigned long __user *)array + nr);
}

static int put_element(unsigned long element, void __user *array,
		       unsigned int nr)
{
	if (in_compat_syscall())
		return put_user((u32)element, (u32 __user *)array + nr);
	return put_user(element, (unsigned long __user *)array + nr);
}

/* Bits that the kernel has no nodes for are fine as long as they are zero. */
static int get_mask(nodemask_t *nodes, u64 from, unsigned int nr_bits)
{
	unsigned int width = bits_per_element();
	void __user *array = user_pointer(from);
	unsigned int first, bit;

	nodes_clear(*nodes);
	if (!from)
		return 0;
	if (!array)
		return -EFAULT;

	for (first = 0; first < nr_bits; first += width) {
		unsigned int bits = min(width, nr_bits - first);
		unsigned long element;

		if (get_element(&element, array, first / width))
			return -EFAULT;
		for_each_set_bit(bit, &element, bits) {
			if (first + bit >= MAX_NUMNODES)
				return -EINVAL;
			node_set(first + bit, *nodes);
		}
	}
	return 0;
}

/* After the mask, on which it depends how many there are */
static int get_weights(struct mpol_args *args, u64 from, unsigned int nr)
{
	unsigned int nr_weights = mpol_nr_weights(args->mode_flags, &args->nodes);
	void __user *array = user_pointer(from);
	u8 *copy;

	if (!array)
		return -EFAULT;
	copy = kzalloc(nr_weights, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	if (copy_from_user(copy, array, min(nr, nr_weights))) {
		kfree(copy);
		return -EFAULT;
	}
	args->weights = copy;
	args->nr_weights = nr_weights;
	return 0;
}

static int check_home_node(int mode, int home_node)
{
	if (mode != MPOL_BIND && mode != MPOL_PREFERRED_MANY)
		return -EINVAL;
	if (home_node < 0 || home_node >= MAX_NUMNODES || !node_online(home_node))
		return -EINVAL;
	return 0;
}

/**
 * mpol_param_copy - take over a parameter struct
 * @param:  the copy
 * @uparam: the caller's
 * @usize:  its size as the caller knows it, in bytes
 *
 * Context: may sleep.
 * Return: 0; -EINVAL when it is smaller than any version or a reserved byte is
 * not zero; -E2BIG when it is larger than a page or has something in it that
 * this kernel does not know; -EFAULT.
 */
int mpol_param_copy(struct mpol_param *param,
		    const struct mpol_param __user *uparam, size_t usize)
{
	int err;

	BUILD_BUG_ON(sizeof(*param) != MPOL_PARAM_SIZE_VER0);

	if (usize < MPOL_PARAM_SIZE_VER0)
		return -EINVAL;
	if (usize > PAGE_SIZE)
		return -E2BIG;
	err = copy_struct_from_user(param, sizeof(*param), uparam, usize);
	if (err)
		return err;
	return memchr_inv(param->resv, 0, sizeof(param->resv)) ? -EINVAL : 0;
}

/**
 * mpol_param_to_args - check a parameter struct and fetch what it points to
 * @args:  filled in; on success to be given to mpol_args_free()
 * @param: the kernel's copy
 * @flags: of the call; MPOL_MF_HOME_NODE matters
 *
 * Context: may sleep.
 * Return: 0, -EINVAL, -EFAULT or -ENOMEM.
 */
int mpol_param_to_args(struct mpol_args *args, const struct mpol_param *param,
		       unsigned long flags)
{
	int mode = param->mode;
	int err;

	*args = (struct mpol_args) { .home_node = NUMA_NO_NODE };
	if (mode >= MPOL_MAX || param->mode_flags & ~MPOL_MODE_FLAGS)
		return -EINVAL;
	mode |= param->mode_flags;
	err = sanitize_mpol_flags(&mode, &args->mode_flags);
	if (err)
		return err;
	args->mode = mode;

	if (flags & MPOL_MF_HOME_NODE) {
		err = check_home_node(mode, param->home_node);
		if (err)
			return err;
		args->home_node = param->home_node;
	}
	if (param->il_weights && mode != MPOL_WEIGHTED_INTERLEAVE)
		return -EINVAL;

	err = get_mask(&args->nodes, param->pol_nodes, param->pol_maxnodes);
	if (!err && param->il_weights)
		err = get_weights(args, param->il_weights, param->pol_maxnodes);
	return err;
}

/**
 * mpol_args_free - let go of what mpol_param_to_args() fetched
 * @args: the arguments
 */
void mpol_args_free(struct mpol_args *args)
{
	kfree(args->weights);
}

/**
 * mpol_nodes_fit - does a mask fit into the caller's array?
 * @nodes:   the mask
 * @nr_bits: how many bits the array has
 *
 * Return: true when it does.
 */
bool mpol_nodes_fit(const nodemask_t *nodes, unsigned int nr_bits)
{
	return nr_bits >= MAX_NUMNODES ||
	       find_next_bit(nodes_addr(*nodes), MAX_NUMNODES, nr_bits) == MAX_NUMNODES;
}

/**
 * mpol_put_nodes - tell the caller a mask
 * @to:      the caller's array, not 0
 * @nr_bits: how many bits it has; written in whole elements
 * @nodes:   the mask
 *
 * Context: may sleep.
 * Return: 0 or -EFAULT.
 */
int mpol_put_nodes(u64 to, unsigned int nr_bits, const nodemask_t *nodes)
{
	unsigned int width = bits_per_element();
	void __user *array = user_pointer(to);
	unsigned int first, bit;

	if (!array)
		return -EFAULT;
	for (first = 0; first < nr_bits; first += width) {
		unsigned int last = min3(first + width, nr_bits, (unsigned int)MAX_NUMNODES);
		unsigned long element = 0;

		for (bit = first; bit < last; bit++)
			if (node_isset(bit, *nodes))
				__set_bit(bit - first, &element);
		if (put_element(element, array, first / width))
			return -EFAULT;
	}
	return 0;
}

/**
 * mpol_put_weights - tell the caller weights
 * @to:      the caller's array, not 0
 * @nr:      how many it has room for
 * @weights: as many, but no more than MAX_NUMNODES of them; the rest is zeroed
 *
 * Context: may sleep.
 * Return: 0 or -EFAULT.
 */
int mpol_put_weights(u64 to, unsigned int nr, const u8 *weights)
{
	unsigned int known = min_t(unsigned int, nr, MAX_NUMNODES);
	u8 __user *array = user_pointer(to);

	if (!array || copy_to_user(array, weights, known) ||
	    clear_user(array + known, nr - known))
		return -EFAULT;
	return 0;
}
