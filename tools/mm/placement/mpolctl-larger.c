// SPDX-License-Identifier: GPL-2.0
/* mpolctl run --larger-than: the library that gives a command's large memory weights */
#include "mpolctl-larger.h"

#include <elf.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "larger.h"

#define PRELOAD		"LD_PRELOAD"
#define HEAD_BYTES	4096	/* of a program; its program headers are there */
#define MAX_SCRIPTS	4	/* interpreters that are scripts, as the kernel has it */
#define WEIGHT_CHARS	sizeof("1023=255,")

/* The beginnings of what <elf.h> has, for addresses as large as mpolctl's */
struct elf_header {
	unsigned char ident[EI_NIDENT];
	uint16_t type;
	uint16_t machine;
	uint32_t version;
	unsigned long entry;
	unsigned long segments_at;
	unsigned long sections_at;
	uint32_t flags;
	uint16_t size;
	uint16_t segment_size;
	uint16_t segments;
};

struct elf_segment {
	uint32_t type;
#if __SIZEOF_POINTER__ == 8
	uint32_t flags;
#endif
	unsigned long offset;
};

#define OWN_CLASS	(sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)

static bool is_program(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode) && !access(path, X_OK);
}

/* Where execvp() finds @command; false: nowhere, which it says itself */
static bool find_command(const char *command, char *path)
{
	const char *at = getenv("PATH");
	size_t len;

	if (strchr(command, '/'))
		return snprintf(path, PATH_MAX, "%s", command) < PATH_MAX;
	for (at = at ? at : "/bin:/usr/bin"; *command; at += len + 1) {
		len = strcspn(at, ":");
		if (snprintf(path, PATH_MAX, "%.*s%s%s", (int)len, at,
			     len ? "/" : "", command) < PATH_MAX &&
		    is_program(path))
			return true;
		if (!at[len])
			break;
	}
	return false;
}

/* The beginning of @path; -1: it cannot be read */
static ssize_t read_head(const char *path, char *head)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return -1;
	len = read(fd, head, HEAD_BYTES);
	close(fd);
	return len;
}

/* The interpreter of a script whose first line is in @head; false: there is none */
static bool find_interpreter(char *head, ssize_t len, char *path)
{
	char *name = head + 2;

	if (len < 2 || memcmp(head, "#!", 2))
		return false;
	head[len < HEAD_BYTES ? len : HEAD_BYTES - 1] = '\0';
	name += strspn(name, " \t");
	name[strcspn(name, " \t\n")] = '\0';
	return *name && snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
}

/* Why no library is loaded into the program that begins with @head, or NULL */
static const char *check_elf(const char *path, const char *head, ssize_t len)
{
	struct elf_header header;
	struct elf_segment segment;
	char loader[64] = "";
	int i, fd;

	if (len < (ssize_t)sizeof(header) || memcmp(head, ELFMAG, SELFMAG))
		return NULL;
	memcpy(&header, head, sizeof(header));
	if (header.ident[EI_CLASS] != OWN_CLASS)
		return "has addresses of another size than mpolctl";
	for (i = 0; i < header.segments; i++) {
		unsigned long at = header.segments_at + i * header.segment_size;

		if (at > len - sizeof(segment))
			return NULL;
		memcpy(&segment, head + at, sizeof(segment));
		if (segment.type == PT_INTERP)
			break;
	}
	if (i == header.segments)
		return "is linked statically";
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (pread(fd, loader, sizeof(loader) - 1, segment.offset) < 0)
		*loader = '\0';
	close(fd);
	return strstr(loader, "/ld-musl") ? "uses another C library than glibc" :
					    NULL;
}

/*
 * The C library loads nothing into static programs and those with rights of another
 * user; what cannot be read is left to those who load it.
 */
static bool takes_libraries(const char *command)
{
	static char head[HEAD_BYTES];
	char path[PATH_MAX];
	const char *why = NULL;
	struct stat status;
	ssize_t len;
	int scripts;

	if (!find_command(command, path))
		return true;
	for (scripts = 0; ; scripts++) {
		if (stat(path, &status) || !S_ISREG(status.st_mode))
			return true;
		len = read_head(path, head);
		/* A script has no rights but its caller's. */
		if (scripts < MAX_SCRIPTS && find_interpreter(head, len, path))
			continue;
		if ((status.st_mode & S_ISUID && status.st_uid != getuid()) ||
		    (status.st_mode & S_ISGID && status.st_gid != getgid()))
			why = "runs with the rights of its owner";
		else
			why = check_elf(path, head, len);
		break;
	}
	if (!why)
		return true;
	warnx("run: '%s' %s, so nothing is loaded into it: leave out --larger-than",
	      path, why);
	return false;
}

/* Beside mpolctl, where it was built, or where it is installed */
static bool find_library(char *path)
{
	static const char *const places[] = {
		LARGER_LIBRARY, "../" LARGER_DIR "/" LARGER_LIBRARY,
	};
	char own[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", own, sizeof(own) - 1);
	size_t i;

	if (len < 0) {
		warn("run: /proc/self/exe");
		return false;
	}
	own[len] = '\0';
	*strrchr(own, '/') = '\0';
	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (snprintf(path, PATH_MAX, "%s/%s", own, places[i]) < PATH_MAX &&
		    !access(path, R_OK))
			return true;
	}
	warnx("run: no %s in %s or %s/../%s: install the tools again", LARGER_LIBRARY,
	      own, own, LARGER_DIR);
	return false;
}

/* The dynamic loader takes several, with colons or blanks between them */
static bool add_library(const char *path)
{
	const char *others = getenv(PRELOAD);
	char *list;
	bool added;

	if (asprintf(&list, "%s%s%s", path, others && *others ? ":" : "",
		     others ? others : "") < 0)
		return false;
	added = !setenv(PRELOAD, list, 1);
	free(list);
	return added;
}

static bool add_settings(const struct ratio *ratio, unsigned int mode_flags,
			 unsigned long long bytes)
{
	static char settings[64 + MAX_NODES * WEIGHT_CHARS];
	size_t len;
	int i;

	len = snprintf(settings, sizeof(settings), "%llu:%u", bytes, mode_flags);
	for (i = 0; i < MAX_NODES; i++) {
		if (!ratio->weight[i])
			continue;
		len += snprintf(settings + len, sizeof(settings) - len, "%c%d=%u",
				strchr(settings, '=') ? ',' : ':', i,
				ratio->weight[i]);
	}
	return !setenv(LARGER_SETTINGS, settings, 1);
}

bool prepare_larger(const char *command, unsigned long long bytes,
		    const struct ratio *ratio, unsigned int mode_flags)
{
	char path[PATH_MAX];

	if (!takes_libraries(command) || !find_library(path))
		return false;
	if (path[strcspn(path, ": ")]) {
		warnx("run: '%s': the dynamic loader takes no path with blanks or colons",
		      path);
		return false;
	}
	if (add_library(path) && add_settings(ratio, mode_flags, bytes))
		return true;
	warn("run: no room in the environment");
	return false;
}
