// SPDX-License-Identifier: GPL-2.0
/* mpolctl restore: sets what a file of mpolctl save has */
#include "mpolctl.h"

#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "settings.h"

static const char restore_help[] =
	"Usage: mpolctl restore [FILE]\n"
	"\n"
	"Sets what a file of \"mpolctl save\" has, and prints what that changed. Without\n"
	"FILE, or with -, it is read from standard input. All lines are checked before\n"
	"the first one is set; when the kernel refuses one, those before it are undone.\n"
	"What is of a node that is not there is left out, and said. Needs root.\n"
	"\n"
	"  --root DIR  write the files of the kernel under DIR, not /\n"
	"  -h, --help  this text\n"
	"\n"
	"Exit status: 0 done, as far as the nodes are there; 1 failed, and nothing was\n"
	"changed; 2 bad arguments or a bad line, and nothing was changed; 3 this kernel\n"
	"lacks something, and the rest was set.\n";

/* Each setting once: two kinds for each node, and the others */
#define MAX_LINES	(2 * MAX_NODES + 16)

/* A line of the file: what it asks for, and what was there before */
struct step {
	struct setting setting;
	struct setting before;
	bool there;
	bool written;
};

struct steps {
	struct step step[MAX_LINES];
	size_t count;
	struct setting automatic;	/* before the first weight was written */
};

/* Without blanks at both ends */
static char *trim(char *text)
{
	size_t len;

	while (isspace((unsigned char)*text))
		text++;
	for (len = strlen(text); len; len--) {
		if (!isspace((unsigned char)text[len - 1]))
			break;
		text[len - 1] = '\0';
	}
	return text;
}

static bool is_twice(const struct steps *steps, const struct setting *setting)
{
	size_t i;

	for (i = 0; i < steps->count; i++) {
		if (steps->step[i].setting.kind == setting->kind &&
		    steps->step[i].setting.node == setting->node)
			return true;
	}
	return false;
}

static bool parse_line(char *line, unsigned int number, const char *path,
		       struct steps *steps)
{
	char *equals = strchr(line, '=');
	struct setting setting;
	char range[64];
	char *value;

	if (!equals) {
		warnx("restore: %s line %u: '%.60s' is not NAME = VALUE", path,
		      number, line);
		return false;
	}
	*equals = '\0';
	line = trim(line);
	value = trim(equals + 1);
	if (!parse_setting_name(line, &setting)) {
		warnx("restore: %s line %u: '%.60s' is not a setting: see mpolctl save",
		      path, number, line);
		return false;
	}
	if (!parse_setting_value(value, &setting)) {
		format_setting_range(setting.kind, range, sizeof(range));
		warnx("restore: %s line %u: '%.20s' is wrong for %s: use %s",
		      path, number, value, line, range);
		return false;
	}
	if (is_twice(steps, &setting)) {
		warnx("restore: %s line %u: %s stands there twice", path,
		      number, line);
		return false;
	}
	steps->step[steps->count++].setting = setting;
	return true;
}

/* Weights that the kernel derives are not set */
static bool check_auto(const struct steps *steps, const char *path)
{
	const struct setting *setting;
	bool weights = false, automatic = false;
	size_t i;

	for (i = 0; i < steps->count; i++) {
		setting = &steps->step[i].setting;
		weights |= setting->kind == setting_weight;
		automatic |= setting->kind == setting_auto &&
			     !strcmp(setting->value, "true");
	}
	if (!weights || !automatic)
		return true;
	warnx("restore: %s: with auto = true the kernel derives all weights: leave them out",
	      path);
	return false;
}

static int parse_file(FILE *file, const char *path, struct steps *steps)
{
	unsigned int number = 0;
	bool good = true;
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	char *text;

	while (good && (len = getline(&line, &size, file)) >= 0) {
		number++;
		if (strlen(line) < (size_t)len) {
			warnx("restore: %s line %u is no text", path, number);
			good = false;
			break;
		}
		text = trim(line);
		good = !*text || *text == '#' ||
		       parse_line(text, number, path, steps);
	}
	free(line);
	if (ferror(file)) {
		warn("restore: cannot read %s", path);
		return STATUS_FAILED;
	}
	return good && check_auto(steps, path) ? STATUS_OK : STATUS_USAGE;
}

/* What is there now, and what is not */
static int read_before(struct steps *steps, const char *root)
{
	char name[SETTING_NAME_SIZE];
	int status = STATUS_OK;
	struct step *step;
	size_t i;

	steps->automatic.kind = setting_auto;
	steps->automatic.node = -1;
	if (!read_setting(&steps->automatic, root))
		*steps->automatic.value = '\0';
	for (i = 0; i < steps->count; i++) {
		step = &steps->step[i];
		step->before = step->setting;
		step->there = read_setting(&step->before, root);
		if (step->there)
			continue;
		format_setting(&step->setting, name, sizeof(name));
		if (errno != ENOENT) {
			warn("restore: nothing was changed: cannot read %s",
			     name);
			return STATUS_FAILED;
		}
		if (step->setting.node >= 0) {
			warnx("restore: %s is left out: node %d is not there",
			      name, step->setting.node);
			continue;
		}
		warnx("restore: %s is left out: this kernel has no such setting",
		      name);
		status = STATUS_UNAVAILABLE;
	}
	return status;
}

/* Backwards: a weight of before makes "auto" false, which is put back last */
static void undo(const struct steps *steps, const char *root)
{
	bool restored = true, weights = false;
	char name[SETTING_NAME_SIZE];
	const struct step *step;
	size_t i;

	for (i = steps->count; i--;) {
		step = &steps->step[i];
		if (!step->written)
			continue;
		weights |= step->setting.kind == setting_weight;
		if (write_setting(&step->before, root))
			continue;
		format_setting(&step->setting, name, sizeof(name));
		warnx("restore: %s keeps its new value %s", name,
		      step->setting.value);
		restored = false;
	}
	if (weights && !strcmp(steps->automatic.value, "true") &&
	    !write_setting(&steps->automatic, root)) {
		warnx("restore: the weights are not derived any more");
		restored = false;
	}
	if (restored)
		warnx("restore: all is as it was before");
}

static int write_step(struct step *step, const char *root)
{
	char name[SETTING_NAME_SIZE];
	struct setting now = step->setting;

	/* A weight that was written has changed "auto" meanwhile */
	if (read_setting(&now, root) && !strcmp(now.value, step->setting.value))
		return STATUS_OK;
	step->written = write_setting(&step->setting, root);
	if (step->written)
		return STATUS_OK;
	format_setting(&step->setting, name, sizeof(name));
	if (errno == EACCES || errno == EPERM)
		warn("restore: only root may write %s, and not in every container",
		     name);
	else
		warn("restore: cannot set %s to %s", name, step->setting.value);
	return STATUS_FAILED;
}

static int write_all(struct steps *steps, const char *root)
{
	size_t i;

	for (i = 0; i < steps->count; i++) {
		if (!steps->step[i].there ||
		    !write_step(&steps->step[i], root))
			continue;
		undo(steps, root);
		return STATUS_FAILED;
	}
	return STATUS_OK;
}

static void print_changes(const struct steps *steps)
{
	char name[SETTING_NAME_SIZE];
	const struct step *step;

	for (step = steps->step; step < steps->step + steps->count; step++) {
		if (!step->written)
			continue;
		format_setting(&step->setting, name, sizeof(name));
		printf("%s = %s, was %s\n", name, step->setting.value,
		       step->before.value);
	}
}

static int restore(FILE *file, const char *path, const char *root)
{
	static struct steps steps;
	int status = parse_file(file, path, &steps);
	int lacking;

	if (status)
		return status;
	lacking = read_before(&steps, root);
	if (lacking == STATUS_FAILED)
		return lacking;
	status = write_all(&steps, root);
	if (status)
		return status;
	print_changes(&steps);
	return lacking;
}

int restore_command(int argc, char **argv)
{
	const char *root = "";
	FILE *file;
	int status;

	if (!parse_root(argc, argv, "mpolctl restore", restore_help, &root, &status))
		return status;
	argv += optind;
	if (*argv && argv[1]) {
		warnx("restore: one file, not '%s' as well", argv[1]);
		return STATUS_USAGE;
	}
	if (!*argv && isatty(STDIN_FILENO)) {
		warnx("restore: no file: give one of mpolctl save");
		return STATUS_USAGE;
	}
	if (!*argv || !strcmp(*argv, "-"))
		return restore(stdin, "standard input", root);
	file = fopen(*argv, "re");
	if (!file) {
		warn("restore: cannot read %s", *argv);
		return STATUS_FAILED;
	}
	status = restore(file, *argv, root);
	fclose(file);
	return status;
}
