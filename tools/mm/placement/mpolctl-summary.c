// SPDX-License-Identifier: GPL-2.0
/* mpolctl show --summary: what all processes of a name have on each node */
#include "mpolctl-summary.h"

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "numa-maps.h"

/* The kernel keeps so much of a process's name. */
#define NAME_LENGTH	15

static bool is_called(const char *process, const char *name)
{
	char path[PATH_MAX], own[64];

	snprintf(path, sizeof(path), "/proc/%s/comm", process);
	return read_line(path, own, sizeof(own)) && !strncmp(own, name, NAME_LENGTH);
}

static void add_placed(struct placed *sum, const struct placed *more)
{
	int i;

	sum->unsized |= more->unsized;
	sum->mappings += more->mappings;
	for (i = 0; i < MAX_NODES; i++)
		sum->kb[i] += more->kb[i];
}

static bool is_gone(const char *process)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/proc/%s", process);
	return access(path, F_OK);
}

/*
 * One process after the other, as the directory has them. Those that end meanwhile, and
 * those without memory, are none.
 */
static void add_process(FILE *out, const struct summary_printer *printer,
			const char *process, struct summary *summary)
{
	static struct placed placed;
	int error;

	memset(&placed, 0, sizeof(placed));
	if (!read_placed(process, &placed)) {
		error = errno;
		if (error == ESRCH || is_gone(process))
			return;
		summary->unread++;
		summary->error = error;
		return;
	}
	if (!placed.mappings)
		return;
	printer->process(out, summary, process, &placed);
	add_placed(&summary->all, &placed);
	summary->processes++;
}

static int add_processes(FILE *out, const struct summary_printer *printer,
			 struct summary *summary)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	unsigned long pid;

	if (!proc) {
		warn("show: cannot read /proc");
		return STATUS_FAILED;
	}
	while ((entry = readdir(proc))) {
		if (parse_number(entry->d_name, strlen(entry->d_name), INT_MAX, &pid) &&
		    is_called(entry->d_name, summary->name))
			add_process(out, printer, entry->d_name, summary);
	}
	closedir(proc);
	if (!summary->unread)
		return STATUS_OK;
	warnx("show: %lu called %s cannot be read: %s%s", summary->unread, summary->name,
	      summary->error ? strerror(summary->error) : "not the lines of numa_maps",
	      summary->error == EACCES ? " (only root and its owner may)" : "");
	return STATUS_FAILED;
}

int summarize(const char *name, bool json, unsigned long *processes)
{
	const struct summary_printer *printer = json ? &json_summary : &table_summary;
	static struct summary summary;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int status;

	memset(&summary, 0, sizeof(summary));
	summary.name = name;
	*processes = 0;
	if (!out) {
		warnx("show: no memory for the table");
		return STATUS_FAILED;
	}
	printer->begin(out, &summary);
	status = add_processes(out, printer, &summary);
	printer->end(out, &summary);
	if (fclose(out)) {
		warnx("show: no memory for the table");
		status = STATUS_FAILED;
	} else if (summary.processes) {
		fwrite(text, 1, size, stdout);
	}
	free(text);
	*processes = summary.processes;
	return status;
}
