// SPDX-License-Identifier: GPL-2.0
/*
 * Ranges of page frames that the command line names.
 *
 * A range begins and ends with a block of the largest order of the page
 * allocator: then no free block is in two of them.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/mmzone.h>
#include <linux/pfn.h>
#include <linux/printk.h>
#include <linux/stringify.h>
#include <linux/string.h>

#include "ranges.h"

/* Of a wrong item, so many characters are shown. */
#define SHOWN_MAX	48

static const char not_aligned[] = "its start or its end is not a multiple of";

/*
 * Digits, decimal or behind 0x; where they end in *@end, which is @text if there
 * are none. U64_MAX stands for too many.
 */
static u64 parse_digits(const char *text, const char **end)
{
	bool hex = text[0] == '0' && (text[1] | 0x20) == 'x';
	char digits[24] = "";
	size_t length;
	u64 value;

	length = hex ? 2 + strspn(text + 2, "0123456789abcdefABCDEF") :
		       strspn(text, "0123456789");
	*end = text + length;
	memcpy(digits, text, min(length, sizeof(digits) - 1));
	switch (length < sizeof(digits) ? kstrtou64(digits, 0, &value) : -ERANGE) {
	case 0:
		return value;
	case -ERANGE:
		return U64_MAX;
	default:
		*end = text;
		return 0;
	}
}

/* A number of bytes, as parse_digits(), with K to E behind it */
static u64 parse_bytes(const char *text, const char **end)
{
	u64 value = parse_digits(text, end);
	int shift = 0;

	if (*end == text)
		return 0;
	switch (**end | 0x20) {
	case 'e':
		shift += 10;
		fallthrough;
	case 'p':
		shift += 10;
		fallthrough;
	case 't':
		shift += 10;
		fallthrough;
	case 'g':
		shift += 10;
		fallthrough;
	case 'm':
		shift += 10;
		fallthrough;
	case 'k':
		shift += 10;
		++*end;
	}
	return value > U64_MAX >> shift ? U64_MAX : value << shift;
}

/**
 * memory_range_parse - read SIZE@BASE
 * @text:  a list of them with commas between
 * @range: gets the first one
 * @wrong: gets NULL, or what is wrong with it
 *
 * Both are bytes, with K, M, G, T, P or E behind them for powers of 1024.
 *
 * Context: any.
 * Return: its length in @text, without a comma.
 */
size_t memory_range_parse(const char *text, struct memory_range *range,
			  const char **wrong)
{
	const u64 block = (u64)MAX_ORDER_NR_PAGES << PAGE_SHIFT;
	size_t length = strcspn(text, ",");
	const char *at, *end;
	u64 size, base;

	size = parse_bytes(text, &at);
	base = *at == '@' ? parse_bytes(at + 1, &end) : 0;
	if (at == text || *at != '@' || end == at + 1 || end != text + length)
		*wrong = "it is not SIZE@BASE";
	else if (!size)
		*wrong = "it is empty";
	else if (size == U64_MAX || base >= U64_MAX - size ||
		 PFN_UP(base + size) > ULONG_MAX >> PAGE_SHIFT)
		*wrong = "it is too large";
	else if ((base | size) & (block - 1))
		*wrong = not_aligned;
	else
		*wrong = NULL;
	if (!*wrong) {
		range->start = PFN_DOWN(base);
		range->end = PFN_DOWN(base + size);
	}
	return length;
}

/* Where @range belongs among @ranges; NULL and why in *@wrong if it does not */
static struct memory_range *place_of(struct memory_ranges *ranges,
				     const struct memory_range *range,
				     const char **wrong)
{
	struct memory_range *at = ranges->range;
	struct memory_range *end = at + ranges->nr;

	while (at < end && at->end <= range->start)
		at++;
	if (at < end && at->start < range->end)
		*wrong = "it overlaps another one";
	else if (ranges->nr == MEMORY_RANGES_MAX)
		*wrong = "there are " __stringify(MEMORY_RANGES_MAX) " already";
	else
		*wrong = NULL;
	return *wrong ? NULL : at;
}

/**
 * memory_ranges_add - add a range
 * @ranges: to these
 * @range:  not empty
 * @refuse: says why it is not to be added, or NULL; may be NULL
 *
 * Context: as that of @refuse, which is asked last.
 * Return: NULL, or why it was not added.
 */
const char *memory_ranges_add(struct memory_ranges *ranges,
			      const struct memory_range *range,
			      const char *(*refuse)(const struct memory_range *))
{
	const char *wrong;
	struct memory_range *at = place_of(ranges, range, &wrong);

	if (at && refuse)
		wrong = refuse(range);
	if (wrong)
		return wrong;

	memmove(at + 1, at, (ranges->range + ranges->nr - at) * sizeof(*at));
	*at = *range;
	ranges->nr++;
	return NULL;
}

/**
 * memory_ranges_read - add what a parameter names
 * @ranges: to these
 * @name:   of the parameter
 * @text:   its value
 * @refuse: as for memory_ranges_add()
 *
 * What is wrong is left out, with a line in the log.
 *
 * Context: as that of @refuse.
 */
void memory_ranges_read(struct memory_ranges *ranges, const char *name,
			const char *text,
			const char *(*refuse)(const struct memory_range *))
{
	struct memory_range range;
	const char *wrong;
	size_t length;

	for (;; text += length + 1) {
		length = memory_range_parse(text, &range, &wrong);
		if (!wrong)
			wrong = memory_ranges_add(ranges, &range, refuse);
		if (wrong == not_aligned)
			pr_warn("%s: %.*s is left out: %s %d MiB\n", name,
				(int)min_t(size_t, length, SHOWN_MAX), text,
				wrong, MAX_ORDER_NR_PAGES >> (20 - PAGE_SHIFT));
		else if (wrong)
			pr_warn("%s: %.*s is left out: %s\n", name,
				(int)min_t(size_t, length, SHOWN_MAX), text,
				wrong);
		if (!text[length])
			return;
	}
}

/**
 * memory_ranges_find - the range that a page frame is in
 * @ranges: the ranges
 * @pfn:    the page frame
 *
 * Context: any.
 * Return: its index, or the number of ranges if it is in none.
 */
unsigned int memory_ranges_find(const struct memory_ranges *ranges,
				unsigned long pfn)
{
	unsigned int i;

	for (i = 0; i < ranges->nr; i++)
		if (pfn - ranges->range[i].start <
		    ranges->range[i].end - ranges->range[i].start)
			break;
	return i;
}

/**
 * memory_ranges_next - the next page frame of a range
 * @ranges: the ranges
 * @index:  of the range, or the number of ranges for what is in none
 * @pfn:    where to begin
 *
 * Context: any.
 * Return: the first page frame from @pfn on, ULONG_MAX if there is none.
 */
unsigned long memory_ranges_next(const struct memory_ranges *ranges,
				 unsigned int index, unsigned long pfn)
{
	unsigned int i;

	if (index < ranges->nr) {
		pfn = max(pfn, ranges->range[index].start);
		return pfn < ranges->range[index].end ? pfn : ULONG_MAX;
	}
	for (i = 0; i < ranges->nr; i++)
		if (pfn >= ranges->range[i].start && pfn < ranges->range[i].end)
			pfn = ranges->range[i].end;
	return pfn;
}

/* How many page frames of @range are from @start to @end; the first in *@first */
static unsigned long overlap(const struct memory_range *range,
			     unsigned long start, unsigned long end,
			     unsigned long *first)
{
	*first = max(range->start, start);
	end = min(range->end, end);
	return *first < end ? end - *first : 0;
}

/**
 * memory_ranges_pages - count the page frames that are in ranges
 * @ranges: the ranges
 * @start:  the first page frame that counts
 * @end:    the one behind the last
 *
 * Context: any.
 * Return: how many there are, in pages.
 */
unsigned long memory_ranges_pages(const struct memory_ranges *ranges,
				  unsigned long start, unsigned long end)
{
	unsigned long first, pages = 0;
	unsigned int i;

	for (i = 0; i < ranges->nr; i++)
		pages += overlap(&ranges->range[i], start, end, &first);
	return pages;
}

/**
 * memory_ranges_hold - are all of some page frames in ranges?
 * @ranges: the ranges, of which two may touch
 * @start:  the first page frame
 * @end:    the one behind the last
 *
 * Context: any.
 * Return: whether they are.
 */
bool memory_ranges_hold(const struct memory_ranges *ranges,
			unsigned long start, unsigned long end)
{
	return memory_ranges_pages(ranges, start, end) == end - start;
}

/**
 * memory_ranges_nth - one of the page frames that are in ranges
 * @ranges: the ranges
 * @start:  the first page frame that counts
 * @end:    the one behind the last
 * @n:      which one, 0 to memory_ranges_pages() - 1
 *
 * Context: any.
 * Return: the page frame; @end if there are not so many.
 */
unsigned long memory_ranges_nth(const struct memory_ranges *ranges,
				unsigned long start, unsigned long end,
				unsigned long n)
{
	unsigned long first, pages;
	unsigned int i;

	for (i = 0; i < ranges->nr; i++) {
		pages = overlap(&ranges->range[i], start, end, &first);
		if (n < pages)
			return first + n;
		n -= pages;
	}
	return end;
}
