// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/mm/tiering/nodeN/ and the sysctls of promotion
 *
 * One directory for each node with memory. directories[] is protected by
 * directories_lock, which is never held while a directory is removed: the
 * removal waits for reads and writes that are under way.
 */
#include <linux/init.h>
#include <linux/kobject.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/timekeeping.h>

#include "distance.h"
#include "promote.h"
#include "serving.h"
#include "tiers.h"

struct node_directory {
	struct kobject kobj;
	int nid;
};

static struct kobject *tiering_kobj;
static struct node_directory *directories[MAX_NUMNODES];
static DEFINE_MUTEX(directories_lock);

static int nid_of(struct kobject *kobj)
{
	return container_of(kobj, struct node_directory, kobj)->nid;
}

static ssize_t abstract_distance_show(struct kobject *kobj,
				      struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", tiering_get_distance(nid_of(kobj)));
}

static ssize_t abstract_distance_store(struct kobject *kobj,
				       struct kobj_attribute *attr,
				       const char *buf, size_t count)
{
	unsigned int distance;
	int err;

	err = kstrtouint(buf, 0, &distance);
	if (err || distance > HIGHEST_DISTANCE)
		return -EINVAL;
	err = tiering_override_distance(nid_of(kobj), distance);
	return err ?: count;
}

static struct kobj_attribute abstract_distance_attr =
	__ATTR_RW(abstract_distance);

#ifdef CONFIG_NUMA_BALANCING
static ssize_t threshold_ms_show(struct kobject *kobj,
				 struct kobj_attribute *attr, char *buf)
{
	struct promotion_node *node = promotion_node_of(nid_of(kobj));

	return sysfs_emit(buf, "%u\n", node ? READ_ONCE(node->threshold.ms) : 0);
}

/* The latencies that the threshold rests on: start of a bin in ms, pages */
static ssize_t histogram_show(struct kobject *kobj, struct kobj_attribute *attr,
			      char *buf)
{
	struct promotion_node *node = promotion_node_of(nid_of(kobj));
	unsigned int bin, i;
	int len = 0;

	if (!node)
		return 0;
	mutex_lock(&promotion_lock);
	for (bin = 0; bin < LATENCY_BINS; bin++) {
		u64 pages = 0;

		for (i = 0; i < LATENCY_PARTS; i++)
			pages += node->window.pages[i][bin];
		if (pages)
			len += sysfs_emit_at(buf, len, "%u %llu\n",
					     latency_bin_start(bin), pages);
	}
	mutex_unlock(&promotion_lock);
	return len;
}

static ssize_t budget_show(struct kobject *kobj, struct kobj_attribute *attr,
			   char *buf)
{
	struct promotion_node *node = promotion_node_of(nid_of(kobj));
	u32 rate = promotion_rate();
	s64 left = 0;

	if (rate == PROMOTION_NO_LIMIT)
		return sysfs_emit(buf, "max\n");
	if (node && rate)
		left = promotion_budget_left(&node->budget, ktime_get_ns(), rate);
	return sysfs_emit(buf, "%lld\n", left);
}

static struct kobj_attribute threshold_ms_attr = __ATTR_RO(threshold_ms);
static struct kobj_attribute histogram_attr = __ATTR_RO(histogram);
static struct kobj_attribute budget_attr = __ATTR_RO(budget);
#endif

static struct attribute *node_attrs[] = {
	&abstract_distance_attr.attr,
#ifdef CONFIG_NUMA_BALANCING
	&threshold_ms_attr.attr,
	&histogram_attr.attr,
	&budget_attr.attr,
#endif
	NULL
};

/* Pages are promoted to memory that serves CPUs. */
static umode_t node_attr_visible(struct kobject *kobj, struct attribute *attr,
				 int i)
{
	if (attr != &abstract_distance_attr.attr &&
	    !node_serves_cpus(nid_of(kobj)))
		return 0;
	return attr->mode;
}

static const struct attribute_group node_group = {
	.attrs = node_attrs,
	.is_visible = node_attr_visible,
};

static const struct attribute_group *node_groups[] = { &node_group, NULL };

static void node_directory_release(struct kobject *kobj)
{
	kfree(container_of(kobj, struct node_directory, kobj));
}

static const struct kobj_type node_directory_type = {
	.release = node_directory_release,
	.sysfs_ops = &kobj_sysfs_ops,
	.default_groups = node_groups,
};

static void add_directory(int nid)
{
	struct node_directory *directory;
	int err = -ENOMEM;

	mutex_lock(&directories_lock);
	if (directories[nid])
		goto unlock;
	directory = kzalloc(sizeof(*directory), GFP_KERNEL);
	if (directory) {
		directory->nid = nid;
		err = kobject_init_and_add(&directory->kobj, &node_directory_type,
					   tiering_kobj, "node%d", nid);
		if (err)
			kobject_put(&directory->kobj);
	}
	if (err)
		pr_err("memory tiering: no directory for node %d\n", nid);
	else
		directories[nid] = directory;
unlock:
	mutex_unlock(&directories_lock);
}

static void remove_directory(int nid)
{
	struct node_directory *directory;

	mutex_lock(&directories_lock);
	directory = directories[nid];
	directories[nid] = NULL;
	mutex_unlock(&directories_lock);
	if (directory) {
		kobject_del(&directory->kobj);
		kobject_put(&directory->kobj);
	}
}

static int memory_event(struct notifier_block *nb, unsigned long action,
			void *data)
{
	struct memory_notify *change = data;

	if (change->status_change_nid == NUMA_NO_NODE)
		return NOTIFY_OK;
	if (action == MEM_ONLINE)
		add_directory(change->status_change_nid);
	else if (action == MEM_OFFLINE)
		remove_directory(change->status_change_nid);
	return NOTIFY_OK;
}

static int __init tiering_sysfs_init(void)
{
	int nid;

	tiering_kobj = kobject_create_and_add("tiering", mm_kobj);
	if (!tiering_kobj)
		return -ENOMEM;

	/* Listen first: a node that comes now is added twice, not missed. */
	hotplug_memory_notifier(memory_event, 0);
	for_each_node_state(nid, N_MEMORY)
		add_directory(nid);
	return 0;
}
late_initcall(tiering_sysfs_init);
