// SPDX-License-Identifier: GPL-2.0
/* mpolctl set --tree: a process and those that it has begun */
#include "mpolctl-tree.h"

#include <dirent.h>
#include <err.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

/* In /proc/PID/stat, behind the name */
enum { FIELD_PARENT = 2, FIELD_START = 20 };

/* A field behind the name, from 1; a name may have anything in it, brackets as well */
static unsigned long long read_field(const char *text, int field)
{
	const char *at = strrchr(text, ')');

	for (; at && field; field--)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}

/* False when there is no such process */
static bool read_member(unsigned long pid, struct member *member)
{
	char path[64], text[4096];
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%lu/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	len = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[len] = '\0';
	memset(member, 0, sizeof(*member));
	member->pid = pid;
	member->parent = read_field(text, FIELD_PARENT);
	member->start = read_field(text, FIELD_START);
	return strchr(text, ')');
}

static bool add_member(struct tree *tree, const struct member *member)
{
	struct member *more = realloc(tree->member, (tree->count + 1) * sizeof(*more));

	if (!more) {
		warnx("set: no memory for a list of processes");
		return false;
	}
	tree->member = more;
	tree->member[tree->count++] = *member;
	return true;
}

bool tree_plant(struct tree *tree, unsigned long pid)
{
	struct member member;

	if (read_member(pid, &member))
		return add_member(tree, &member);
	warnx("set: there is no process %lu", pid);
	return false;
}

bool tree_has(const struct member *member)
{
	struct member now;

	return read_member(member->pid, &now) && now.start == member->start;
}

static struct member *find(const struct tree *tree, unsigned long pid)
{
	size_t i;

	for (i = 0; i < tree->count; i++)
		if (tree->member[i].pid == pid)
			return &tree->member[i];
	return NULL;
}

/* The member that is the same process, not one that had its number before */
static const struct member *find_same(const struct tree *tree, const struct member *process)
{
	size_t i;

	for (i = 0; process && i < tree->count; i++)
		if (tree->member[i].pid == process->pid &&
		    tree->member[i].start == process->start)
			return &tree->member[i];
	return NULL;
}

static bool read_all(struct tree *all)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	struct member member;
	unsigned long pid;
	bool good = true;

	if (!proc) {
		warn("set: cannot read /proc");
		return false;
	}
	while (good && (entry = readdir(proc)))
		if (parse_number(entry->d_name, strlen(entry->d_name), INT_MAX, &pid) &&
		    read_member(pid, &member))
			good = add_member(all, &member);
	closedir(proc);
	return good;
}

/* Whether @process, one of @all, is a new member */
static bool joins(const struct tree *tree, const struct tree *all, struct member *process)
{
	const struct member *parent = find_same(tree, find(all, process->parent));

	if (!parent || process->pid == (unsigned long)getpid() || find_same(tree, process))
		return false;
	process->inherited = parent->given && process->start > parent->given;
	if (process->inherited)
		process->given = process->start;
	return true;
}

bool tree_grow(struct tree *tree)
{
	struct tree all = {};
	bool good = read_all(&all);
	size_t before, i;

	do {
		before = tree->count;
		for (i = 0; good && i < all.count; i++)
			if (joins(tree, &all, &all.member[i]))
				good = add_member(tree, &all.member[i]);
	} while (good && tree->count > before);
	free(all.member);
	return good;
}

void tree_give(struct member *member)
{
	struct timespec now;
	long ticks = sysconf(_SC_CLK_TCK);

	if (member->given)
		return;
	clock_gettime(CLOCK_BOOTTIME, &now);
	member->given = (unsigned long long)now.tv_sec * ticks +
			(unsigned long long)now.tv_nsec * ticks / 1000000000;
}
