#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Are the lists of what runs where true to the tests that there are, and does each test run somewhere? Prints TAP.

usage: cases.py

Reads the table scenarios/tests, the .without and .skips files beside it and beside the configurations, which scenarios/list explains,
tests/timed, tests/races and tests/switches, and asks the built self tests for their cases. Nothing is booted: what is skipped
unexpectedly is for the verdict of a run.
"""

import fnmatch
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/lib"))
from tap import Tap  # noqa: E402 - leaves nothing beside the sources

TOP = pathlib.Path(__file__).resolve().parents[2]
SCENARIOS = TOP / "scenarios"
SOURCES = TOP / "tools/testing/selftests/mm/placement"
PROGRAMS = pathlib.Path(os.environ.get("BUILD", TOP / "build")) / "selftests/mm"
# The kernel that make test boots without -c
CONFIG = "default"


def rows(path):
	"""The lines of a list with their numbers, but for comments; a list that does not exist is an empty one."""
	if path.exists():
		for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
			if not line.startswith("#"):
				yield number, line.split("\t")


def cases_of(program):
	"""The cases of a program; None where it has to be asked on its machine: a script, or one that does not list them."""
	source = SOURCES / f"{program.removesuffix('_32')}.c"
	if not source.exists() or '#include "cases.h"' not in source.read_text(encoding="utf-8"):
		return None
	environment = {name: value for name, value in os.environ.items() if name != "KSELFTEST_WITHOUT"}
	run = subprocess.run([PROGRAMS / program, "-l"], capture_output=True, text=True, timeout=60, check=True, env=environment)
	return run.stdout.split()


class Without:
	"""What .without files leave out."""

	def __init__(self, *paths):
		self.lines = [(path, number, fields) for path in paths for number, fields in rows(path)]

	def patterns(self, program):
		"""Those for one program."""
		return [pattern for _, _, fields in self.lines if len(fields) > 1 and program in fields[0].split() for pattern in fields[1].split()]

	def leaves_out(self, program, case):
		"""CASE is None for a program as a whole."""
		return any(pattern == "*" or case is not None and fnmatch.fnmatchcase(case, pattern) for pattern in self.patterns(program))

	def wrong(self, programs):
		"""What is not as it should be, line by line."""
		for path, number, fields in self.lines:
			where = f"{path.relative_to(TOP)}:{number}"
			if len(fields) != 3 or not all(field.strip() for field in fields):
				yield f"{where}: not PROGRAM ...<tab>PATTERN ...<tab>REASON"
				continue
			for program in fields[0].split():
				if program not in programs:
					yield f"{where}: no self test is called '{program}'"
					continue
				for pattern in fields[1].split():
					if pattern != "*" and not fnmatch.filter(programs[program] or [], pattern):
						yield f"{where}: no case of {program} is called '{pattern}'"


def layers(config):
	"""A configuration, what it is on top of, and so on."""
	while config:
		yield config
		below = re.findall(r"^# on top of: (.*)$", (SCENARIOS / "configs" / f"{config}.config").read_text(encoding="utf-8"), re.MULTILINE)
		config = below[0] if below else None


class Scenario:
	"""One machine of scenarios/list."""

	def __init__(self, name, row, programs):
		"""ROW is that of scenarios/tests, without the name."""
		self.name = name
		conf = (SCENARIOS / f"{name}.conf").read_text(encoding="utf-8")
		self.config = (re.findall(r"^config=(.*)$", conf, re.MULTILINE) or [CONFIG])[0]
		self.layer = (re.findall(r"^layer=(.*)$", conf, re.MULTILINE) or [self.config])[0]
		columns = (row[0], row[0] if row[1] == "=" else row[1])
		often, tests = (self.named(names, programs) for names in columns)
		self.unknown = [test for names in columns for test in self.spelled(names) if test not in programs]
		# What make test leaves to make soak, and what make soak would not have
		self.rare, self.lost = set(tests) - set(often), set(often) - set(tests)
		self.without = Without(SCENARIOS / f"{name}.without", SCENARIOS / "configs" / f"{self.config}.without")
		self.tests = [test for test in tests if test in programs and not self.without.leaves_out(test, None)]
		# An entry that is spelled out runs: nothing else would say that it does not.
		self.idle = [test for names in row[:2] for test in self.spelled(names) if test in programs and self.without.leaves_out(test, None)]
		self.skips = [(number, fields) for number, fields in rows(SCENARIOS / f"{name}.skips")]
		self.skipped = {fields[0].removeprefix("?") for _, fields in self.skips}

	@staticmethod
	def spelled(names):
		"""The programs that an entry names: all that run, or all that do not."""
		return [name for name in names.removeprefix("all but ").split() if name not in ("all", "=")]

	@classmethod
	def named(cls, names, programs):
		"""The programs that an entry stands for"""
		if names.split()[0] != "all":
			return names.split()
		return [program for program in programs if program not in cls.spelled(names)]

	def runs(self, program, case, often=False):
		"""Is that case scheduled here, and expected to run? With often, by make test?"""
		if program not in self.tests or often and program in self.rare:
			return False
		return not self.without.leaves_out(program, case) and f"{program}.{case}" not in self.skipped

	def wrong_skips(self, programs, unit_tests):
		"""Names that a run can never have."""
		for number, fields in self.skips:
			where = f"scenarios/{self.name}.skips:{number}"
			if len(fields) != 2 or not all(field.strip() for field in fields):
				yield f"{where}: not NAME<tab>REASON"
				continue
			name = fields[0].removeprefix("?")
			if name.startswith("KUnit."):
				if name not in unit_tests:
					yield f"{where}: no unit test is called '{name}'"
				continue
			program = next((test for test in self.tests if name == test or name.startswith(f"{test}.")), None)
			case = name.removeprefix(f"{program}.")
			if program is None:
				yield f"{where}: no self test that runs here has '{name}'"
			elif programs[program] is not None and (case not in programs[program] or self.without.leaves_out(program, case)):
				yield f"{where}: no case of {program} that runs here is called '{case}'"
			elif programs[program] is None and name != program and case not in (SOURCES / program).read_text(encoding="utf-8"):
				yield f"{where}: {program} has nothing that is called '{case}'"


def wrong_cases(name, programs, machines):
	"""What is not as it should be in tests/timed or tests/races"""
	for number, fields in rows(TOP / "tests" / name):
		where = f"tests/{name}:{number}"
		if len(fields) != 4 or not all(field.strip() for field in fields):
			yield f"{where}: not PROGRAM<tab>PATTERN ...<tab>SCENARIO ...<tab>HOW"
			continue
		program = fields[0]
		if program not in programs:
			yield f"{where}: no self test is called '{program}'"
			continue
		for pattern in fields[1].split():
			cases = fnmatch.filter(programs[program] or [], pattern) if pattern != "*" else [None]
			if not cases:
				yield f"{where}: no case of {program} is called '{pattern}'"
			for scenario in fields[2].split():
				if not any(machine.name == scenario and machine.runs(program, case) for machine in machines for case in cases):
					yield f"{where}: no case of {program} that is called '{pattern}' runs on {scenario}"


def wrong_switches(programs, machines):
	"""What is not as it should be in tests/switches"""
	defined = {name: path for path in sorted(TOP.glob("mm/*/*.c"))
		   for name in re.findall(r"^DEFINE_STATIC_KEY_\w+\((\w+)\)", path.read_text(encoding="utf-8"), re.MULTILINE)}
	named = set()
	for number, fields in rows(TOP / "tests/switches"):
		where = f"tests/switches:{number}"
		if len(fields) != 6 or not all(field.strip() for field in fields):
			yield f"{where}: not SWITCH<tab>KEY<tab>MACHINE<tab>PROGRAM<tab>CASE<tab>HOW"
			continue
		_, key, name, program, case, _ = fields
		named.add(key)
		machine = next((machine for machine in machines if machine.name == name), None)
		if key != "-" and key[0] != "(" and key not in defined:
			yield f"{where}: no file of ours defines the static key {key}"
		if case not in (programs.get(program) or []) or not machine or not machine.runs(program, case, often=True):
			yield f"{where}: no case of {program} that is called '{case}' runs on {name}"
		elif key != "-" and "\nCONFIG_JUMP_LABEL=y\n" not in (SCENARIOS / "configs" / f"{machine.config}.config").read_text(encoding="utf-8"):
			yield f"{where}: the kernel of {name} has no static branches"
	for key in sorted(defined.keys() - named):
		yield f"tests/switches: the static key {key} of {defined[key].relative_to(TOP)} is not there"


def wrong_marks(programs, machines, unit_tests):
	"""What is not as it should be in tests/marks"""
	for number, fields in rows(TOP / "tests/marks"):
		program, _, case = fields[0].partition(".")
		known = fields[0] in unit_tests or any(machine.runs(program, case, often=True) and case in (programs[program] or [])
						       for machine in machines)
		if len(fields) != 2 or not known:
			yield f"tests/marks:{number}: no case that runs anywhere is called '{fields[0]}', or it has no reason"


def wrong_rows(names, table):
	"""What is not as it should be in scenarios/tests"""
	for number, fields in table:
		if len(fields) != 4 or not all(field.strip() for field in fields):
			yield f"scenarios/tests:{number}: not MACHINE<tab>PROGRAM ...<tab>PROGRAM ...<tab>WHAT IT ADDS"
		elif fields[0] not in names:
			yield f"scenarios/tests:{number}: scenarios/list has no '{fields[0]}'"
	for name in names:
		count = sum(1 for _, fields in table if fields[0] == name)
		if count != 1:
			yield f"scenarios/tests: {count} rows for '{name}'"


def strays(names):
	"""Lists that belong to nothing, and machines that no list has"""
	for path in sorted(SCENARIOS.glob("*.conf")) + sorted(SCENARIOS.glob("*.without")) + sorted(SCENARIOS.glob("*.skips")):
		if path.stem not in names:
			yield f"{path.relative_to(TOP)}: scenarios/list has no '{path.stem}'"
	for path in sorted((SCENARIOS / "configs").glob("*.without")):
		if not (SCENARIOS / "configs" / f"{path.stem.removesuffix('-base')}.config").exists():
			yield f"{path.relative_to(TOP)}: no configuration is called '{path.stem}'"


def main():
	"""One result a question, and a comment for everything that is wrong."""
	names = [line.split()[0] for line in (SCENARIOS / "list").read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
	programs = {name: cases_of(name) for name in (PROGRAMS / "kselftest-list").read_text(encoding="utf-8").split()}
	unit_tests = {f"KUnit.{suite}.{case}" for source in (path.read_text(encoding="utf-8") for path in TOP.glob("mm/*/tests/*.c"))
		      for suite in re.findall(r'\.name = "(\w+)"', source) for case in re.findall(r"KUNIT_CASE\w*\((\w+)", source)}
	wanted = {name for line in re.findall(r"^TEST_(?:GEN_)?PROGS *[:+]?= *(.*)$", (SOURCES / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
		  for name in line.split()}
	table = list(rows(SCENARIOS / "tests"))
	row_of = {fields[0]: fields[1:] for _, fields in table if len(fields) == 4}
	machines = [Scenario(name, row_of[name], programs) for name in names if (SCENARIOS / f"{name}.conf").exists() and name in row_of]
	never = Without(SCENARIOS / "configs" / f"{CONFIG}.without")
	# Those of make test; the others are of another architecture.
	booted = [machine for machine in machines if machine.config in (CONFIG, "static-keys")]
	questions = {
		"every self test is built, those for 32 bits as well":
			[f"{name} is not" for name in sorted(wanted - programs.keys())],
		"every program that is no script lists its cases":
			[name for name, cases in programs.items() if not cases and not name.endswith(".sh")],
		"every machine is on the list, and has a list of its own only then":
			[f"{name}: no such file" for name in names if not (SCENARIOS / f"{name}.conf").exists()] + list(strays(names)),
		"every machine has one row of scenarios/tests":
			list(wrong_rows(names, table)),
		"every machine's kernel has the layer that it needs":
			[f"{machine.name}: {machine.config} is not on top of {machine.layer}" for machine in machines
			 if machine.layer not in layers(machine.config)],
		"every machine runs self tests that there are, and that it can run":
			[f"scenarios/tests: {machine.name}: {what} '{test}'" for machine in machines for what, tests in (
				("no self test is called", machine.unknown), ("make soak does not run", sorted(machine.lost)),
				("it can never run", machine.idle)) for test in tests],
		"what is left out is there":
			list(Without(*sorted(SCENARIOS.rglob("*.without"))).wrong(programs)),
		"what is expected to be skipped is there, and runs":
			[line for machine in machines for line in machine.wrong_skips(programs, unit_tests)],
		"what goes by time is there, and runs where it is said to":
			list(wrong_cases("timed", programs, machines)),
		"what is run for data races is there, and runs where it is said to":
			list(wrong_cases("races", programs, machines)),
		"every switch is there, with the test that flips it":
			list(wrong_switches(programs, machines)),
		"what is expected to fail is there, and runs":
			list(wrong_marks(programs, machines, unit_tests)),
		"every case runs on a machine":
			[f"{name}.{case}" if case else name for name, cases in programs.items() for case in cases or [None]
			 if not never.leaves_out(name, case) and not any(machine.runs(name, case, often=True) for machine in booted)],
	}
	tap = Tap(len(questions), dash=False)
	for question, answers in questions.items():
		for answer in answers:
			tap.comment(answer)
		tap.result(not answers, question)
	return tap.status()


if __name__ == "__main__":
	sys.exit(main())
