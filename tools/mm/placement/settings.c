// SPDX-License-Identifier: GPL-2.0
/* The files that say how memory is placed, by their names and values */
#include "settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "global-weights.h"

/*
 * Tiers come before what moves pages between them, and the weights before
 * "auto": a weight that is written makes it false. What they are derived for comes
 * before both.
 */
const struct setting_kind setting_kinds[] = {
	{ .before = "/sys/kernel/mm/tiering/node",
	  .behind = "/abstract_distance", .min = 1, .max = 65535 },
	{ .before = "/sys/kernel/mm/numa/demotion_enabled" },
	{ .before = "kernel.numa_balancing_rate_limit_mbps", .max = INT_MAX },
	{ .before = "kernel.numa_balancing_promote_rate_limit_MBps",
	  .max = INT_MAX, .other_name = true },
	{ .before = "kernel.numa_balancing_hot_threshold_ms",
	  .min = 1, .max = INT_MAX / 2 },
	{ .before = "kernel.numa_balancing", .max = 3 },
	{ .before = "/sys/kernel/migration/auto_migrate_interval",
	  .min = 5, .max = 300 },
	{ .before = "/sys/kernel/migration/auto_migrate_lazy", .max = 1 },
	{ .before = "/sys/kernel/migration/migrate_max_mapcount",
	  .min = 1, .max = INT_MAX },
	{ .before = "/sys/kernel/migration/auto_migrate_enable", .max = 1 },
	{ .before = WEIGHT_DIR "/mix", .max = 100 },
	{ .before = WEIGHT_DIR "/node", .behind = "",
	  .min = 1, .max = MAX_WEIGHT },
	{ .before = WEIGHT_DIR "/auto" },
	{}
};

#define KINDS	(sizeof(setting_kinds) / sizeof(*setting_kinds) - 1)

const struct setting_kind *const setting_weight = &setting_kinds[KINDS - 2];
const struct setting_kind *const setting_auto = &setting_kinds[KINDS - 1];

void format_setting(const struct setting *setting, char *name, size_t size)
{
	const struct setting_kind *kind = setting->kind;

	if (kind->behind)
		snprintf(name, size, "%s%d%s", kind->before, setting->node,
			 kind->behind);
	else
		snprintf(name, size, "%s", kind->before);
}

void format_setting_path(const struct setting *setting, const char *root,
			 char *path, size_t size)
{
	char name[SETTING_NAME_SIZE];

	format_setting(setting, name, sizeof(name));
	if (*name == '/')
		snprintf(path, size, "%s%s", root, name);
	else
		snprintf(path, size, "%s/proc/sys/kernel/%s", root,
			 name + strlen("kernel."));
}

static bool is_of_kind(const char *name, const struct setting_kind *kind,
		       int *node)
{
	size_t len = strlen(kind->before);
	unsigned long number;
	size_t digits;

	if (!kind->behind) {
		*node = -1;
		return !strcmp(name, kind->before);
	}
	if (strncmp(name, kind->before, len))
		return false;
	name += len;
	digits = strspn(name, "0123456789");
	if (!parse_number(name, digits, MAX_NODES - 1, &number))
		return false;
	*node = number;
	return !strcmp(name + digits, kind->behind);
}

bool parse_setting_name(const char *name, struct setting *setting)
{
	const struct setting_kind *kind;

	for (kind = setting_kinds; kind->before; kind++) {
		if (!is_of_kind(name, kind, &setting->node))
			continue;
		setting->kind = kind;
		return true;
	}
	return false;
}

bool parse_setting_value(const char *text, struct setting *setting)
{
	const struct setting_kind *kind = setting->kind;
	unsigned long value;

	if (!kind->max) {
		if (!strcmp(text, "1") || !strcmp(text, "true"))
			snprintf(setting->value, sizeof(setting->value), "true");
		else if (!strcmp(text, "0") || !strcmp(text, "false"))
			snprintf(setting->value, sizeof(setting->value), "false");
		else
			return false;
		return true;
	}
	if (!parse_number(text, strlen(text), kind->max, &value) ||
	    value < kind->min)
		return false;
	snprintf(setting->value, sizeof(setting->value), "%lu", value);
	return true;
}

void format_setting_range(const struct setting_kind *kind, char *text,
			  size_t size)
{
	if (!kind->max)
		snprintf(text, size, "true or false");
	else if (kind->max == INT_MAX)
		snprintf(text, size, "a number from %lu", kind->min);
	else
		snprintf(text, size, "%lu to %lu", kind->min, kind->max);
}

bool read_setting(struct setting *setting, const char *root)
{
	char path[PATH_MAX], line[64];

	format_setting_path(setting, root, path, sizeof(path));
	if (!read_line(path, line, sizeof(line)))
		return false;
	if (parse_setting_value(line, setting))
		return true;
	errno = ERANGE;
	return false;
}

bool write_setting(const struct setting *setting, const char *root)
{
	char path[PATH_MAX], text[SETTING_VALUE_SIZE + 1];
	ssize_t done, len;
	int file, error;

	format_setting_path(setting, root, path, sizeof(path));
	file = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (file < 0)
		return false;
	len = snprintf(text, sizeof(text), "%s\n", setting->value);
	done = write(file, text, len);
	error = done < 0 ? errno : EIO;
	close(file);
	errno = error;
	return done == len;
}
