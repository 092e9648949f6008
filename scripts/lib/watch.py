#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Runs a command, and ends it when it hangs.

A command hangs when none of its logs grows for QUIET seconds, and it neither takes nor asks for a fifth of them of processor time. What
it asks for is what the host's scheduler makes it wait for, so that a busy host delays this and never causes it; nor does one that stops it
with a signal. With a limit of processor time it hangs as well when it takes that much and prints nothing. A virtual machine hangs when
one of its self tests takes longer than it may, by a clock that stands still while the host makes the machine wait.
What is ended leaves what it was at: a virtual machine the stacks of all its tasks on its console, anything else the tree of its processes
on standard error. The last line there says why; the exit status is 124 then, and the command's otherwise.
"""

import argparse
import collections
import ctypes
import os
import re
import signal
import socket
import subprocess
import sys
import time

# Less than this share of a processor is no sign of life: an idle virtual machine with periodic ticks takes up to 14 % for these
ALIVE = 0.2
# What KUnit says of a case that it does not wait for any longer; its thread goes on, or hangs for ever
TIMED_OUT = re.compile(r"#\s*(\S+): (?:test case|try) timed out")
# What the guest's kselftest says as it begins with a program, and has ended it
PROGRAM = re.compile(r"^(?:\[ *\d+\.\d+\](?:\[ *[CT]\d+\])? )?vm: (begin|end) (\S+)", re.MULTILINE)
# Lines of a log that are shown of what was running
LAST_LINES = 15

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
prctl = ctypes.CDLL(None).prctl
TICKS = os.sysconf("SC_CLK_TCK")


def read(path):
	"""The text of a file that may be gone, or belong to a process that is."""
	try:
		with open(path, encoding="utf-8", errors="replace") as file:
			return file.read()
	except OSError:
		return ""


class Process:
	"""One process as /proc shows it at one moment."""

	def __init__(self, pid):
		self.pid = pid
		fields = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
		self.there = len(fields) > 19
		self.alive = self.there and fields[0] not in "ZX"
		if not self.there:
			return
		self.state, self.parent = fields[0], int(fields[1])
		self.children_time = (int(fields[13]) + int(fields[14])) / TICKS
		self.key = (pid, fields[19])

	def times(self):
		"""Seconds that its threads have run, and that they have waited for a processor."""
		ran = waited = 0
		try:
			threads = os.listdir(f"/proc/{self.pid}/task")
		except OSError:
			return 0, 0
		for thread in threads:
			numbers = read(f"/proc/{self.pid}/task/{thread}/schedstat").split()
			if len(numbers) > 1:
				ran += int(numbers[0]) / 1e9
				waited += int(numbers[1]) / 1e9
		return ran, waited

	def described(self):
		"""What it is and where it waits, in a line."""
		command = read(f"/proc/{self.pid}/cmdline").replace("\0", " ").strip() or read(f"/proc/{self.pid}/comm").strip()
		where = read(f"/proc/{self.pid}/wchan").strip("0\n") or "-"
		return f"{self.pid} {self.state} {where}: {command[:160]}"


def tree(root, command=None):
	"""
	All that ROOT has started, with their depths; children follow their parents.

	With COMMAND its other children that have ended are waited for: nobody else does that for those whose parents have ended.
	"""
	below = collections.defaultdict(list)
	for name in os.listdir("/proc"):
		if name.isdigit():
			process = Process(int(name))
			if process.alive:
				below[process.parent].append(process)
			elif command and process.there and process.parent == root and process.pid != command:
				os.waitpid(process.pid, os.WNOHANG)
	found, todo = [], [(0, process) for process in below[root]]
	while todo:
		depth, process = todo.pop()
		found.append((depth, process))
		todo += [(depth + 1, child) for child in below[process.pid]]
	return found


class Demand:
	"""
	The processor time that a tree of processes has taken, and that it has asked for, since this was made.

	A process that ends between two looks is known by what its parent has waited for.
	"""

	def __init__(self):
		self.seen = {}
		self.taken = self.asked = 0.0

	def look(self, processes):
		"""Adds what came since the last look, and returns that."""
		before_taken, before_asked = self.taken, self.asked
		seen = {}
		for process in processes:
			ran, waited = process.times()
			seen[process.key] = (ran + process.children_time, waited)
			before = self.seen.get(process.key, (0, 0))
			self.taken += max(0, seen[process.key][0] - before[0])
			self.asked += max(0, seen[process.key][1] - before[1])
		self.seen = seen
		return self.taken - before_taken, self.asked - before_asked


class Program:
	"""
	The self test that a machine is at, and how long it would have taken on a host that does nothing else.

	That is at least the time less what the machine's threads have waited for a processor, if they never did so at once, and at
	least what they have taken of all processors, if they always ran at once.
	"""

	def __init__(self, limit):
		self.limit = limit
		self.name = None
		self.passed = self.taken = self.asked = 0.0
		self.processors = len(os.sched_getaffinity(0))

	def passes(self, passed, taken, asked):
		"""So many seconds have gone by. What a thread waits for is known when it has got it: the sums are right, not each by itself."""
		self.passed += passed
		self.taken += taken
		self.asked += asked

	def reads(self, text):
		"""Lines that came on the console."""
		for what, name in PROGRAM.findall(text):
			self.name = name if what == "begin" else None
			self.passed = self.taken = self.asked = 0.0

	def over(self):
		"""Has it taken longer than it may?"""
		return self.limit and self.name and max(self.passed - self.asked, self.taken / self.processors) >= self.limit


def size(path):
	"""Of a log that may not be there yet."""
	try:
		return os.stat(path).st_size
	except OSError:
		return 0


class Watch:
	"""What is known of a command while it runs."""

	def __init__(self, options):
		self.options = options
		self.sizes = None
		self.demand = Demand()
		self.program = Program(options.program)
		self.start = self.looked = time.monotonic()
		self.quiet = collections.deque()
		self.read_to = 0
		# A kernel that does not count this says 0: nothing is then said of a command that waits.
		self.counts = read("/proc/self/schedstat").split()[:1] not in ([], ["0"])

	def restart(self):
		"""A sign of life, or nothing that can be judged."""
		self.quiet.clear()

	def look(self, processes):
		"""Returns why the command is to be ended, if it is."""
		options, now = self.options, time.monotonic()
		taken, asked = self.demand.look(processes)
		sizes = [size(path) for path in options.log]
		passed = now - self.looked
		held = any(process.state in "Tt" for process in processes) or passed > 5 * options.interval + 5
		self.looked = now
		if not held and self.counts:
			self.program.passes(passed, taken, asked)
		if sizes != self.sizes or held:
			self.restart()
		self.sizes = sizes
		self.quiet.append((now, self.demand.taken, self.demand.asked))
		if options.limit and now - self.start >= options.limit:
			return f"the time limit of {options.limit} s was reached"
		if options.console:
			text = self.new_lines()
			found = TIMED_OUT.search(text)
			if found:
				return f"the unit test {found.group(1)} timed out"
			self.program.reads(text)
			if self.program.over():
				return f"the self test {self.program.name} has taken its {options.program} s"
		return self.silence(now) if options.quiet and self.counts else None

	def new_lines(self):
		"""What has come on the console, up to the end of its last line."""
		try:
			with open(self.options.console, "rb") as console:
				console.seek(self.read_to)
				text = console.read()
		except OSError:
			return ""
		whole = text.rfind(b"\n") + 1
		self.read_to += whole
		return text[:whole].decode(errors="replace")

	def silence(self, now):
		"""Returns why a command that has not printed is to be ended, if it is."""
		options = self.options
		if options.busy and self.demand.taken - self.quiet[0][1] >= options.busy:
			return f"it printed nothing while it took {options.busy} s of processor time"
		taken = asked = 0
		for then, taken, asked in reversed(self.quiet):
			if now - then >= options.quiet:
				break
		else:
			return None
		least = options.quiet * ALIVE
		if self.demand.taken - taken + self.demand.asked - asked < least:
			return f"it neither printed anything nor took {least:g} s of processor time within {options.quiet} s"
		return None


def ask_for_stacks(options, command):
	"""A non-maskable interrupt makes the kernel print the stacks of all tasks and end, whatever its processors do, if it can."""
	try:
		with socket.socket(socket.AF_UNIX) as monitor:
			monitor.settimeout(5)
			monitor.connect(options.monitor)
			monitor.sendall(b"nmi\n")
			before = -1
			while command.poll() is None and size(options.console) > before:
				before = size(options.console)
				time.sleep(3)
	except OSError:
		pass


def end(root):
	"""Ends all that was started."""
	for number, seconds in (signal.SIGTERM, 3), (signal.SIGKILL, 3):
		until = time.monotonic() + seconds
		while time.monotonic() < until:
			processes = tree(root)
			if not processes:
				return
			for _, process in processes:
				try:
					os.kill(process.pid, number)
					# One that is stopped sees nothing else.
					os.kill(process.pid, signal.SIGCONT)
				except OSError:
					pass
			time.sleep(0.1)
			reap()


def reap():
	"""Of children that others have left."""
	try:
		while os.waitpid(-1, os.WNOHANG)[0]:
			pass
	except ChildProcessError:
		pass


def show_running(directory):
	"""The steps that have begun, each with its age and the end of its log, or of the console beside that if it is newer."""
	for name in sorted(os.listdir(directory), key=lambda name: os.stat(os.path.join(directory, name)).st_mtime):
		lines = read(os.path.join(directory, name)).splitlines()
		if len(lines) < 3 or not Process(int(name.split(".")[0])).alive:
			continue
		title, start, log = lines[:3]
		console = os.path.join(os.path.dirname(log), "console.log")
		if os.path.exists(console) and os.path.exists(log) and os.stat(console).st_mtime > os.stat(log).st_mtime:
			log = console
		print(f"still running after {int(time.time()) - int(start)} s: {title}; the end of {log}:")
		for line in read(log).splitlines()[-LAST_LINES:]:
			print("  " + line.rstrip())
	sys.stdout.flush()


def ended(options, reason, command):
	"""Ends the command, which leaves what it was at."""
	me = os.getpid()
	if options.running:
		show_running(options.running)
	if options.monitor:
		ask_for_stacks(options, command)
	else:
		print("the processes (number, state, where in the kernel, command):", file=sys.stderr)
		for depth, process in tree(me):
			print("  " * (depth + 1) + process.described(), file=sys.stderr)
	end(me)
	print(reason, file=sys.stderr)
	return 124


def run(options):
	"""Starts the command and stays until its end; returns the exit status."""
	parent = os.getpid()

	def child():
		prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
		if os.getppid() != parent:
			os._exit(1)

	prctl(PR_SET_CHILD_SUBREAPER, 1)
	with subprocess.Popen(options.command, preexec_fn=child) as command:
		def stop(number, _):
			end(parent)
			sys.exit(128 + number)

		signal.signal(signal.SIGTERM, stop)
		signal.signal(signal.SIGINT, stop)
		watch = Watch(options)
		while True:
			try:
				status = command.wait(options.interval)
				break
			except subprocess.TimeoutExpired:
				reason = watch.look([process for _, process in tree(parent, command.pid)])
			if reason:
				return ended(options, reason, command)
	end(parent)
	return status if status >= 0 else 128 - status


def main():
	"""Reads the arguments, runs, and ends with the status."""
	arguments = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
	arguments.add_argument("--log", action="append", default=[], metavar="FILE", help="that it grows is a sign of life")
	arguments.add_argument("--quiet", type=int, default=0, metavar="SECONDS", help="how long there may be none; for ever without this")
	arguments.add_argument("--busy", type=int, default=0, metavar="SECONDS",
			       help="of processor time that may pass with logs that do not grow")
	arguments.add_argument("--limit", type=int, default=0, metavar="SECONDS", help="of the host's clock that all of it may take")
	arguments.add_argument("--console", metavar="FILE", help="the log in which a kernel's unit tests may time out, and self tests begin")
	arguments.add_argument("--program", type=int, default=0, metavar="SECONDS",
			       help="that a self test may take of the time that the host has for the machine")
	arguments.add_argument("--monitor", metavar="SOCKET", help="of the virtual machine that the command is")
	arguments.add_argument("--running", metavar="DIRECTORY", help="what step() of lib.sh keeps: shown when the command is ended")
	arguments.add_argument("command", nargs=argparse.REMAINDER)
	options = arguments.parse_args()
	if not options.command:
		arguments.error("a command is needed")
	options.interval = min(2.0, (options.quiet or 20) / 10, (options.limit or 20) / 10)
	sys.exit(run(options))


if __name__ == "__main__":
	main()
