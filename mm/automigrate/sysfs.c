// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/migration/: auto_migrate_enable, auto_migrate_interval,
 * auto_migrate_lazy, migrate_max_mapcount
 *
 * One bare number a file. Each is read without a lock wherever it is used.
 */
#include <linux/automigrate.h>
#include <linux/init.h>
#include <linux/kobject.h>
#include <linux/kstrtox.h>
#include <linux/limits.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "internal.h"

#define SHORTEST_INTERVAL	5
#define LONGEST_INTERVAL	300

/* Orders those who switch automigrate_on */
static DEFINE_MUTEX(enable_lock);

/* A number from @least to @most; all that is wrong is EINVAL. */
static int parse(const char *buf, size_t count, unsigned int least,
		 unsigned int most, unsigned int *number)
{
	if (strnlen(buf, count) != count || kstrtouint(buf, 0, number))
		return -EINVAL;
	return *number < least || *number > most ? -EINVAL : 0;
}

static ssize_t auto_migrate_enable_show(struct kobject *kobj,
					struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", static_key_enabled(&automigrate_on));
}

static ssize_t auto_migrate_enable_store(struct kobject *kobj,
					 struct kobj_attribute *attr,
					 const char *buf, size_t count)
{
	unsigned int on;

	if (parse(buf, count, 0, 1, &on))
		return -EINVAL;
	mutex_lock(&enable_lock);
	if (on)
		static_branch_enable(&automigrate_on);
	else
		static_branch_disable(&automigrate_on);
	mutex_unlock(&enable_lock);
	return count;
}

static struct kobj_attribute enable_attr = __ATTR_RW(auto_migrate_enable);

static ssize_t auto_migrate_interval_show(struct kobject *kobj,
					  struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(automigrate_interval));
}

static ssize_t auto_migrate_interval_store(struct kobject *kobj,
					   struct kobj_attribute *attr,
					   const char *buf, size_t count)
{
	unsigned int seconds;

	if (parse(buf, count, SHORTEST_INTERVAL, LONGEST_INTERVAL, &seconds))
		return -EINVAL;
	WRITE_ONCE(automigrate_interval, seconds);
	return count;
}

static struct kobj_attribute interval_attr = __ATTR_RW(auto_migrate_interval);

#ifdef CONFIG_NUMA_BALANCING
static ssize_t auto_migrate_lazy_show(struct kobject *kobj,
				      struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", READ_ONCE(automigrate_lazy));
}

static ssize_t auto_migrate_lazy_store(struct kobject *kobj,
				       struct kobj_attribute *attr,
				       const char *buf, size_t count)
{
	unsigned int lazy;

	if (parse(buf, count, 0, 1, &lazy))
		return -EINVAL;
	WRITE_ONCE(automigrate_lazy, lazy);
	return count;
}

static struct kobj_attribute lazy_attr = __ATTR_RW(auto_migrate_lazy);
#endif

static ssize_t migrate_max_mapcount_show(struct kobject *kobj,
					 struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", automigrate_max_sharers());
}

static ssize_t migrate_max_mapcount_store(struct kobject *kobj,
					  struct kobj_attribute *attr,
					  const char *buf, size_t count)
{
	unsigned int mappings;

	if (parse(buf, count, 1, INT_MAX, &mappings))
		return -EINVAL;
	WRITE_ONCE(automigrate_mapcount, mappings);
	return count;
}

static struct kobj_attribute mapcount_attr = __ATTR_RW(migrate_max_mapcount);

static const struct attribute *migration_attrs[] = {
	&enable_attr.attr,
	&interval_attr.attr,
#ifdef CONFIG_NUMA_BALANCING
	&lazy_attr.attr,
#endif
	&mapcount_attr.attr,
	NULL
};

static int __init migration_sysfs_init(void)
{
	struct kobject *kobj = kobject_create_and_add("migration", kernel_kobj);
	int err;

	if (!kobj)
		return -ENOMEM;
	err = sysfs_create_files(kobj, migration_attrs);
	if (err)
		kobject_put(kobj);
	return err;
}
subsys_initcall(migration_sysfs_init);
