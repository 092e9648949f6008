#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Judges one run of a virtual machine: its console, its KUnit results and its kselftests' results.

The base kernel's own parser (tools/testing/kunit/kunit_parser.py) reads every TAP stream. What it lets pass is added here: splats,
plans that are missing or do not match, results that it does not take for such, skips without a reason or that nobody expects, streams
that come twice, runs in which nothing passed, and logs that stop early. On a kernel with KCSAN data races are judged by whose they are.
The last line printed is "PASSED FAILED SKIPPED" in numbers; the exit status is 0 when something passed and nothing failed.
"""

import argparse
import io
import re
import sys

sys.dont_write_bytecode = True
import races  # noqa: E402 pylint: disable=wrong-import-position - leaves nothing beside the sources

# Pages that do not let their memory go offline are dumped as well, and that is no bug. Nor are items of movablecore= and
# page_alloc.channels= that "are left out": what the kernel says of bad ones is what tests/boot/parameters.sh compares.
SPLATS = re.compile(r"""
	\bBUG:\ | \bBUG\ at\ | kernel\ BUG\ at | \bBUG\ \S+:\ | \bBUG\ .*\((?:Not\ t|T)ainted | \bWARNING:\ | \bOops\b
	| general\ protection\ fault | \bdivide\ error\b | Unable\ to\ handle\ kernel | Internal\ error: | Call\ [Tt]race: | Kernel\ panic
	| \bKASAN: | \bKCSAN: | \bKFENCE: | \bUBSAN:
	| possible\ (?:circular|recursive|irq)\ locking | inconsistent\ lock\ state | INFO:\ possible | INFO:\ trying\ to\ register
	| suspicious\ RCU\ usage | INFO:\ rcu | rcu:\ INFO: | detected\ stalls | self-detected\ stall | rcu_.*\ kthread\ starved
	| soft\ lockup | hard\ LOCKUP | blocked\ for\ more\ than | hung_task: | bad:\ scheduling | scheduling\ while\ atomic
	| sleeping\ function\ called | Bad\ page\ (?:state|map) | Bad\ rss-counter | \bbad\ (?:pgd|p4d|pud|pmd|pte)\b
	| (?:Bad|Unused)\ swap\ (?:file|offset)\ entry | list_(?:add|del)\ corruption | list_add\ double\ add | corrupted\ list
	| kmemleak:\ \d+\ new | unreferenced\ object | ODEBUG: | INFO:\ lockdep\ is\ turned\ off | stack\ guard\ page
	| refcount_t: | page_counter\ underflow | vmstat_refresh:\ \S+\ -\d
	| page\ dumped\ because:\ (?!unmovable\ page|isolation\ failed|migration\ failure) | Object\ (?:0x|padding|already)
	| segfault\ at | invalid\ opcode | double\ fault | Slab\ .*:\ (?:Redzone|Padding) | nobody\ cared | cannot\ create\ duplicate\ filename
	| page\ allocation\ failure | invoked\ oom-killer | Out\ of\ memory | Memory\ cgroup\ out\ of\ memory
	| memory\ tiering:\ no\ (?:directory\ for|memory\ to\ (?:place|move|promote\ to))\ node
	| weighted\ interleave:\ no\ (?:weight\ file\ for\ node|file\ to\ switch\ automatic\ weights|memory\ for\ derived\ weights)
	""", re.VERBOSE)
MARK = re.compile(r"^vm: (begin|end|exit status|mismatch:|machine as described:) ?(.*)$")
PREFIX = re.compile(r"^\[ *\d+\.\d+\](?:\[ *[CT]\d+\])? ?")
ESCAPE = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|c)")
VERSION = re.compile(r"^K?TAP version \d+$")
PLAN = re.compile(r"^1\.\.(\d+)(?: *# SKIP ?(.*))?$", re.IGNORECASE)
HEADER = re.compile(r"^\s*# Subtest: (.*)$")
LIKE_RESULT = re.compile(r"^\s*(?:not )?ok\b")
RESULT = re.compile(r"^\s*(ok|not ok) (\d+) (?:- )?([^#]*?)(?: # (.*))?$")
SKIP = re.compile(r"^SKIP\b *(.*)$")
RUN = re.compile(r"^# +RUN +(\S+)")


STATUS = {120: "the kernel panicked", 121: "the machine stopped early", 122: "not the machine described",
	  123: "QEMU did not start", 124: "it hung, or the time limit was reached"}
# What vm.sh says of such an end
REASON = re.compile(r"^vm: [^ ]+: (.*) \(console: [^)]*\)$")
# A task that is blocked, among all tasks that a kernel prints at its end
BLOCKED = re.compile(r"^task:\S+ +state:D ")
# Of a splat: what registers hold says little, and where its stack ends
REGISTERS = re.compile(r"^(?:R(?!IP)[A-Z0-9]{2}|[CDEFGS]S|[CD]R\d|PKRU|Code):")
STACK_END = re.compile(r"</TASK>|---\[ end ")


def list_of(path, errors):
	"""The lines of a list with their numbers, but for comments and empty ones; or a note in ERRORS."""
	try:
		with open(path, encoding="utf-8") as lines:
			return [(number, line.rstrip("\n")) for number, line in enumerate(lines, 1) if line.rstrip("\n") and line[0] != "#"]
	except (OSError, UnicodeDecodeError) as error:
		errors.append(f"{path}: cannot be read: {error}")
		return []


class Expectation:
	"""One line of a list of skips, and what became of the cases that it is about."""

	def __init__(self, reason, optional):
		self.reason, self.optional = reason, optional
		self.outcomes = set()

	def says(self, reason):
		"""Is that the reason? One that is optional may end with *, which stands for anything."""
		if self.optional and self.reason.endswith("*"):
			return reason.startswith(self.reason[:-1])
		return reason == self.reason


class Expectations:
	"""
	The skips that are expected, with their reasons.

	A line of a list is "NAME<tab>REASON"; NAME is a case, as this program prints it, or a stream all of which is skipped. With a ?
	before the name the case may be skipped for this reason or not, and may have several such lines.
	"""

	def __init__(self, paths):
		self.named = {}
		self.errors = []
		for path in paths:
			for number, line in list_of(path, self.errors):
				self.add(line, f"{path}:{number}")

	def add(self, line, place):
		"""Takes one line, or notes what is wrong with it."""
		name, _, reason = line.partition("\t")
		optional = name.startswith("?")
		name = name[1:] if optional else name
		others = self.named.setdefault(name, [])
		if not name or not reason or "\t" in reason or name != name.strip() or reason != reason.strip():
			self.errors.append(f"{place}: not NAME<tab>REASON: {line}")
		elif others and not (optional and others[0].optional):
			self.errors.append(f"{place}: {name} is in the list already")
		else:
			others.append(Expectation(reason, optional))

	def of(self, stream, name):
		"""What is expected of a case, or else of its stream."""
		return self.named.get(name) or self.named.get(stream, [])

	def allow(self, stream, name, reason):
		"""May this case be skipped for this reason?"""
		for expected in self.of(stream, name):
			expected.outcomes.add("skipped")
		return any(expected.says(reason) for expected in self.of(stream, name))

	def ran(self, stream, name, outcome):
		"""This case was not skipped."""
		for expected in self.of(stream, name):
			expected.outcomes.add(outcome)

	def missed(self, wanted):
		"""What was to be skipped in the streams that were wanted, and was not."""
		for name, lines in self.named.items():
			if not any(name == stream or name.startswith(stream + ".") for stream in wanted):
				continue
			for line in lines:
				if line.optional or line.outcomes == {"skipped"}:
					continue
				who = "some" if len(line.outcomes) > 1 else "it"
				ran = [f"{who} {outcome}" for outcome in sorted(line.outcomes - {"skipped"})]
				what = " and ".join(ran) or "it is not there"
				yield f"{name}: is expected to be skipped here ({line.reason}) and was not: {what}"


class Marks:
	"""
	The cases that are expected to fail, each with its reason: a line of a list is "NAME<tab>REASON".

	It says what is known to be wrong with the product, so it holds on every machine that runs the case: one that passes is a failure.
	"""

	def __init__(self, paths):
		self.reasons = {}
		self.errors = []
		for path in paths:
			for number, line in list_of(path, self.errors):
				name, _, reason = line.partition("\t")
				if not name or not reason or "\t" in reason or line != line.strip() or name in self.reasons:
					self.errors.append(f"{path}:{number}: not NAME<tab>REASON, or a second one: {line}")
				else:
					self.reasons[name] = reason


class Verdict:
	"""Counts of test cases, and a line for everything that is not simply a pass."""

	def __init__(self, expectations=None, marks=None):
		self.passed = self.failed = self.skipped = self.foreseen = self.marked = 0
		self.expectations = expectations
		self.marks = marks or Marks([])
		self.lines = []
		self.reasons = {}

	def fail(self, text):
		self.failed += 1
		self.lines.append("FAIL: " + text)

	def skip(self, stream, name, reason):
		"""A case, or a stream as a whole, was skipped."""
		reason = reason.strip()
		if reason.lower() in ("", "unknown"):
			self.fail(f"{name}: skipped without a reason")
		elif self.expectations and not self.expectations.allow(stream, name, reason):
			self.fail(f"{name}: skipped, which is not expected here: {reason}")
		else:
			self.skipped += 1
			self.foreseen += 1 if self.expectations else 0
			self.reasons.setdefault(reason, []).append(name)

	def note(self, stream, name, outcome):
		"""A case passed or failed; counting is up to the caller."""
		if self.expectations:
			self.expectations.ran(stream, name, outcome)

	def ran(self, stream, name, outcome):
		"""A case came to "success", or to a failure of some kind; returns whether it passed."""
		good = outcome == "success"
		self.note(stream, name, "passed" if good else "failed")
		reason = self.marks.reasons.get(name)
		if good and reason:
			self.fail(f"{name}: passed, and is marked as one that fails: {reason}")
		elif good:
			self.passed += 1
		elif reason and outcome == "failure":
			self.marked += 1
			self.foreseen += 1
			self.skipped += 1
			self.reasons.setdefault(f"expected to fail: {reason}", []).append(name)
		else:
			self.fail(f"{name}: {outcome}")
		return good

	def came_to(self):
		"""Changes with all that counts: what only skips, and nobody foresaw it, leaves it as it was."""
		return self.passed, self.failed, self.foreseen

	def report(self):
		"""Every failure, then every reason to skip with how many and which."""
		yield from self.lines
		for reason, names in self.reasons.items():
			more = f" and {len(names) - 3} more" if len(names) > 3 else ""
			yield f"SKIP: {reason}: {', '.join(names[:3])}{more}"


def read_lines(path):
	"""The lines of a log; a log that does not exist is an empty one."""
	try:
		with open(path, encoding="utf-8", errors="replace") as log:
			return [ESCAPE.sub("", line).rstrip() for line in log]
	except FileNotFoundError:
		return []


def leaves(test, path=""):
	"""The test cases below a parsed test, with their full names."""
	name = test.name if not path else f"{path}.{test.name}"
	if not test.subtests:
		yield name, test
	for sub in test.subtests:
		yield from leaves(sub, "" if test.name == "main" else name)


def well_formed(line):
	"""Does the parser see in a line what a person would? It knows skips in capitals only."""
	found = RESULT.match(line)
	directive = found and found.group(4) or ""
	return bool(found) and (not directive.lower().startswith("skip") or bool(SKIP.match(directive)))


def check_form(lines, what, verdict):
	"""What the parser would read over."""
	for line in lines:
		if LIKE_RESULT.match(line) and not well_formed(line):
			verdict.fail(f"{what}: not a result that can be read: {line.strip()}")
	for kind, pattern in (("TAP version lines", VERSION), ("test plans", PLAN)):
		number = sum(1 for line in lines if pattern.match(line))
		if number > 1:
			verdict.fail(f"{what}: {number} {kind}")


def skips(lines):
	"""Of each full name the results that skip, in their order: are they ok, and the reason."""
	path, found = [], {}
	for line in lines:
		header, result = HEADER.match(line), RESULT.match(line)
		if header:
			path.append(header.group(1))
		elif result and path and result.group(3) == path[-1]:
			path.pop()
		elif result and SKIP.match(result.group(4) or ""):
			skip = (result.group(1) == "ok", SKIP.match(result.group(4)).group(1))
			found.setdefault(".".join(path + [result.group(3)]), []).append(skip)
	return found


def plan_first(lines):
	"""A plan may come at the end: the parser of 6.12 never gets past it there."""
	first = next((place for place, line in enumerate(lines) if LIKE_RESULT.match(line)), len(lines))
	late = [line for line in lines[first:] if PLAN.match(line)]
	return lines[:first] + late + [line for line in lines[first:] if not PLAN.match(line)]


def parse(parser, lines, what, verdict):
	"""Lets the base's parser judge a TAP stream; returns the number of cases that passed."""
	lines = plan_first(lines)
	noise = io.StringIO()
	parser.stdout._output = noise  # pylint: disable=protected-access
	try:
		top = parser.parse_run_tests(lines)
	except Exception as error:  # pylint: disable=broad-except
		verdict.fail(f"{what}: the results cannot be read: {error}")
		return 0
	status = parser.TestStatus
	skipped = skips(lines)
	passed = bad = 0
	for name, test in leaves(top):
		full = f"{what}.{name}"
		if test.status == status.SKIPPED:
			good, reason = skipped[name].pop(0) if skipped.get(name) else (True, "")
			if good:
				verdict.skip(what, full, reason)
				continue
			bad += 1
			verdict.fail(f"{full}: not ok, although it says that it is skipped: {reason}")
			verdict.note(what, full, "failed")
		elif verdict.ran(what, full, test.status.name.lower()):
			passed += 1
		else:
			bad += 1
	for line in noise.getvalue().splitlines():
		if "[ERROR]" in line:
			bad += 1
			verdict.fail(f"{what}: {re.sub(r'^.*?Test: ', '', line)}")
	results = sum(1 for line in lines if LIKE_RESULT.match(line) and not line[0].isspace())
	if not bad and results != len(top.subtests):
		bad += 1
		verdict.fail(f"{what}: {results} results, of which {len(top.subtests)} were read")
	if not bad and top.status not in (status.SUCCESS, status.SKIPPED):
		verdict.fail(f"{what}: {top.status.name.lower()}")
	return passed


def context_of(lines):
	"""What is shown of the lines that follow a splat: up to the end of the stack, if there is one, and few otherwise."""
	kept = [line for line in lines if not REGISTERS.match(line)]
	end = next((i for i, line in enumerate(kept[:30], 1) if STACK_END.search(line)), 6)
	return ["      " + line for line in kept[:end]]


def blocked_tasks(lines):
	"""The first three of them, with their stacks."""
	shown, tasks, inside = [], 0, False
	for line in lines:
		if line.startswith("task:"):
			inside = bool(BLOCKED.match(line)) and tasks < 3
			tasks += inside
		if inside:
			shown.append("      " + line)
			inside = not STACK_END.search(line)
	return shown


def judge_console(lines, verdict):
	"""Splats, and whether the machine came up and went down as it should."""
	if not lines:
		verdict.fail("console: the log is empty")
		return
	booted = any("Linux version" in line for line in lines)
	if not booted:
		verdict.fail("console: the log has no kernel banner")
	for number, line in enumerate(lines, 1):
		if SPLATS.search(line) and not MARK.match(PREFIX.sub("", line)):
			verdict.fail(f"console line {number}: {PREFIX.sub('', line)}")
			verdict.lines += context_of(PREFIX.sub("", follows) for follows in lines[number:number + 60])
			verdict.lines += blocked_tasks(PREFIX.sub("", follows) for follows in lines[number:])
			break
	marks = [found for found in (MARK.match(PREFIX.sub("", line)) for line in lines) if found]
	for found in marks:
		if found.group(1) == "mismatch:":
			verdict.fail(f"console: {found.group(0)[4:]}")
	if not any(found.group(1) == "exit status" for found in marks):
		verdict.fail("console: the log stops before the end of the run")
	if any(found.group(1) == "machine as described:" for found in marks):
		verdict.passed += 1
	elif booted:
		verdict.fail("console: the machine was never found to be as described")


def judge_kunit(parser, lines, verdict):
	"""The unit tests that the kernel ran at boot."""
	begin = next((i for i, line in enumerate(lines) if re.search(r"KTAP version|TAP version", line)), None)
	if begin is None:
		verdict.fail("KUnit: no results on the console")
		return
	end = next((i for i in range(begin, len(lines)) if "Run /init" in lines[i]), len(lines))
	tap = [PREFIX.sub("", line) for line in lines[begin:end] if PREFIX.match(line)]
	plan = next((PLAN.match(line) for line in tap if PLAN.match(line)), None)
	results = [line for line in tap if LIKE_RESULT.match(line) and not line[0].isspace()]
	check_form(tap, "KUnit", verdict)
	if plan is None or int(plan.group(1)) != len(results):
		verdict.fail(f"KUnit: {len(results)} suites reported, planned {plan.group(1) if plan else 'none'}")
	if not parse(parser, tap, "KUnit", verdict):
		verdict.fail("KUnit: no test case passed")


def named_skips(lines):
	"""The harness writes "ok N # SKIP reason": put the test's name in, which the parser insists on."""
	name = ""
	for line in lines:
		run = RUN.match(line)
		if run:
			name = run.group(1)
		found = re.match(r"^(ok|not ok) (\d+) # SKIP", line)
		yield f"{found.group(1)} {found.group(2)} {name or 'unnamed'} {line[found.end(2) + 1:]}" if found else line


def judge_kselftest(parser, name, lines, status, verdict):
	"""One kselftest: its lines between the markers and its exit status."""
	lines = list(named_skips(lines))
	before, marked = verdict.came_to(), verdict.marked
	check_form(lines, name, verdict)
	plan = next((PLAN.match(line) for line in lines if PLAN.match(line)), None)
	if plan is None:
		verdict.fail(f"{name}: no test plan (exit status {status})")
		return
	results = [line for line in lines if LIKE_RESULT.match(line) and not line[0].isspace()]
	if plan.group(1) == "0" and plan.group(2) is not None and not results and status in (0, 4):
		verdict.skip(name, name, plan.group(2))
		if verdict.came_to() == before:
			verdict.fail(f"{name}: skipped as a whole: {plan.group(2)}")
		return
	if int(plan.group(1)) != len(results):
		verdict.fail(f"{name}: {plan.group(1)} tests planned, {len(results)} reported")
	for line in lines:
		if line.startswith("Bail out!"):
			verdict.fail(f"{name}: {line}")
	passed = parse(parser, lines, name, verdict)
	if verdict.came_to() == before:
		verdict.fail(f"{name}: every case was skipped")
	# 4 is the status of a kselftest that skipped all it has. One with a case that is marked ends as it does for one that failed.
	if status not in (0, 0 if passed else 4) and (verdict.failed, verdict.marked) == (before[1], marked):
		verdict.fail(f"{name}: exit status {status} although every result is good")
	if verdict.failed != before[1]:
		verdict.lines += ["      " + line for line in lines if re.match(r"^# .*:\d+:", line)][:40]


def judge_kselftests(parser, wanted, lines, verdict):
	"""Every kselftest that the run should have had."""
	current, streams = None, {}
	for line in lines:
		found = MARK.match(line)
		if found and found.group(1) == "begin":
			current = [[], None]
			streams.setdefault(found.group(2), []).append(current)
		elif found and found.group(1) == "end":
			end = re.match(r"^(.*) (\d+)$", found.group(2))
			if current and end and streams.get(end.group(1), [None])[-1] is current:
				current[1] = int(end.group(2))
				current = None
		elif current:
			current[0].append(line)
	before = verdict.came_to()
	for name in wanted:
		runs = streams.get(name, [])
		if len(runs) != 1:
			verdict.fail(f"{name}: ran {len(runs)} times" if runs else f"{name}: did not run")
		for output, status in runs:
			if status is None:
				verdict.fail(f"{name}: did not end")
			else:
				judge_kselftest(parser, name, output, status, verdict)
	if wanted and (verdict.passed, verdict.foreseen) == before[::2]:
		verdict.fail("kselftests: nothing passed")


def judge_races(reports, console, output, options, verdict):
	"""What KCSAN has reported, and whether it has looked for anything. Races of the base alone are counted, and listed in a file."""
	if not any(re.search(r"kcsan: selftest: (\d+)/\1 tests passed", line) for line in console):
		verdict.fail("KCSAN: its own tests did not pass at boot")
	counters = dict(re.findall(r"^kcsan: (\w+): (\d+)$", "\n".join(output), re.MULTILINE))
	if counters.get("enabled") != "1" or not int(counters.get("setup_watchpoints", 0)):
		verdict.fail("KCSAN: no access was looked at, or not until the end of the run")
	base = []
	for race in races.judge(reports, races.Sources(options.vmlinux, options.tree, options.base)):
		if race.ours:
			verdict.fail(f"data race: {race}")
			verdict.lines += ["      " + line for line in race.report.lines]
		else:
			base.append(race)
	with open(options.races, "w", encoding="utf-8") as listed:
		listed.writelines(f"{race.times}\t{race.where}\n" for race in base)
	verdict.lines.append(f"BASE: {len(base)} data races of the base alone, in {sum(race.times for race in base)} reports: {options.races}")


def judge_machine(parser, options, verdict):
	"""A run of a virtual machine."""
	console = read_lines(options.console)
	if options.vmlinux:
		reports, console = races.take_reports(console, PREFIX)
		judge_races(reports, console, read_lines(options.output), options, verdict)
	judge_console(console, verdict)
	if options.kunit:
		judge_kunit(parser, console, verdict)
	if options.tests:
		judge_kselftests(parser, options.tests, read_lines(options.output), verdict)
	if options.status:
		said = [found.group(1) for found in map(REASON.match, read_lines(options.output)[-20:]) if found]
		reason = said[-1] if said and options.status in STATUS else STATUS.get(options.status, "of its command")
		verdict.fail(f"the run ended with status {options.status} ({reason})")


def main():
	"""Reads the arguments, judges, prints."""
	arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
	arguments.add_argument("--parser", required=True, help="directory of kunit_parser.py")
	arguments.add_argument("--console", help="log of the console")
	arguments.add_argument("--output", help="output of the command")
	arguments.add_argument("--status", type=int, default=0, help="exit status of vm.sh")
	arguments.add_argument("--kunit", action="store_true", help="the console must have KUnit results")
	arguments.add_argument("--vmlinux", metavar="FILE", help="the kernel, which has KCSAN and knows its lines; data races are judged")
	arguments.add_argument("--tree", metavar="DIRECTORY", help="its sources, a git repository")
	arguments.add_argument("--base", metavar="COMMIT", default="refs/series/base", help="what stands below the series there")
	arguments.add_argument("--races", metavar="FILE", default="/dev/null", help="gets a list of the data races of the base alone")
	arguments.add_argument("--tap", metavar="NAME", help="OUTPUT is the TAP of NAME, which ran on the host")
	arguments.add_argument("--skips", metavar="FILE", action="append", help="a list of the skips that are expected, and no others are")
	arguments.add_argument("--marks", metavar="FILE", action="append", default=[], help="a list of the cases that are expected to fail")
	arguments.add_argument("tests", nargs="*", help="kselftests that must have run")
	options = arguments.parse_args()
	sys.path.insert(0, options.parser)
	import kunit_parser  # pylint: disable=import-error,import-outside-toplevel

	verdict = Verdict(Expectations(options.skips) if options.skips else None, Marks(options.marks))
	wanted = options.tests + ["KUnit"] * options.kunit
	if options.tap:
		wanted = [options.tap]
		judge_kselftest(kunit_parser, options.tap, read_lines(options.output), options.status, verdict)
	else:
		judge_machine(kunit_parser, options, verdict)
	for line in verdict.marks.errors:
		verdict.fail(line)
	if verdict.expectations:
		for line in [*verdict.expectations.errors, *verdict.expectations.missed(wanted)]:
			verdict.fail(line)
	if not verdict.passed and not verdict.foreseen:
		verdict.fail("nothing passed")
	for line in verdict.report():
		print(line)
	print(verdict.passed, verdict.failed, verdict.skipped)
	return 1 if verdict.failed else 0


if __name__ == "__main__":
	sys.exit(main())
