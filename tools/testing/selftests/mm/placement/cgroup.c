// SPDX-License-Identifier: GPL-2.0
/* Cpusets and memory cgroups, and the slab that is charged to one, see placement.h */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "placement.h"

static int write_in(const char *dir, const char *file, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return file_print(path, "%s", text);
}

/* The files of cgroup 2, or those of a cpuset hierarchy of cgroup 1 */
static const char *mount_cpusets(char *dir, size_t size)
{
	if (!fs_mount("cgroup2", NULL, dir, size)) {
		/* For slab_bytes(), where it is there */
		write_in(dir, "cgroup.subtree_control", "+memory");
		if (!write_in(dir, "cgroup.subtree_control", "+cpuset"))
			return "cpuset.mems";
		fs_unmount(dir);
	}
	if (!fs_mount("cgroup", "cpuset", dir, size))
		return "cpuset.mems";
	dir[0] = '\0';
	return NULL;
}

/* Says what could not be done, and hands on why */
static int said(const char *what, const char *group, int ret)
{
	if (ret)
		note("%s: %s: %s", group, what, strerror(-ret));
	return ret;
}

int cpuset_enter(struct cpuset *cpuset, const struct nodeset *nodes)
{
	char list[512], path[128];
	int ret;

	memset(cpuset, 0, sizeof(*cpuset));
	cpuset->mems = mount_cpusets(cpuset->mount, sizeof(cpuset->mount));
	if (!cpuset->mems)
		return -EOPNOTSUPP;
	snprintf(cpuset->group, sizeof(cpuset->group), "%s/placement.%d",
		 cpuset->mount, getpid());
	if (mkdir(cpuset->group, 0755))
		return said("mkdir", cpuset->group, -errno);
	snprintf(path, sizeof(path), "%s/cpuset.cpus", cpuset->mount);
	ret = 0;
	if (file_read(path, list, sizeof(list)) > 0)
		ret = write_in(cpuset->group, "cpuset.cpus", list);
	if (ret)
		return said("its CPUs", cpuset->group, ret);
	ret = cpuset_move(cpuset, nodes);
	if (ret)
		return said("its nodes", cpuset->group, ret);
	return said("to go there", cpuset->group,
		    write_in(cpuset->group, "cgroup.procs", "0"));
}

int cpuset_move(const struct cpuset *cpuset, const struct nodeset *nodes)
{
	char list[512];

	return write_in(cpuset->group, cpuset->mems,
			nodeset_format(nodes, list, sizeof(list)));
}

static void group_leave(const char *mount, const char *group)
{
	if (group[0]) {
		write_in(mount, "cgroup.procs", "0");
		rmdir(group);
	}
	if (mount[0])
		fs_unmount(mount);
}

void cpuset_leave(struct cpuset *cpuset)
{
	group_leave(cpuset->mount, cpuset->group);
}

int memcg_enter(struct memcg *memcg)
{
	memset(memcg, 0, sizeof(*memcg));
	if (fs_mount("cgroup2", NULL, memcg->mount, sizeof(memcg->mount))) {
		memcg->mount[0] = '\0';
		return -EOPNOTSUPP;
	}
	if (write_in(memcg->mount, "cgroup.subtree_control", "+memory"))
		return -EOPNOTSUPP;
	snprintf(memcg->group, sizeof(memcg->group), "%s/placement.%d",
		 memcg->mount, getpid());
	if (mkdir(memcg->group, 0755))
		return said("mkdir", memcg->group, -errno);
	return said("to go there", memcg->group,
		    write_in(memcg->group, "cgroup.procs", "0"));
}

void memcg_leave(struct memcg *memcg)
{
	group_leave(memcg->mount, memcg->group);
}

long long slab_bytes(const char *group)
{
	char path[128];

	if (!group)
		return 1024 * file_value("/proc/meminfo", "SUnreclaim:");
	snprintf(path, sizeof(path), "%s/memory.stat", group);
	return file_value(path, "slab_unreclaimable");
}

long long slab_settle(const char *group, long long limit)
{
	long long bytes;
	int rounds = 0;

	do {
		bytes = slab_bytes(group);
	} while (bytes > limit && settle(&rounds));
	return bytes;
}
