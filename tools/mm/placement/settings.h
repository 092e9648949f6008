/* SPDX-License-Identifier: GPL-2.0 */
/* What the placement of memory is set to, as lines "NAME = VALUE" */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "common.h"

#define SETTING_NAME_SIZE	128
#define SETTING_VALUE_SIZE	24	/* any unsigned long, "true" and "false" */

/* A file of the kernel, or one for each node */
struct setting_kind {
	const char *before;	/* its name, or what stands before the node */
	const char *behind;	/* and behind it; NULL: of no node */
	unsigned long min;
	unsigned long max;	/* 0: true or false */
	bool other_name;	/* of the kind before it */
};

struct setting {
	const struct setting_kind *kind;
	int node;		/* -1: of none */
	char value[SETTING_VALUE_SIZE];
};

/* All kinds, in the order in which they are set; ends with one without a name */
extern const struct setting_kind setting_kinds[];

/* The kind of the weights, and of what says whether the kernel derives them */
extern const struct setting_kind *const setting_weight;
extern const struct setting_kind *const setting_auto;

/* "kernel.numa_balancing", "/sys/kernel/mm/tiering/node1/abstract_distance" */
void format_setting(const struct setting *setting, char *name, size_t size);

/* The file of a setting, in the tree of files under @root */
void format_setting_path(const struct setting *setting, const char *root,
			 char *path, size_t size);

/* Finds the kind and the node of a name; false: there is no such setting */
bool parse_setting_name(const char *name, struct setting *setting);

/* Takes over a value as the kernel writes it; false when it is out of range */
bool parse_setting_value(const char *text, struct setting *setting);

/* Which values are right, for a complaint */
void format_setting_range(const struct setting_kind *kind, char *text,
			  size_t size);

/* Reads the value of a setting; on error false and errno */
bool read_setting(struct setting *setting, const char *root);

/* Writes it; on error false and errno */
bool write_setting(const struct setting *setting, const char *root);

#endif /* SETTINGS_H */
