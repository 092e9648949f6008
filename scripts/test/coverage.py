#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Judges which lines of our kernel files the machines have executed.

usage: coverage.py --top DIRECTORY ... --out DIRECTORY [--counts DIRECTORY] [--more DIRECTORY] [--list FILE]

A directory of counts has a file for each machine: what "gcov -t -i -b" prints, a document a line. Rooms are the directories of mm/ that
have .c files, in any of the --top; one whose Makefile does not ask for counts has none. The kernel of --counts says which lines and
branches there are. A kernel with checks has other branches: what the machines of --more execute adds to the lines alone.

A line of the list is "FILE<tab>FUNCTION<tab>TEXT<tab>REASON": a line that nothing reaches, its blanks made one each, and why. It stands
there as often as it is not reached in that function. With * for TEXT it is all of a function, and with a ? before FILE it is reached in
some runs only. Without a list nothing is judged but whether there are counts.

--out gets table, and unreached: the same list as it would have to be, with the reasons that are known.
"""

import argparse
import collections
import json
import pathlib
import re
import sys

# Per cent of the lines of each room
LEAST = 90


class Source:
	"""One file: its lines of code, each with its function and whether it was reached, and its branches."""

	def __init__(self, top, name):
		self.name = name
		self.text = [" ".join(line.split()) for line in (top / name).read_text(encoding="utf-8").splitlines()]
		self.functions = {}
		self.reached = {}
		self.branches = {}

	def add(self, document, whole):
		"""Counts of one machine; returns whether there is one above 0. whole: they say which lines and branches there are"""
		some = False
		for line in document["lines"]:
			number, function = line["line_number"], line.get("function_name", "")
			if whole:
				self.functions.setdefault(number, function)
				self.reached.setdefault(number, False)
				for index, branch in enumerate(line["branches"]):
					key = number, function, index
					self.branches[key] = self.branches.get(key, False) or branch["count"] > 0
			if line["count"] > 0:
				some = True
				if number in self.reached:
					self.reached[number] = True
		return some

	def unreached(self):
		"""(function, text) of each line that nothing has reached -> their numbers"""
		found = collections.defaultdict(list)
		for number in sorted(self.reached):
			if not self.reached[number]:
				found[self.functions[number], self.text[number - 1]].append(number)
		return found

	def figures(self):
		"""Lines, those reached, branches, those taken"""
		return collections.Counter(lines=len(self.reached), reached=sum(self.reached.values()),
					   branches=len(self.branches), taken=sum(self.branches.values()))


class Entry:
	"""A line of the list."""

	def __init__(self, place, fields):
		self.place = place
		self.sometimes = fields[0].startswith("?")
		self.file, self.function, self.text, self.reason = fields[0].removeprefix("?"), *fields[1:]
		self.used = False

	def covers(self, name, function, text):
		"""Is it about such a line? One that is about a single line is so only once."""
		return (self.file, self.function) == (name, function) and (self.text == "*" or self.text == text and not self.used)

	def wrong(self, sources):
		"""What it names and is not there, if it does."""
		if self.file not in sources:
			return f"there is no {self.file}"
		source = sources[self.file]
		of_function = {source.text[number - 1] for number, function in source.functions.items() if function == self.function}
		if not of_function:
			return f"{self.file} has no function {self.function}()"
		if self.text not in of_function | {"*"}:
			return f"{self.function}() of {self.file} has no such line of code: {self.text}"
		return None

	def reached(self, source):
		"""Is something of it reached that may not be?"""
		if self.sometimes:
			return False
		if self.text == "*":
			return any(source.reached[number] for number, function in source.functions.items() if function == self.function)
		return not self.used


def read_list(path, fail):
	"""The entries of the list"""
	entries = []
	try:
		lines = path.read_text(encoding="utf-8").splitlines()
	except (OSError, UnicodeDecodeError) as error:
		fail(f"{path}: cannot be read: {error}")
		return entries
	for number, line in enumerate(lines, 1):
		fields = line.split("\t")
		if not line or line.startswith("#"):
			continue
		if len(fields) != 4 or any(not field.strip() or field != field.strip() for field in fields):
			fail(f"{path.name}:{number}: not FILE<tab>FUNCTION<tab>TEXT<tab>REASON: {line}")
		else:
			entries.append(Entry(f"{path.name}:{number}", fields))
	return entries


def read_counts(directory, sources, whole, fail):
	"""Adds what the machines of a kernel have counted to the sources."""
	machines = sorted(path for path in directory.iterdir() if path.is_file()) if directory.is_dir() else []
	if not machines:
		fail(f"{directory.name}: no machine has left counts")
	for machine in machines:
		some = False
		try:
			documents = [json.loads(line) for line in machine.read_text(encoding="utf-8").splitlines()]
			for document in (file for whole_document in documents for file in whole_document["files"]):
				found = re.search(r"(?:^|/)(mm/[^/]+/[^/]+\.c)$", document["file"])
				if found and found.group(1) in sources:
					some = sources[found.group(1)].add(document, whole) or some
		except (ValueError, LookupError, TypeError, AttributeError) as error:
			fail(f"{directory.name}/{machine.name}: the counts cannot be read: {error}")
			continue
		if not some:
			fail(f"{directory.name}/{machine.name}: no counts, or none above 0")


def judge(sources, entries, fail):
	"""Compares what was not reached with the list; returns the list as it would have to be."""
	wanted, there = [], []
	for entry in entries:
		wrong = entry.wrong(sources)
		if wrong:
			fail(f"{entry.place}: {wrong}")
		else:
			there.append(entry)
	for source in sources.values():
		for (function, text), numbers in source.unreached().items():
			for number in numbers:
				# One line in place of another that says the same is no matter; those that have to be there come first.
				about = [entry for entry in there if entry.covers(source.name, function, text)]
				if about:
					min(about, key=lambda entry: entry.sometimes).used = True
				else:
					like = f", or one of {len(numbers)} like it" if len(numbers) > 1 else ""
					where = f"{source.name}:{number}{like}"
					fail(f"{where}: {function}() is not reached here, which nothing says: {text}")
					wanted.append((source.name, function, text, ""))
	for entry in there:
		if entry.reached(sources[entry.file]):
			fail(f"{entry.place}: {entry.function}() of {entry.file} is reached here after all: {entry.text}")
		else:
			wanted.append(("?" * entry.sometimes + entry.file, entry.function, entry.text, entry.reason))
	return wanted


def per_cent(part, whole):
	"""As text, rounded down, so that 90.0 is no less than 90"""
	return f"{part * 1000 // whole / 10:.1f}" if whole else "-"


def row(name, figures):
	"""A line of the table"""
	return "{:<34} {:>6} {:>8} {:>6} {:>9} {:>6} {:>6}".format(
		name, figures["lines"], figures["reached"], per_cent(figures["reached"], figures["lines"]),
		figures["branches"], figures["taken"], per_cent(figures["taken"], figures["branches"]))


def tabulate(rooms, sources):
	"""The table, line by line, and the figures of each room"""
	lines = ["{:<34} {:>6} {:>8} {:>6} {:>9} {:>6} {:>6}".format("", "lines", "reached", "%", "branches", "taken", "%")]
	sums = {}
	for room in rooms:
		figures = {name: source.figures() for name, source in sources.items() if name.startswith(room + "/")}
		sums[room] = sum(figures.values(), collections.Counter())
		lines += ["", row(room, sums[room])] + [row("  " + name.rpartition("/")[2], figures[name]) for name in figures]
	total = sum(sums.values(), collections.Counter())
	return lines + ["", row("all", total)], sums, total


def main():
	"""Reads the arguments, judges, prints."""
	arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
	arguments.add_argument("--top", type=pathlib.Path, action="append", required=True, help="the checkout; files of the base alone")
	arguments.add_argument("--out", type=pathlib.Path, required=True, help="where table and unreached are written")
	arguments.add_argument("--counts", type=pathlib.Path, help="of the machines of the kernel that is judged")
	arguments.add_argument("--more", type=pathlib.Path, help="of the machines of one with checks")
	arguments.add_argument("--list", type=pathlib.Path, help="the lines that nothing reaches")
	options = arguments.parse_args()

	failures = []
	found = sorted((str(path.relative_to(top)), top) for top in options.top for path in top.glob("mm/*/*.c"))
	sources = {name: Source(top, name) for name, top in found}
	rooms = list(dict.fromkeys(name.rpartition("/")[0] for name in sources))
	for directory, whole in ((options.counts, True), (options.more, options.counts is None)):
		if directory:
			read_counts(directory, sources, whole, failures.append)
	if not sources:
		failures.append(f"{options.top[0]}: there is no room in mm/")

	entries = read_list(options.list, failures.append) if options.list else []
	wanted = judge(sources, entries, failures.append if options.list else lambda text: None)
	table, sums, total = tabulate(rooms, sources)
	if options.list:
		failures += [f"{source.name}: it has no counts" for source in sources.values() if not source.reached]
		failures += [f"{room}: {per_cent(figures['reached'], figures['lines'])} % of the lines are reached, less than {LEAST}"
			     for room, figures in sums.items() if figures["reached"] * 100 < figures["lines"] * LEAST]

	(options.out / "table").write_text("\n".join(table) + "\n", encoding="utf-8")
	(options.out / "unreached").write_text("".join("\t".join(fields) + "\n" for fields in sorted(wanted)), encoding="utf-8")
	print("\n".join(table))
	for failure in failures:
		print("FAIL:", failure)
	print(f"{total['reached']} of {total['lines']} lines reached, {per_cent(total['reached'], total['lines'])} %;",
	      f"{total['taken']} of {total['branches']} branches taken, {per_cent(total['taken'], total['branches'])} %;",
	      f"{len(failures)} failed")
	return 1 if failures else 0


if __name__ == "__main__":
	sys.exit(main())
