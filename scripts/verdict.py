#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Judges one run of a virtual machine: its console, its KUnit results and its kselftests' results.

The base kernel's own parser (tools/testing/kunit/kunit_parser.py) reads every TAP stream. What it lets pass is added here: splats,
plans that are missing or do not match, skips without a reason, runs in which nothing passed, and logs that stop early.
The last line printed is "PASSED FAILED SKIPPED" in numbers; the exit status is 0 when something passed and nothing failed.
"""

import argparse
import io
import re
import sys

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
	| page\ dumped\ because:\ (?!unmovable\ page|isolation\ failed) | Object\ (?:0x|padding|already) | segfault\ at | invalid\ opcode
	| double\ fault | Slab\ .*:\ (?:Redzone|Padding) | nobody\ cared | cannot\ create\ duplicate\ filename
	| page\ allocation\ failure | invoked\ oom-killer | Out\ of\ memory | Memory\ cgroup\ out\ of\ memory
	| memory\ tiering:\ no\ (?:directory\ for|memory\ to\ (?:place|move|promote\ to))\ node
	| weighted\ interleave:\ no\ (?:weight\ file\ for\ node|file\ to\ switch\ automatic\ weights|memory\ for\ derived\ weights)
	""", re.VERBOSE)
MARK = re.compile(r"^vm: (begin|end|killed|exit status|mismatch:|machine as described:) ?(.*)$")
PREFIX = re.compile(r"^\[ *\d+\.\d+\](?:\[ *[CT]\d+\])? ?")
ESCAPE = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|c)")
RESULT = re.compile(r"^(ok|not ok) (\d+)\b(.*)$")
PLAN = re.compile(r"^1\.\.(\d+)(?: *# SKIP ?(.*))?$", re.IGNORECASE)
SKIPPED = re.compile(r"ok \d+ (?:- )?(.*?) # SKIP ?(.*)$")
RUN = re.compile(r"^# +RUN +(\S+)")


STATUS = {120: "the kernel panicked", 121: "the machine stopped early", 122: "not the machine described",
	  123: "QEMU did not start", 124: "the time limit was reached"}


class Verdict:
	"""Counts of test cases, and a line for everything that is not simply a pass."""

	def __init__(self):
		self.passed = self.failed = self.skipped = 0
		self.lines = []
		self.reasons = {}

	def fail(self, text):
		self.failed += 1
		self.lines.append("FAIL: " + text)

	def skip(self, name, reason):
		if reason.strip().lower() in ("", "unknown"):
			self.fail(f"{name}: skipped without a reason")
		else:
			self.skipped += 1
			self.reasons.setdefault(reason.strip(), []).append(name)

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


def parse(parser, lines, what, verdict):
	"""Lets the base's parser judge a TAP stream; returns the number of cases that passed."""
	noise = io.StringIO()
	parser.stdout._output = noise  # pylint: disable=protected-access
	top = parser.parse_run_tests(lines)
	status = parser.TestStatus
	reasons = {found.group(1): found.group(2) for found in map(SKIPPED.search, lines) if found}
	passed = bad = 0
	for name, test in leaves(top):
		if test.status == status.SUCCESS:
			passed += 1
		elif test.status == status.SKIPPED:
			verdict.skip(f"{what}.{name}", reasons.get(test.name, ""))
		else:
			bad += 1
			verdict.fail(f"{what}.{name}: {test.status.name.lower()}")
	verdict.passed += passed
	for line in noise.getvalue().splitlines():
		if "[ERROR]" in line:
			bad += 1
			verdict.fail(f"{what}: {re.sub(r'^.*?Test: ', '', line)}")
	if not bad and top.status not in (status.SUCCESS, status.SKIPPED):
		verdict.fail(f"{what}: {top.status.name.lower()}")
	return passed


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
			for context in lines[number:number + 6]:
				verdict.lines.append("      " + PREFIX.sub("", context))
			break
	marks = [found for found in (MARK.match(PREFIX.sub("", line)) for line in lines) if found]
	for found in marks:
		if found.group(1) in ("mismatch:", "killed"):
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
	tap = [line for line in lines[begin:end] if PREFIX.match(line)]
	plan = next((PLAN.match(PREFIX.sub("", line)) for line in tap if PLAN.match(PREFIX.sub("", line))), None)
	results = [line for line in tap if RESULT.match(PREFIX.sub("", line))]
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
	plan = next((PLAN.match(line) for line in lines if PLAN.match(line)), None)
	if plan is None:
		verdict.fail(f"{name}: no test plan (exit status {status})")
		return
	results = [line for line in lines if RESULT.match(line)]
	if plan.group(1) == "0" and plan.group(2) is not None and not results and status in (0, 4):
		verdict.skip(name, plan.group(2))
		return
	before = verdict.failed
	if int(plan.group(1)) != len(results):
		verdict.fail(f"{name}: {plan.group(1)} tests planned, {len(results)} reported")
	for line in lines:
		if line.startswith("Bail out!"):
			verdict.fail(f"{name}: {line}")
	parse(parser, list(named_skips(lines)), name, verdict)
	if status != 0 and verdict.failed == before:
		verdict.fail(f"{name}: exit status {status} although every result is good")
	if verdict.failed != before:
		verdict.lines += ["      " + line for line in lines if re.match(r"^# .*:\d+:", line)][:40]


def judge_kselftests(parser, wanted, lines, verdict):
	"""Every kselftest that the run should have had."""
	current, streams, ends = None, {}, {}
	for line in lines:
		found = MARK.match(line)
		if found and found.group(1) == "begin":
			current = found.group(2)
			streams[current] = []
		elif found and found.group(1) == "end":
			name, status = found.group(2).rsplit(" ", 1)
			ends[name] = int(status)
			current = None
		elif current is not None:
			streams[current].append(line)
	before = verdict.passed
	for name in wanted:
		if name not in streams:
			verdict.fail(f"{name}: did not run")
		elif name not in ends:
			verdict.fail(f"{name}: did not end")
		else:
			judge_kselftest(parser, name, streams[name], ends[name], verdict)
	if wanted and verdict.passed == before:
		verdict.fail("kselftests: nothing passed")


def judge_machine(parser, options, verdict):
	"""A run of a virtual machine."""
	console = read_lines(options.console)
	judge_console(console, verdict)
	if options.kunit:
		judge_kunit(parser, console, verdict)
	if options.tests:
		judge_kselftests(parser, options.tests, read_lines(options.output), verdict)
	if options.status:
		verdict.fail(f"the run ended with status {options.status} ({STATUS.get(options.status, 'of its command')})")


def main():
	"""Reads the arguments, judges, prints."""
	arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
	arguments.add_argument("--parser", required=True, help="directory of kunit_parser.py")
	arguments.add_argument("--console", help="log of the console")
	arguments.add_argument("--output", help="output of the command")
	arguments.add_argument("--status", type=int, default=0, help="exit status of vm.sh")
	arguments.add_argument("--kunit", action="store_true", help="the console must have KUnit results")
	arguments.add_argument("--tap", metavar="NAME", help="OUTPUT is the TAP of NAME, which ran on the host")
	arguments.add_argument("tests", nargs="*", help="kselftests that must have run")
	options = arguments.parse_args()
	sys.path.insert(0, options.parser)
	sys.dont_write_bytecode = True
	import kunit_parser  # pylint: disable=import-error,import-outside-toplevel

	verdict = Verdict()
	if options.tap:
		judge_kselftest(kunit_parser, options.tap, read_lines(options.output), options.status, verdict)
	else:
		judge_machine(kunit_parser, options, verdict)
	if not verdict.passed and not (options.tap and verdict.skipped):
		verdict.fail("nothing passed")
	for line in verdict.report():
		print(line)
	print(verdict.passed, verdict.failed, verdict.skipped)
	return 1 if verdict.failed else 0


if __name__ == "__main__":
	sys.exit(main())
