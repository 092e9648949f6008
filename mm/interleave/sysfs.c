// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/mm/mempolicy/weighted_interleave/{nodeN,auto,mix}
 *
 * One file for each node with memory, and one for all. node_files is protected by files_lock,
 * which is never held while a file is removed: the removal waits for who is reading
 * it. Stores take weights_lock, never files_lock, and are not waited for.
 */
#include <linux/ctype.h>
#include <linux/init.h>
#include <linux/kobject.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "internal.h"

struct node_file {
	struct kobj_attribute attr;
	int nid;
};

static struct kobject *weights_kobj;
static struct node_file *node_files[MAX_NUMNODES];
static DEFINE_MUTEX(files_lock);

static ssize_t node_show(struct kobject *kobj, struct kobj_attribute *attr,
			 char *buf)
{
	struct node_file *file = container_of(attr, struct node_file, attr);

	return sysfs_emit(buf, "%u\n", READ_ONCE(interleave_weights[file->nid]));
}

/* 0 or blank hands the node back; all that is wrong is EINVAL. */
static int parse_weight(const char *buf, size_t count, u8 *weight)
{
	*weight = 0;
	if (strnlen(buf, count) != count)
		return -EINVAL;
	if (!*skip_spaces(buf))
		return 0;
	return kstrtou8(buf, 0, weight) ? -EINVAL : 0;
}

static ssize_t node_store(struct kobject *kobj, struct kobj_attribute *attr,
			  const char *buf, size_t count)
{
	int nid = container_of(attr, struct node_file, attr)->nid;
	struct kernfs_node *kn;
	u8 weight;
	int err;

	err = parse_weight(buf, count, &weight);
	if (err)
		return err;
	/*
	 * All sets get the weight here, which takes time. Who takes the node offline
	 * removes the file, under the lock of all hotplug, and is not to wait for that.
	 */
	kn = sysfs_break_active_protection(kobj, &attr->attr);
	if (!kn)
		return -ENODEV;
	err = interleave_weight_store(nid, weight);
	sysfs_unbreak_active_protection(kn);
	return err ?: count;
}

static ssize_t auto_show(struct kobject *kobj, struct kobj_attribute *attr,
			 char *buf)
{
	return sysfs_emit(buf, "%s\n", interleave_auto() ? "true" : "false");
}

static ssize_t auto_store(struct kobject *kobj, struct kobj_attribute *attr,
			  const char *buf, size_t count)
{
	bool on;
	int err;

	err = kstrtobool(buf, &on) ? -EINVAL : interleave_auto_store(on);
	if (err)
		return err;
	/* Against interleave_mix_store() */
	smp_mb();
	if (on)
		interleave_derive_now();
	return count;
}

/* Not by __ATTR_RW(): to the compiler, auto is another word. */
static struct kobj_attribute auto_attr = {
	.attr = { .name = "auto", .mode = 0644 },
	.show = auto_show,
	.store = auto_store,
};

#ifdef CONFIG_HMEM_REPORTING
static ssize_t mix_show(struct kobject *kobj, struct kobj_attribute *attr,
			char *buf)
{
	return sysfs_emit(buf, "%u\n", interleave_mix());
}

static ssize_t mix_store(struct kobject *kobj, struct kobj_attribute *attr,
			 const char *buf, size_t count)
{
	u8 reads;

	if (strnlen(buf, count) != count || kstrtou8(buf, 0, &reads) || reads > 100)
		return -EINVAL;
	interleave_mix_store(reads);
	return count;
}

static struct kobj_attribute mix_attr = __ATTR_RW(mix);

static int add_mix_file(void)
{
	return sysfs_create_file(weights_kobj, &mix_attr.attr);
}
#else
/* Nothing is derived. */
static int add_mix_file(void)
{
	return 0;
}
#endif

static int add_node_file(int nid)
{
	struct node_file *file;
	int err = 0;

	mutex_lock(&files_lock);
	if (node_files[nid])
		goto unlock;

	err = -ENOMEM;
	file = kzalloc(sizeof(*file), GFP_KERNEL);
	if (!file)
		goto unlock;

	file->nid = nid;
	sysfs_attr_init(&file->attr.attr);
	file->attr.attr.name = kasprintf(GFP_KERNEL, "node%d", nid);
	file->attr.attr.mode = 0644;
	file->attr.show = node_show;
	file->attr.store = node_store;
	if (file->attr.attr.name)
		err = sysfs_create_file(weights_kobj, &file->attr.attr);
	if (err) {
		kfree(file->attr.attr.name);
		kfree(file);
		goto unlock;
	}
	node_files[nid] = file;
unlock:
	mutex_unlock(&files_lock);
	return err;
}

static void remove_node_file(int nid)
{
	struct node_file *file;

	mutex_lock(&files_lock);
	file = node_files[nid];
	node_files[nid] = NULL;
	mutex_unlock(&files_lock);
	if (!file)
		return;

	sysfs_remove_file(weights_kobj, &file->attr.attr);
	kfree(file->attr.attr.name);
	kfree(file);
}

static int memory_event(struct notifier_block *nb, unsigned long action,
			void *data)
{
	struct memory_notify *change = data;
	int nid = change->status_change_nid;

	if (nid == NUMA_NO_NODE)
		return NOTIFY_OK;

	switch (action) {
	case MEM_ONLINE:
		if (add_node_file(nid))
			pr_err("weighted interleave: no weight file for node %d\n",
			       nid);
		break;
	case MEM_OFFLINE:
		remove_node_file(nid);
		break;
	}
	return NOTIFY_OK;
}

static int __init weighted_interleave_sysfs_init(void)
{
	struct kobject *mempolicy_kobj;
	int nid, err;

	mempolicy_kobj = kobject_create_and_add("mempolicy", mm_kobj);
	if (!mempolicy_kobj)
		return -ENOMEM;

	weights_kobj = kobject_create_and_add("weighted_interleave",
					      mempolicy_kobj);
	if (!weights_kobj) {
		kobject_put(mempolicy_kobj);
		return -ENOMEM;
	}

	err = sysfs_create_file(weights_kobj, &auto_attr.attr);
	if (err)
		pr_err("weighted interleave: no file to switch automatic weights\n");
	err = add_mix_file();
	if (err)
		pr_err("weighted interleave: no file for the mix of reads and writes\n");

	/* Listen first: a node that comes now is added twice, not missed. */
	hotplug_memory_notifier(memory_event, 0);
	for_each_node_state(nid, N_MEMORY) {
		err = add_node_file(nid);
		if (err)
			pr_err("weighted interleave: no weight file for node %d\n",
			       nid);
	}
	return 0;
}
subsys_initcall(weighted_interleave_sysfs_init);
