// SPDX-License-Identifier: GPL-2.0
/* The files of the global weights */
#include "global-weights.h"

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

static bool read_weight(const char *dir, unsigned long node,
			unsigned char *weight)
{
	char path[PATH_MAX], line[32];
	unsigned long value;

	snprintf(path, sizeof(path), "%s/node%lu", dir, node);
	if (!read_line(path, line, sizeof(line)))
		return false;
	if (!parse_number(line, strlen(line), MAX_WEIGHT, &value) || !value) {
		errno = EINVAL;
		return false;
	}
	*weight = value;
	return true;
}

bool read_global_weights(const char *dir, struct ratio *ratio)
{
	DIR *files = opendir(dir);
	struct dirent *file;
	unsigned long node;
	bool good = true;

	memset(ratio, 0, sizeof(*ratio));
	if (!files)
		return false;
	while (good && (file = readdir(files))) {
		const char *number = file->d_name + 4;

		if (strncmp(file->d_name, "node", 4) ||
		    !parse_number(number, strlen(number), MAX_NODES - 1, &node))
			continue;
		/* A node that goes away meanwhile has no weight */
		good = read_weight(dir, node, &ratio->weight[node]) ||
		       errno == ENOENT;
	}
	closedir(files);
	return good;
}

int read_auto(const char *dir)
{
	char path[PATH_MAX], line[32];

	snprintf(path, sizeof(path), "%s/auto", dir);
	if (!read_line(path, line, sizeof(line)))
		return -1;
	return !strcmp(line, "true");
}

int complain_weights(const char *dir)
{
	if (errno == ENOENT) {
		warnx("weights: there is no %s: this kernel has no weighted interleaving",
		      dir);
		return STATUS_UNAVAILABLE;
	}
	warn("weights: cannot read the weights in %s", dir);
	return STATUS_FAILED;
}

static int complain_write(const char *path)
{
	if (errno == EACCES || errno == EPERM)
		warn("weights: only root may write %s, and not in every container",
		     path);
	else
		warn("weights: cannot write %s", path);
	return STATUS_FAILED;
}

static bool write_value(int file, const char *text)
{
	ssize_t len = strlen(text);
	ssize_t done = pwrite(file, text, len, 0);

	if (done >= 0 && done != len)
		errno = EIO;
	return done == len;
}

int write_auto(const char *dir)
{
	char path[PATH_MAX];
	int status = STATUS_OK;
	int file;

	snprintf(path, sizeof(path), "%s/auto", dir);
	file = open(path, O_WRONLY | O_CLOEXEC);
	if (file < 0 && errno == ENOENT) {
		warnx("weights: there is no %s, by which a kernel derives weights: set them",
		      path);
		return STATUS_UNAVAILABLE;
	}
	if (file < 0)
		return complain_write(path);
	if (!write_value(file, "true\n"))
		status = complain_write(path);
	close(file);
	return status;
}

static bool check_nodes(const char *dir, const struct ratio *wanted,
			const struct ratio *present)
{
	char list[1024];
	int i;

	for (i = 0; i < MAX_NODES; i++) {
		if (!wanted->weight[i] || present->weight[i])
			continue;
		format_nodes(present, list, sizeof(list));
		warnx("weights: node %d has no weight in %s: nodes with one are %s",
		      i, dir, *list ? list : "none");
		return false;
	}
	return true;
}

/* Back to what was before; @nodes and later ones have not been written */
static bool undo(const char *dir, const struct saved_weights *saved,
		 const int *files, int nodes)
{
	bool restored = true;
	char text[8];
	int i;

	if (saved->automatic)
		return write_auto(dir) == STATUS_OK;
	for (i = 0; i < nodes; i++) {
		if (files[i] < 0)
			continue;
		snprintf(text, sizeof(text), "%u\n", saved->weights.weight[i]);
		if (write_value(files[i], text))
			continue;
		warnx("weights: node %d keeps its new weight", i);
		restored = false;
	}
	return restored;
}

/* Opens all before the first is written: most failures come to light here */
static int open_files(const char *dir, const struct ratio *wanted, int *files)
{
	char path[PATH_MAX];
	int i;

	for (i = 0; i < MAX_NODES; i++) {
		if (!wanted->weight[i])
			continue;
		snprintf(path, sizeof(path), "%s/node%d", dir, i);
		files[i] = open(path, O_WRONLY | O_CLOEXEC);
		if (files[i] < 0)
			return complain_write(path);
	}
	return STATUS_OK;
}

static int write_files(const char *dir, const struct ratio *wanted,
		       const struct saved_weights *saved, const int *files)
{
	char text[PATH_MAX];
	int i;

	for (i = 0; i < MAX_NODES; i++) {
		if (files[i] < 0)
			continue;
		snprintf(text, sizeof(text), "%u\n", wanted->weight[i]);
		if (write_value(files[i], text))
			continue;
		snprintf(text, sizeof(text), "%s/node%d", dir, i);
		complain_write(text);
		if (undo(dir, saved, files, i))
			warnx("weights: all weights are as they were before");
		return STATUS_FAILED;
	}
	return STATUS_OK;
}

static int write_weights(const char *dir, const struct ratio *wanted,
			 const struct saved_weights *saved)
{
	int files[MAX_NODES];
	int i, status;

	for (i = 0; i < MAX_NODES; i++)
		files[i] = -1;
	status = open_files(dir, wanted, files);
	if (!status)
		status = write_files(dir, wanted, saved, files);
	for (i = 0; i < MAX_NODES; i++) {
		if (files[i] >= 0)
			close(files[i]);
	}
	return status;
}

int change_weights(const char *dir, const struct ratio *wanted,
		   struct saved_weights *saved)
{
	if (!read_global_weights(dir, &saved->weights))
		return complain_weights(dir);
	if (!check_nodes(dir, wanted, &saved->weights))
		return STATUS_USAGE;
	saved->automatic = read_auto(dir) > 0;
	return write_weights(dir, wanted, saved);
}

int restore_weights(const char *dir, const struct ratio *wanted,
		    const struct saved_weights *saved)
{
	struct ratio before = saved->weights;
	int i, status;

	for (i = 0; i < MAX_NODES; i++) {
		if (!wanted->weight[i])
			before.weight[i] = 0;
	}
	status = saved->automatic ? write_auto(dir) :
				    write_weights(dir, &before, saved);
	if (!status)
		warnx("weights: all weights are as they were before");
	return status;
}
