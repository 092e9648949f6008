// SPDX-License-Identifier: GPL-2.0
/*
 * MPOL_WEIGHTED_INTERLEAVE as the mpol= option of tmpfs takes and shows it, and
 * as the files of such a mount have it, also in ranges that processes share.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "cases.h"
#include "placement.h"

/* The options that /proc/mounts shows for @dir */
static int mount_options(const char *dir, char *buf, size_t size)
{
	char line[1024], at[256], options[512];
	int ret = -ENOENT;
	FILE *file;

	file = fopen("/proc/mounts", "re");
	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%*s %255s %*s %511s %*d %*d", at,
			   options) != 2 || strcmp(at, dir))
			continue;
		snprintf(buf, size, "%s", options);
		ret = 0;
	}
	fclose(file);
	return ret;
}

/* The mpol= option alone; a node list goes on after its commas */
static int mount_policy(const char *dir, char *buf, size_t size)
{
	char options[512], *mpol, *end;
	int ret;

	ret = mount_options(dir, options, sizeof(options));
	if (ret)
		return ret;
	mpol = strstr(options, "mpol=");
	if (!mpol) {
		buf[0] = '\0';
		return 0;
	}
	for (end = mpol; *end; end++)
		if (*end == ',' && (end[1] < '0' || end[1] > '9'))
			break;
	*end = '\0';
	snprintf(buf, size, "%s", mpol);
	return 0;
}

FIXTURE(tmpfs)
{
	struct saved_weights saved;
	struct nodeset memory;
	struct nodeset nodes;
	int second;
	char list[64];
	char dir[64];
	const char *missing;
};

FIXTURE_SETUP(tmpfs)
{
	ASSERT_EQ(0, weights_enter(&self->saved, 1, &self->missing));
	if (self->missing)
		return;
	self->memory = self->saved.nodes;
	self->nodes = nodeset_head(&self->memory, 2);
	self->second = nodeset_nth(&self->memory, 1);
	nodeset_format(&self->nodes, self->list, sizeof(self->list));
	if (fs_mount("tmpfs", NULL, self->dir, sizeof(self->dir)))
		self->missing = "no tmpfs";
}

FIXTURE_TEARDOWN(tmpfs)
{
	if (self->dir[0])
		fs_unmount(self->dir);
	if (!geteuid())
		EXPECT_EQ(0, weights_restore(&self->saved));
}

TEST_F(tmpfs, mount_option)
{
	static const char * const given[] = {
		"weighted interleave%s:%s", "weighted-interleave%s:%s",
	};
	static const char * const flags[] = { "", "=static", "=relative" };
	char mode[64], option[160], want[160], got[160], dir[64];
	char text[128], shown[160];
	void *map;
	size_t i;
	int fd;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	for (i = 0; i < ARRAY_LEN(given) * ARRAY_LEN(flags); i++) {
		snprintf(mode, sizeof(mode), given[i % 2], flags[i / 2],
			 self->list);
		snprintf(option, sizeof(option), "mpol=%s", mode);
		snprintf(want, sizeof(want), "mpol=weighted-interleave%s:%s",
			 flags[i / 2], self->list);
		snprintf(shown, sizeof(shown), "weighted interleave%s:%s",
			 flags[i / 2], self->list);
		ASSERT_EQ(0, fs_mount("tmpfs", option, dir, sizeof(dir)))
			TH_LOG("%s", option);
		ASSERT_EQ(0, mount_policy(dir, got, sizeof(got)));
		EXPECT_STREQ(want, got);

		/* A file of it has the policy */
		fd = fs_file(dir);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, ftruncate(fd, page_bytes()));
		map = mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE,
			   MAP_SHARED, fd, 0);
		ASSERT_TRUE(map != MAP_FAILED);
		ASSERT_EQ(0, numa_maps_policy(map, text, sizeof(text)));
		EXPECT_STREQ(shown, text);
		munmap(map, page_bytes());
		close(fd);
		fs_unmount(dir);
	}
}

/* Every other node, which with many of them is a long list */
TEST_F(tmpfs, mount_shows_all_nodes)
{
	static const char * const modes[] = {
		"weighted-interleave", "weighted-interleave=relative", "interleave=static",
		"bind",
	};
	char list[512], want[600], got[600], dir[64];
	struct nodeset nodes;
	size_t i;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	nodeset_clear(&nodes);
	for (i = 0; nodeset_nth(&self->memory, i) >= 0; i += 2)
		nodeset_add(&nodes, nodeset_nth(&self->memory, i));
	nodeset_format(&nodes, list, sizeof(list));
	for (i = 0; i < ARRAY_LEN(modes); i++) {
		snprintf(want, sizeof(want), "mpol=%s:%s", modes[i], list);
		ASSERT_EQ(0, fs_mount("tmpfs", want, dir, sizeof(dir)));
		ASSERT_EQ(0, mount_policy(dir, got, sizeof(got)));
		EXPECT_STREQ(want, got);
		fs_unmount(dir);
	}
}

TEST_F(tmpfs, mount_without_nodes)
{
	char want[600], list[512], got[600], dir[64];

	if (self->missing)
		SKIP(return, "%s", self->missing);

	snprintf(want, sizeof(want), "mpol=weighted-interleave:%s",
		 nodeset_format(&self->memory, list, sizeof(list)));
	ASSERT_EQ(0, fs_mount("tmpfs", "mpol=weighted interleave", dir,
			      sizeof(dir)));
	ASSERT_EQ(0, mount_policy(dir, got, sizeof(got)));
	EXPECT_STREQ(want, got);
	fs_unmount(dir);
	ASSERT_EQ(0, fs_mount("tmpfs", "mpol=weighted-interleave", dir,
			      sizeof(dir)));
	ASSERT_EQ(0, mount_policy(dir, got, sizeof(got)));
	EXPECT_STREQ(want, got);
	fs_unmount(dir);
}

TEST_F(tmpfs, wrong_options)
{
	static const char * const wrong[] = {
		"mpol=weighted", "mpol=weighted:0", "mpol=weighted--interleave",
		"mpol=weighted-interleave:", "mpol=weighted  interleave:0",
		"mpol=weighted_interleave:0", "mpol=weightedinterleave:0",
		"mpol=weighted-interleav:0", "mpol=weighted-interleaves:0",
		"mpol=weighted-interleave=:0", "mpol=weighted-interleave=fixed:0",
		"mpol=weighted-interleave=static|relative:0",
		"mpol=-interleave:0", "mpol=weighted-:0",
		"mpol=weighted-interleave:x", "mpol=weighted-interleave:1-0",
		"mpol=Weighted-Interleave:0", "mpol=prefer-(many):0",
	};
	char option[64], dir[64];
	size_t i;
	int ret;

	if (self->missing)
		SKIP(return, "%s", self->missing);

	for (i = 0; i < ARRAY_LEN(wrong); i++) {
		ret = fs_mount("tmpfs", wrong[i], dir, sizeof(dir));
		EXPECT_EQ(-EINVAL, ret)
			TH_LOG("accepted: %s", wrong[i]);
		if (!ret)
			fs_unmount(dir);
	}
	snprintf(option, sizeof(option), "mpol=weighted interleave:%d",
		 node_without_memory());
	EXPECT_EQ(-EINVAL, fs_mount("tmpfs", option, dir, sizeof(dir)));
	EXPECT_EQ(-EINVAL, fs_mount("tmpfs", "mpol=weighted interleave:99999",
				    dir, sizeof(dir)));
	/* The old modes as before */
	ASSERT_EQ(0, fs_mount("tmpfs", "mpol=interleave:0", dir, sizeof(dir)));
	ASSERT_EQ(0, mount_policy(dir, option, sizeof(option)));
	EXPECT_STREQ("mpol=interleave:0", option);
	fs_unmount(dir);
}

TEST_F(tmpfs, remount)
{
	char option[160], got[160], want[160];

	if (self->missing)
		SKIP(return, "%s", self->missing);

	ASSERT_EQ(0, mount_policy(self->dir, got, sizeof(got)));
	EXPECT_STREQ("", got);
	snprintf(option, sizeof(option), "mpol=weighted interleave:%s",
		 self->list);
	snprintf(want, sizeof(want), "mpol=weighted-interleave:%s",
		 self->list);
	ASSERT_EQ(0, mount("tmpfs", self->dir, "tmpfs", MS_REMOUNT, option));
	ASSERT_EQ(0, mount_policy(self->dir, got, sizeof(got)));
	EXPECT_STREQ(want, got);

	/* Other options leave it; what is shown is accepted */
	ASSERT_EQ(0, mount("tmpfs", self->dir, "tmpfs", MS_REMOUNT,
			   "size=1m"));
	ASSERT_EQ(0, mount("tmpfs", self->dir, "tmpfs", MS_REMOUNT, want));
	ASSERT_EQ(0, mount_policy(self->dir, got, sizeof(got)));
	EXPECT_STREQ(want, got);

	EXPECT_NE(0, mount("tmpfs", self->dir, "tmpfs", MS_REMOUNT,
			   "mpol=weighted:0"));
	ASSERT_EQ(0, mount_policy(self->dir, got, sizeof(got)));
	EXPECT_STREQ(want, got);
	ASSERT_EQ(0, mount("tmpfs", self->dir, "tmpfs", MS_REMOUNT,
			   "mpol=default"));
}

struct toucher {
	const char *path;
	size_t pages;
};

static int touches_file(void *arg)
{
	const struct toucher *work = arg;
	char *map;
	int fd;

	fd = open(work->path, O_RDWR);
	if (fd < 0)
		return 2;
	map = mmap(NULL, work->pages * page_bytes(), PROT_READ | PROT_WRITE,
		   MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return 3;
	madvise(map, work->pages * page_bytes(), MADV_NOHUGEPAGE);
	touch(map, work->pages, page_bytes());
	return 0;
}

/* A remount puts the policy that others are just reading. */
TEST_F(tmpfs, shown_while_it_is_replaced)
{
	static const char * const mode[] = { "weighted-interleave", "interleave" };
	char option[2][160], got[160];
	int round, i;
	pid_t pid;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	for (i = 0; i < 2; i++)
		snprintf(option[i], sizeof(option[i]), "mpol=%s:%s", mode[i],
			 self->list);
	ASSERT_EQ(0, mount("tmpfs", self->dir, "tmpfs", MS_REMOUNT, option[0]));
	pid = fork_child();
	ASSERT_LE(0, pid);
	for (i = 0; !pid; i = !i)
		if (mount("tmpfs", self->dir, "tmpfs", MS_REMOUNT, option[i]))
			_exit(1);
	for (round = 0; round < 500; round++) {
		ASSERT_EQ(0, mount_policy(self->dir, got, sizeof(got)));
		ASSERT_TRUE(!strcmp(got, option[0]) || !strcmp(got, option[1]))
			TH_LOG("%s", got);
	}
	EXPECT_EQ(0, kill(pid, SIGKILL));
	EXPECT_EQ(pid, waitpid(pid, &i, 0));
	EXPECT_TRUE(WIFSIGNALED(i));
}

/* The policy of a range is the file's: another process allocates by it */
TEST_F(tmpfs, ranges_are_shared)
{
	static const unsigned int weight[] = { 4, 3 };
	const size_t page = page_bytes(), half = 70;
	struct toucher work = { .pages = 2 * half };
	int node[140], order[7];
	struct nodeset second;
	struct round round;
	char text[128], path[128];
	struct stat stat;
	char *map;
	size_t i;
	int fd;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (self->second < 0)
		SKIP(return, "needs two nodes with memory");

	second = nodeset_of(self->second);
	ASSERT_EQ(0, round_write(&round, &self->nodes, weight));
	ASSERT_EQ(0, round_sample(&round, &self->nodes, order));
	snprintf(path, sizeof(path), "%s/shared", self->dir);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, 2 * half * page));
	ASSERT_EQ(0, fstat(fd, &stat));
	map = mmap(NULL, 2 * half * page, PROT_READ | PROT_WRITE, MAP_SHARED,
		   fd, 0);
	ASSERT_TRUE(map != MAP_FAILED);
	ASSERT_EQ(0, policy_bind(map, half * page, MPOL_WEIGHTED_INTERLEAVE,
				 &self->nodes, 0));
	ASSERT_EQ(0, policy_bind(map + half * page, half * page, MPOL_BIND,
				 &second, 0));
	snprintf(text, sizeof(text), "weighted interleave:%s", self->list);
	ASSERT_EQ(0, numa_maps_policy(map, path, sizeof(path)));
	EXPECT_STREQ(text, path);

	snprintf(path, sizeof(path), "%s/shared", self->dir);
	work.path = path;
	ASSERT_EQ(0, in_child(touches_file, &work));
	ASSERT_EQ(0, nodes_of_file(fd, 0, 2 * half, node));
	EXPECT_TRUE(round_follows(&round, order, stat.st_ino, node, half));
	for (i = half; i < 2 * half; i++)
		EXPECT_EQ(self->second, node[i]);
}

/* Cutting a range out of the middle leaves a policy on either side */
TEST_F(tmpfs, range_inside_a_range)
{
	static const unsigned int weight[] = { 4, 3 };
	const size_t page = page_bytes(), pages = 63;
	int node[63], order[7];
	struct nodeset second;
	struct round round;
	struct stat stat;
	size_t i;
	char *map;
	int fd;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	if (self->second < 0)
		SKIP(return, "needs two nodes with memory");

	second = nodeset_of(self->second);
	ASSERT_EQ(0, round_write(&round, &self->nodes, weight));
	ASSERT_EQ(0, round_sample(&round, &self->nodes, order));
	fd = fs_file(self->dir);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, pages * page));
	ASSERT_EQ(0, fstat(fd, &stat));
	map = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		   0);
	ASSERT_TRUE(map != MAP_FAILED);
	ASSERT_EQ(0, policy_bind(map, pages * page, MPOL_WEIGHTED_INTERLEAVE,
				 &self->nodes, 0));
	ASSERT_EQ(0, policy_bind(map + 21 * page, 21 * page, MPOL_BIND,
				 &second, 0));
	ASSERT_EQ(0, place(map, pages, page, node));
	EXPECT_TRUE(round_follows(&round, order, stat.st_ino, node, 21));
	for (i = 21; i < 42; i++)
		EXPECT_EQ(self->second, node[i]);
	EXPECT_TRUE(round_follows(&round, order, stat.st_ino + 42, node + 42,
				  21));
}
