// SPDX-License-Identifier: GPL-2.0
/* mpolctl save: what placement is set to, as a file for mpolctl restore */
#include "mpolctl.h"

#include <err.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common.h"
#include "settings.h"

static const char save_help[] =
	"Usage: mpolctl save [FILE]\n"
	"\n"
	"Writes what the placement of memory is set to: distances of nodes, demotion,\n"
	"NUMA balancing, automatic migration, global weights. \"mpolctl restore FILE\" sets\n"
	"it again. Without FILE it is printed; a FILE is replaced as a whole.\n"
	"\n"
	"  --root DIR  read the files of the kernel under DIR, not /\n"
	"  -h, --help  this text\n"
	"\n"
	"Exit status: 0 done; 1 failed, and FILE is as it was; 2 bad arguments; 3 this\n"
	"kernel has no such settings.\n";

/*
 * Prints a setting if there is one: 1, or 0; complains and returns -1 when it
 * cannot be read. What is @derived stands in a comment.
 */
static int save_one(FILE *file, struct setting *setting, const char *root,
		    bool derived)
{
	char name[SETTING_NAME_SIZE];

	format_setting(setting, name, sizeof(name));
	if (read_setting(setting, root)) {
		fprintf(file, derived ? "# %s = %s, derived\n" : "%s = %s\n",
			name, setting->value);
		return 1;
	}
	/* A node may go away meanwhile */
	if (errno == ENOENT || errno == ENODEV)
		return 0;
	if (errno == ERANGE)
		warnx("save: %s has a value that is not known here: take a newer mpolctl",
		      name);
	else
		warn("save: cannot read %s", name);
	return -1;
}

static int save_kind(FILE *file, const struct setting_kind *kind,
		     const char *root, bool derived)
{
	struct setting setting = { .kind = kind, .node = -1 };
	int found, sum = 0;

	if (!kind->behind)
		return save_one(file, &setting, root, false);
	while (++setting.node < MAX_NODES) {
		found = save_one(file, &setting, root, derived);
		if (found < 0)
			return found;
		sum += found;
	}
	return sum;
}

static int print_settings(FILE *file, const char *root)
{
	struct setting automatic = { .kind = setting_auto, .node = -1 };
	bool derived = read_setting(&automatic, root) &&
		       !strcmp(automatic.value, "true");
	const struct setting_kind *kind;
	struct utsname kernel;
	int found = 0, sum = 0;

	if (!uname(&kernel))
		fprintf(file, "# Placement of memory on %s, Linux %s, for mpolctl restore.\n",
			kernel.nodename, kernel.release);
	fputs("# Lines may be changed or left out: what is not here stays as it is.\n",
	      file);
	for (kind = setting_kinds; kind->before; kind++) {
		if (kind->other_name && found)
			continue;
		found = save_kind(file, kind, root,
				  derived && kind == setting_weight);
		if (found < 0)
			return STATUS_FAILED;
		sum += found;
	}
	if (sum)
		return STATUS_OK;
	warnx("save: this kernel has no settings of placement: no weights, no NUMA balancing");
	return STATUS_UNAVAILABLE;
}

/* A power failure leaves the old file or the new one */
static bool close_whole(FILE *file)
{
	bool good = !fflush(file) && !fchmod(fileno(file), 0644) &&
		    !fsync(fileno(file));
	int error = errno;

	if (fclose(file) && good)
		return false;
	errno = error;
	return good;
}

/* A pipe or a device, which nothing can replace */
static int save_stream(const char *path, const char *root)
{
	FILE *stream = fopen(path, "we");
	int status;

	if (!stream) {
		warn("save: cannot write %s", path);
		return STATUS_FAILED;
	}
	status = print_settings(stream, root);
	if (fclose(stream) && !status) {
		warn("save: cannot write %s", path);
		status = STATUS_FAILED;
	}
	return status;
}

/* A file that a link leads to is replaced, not the link */
static int save_file(const char *path, const char *root)
{
	char new[PATH_MAX], real[PATH_MAX];
	struct stat there;
	int status, file;
	FILE *stream;

	if (!stat(path, &there) && !S_ISREG(there.st_mode))
		return save_stream(path, root);
	if (realpath(path, real))
		path = real;
	if ((size_t)snprintf(new, sizeof(new), "%s.XXXXXX", path) >=
	    sizeof(new)) {
		warnx("save: the name of the file is too long: %s", path);
		return STATUS_FAILED;
	}
	file = mkstemp(new);
	if (file < 0) {
		warn("save: cannot write beside %s", path);
		return STATUS_FAILED;
	}
	stream = fdopen(file, "w");
	if (!stream)
		err(STATUS_FAILED, "save");
	status = print_settings(stream, root);
	if (!close_whole(stream) || (!status && rename(new, path))) {
		warn("save: cannot write %s", path);
		status = STATUS_FAILED;
	}
	if (status)
		unlink(new);
	return status;
}

int save_command(int argc, char **argv)
{
	const char *root = "";
	int status;

	if (!parse_root(argc, argv, "mpolctl save", save_help, &root, &status))
		return status;
	argv += optind;
	if (*argv && argv[1]) {
		warnx("save: one file, not '%s' as well", argv[1]);
		return STATUS_USAGE;
	}
	return *argv ? save_file(*argv, root) : print_settings(stdout, root);
}
