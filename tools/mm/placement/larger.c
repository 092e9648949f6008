// SPDX-License-Identifier: GPL-2.0
/*
 * The library that "mpolctl run --larger-than" loads into a program: what it
 * allocates or maps in one piece of at least that size gets weights of its own.
 *
 * Nothing here allocates, and no call fails for want of a policy: then the memory
 * is where it would be without this.
 */
#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common.h"
#include "larger.h"
#include "mempolicy2.h"
#include "weighted.h"

/* All sizes of huge pages that there are on some machine lie in between. */
#define HUGE_SHIFT_MIN	16
#define HUGE_SHIFT_MAX	34

/* What a program calls; the rest of the library is its own. */
#define CALL		__attribute__((visibility("default")))

/*
 * 0 until it has begun, so that the first call of each function comes by begin(),
 * and those under the size cost one comparison later.
 */
static size_t larger_than;

static struct {
	void *(*malloc)(size_t size);
	void *(*calloc)(size_t count, size_t size);
	void *(*realloc)(void *old, size_t size);
	void *(*memalign)(size_t alignment, size_t size);
	void *(*aligned_alloc)(size_t alignment, size_t size);
	void *(*valloc)(size_t size);
	void *(*pvalloc)(size_t size);
	int (*posix_memalign)(void **memory, size_t alignment, size_t size);
	void *(*mmap)(void *addr, size_t length, int prot, int flags, int fd,
		      off_t offset);
	void *(*mmap64)(void *addr, size_t length, int prot, int flags, int fd,
			off64_t offset);
	void *(*mremap)(void *old, size_t old_length, size_t length, int flags,
			...);
} next;

static struct ratio ratio;
static struct weighted policy;
static size_t page_size;

/*
 * "BYTES:MODE_FLAGS:WEIGHTS", as mpolctl has checked it; 0 before there is an
 * environment, as when the dynamic loader allocates
 */
static size_t read_settings(void)
{
	const char *text;
	unsigned long bytes, flags;
	size_t digits;

	if (!environ)
		return 0;
	text = getenv(LARGER_SETTINGS);
	if (!text)
		return SIZE_MAX;
	digits = strspn(text, "0123456789");
	if (!parse_number(text, digits, SIZE_MAX, &bytes) || !bytes ||
	    text[digits] != ':')
		return SIZE_MAX;
	text += digits + 1;
	digits = strspn(text, "0123456789");
	if (!parse_number(text, digits, UINT16_MAX, &flags) ||
	    text[digits] != ':' || !parse_ratio(text + digits + 1, &ratio))
		return SIZE_MAX;
	make_weighted(&ratio, flags, &policy);
	return bytes;
}

/*
 * The C library allocates before main() and before there is a second thread: nobody
 * waits here. False: it is dlsym() that allocates, which can do without.
 */
static bool begin(void)
{
	static bool beginning;
	int before = errno;

	if (larger_than)
		return true;
	if (beginning)
		return false;
	beginning = true;
	next.malloc = dlsym(RTLD_NEXT, "malloc");
	next.calloc = dlsym(RTLD_NEXT, "calloc");
	next.realloc = dlsym(RTLD_NEXT, "realloc");
	next.memalign = dlsym(RTLD_NEXT, "memalign");
	next.aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
	next.valloc = dlsym(RTLD_NEXT, "valloc");
	next.pvalloc = dlsym(RTLD_NEXT, "pvalloc");
	next.posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
	next.mmap = dlsym(RTLD_NEXT, "mmap");
	next.mmap64 = dlsym(RTLD_NEXT, "mmap64");
	next.mremap = dlsym(RTLD_NEXT, "mremap");
	page_size = sysconf(_SC_PAGESIZE);
	larger_than = read_settings();
	beginning = false;
	errno = before;
	return true;
}

static bool is_larger(size_t size)
{
	return larger_than && size >= larger_than;
}

static bool set_weights(uintptr_t start, size_t length, unsigned long flags)
{
	return !mbind2(start, length, &policy.param, sizeof(policy.param), flags);
}

/*
 * All pages that have a part of it: those of the C library are then one mapping as
 * before, which grows and moves in one piece.
 */
static void *weigh(void *memory, size_t size, unsigned long flags)
{
	uintptr_t start = (uintptr_t)memory & ~(uintptr_t)(page_size - 1);
	uintptr_t end = (uintptr_t)memory + size;
	int before = errno;

	end = (end + page_size - 1) & ~(uintptr_t)(page_size - 1);
	set_weights(start, end - start, flags);
	errno = before;
	return memory;
}

static void *weigh_allocation(void *memory, size_t size)
{
	if (!memory || !is_larger(size))
		return memory;
	return weigh(memory, malloc_usable_size(memory), 0);
}

/* Whole pages, whose size nobody else tells: smaller ones are refused. */
static void weigh_huge(void *memory, size_t length)
{
	int before = errno;
	int shift;

	for (shift = HUGE_SHIFT_MIN; shift <= HUGE_SHIFT_MAX; shift++) {
		size_t size = (size_t)1 << shift;

		if (set_weights((uintptr_t)memory,
				(length + size - 1) & ~(size - 1), 0) ||
		    errno != EINVAL)
			break;
	}
	errno = before;
}

static void __attribute__((constructor)) begin_early(void)
{
	begin();
}

CALL void *malloc(size_t size)
{
	if (size < larger_than)
		return next.malloc(size);
	return begin() ? weigh_allocation(next.malloc(size), size) : NULL;
}

CALL void *calloc(size_t count, size_t size)
{
	size_t bytes;

	/* Too many are refused by the next one. */
	if (__builtin_mul_overflow(count, size, &bytes))
		bytes = 0;
	if (bytes < larger_than)
		return next.calloc(count, size);
	return begin() ? weigh_allocation(next.calloc(count, size), bytes) : NULL;
}

CALL void *realloc(void *old, size_t size)
{
	void *memory;
	size_t before;

	if (size < larger_than)
		return next.realloc(old, size);
	if (!begin())
		return NULL;
	before = malloc_usable_size(old);
	memory = next.realloc(old, size);
	/* What was there already goes to its place once. */
	if (memory && is_larger(size) && before && !is_larger(before))
		return weigh(memory, malloc_usable_size(memory), MPOL_MF_MOVE);
	return weigh_allocation(memory, size);
}

CALL void *memalign(size_t alignment, size_t size)
{
	if (size < larger_than)
		return next.memalign(alignment, size);
	return begin() ? weigh_allocation(next.memalign(alignment, size), size) :
			 NULL;
}

CALL void *aligned_alloc(size_t alignment, size_t size)
{
	if (size < larger_than)
		return next.aligned_alloc(alignment, size);
	return begin() ?
	       weigh_allocation(next.aligned_alloc(alignment, size), size) : NULL;
}

CALL void *valloc(size_t size)
{
	if (size < larger_than)
		return next.valloc(size);
	return begin() ? weigh_allocation(next.valloc(size), size) : NULL;
}

CALL void *pvalloc(size_t size)
{
	if (size < larger_than)
		return next.pvalloc(size);
	return begin() ? weigh_allocation(next.pvalloc(size), size) : NULL;
}

CALL int posix_memalign(void **memory, size_t alignment, size_t size)
{
	int status;

	if (size < larger_than)
		return next.posix_memalign(memory, alignment, size);
	status = begin() ? next.posix_memalign(memory, alignment, size) : ENOMEM;
	if (!status)
		weigh_allocation(*memory, size);
	return status;
}

/* The stacks of threads are no data of the program's. */
static void *weigh_mapping(void *memory, size_t length, int flags)
{
	if (memory == MAP_FAILED || !is_larger(length) ||
	    flags & (MAP_STACK | MAP_GROWSDOWN))
		return memory;
	if (!(flags & MAP_HUGETLB))
		return weigh(memory, length, 0);
	weigh_huge(memory, length);
	return memory;
}

static void *refuse_mapping(void)
{
	errno = ENOMEM;
	return MAP_FAILED;
}

CALL void *mmap(void *addr, size_t length, int prot, int flags, int fd,
		off_t offset)
{
	if (length >= larger_than && !begin())
		return refuse_mapping();
	return weigh_mapping(next.mmap(addr, length, prot, flags, fd, offset),
			     length, flags);
}

CALL void *mmap64(void *addr, size_t length, int prot, int flags, int fd,
		  off64_t offset)
{
	if (length >= larger_than && !begin())
		return refuse_mapping();
	return weigh_mapping(next.mmap64(addr, length, prot, flags, fd, offset),
			     length, flags);
}

CALL void *mremap(void *old, size_t old_length, size_t length, int flags, ...)
{
	void *memory, *wanted = NULL;
	va_list list;

	if (flags & MREMAP_FIXED) {
		va_start(list, flags);
		wanted = va_arg(list, void *);
		va_end(list);
	}
	if (length >= larger_than && !begin())
		return refuse_mapping();
	memory = next.mremap(old, old_length, length, flags, wanted);
	/* What has grown without becoming larger than that has them already. */
	if (memory == MAP_FAILED || !is_larger(length) || is_larger(old_length))
		return memory;
	return weigh(memory, length, MPOL_MF_MOVE);
}
