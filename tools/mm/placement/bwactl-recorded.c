// SPDX-License-Identifier: GPL-2.0
/*
 * Bandwidths that somebody has recorded: lines of our own, what bwactl prints as
 * text or as JSON, and what Intel's Memory Latency Checker prints. The first line
 * that says anything tells which.
 */
#include "bwactl-recorded.h"

#include <ctype.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bwactl-fit.h"
#include "bwactl-machine.h"
#include "bwactl-matrix.h"
#include "common.h"

#define BLANKS	" \t\r\n"
#define MAX_NS	10000000
#define MAX_SPREAD	1000000

/* What a table has in it, and how much of MB/s or ns one is */
enum content { NOTHING, BANDWIDTH, LATENCY };

struct reader {
	const char *path;
	const struct machine *machine;
	struct matrix *matrix;
	char *line;		/* as it was read */
	int number;		/* of it, from 1 */
	enum content content;
	double unit;
	int columns;		/* of the table at hand, 0 outside of one */
	int column[MAX_NODES];
	bool found;
};

/* The next word of the line behind @end, which moves on; NULL at its end */
static const char *next_word(const char **end, int *len)
{
	const char *word = *end + strspn(*end, BLANKS);

	*len = strcspn(word, BLANKS);
	*end = word + *len;
	return *len ? word : NULL;
}

static bool complain(const struct reader *reader, const char *word, int len,
		     const char *what)
{
	if (word)
		warnx("%s: line %d, column %d: '%.*s' is not %s", reader->path,
		      reader->number, (int)(word - reader->line) + 1, len, word,
		      what);
	else
		warnx("%s: line %d ends too early: %s is missing", reader->path,
		      reader->number, what);
	return false;
}

/* "12", "0.5", no sign and no exponent; 0 to @max */
static bool parse_fraction(const char *word, int len, double max, double *value)
{
	int digits = strspn(word, "0123456789");
	int fraction = 0;

	if (digits && digits < len && word[digits] == '.')
		fraction = 1 + strspn(word + digits + 1, "0123456789");
	if (!digits || digits > 12 || digits + fraction != len || fraction == 1)
		return false;
	*value = strtod(word, NULL);
	return *value <= max;
}

/* The same, above 0 */
static bool parse_decimal(const char *word, int len, double max, double *value)
{
	return parse_fraction(word, len, max, value) && *value > 0;
}

static bool parse_node(const char *word, int len, const struct nodes *among,
		       int *node)
{
	unsigned long value;

	if (!parse_number(word, len, MAX_NODES - 1, &value) || !among->in[value])
		return false;
	*node = value;
	return true;
}

static bool store(struct reader *reader, int from, int to, double value)
{
	struct cell *cell = &reader->matrix->cell[from][to];

	if (reader->content == LATENCY) {
		cell->ns = value;
		return true;
	}
	cell->mbps = value * reader->unit + 0.5;
	reader->found |= cell->mbps;
	return cell->mbps && cell->mbps <= FIT_MAX_MBPS;
}

static const char from_what[] = "a node of this machine with CPUs";
static const char to_what[] = "a node of this machine with memory";
static const char mbps_what[] = "a bandwidth";
static const char ns_what[] = "a latency in ns";
static const char spread_what[] = "how far runs are apart";

/* FROM TO MB/S [NS] */
static bool read_line_of_ours(struct reader *reader)
{
	const char *end = reader->line, *word;
	double mbps, ns;
	int from, to, len;

	word = next_word(&end, &len);
	if (!word)
		return true;
	if (!parse_node(word, len, &reader->machine->compute, &from))
		return complain(reader, word, len, from_what);
	word = next_word(&end, &len);
	if (!word || !parse_node(word, len, &reader->machine->memory, &to))
		return complain(reader, word, len, to_what);
	word = next_word(&end, &len);
	if (!word || !parse_decimal(word, len, FIT_MAX_MBPS, &mbps) ||
	    !store(reader, from, to, mbps))
		return complain(reader, word, len, mbps_what);
	word = next_word(&end, &len);
	if (word && !parse_decimal(word, len, MAX_NS, &ns))
		return complain(reader, word, len, ns_what);
	if (word)
		reader->matrix->cell[from][to].ns = ns;
	word = next_word(&end, &len);
	return !word || complain(reader, word, len, "the end of FROM TO MB/S [NS]");
}

/* "nodeN", or with @bare "N" */
static bool parse_name(const char *word, int len, bool bare,
		       const struct nodes *among, int *node)
{
	if (bare)
		return parse_node(word, len, among, node);
	return len > 4 && !strncmp(word, "node", 4) &&
	       parse_node(word + 4, len - 4, among, node);
}

/* Above a table, the nodes whose memory it is */
static bool read_heads(struct reader *reader, const char *end, bool bare)
{
	const char *word;
	int len;

	reader->columns = 0;
	while ((word = next_word(&end, &len))) {
		if (!parse_name(word, len, bare, &reader->machine->memory,
				&reader->column[reader->columns]))
			return complain(reader, word, len, to_what);
		if (++reader->columns == MAX_NODES)
			break;
	}
	return true;
}

/* How far apart the runs were of which this was recorded: the number is @unit of it */
static bool read_spread(struct reader *reader, struct cell *cell, const char *word,
			int len, double unit)
{
	double spread;

	if (!parse_fraction(word, len, MAX_SPREAD / unit, &spread))
		return complain(reader, word, len, spread_what);
	cell->spread = spread * unit;
	if (cell->spread > reader->matrix->spread)
		reader->matrix->spread = cell->spread;
	return true;
}

/* A node with CPUs, and what it gets of each; "-" is no number, and in brackets is the spread */
static bool read_row(struct reader *reader, bool bare)
{
	double most = reader->content == LATENCY ? MAX_NS :
						   FIT_MAX_MBPS / reader->unit;
	const char *what = reader->content == LATENCY ? ns_what : mbps_what;
	const char *end = reader->line, *word;
	int from, len, column = 0;
	struct cell *cell;
	double value;

	word = next_word(&end, &len);
	if (!word || !parse_name(word, len, bare, &reader->machine->compute, &from))
		return complain(reader, word, len, from_what);
	while ((word = next_word(&end, &len))) {
		if (*word == '(') {
			int digits = strcspn(word + 1, "%" BLANKS);

			if (!column || digits + 3 != len || strncmp(word + 1 + digits, "%)", 2))
				return complain(reader, word, len, spread_what);
			cell = &reader->matrix->cell[from][reader->column[column - 1]];
			if (!read_spread(reader, cell, word + 1, digits, 0.01))
				return false;
			continue;
		}
		if (column == reader->columns)
			return complain(reader, word, len, "in a column of the table");
		if (len == 1 && *word == '-') {
			column++;
			continue;
		}
		if (!parse_decimal(word, len, most, &value) ||
		    !store(reader, from, reader->column[column], value))
			return complain(reader, word, len, what);
		column++;
	}
	return column == reader->columns || complain(reader, NULL, 0, what);
}

static bool begins_with(const char *line, const char *text)
{
	return !strncmp(line, text, strlen(text));
}

/* What bwactl prints; of all of it the two tables count */
static bool read_report(struct reader *reader)
{
	const char *word = reader->line + strspn(reader->line, BLANKS);

	if (!*word) {
		reader->content = reader->columns ? NOTHING : reader->content;
		reader->columns = 0;
		return true;
	}
	if (begins_with(word, "Bandwidth in GB/s")) {
		reader->content = BANDWIDTH;
		reader->unit = 1000;
		return true;
	}
	if (begins_with(word, "Latency in ns")) {
		reader->content = LATENCY;
		return true;
	}
	if (reader->content == NOTHING)
		return true;
	return reader->columns ? read_row(reader, false) :
				 read_heads(reader, reader->line, false);
}

/* What Intel's Memory Latency Checker prints */
static bool read_mlc(struct reader *reader)
{
	const char *word = reader->line + strspn(reader->line, BLANKS);

	if (begins_with(word, "Measuring")) {
		reader->columns = 0;
		reader->unit = 1;
		reader->content = strstr(word, "idle latencies") ? LATENCY :
			strstr(word, "Bandwidths between nodes") ? BANDWIDTH : NOTHING;
		return true;
	}
	if (reader->content == NOTHING)
		return true;
	if (begins_with(word, "Numa node")) {
		word += strlen("Numa node");
		return !word[strspn(word, BLANKS)] || read_heads(reader, word, true);
	}
	if (!reader->columns)
		return true;
	if (isdigit((unsigned char)*word))
		return read_row(reader, true);
	reader->content = NOTHING;
	reader->columns = 0;
	return true;
}

/* What @name, with its quotes, stands for at or behind @at, or NULL */
static const char *find_value(const char *at, const char *name)
{
	const char *found = strstr(at, name);

	if (!found)
		return NULL;
	found += strlen(name);
	found += strspn(found, BLANKS);
	if (*found != ':')
		return NULL;
	found++;
	return found + strspn(found, BLANKS);
}

/* It, if it stands before @end and is neither null nor nothing */
static const char *find_number(const char *at, const char *end, const char *name,
			       int *len)
{
	const char *found = find_value(at, name);

	if (!found || found >= end)
		return NULL;
	*len = strcspn(found, ",}" BLANKS);
	return *len && (*len != 4 || strncmp(found, "null", 4)) ? found : NULL;
}

/* bwactl's JSON is one line, and "bandwidths" are objects without others in them */
static bool read_json(struct reader *reader)
{
	const char *at = find_value(reader->line, "\"bandwidths\"");
	const char *end, *word;
	double mbps, ns;
	int from, to, len;

	if (!reader->line[strspn(reader->line, BLANKS)])
		return true;
	if (!at || *at != '[')
		return complain(reader, NULL, 0,
				"\"bandwidths\", as bwactl --json has it in one line,");
	end = strchr(at, ']');
	while ((at = strchr(at, '{')) && end && at < end) {
		const char *close = strchr(at, '}');

		if (!close)
			break;
		word = find_number(at, close, "\"from\"", &len);
		if (!word || !parse_node(word, len, &reader->machine->compute, &from))
			return complain(reader, word, len, from_what);
		word = find_number(at, close, "\"to\"", &len);
		if (!word || !parse_node(word, len, &reader->machine->memory, &to))
			return complain(reader, word, len, to_what);
		word = find_number(at, close, "\"mbps\"", &len);
		if (!word || !parse_decimal(word, len, FIT_MAX_MBPS, &mbps) ||
		    !store(reader, from, to, mbps))
			return complain(reader, word, len, mbps_what);
		word = find_number(at, close, "\"spread\"", &len);
		if (word && !read_spread(reader, &reader->matrix->cell[from][to],
					 word, len, 1))
			return false;
		word = find_number(at, close, "\"latency_ns\"", &len);
		if (word && !parse_decimal(word, len, MAX_NS, &ns))
			return complain(reader, word, len, ns_what);
		if (word)
			reader->matrix->cell[from][to].ns = ns;
		at = close;
	}
	return true;
}

typedef bool (*read_form)(struct reader *reader);

/* By the first line that says anything */
static read_form form_of(const char *line)
{
	const char *word = line + strspn(line, BLANKS);

	if (*word == '{')
		return read_json;
	if (begins_with(word, "Bandwidth "))
		return read_report;
	if (strstr(word, "Memory Latency Checker") || begins_with(word, "Measuring"))
		return read_mlc;
	return read_line_of_ours;
}

static bool read_all(struct reader *reader, FILE *file)
{
	read_form form = NULL;
	size_t size = 0;
	bool good = true;

	while (good && getline(&reader->line, &size, file) >= 0) {
		reader->number++;
		reader->line[strcspn(reader->line, "#")] = '\0';
		if (!form && reader->line[strspn(reader->line, BLANKS)])
			form = form_of(reader->line);
		if (form)
			good = form(reader);
	}
	if (!good)
		return false;
	if (ferror(file)) {
		warn("cannot read %s", reader->path);
		return false;
	}
	if (form && form != read_line_of_ours && !reader->found) {
		warnx("%s: there are no bandwidths in it", reader->path);
		return false;
	}
	return true;
}

bool read_recorded(const char *path, const struct machine *machine,
		   struct matrix *matrix)
{
	struct reader reader = {
		.path = path,
		.machine = machine,
		.matrix = matrix,
		.content = NOTHING,
		.unit = 1,
	};
	FILE *file = fopen(path, "re");
	bool good;

	if (!file) {
		warn("cannot read %s", path);
		return false;
	}
	good = read_all(&reader, file);
	free(reader.line);
	fclose(file);
	return good;
}
