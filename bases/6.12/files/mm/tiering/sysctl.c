// SPDX-License-Identifier: GPL-2.0
/*
 * kernel.numa_balancing_hot_threshold_ms and
 * kernel.numa_balancing_rate_limit_mbps
 */
#include <linux/init.h>
#include <linux/memory_promotion.h>
#include <linux/minmax.h>
#include <linux/sched/sysctl.h>
#include <linux/sysctl.h>

#include "promote.h"

static int longest_threshold = INT_MAX / 2;

/**
 * promotion_sysctl - read or write a number that promotion goes by
 * @table:  the sysctl
 * @write:  whether it is written
 * @buffer: text
 * @lenp:   its length
 * @ppos:   position
 *
 * Context: may sleep.
 * Return: 0 or -EINVAL.
 */
int promotion_sysctl(const struct ctl_table *table, int write, void *buffer,
		     size_t *lenp, loff_t *ppos)
{
	int err = proc_dointvec_minmax(table, write, buffer, lenp, ppos);

	if (!err && write)
		promotion_settings_changed();
	return err;
}

static struct ctl_table promotion_table[] = {
	{
		.procname	= "numa_balancing_hot_threshold_ms",
		.data		= &sysctl_numa_balancing_hot_threshold,
		.maxlen		= sizeof(unsigned int),
		.mode		= 0644,
		.proc_handler	= promotion_sysctl,
		.extra1		= SYSCTL_ONE,
		.extra2		= &longest_threshold,
	},
	{
		.procname	= "numa_balancing_rate_limit_mbps",
		.data		= &sysctl_numa_balancing_promote_rate_limit,
		.maxlen		= sizeof(unsigned int),
		.mode		= 0644,
		.proc_handler	= promotion_sysctl,
		.extra1		= SYSCTL_ZERO,
		.extra2		= SYSCTL_INT_MAX,
	},
};

static int __init promotion_sysctl_init(void)
{
	register_sysctl_init("kernel", promotion_table);
	return 0;
}
subsys_initcall(promotion_sysctl_init);
