# SPDX-License-Identifier: GPL-2.0
"""The data races that KCSAN has reported on a console, and whose each of them is.

A report tells of two accesses, each with a stack of frames; or of one, where nobody looks at the code that made the other one. A frame
is looked up in vmlinux, as the line of each function that has become part of another one there. An access is made by the first line
that is not of a helper: what goes through a bitmap, a list or a tree for whoever calls it. It is ours if the series brings that line, in a
file of its own or in one of the base; and so is the race if one access is. Of the others the base has both lines, whoever calls them.

Where an access was held back, as a processor with a weaker order may do it, a report says until where. That is shown and not judged.
"""

import bisect
import collections
import os
import re
import subprocess

EDGE = re.compile(r"^={60,}$")
TITLE = re.compile(r"^BUG: KCSAN: (.*)$")
ACCESS = re.compile(r"^(?:race at unknown origin, with )?((?:read-write|read|write|assert no writes|assert no accesses)(?: \([a-z, ]+\))?)"
		    r" to 0x[0-9a-f]+ of \d+ bytes by ")
FRAME = re.compile(r"^ (?:\? )?([\w.$]+)\+(0x[0-9a-f]+)/(0x[0-9a-f]+)(?: \[\w+\])?$")
# What else is in a report; the rest is what another processor had to say meanwhile
REST = re.compile(r"^$|^  \|$|^  \+-> reordered to: | ?bits changed: |^value changed: |^Reported by Kernel Concurrency Sanitizer on:$"
		  r"|^CPU: \d+ PID: |^Hardware name: ")
HELPER = re.compile(r"^(?:lib|kernel/kcsan)/|^include/(?:linux/(?:atomic|bitmap|bitops|cpumask|find|fortify-string|hashtable|instrumented"
		    r"|kcsan-checks|kref|list|list_bl|llist|nodemask|rbtree\w*|refcount|string)\b|asm-generic/(?:bitops|rwonce|atomic))"
		    r"|^arch/\w+/(?:lib/|include/asm/(?:atomic|bitops|cmpxchg|string))")

# One access: what it does, and its frames as (symbol, offset, size), the innermost first
Access = collections.namedtuple("Access", "kind frames")
# A line of a function
Place = collections.namedtuple("Place", "function file line")


class Report:
	"""One report: its title, its lines, its accesses."""

	def __init__(self, title):
		self.title = title
		self.lines = [title]
		self.accesses = []

	def take(self, line):
		"""Is that a line of the report?"""
		access, frame = ACCESS.match(line), FRAME.match(line)
		if access:
			self.accesses.append(Access(access.group(1), []))
		elif frame and self.accesses:
			self.accesses[-1].frames.append((frame.group(1), int(frame.group(2), 16), int(frame.group(3), 16)))
		elif not REST.match(line):
			return False
		self.lines.append(line)
		return True

	def is_whole(self):
		"""Does it tell of as many accesses as its title does?"""
		return len(self.accesses) == (2 if " / " in self.title else 1) and all(access.frames for access in self.accesses)


def take_reports(lines, prefix):
	"""The reports among the lines of a console, each of which may begin with PREFIX, and the other lines."""
	reports, others, report = [], [], None
	for line in lines:
		text = prefix.sub("", line)
		if TITLE.match(text):
			report = Report(text)
			reports.append(report)
		elif EDGE.match(text):
			report = None
		elif not report or not report.take(text):
			others.append(line)
	return reports, others


class Sources:
	"""The kernel's symbols and lines, and which of these the series brings."""

	def __init__(self, vmlinux, tree, base):
		self.vmlinux, self.tree, self.base = vmlinux, os.path.realpath(tree), base
		self.places = {}
		self.added = {}
		self.symbols = collections.defaultdict(list)
		found = [line.split() for line in self.run(["nm", "-n", vmlinux]).splitlines()]
		found = [(int(words[0], 16), words[2]) for words in found if len(words) == 3 and words[1] in "tTwW"]
		self.starts = sorted({start for start, _ in found})
		for start, name in found:
			self.symbols[name].append(start)

	@staticmethod
	def run(command, text=None):
		"""The output of a command, which has to succeed"""
		return subprocess.run(command, input=text, check=True, capture_output=True, encoding="utf-8").stdout

	def addresses(self, frame):
		"""Where a frame may be: several functions can have one name. It is a call's return address, so the byte before is meant."""
		name, offset, size = frame
		starts = self.symbols.get(name, [])
		fits = [start for start in starts if self.end_of(start) - start == size]
		return [start + offset - 1 for start in fits or starts]

	def end_of(self, start):
		"""Where the next symbol begins"""
		after = bisect.bisect_right(self.starts, start)
		return self.starts[after] if after < len(self.starts) else start

	def look_up(self, frames):
		"""Finds the places of these frames, all at once."""
		wanted = sorted({address for frame in frames for address in self.addresses(frame)} - self.places.keys())
		if not wanted:
			return
		out = self.run(["addr2line", "-a", "-i", "-f", "-e", self.vmlinux], "".join(f"{address:#x}\n" for address in wanted))
		address, function = None, None
		for line in out.splitlines():
			if re.match(r"^0x[0-9a-f]+$", line):
				address, function = int(line, 16), None
				self.places[address] = []
			elif function is None:
				function = line
			else:
				path, _, number = line.partition(" ")[0].rpartition(":")
				self.places[address].append(Place(function, self.relative(path), int(number) if number.isdigit() else 0))
				function = None

	def relative(self, path):
		"""A path below the tree, wherever it was built: objects of a copied checkout name the place of the first one."""
		below = f"/{os.path.basename(self.tree)}/"
		_, found, rest = os.path.normpath(path).rpartition(below)
		return rest if found else os.path.normpath(path)

	def places_of(self, access):
		"""The places where an access may have been made, one for each function that its frames can be in"""
		chains = [[]]
		for frame in access.frames:
			found = [self.places.get(address, []) for address in self.addresses(frame)] or [[]]
			chains = [chain + more for chain in chains for more in found]
			if all(any(map(self.counts, chain)) for chain in chains):
				break
		return [next(filter(self.counts, chain), None) for chain in chains]

	@staticmethod
	def counts(place):
		"""Is it a place of its own, rather than a helper's, or one of which nothing is known?"""
		return place.file != "??" and not HELPER.match(place.file)

	def is_ours(self, place):
		"""Does the series bring that line?"""
		if place.file not in self.added:
			self.added[place.file] = self.lines_added(place.file)
		added = self.added[place.file]
		return added is None or place.line in added

	def git(self, *arguments):
		"""What git says of the tree"""
		settings = ["-c", f"safe.directory={self.tree}", "-C", self.tree]
		return subprocess.run(["git", *settings, *arguments], check=False, capture_output=True, encoding="utf-8", errors="replace")

	def lines_added(self, path):
		"""The numbers of the lines of a file that the base does not have; None when it does not have the file"""
		if not os.path.exists(os.path.join(self.tree, path)):
			return set()
		if self.git("cat-file", "-e", f"{self.base}:{path}").returncode:
			return None
		found = self.git("diff", "-U0", "--no-color", "--no-ext-diff", self.base, "--", path)
		if found.returncode:
			raise RuntimeError(f"{self.tree}: {found.stderr.strip()}")
		added = set()
		for first, count in re.findall(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", found.stdout, re.MULTILINE):
			added.update(range(int(first), int(first) + int(count or 1)))
		return added


class Race:
	"""All reports about one pair of places."""

	def __init__(self, report, where, ours):
		self.report, self.where, self.ours = report, where, ours
		self.times = 0

	def __str__(self):
		return f"{self.where} ({self.times} times)" if self.times > 1 else self.where


def judge(reports, sources):
	"""The races that these reports are about, each of them once, in the order in which they came."""
	sources.look_up({frame for report in reports for access in report.accesses for frame in access.frames})
	races = {}
	for report in reports:
		sides, ours = [], not report.is_whole()
		for access in report.accesses:
			places = sources.places_of(access)
			# What cannot be told is looked at by a person.
			ours = ours or any(place is None or sources.is_ours(place) for place in places)
			shown = next((place for place in places if place and sources.is_ours(place)), places[0])
			sides.append(f"{access.kind} in {shown.function}() at {shown.file}:{shown.line}" if shown else
				     f"{access.kind} in {access.frames[0][0] if access.frames else 'nothing that can be read'}")
		where = ", ".join(sorted(sides)) or report.title
		race = races.setdefault((where, ours), Race(report, where, ours))
		race.times += 1
	return list(races.values())
