#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The numbers of the README, its pages, guides and manual pages, held against tests/numbers, which says where each is from. Prints TAP.

usage: claims.py [DIRECTORY]
  DIRECTORY   another checkout

A number is meant here that claims something. It has
  - a measure behind it: %, a speed, a time, GHz, instructions, times, points, cases, pages moved, k, million, billion; in "8 and 16 MB/s"
    and "201 to 209 GB/s" both numbers have it; or
  - a point, and is no version: Linux has 6 and a number, others follow the name of what they are of; or
  - a comma between its thousands.
So sizes, options, addresses, weights and what is written out are none, nor is what stands in a page's block of commands or behind a prompt.

It is the same as another one that, rounded to as many digits, is it; zeros at its end are no digits where "about" or "some" is before it.
What is in k, million or billion may be written out at the other place, and GB/s may be G or M there.
"""

import ast
import operator
import os
import pathlib
import re
import sys
from fractions import Fraction

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../scripts/lib"))
from commands import FENCE, KINDS, WORDS  # noqa: E402 pylint: disable=wrong-import-position
from tap import Tap  # noqa: E402 - leaves nothing beside the sources

TABLE = "tests/numbers"
FIGURES = "Documentation/mm/memory-placement-figures.rst"

THOUSANDS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?"
NUMBER = rf"(?:{THOUSANDS}|\d+(?:\.\d+)?)"
# What does not begin inside of a word, a version, a ratio, a path or an option
ALONE = r"(?<![\w.,:=@/+-])"
CLAIM = re.compile(rf"""{ALONE}(?<!node\s)(?P<chain>{NUMBER}(?:\s?(?:[/,-]|to|and|or)\s?{NUMBER})*)
	(?:\s?%|(?P<thousand>k)\b|\s(?:(?P<speed>[GMK]i?B/s)|[GMK]i?B\ a\ second|GHz|ns|µs|ms|s|seconds?|minutes?|hours?
	|instructions|times|points?|cases|pages\ moved|(?P<large>million|billion))(?!\w))
	|{ALONE}(?<!Linux\s)(?<!QEMU\s)(?<!PCIe\s)(?<!numactl\s)(?P<bare>{THOUSANDS}|(?!6\.)\d+\.\d+)(?!\w|\.\d)""", re.VERBOSE)
SCALES = {"k": 10 ** 3, "M": 10 ** 6, "G": 10 ** 9, "million": 10 ** 6, "billion": 10 ** 9}
# A number of what is held against, and what it may be a multiple of
OTHER = re.compile(rf"({NUMBER})(?:\s?(k|M|G|million|billion)\b)?")
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


def plain(text):
	"""TEXT without markup of emphasis, in one line."""
	return " ".join(re.sub(r"[*`]", "", text).split())


def of_page(text):
	"""A page in Markdown without its blocks of commands."""
	kind = None
	for line in text.splitlines():
		fence = FENCE.match(line)
		if fence:
			kind = None if kind else fence[1] or "nothing"
		elif kind != "sh":
			yield line


def of_guide(text):
	"""A guide in reStructuredText without what is behind a prompt."""
	return re.sub(r"^\s+[$#] (?:.*\\\n)*.*\n", "", text, flags=re.MULTILINE).splitlines()


def of_manual(text):
	"""A manual page without macros and what is behind a prompt."""
	for line in text.replace("\\-", "-").replace("\\ ", "\N{NO-BREAK SPACE}").replace("\\&", "").splitlines():
		if line.startswith("."):
			words = [quoted or word for quoted, word in WORDS.findall(line)]
			line = "" if words[0] in (".\\\"", ".TH") else ("" if re.match(r"\.[BIR]{2}$", words[0]) else " ").join(words[1:])
		if not re.match(r"[$#] ", line):
			yield line


def claims(text):
	"""The claims of TEXT: where each is, and its numbers, with half of the last digit, what they are multiples of and whether they are so."""
	for match in CLAIM.finditer(text):
		large = match["thousand"] or match["large"]
		scale = SCALES.get(large or (match["speed"] or "-")[0], 1)
		about = re.search(r"\b([Aa]bout|[Ss]ome) $", text[:match.start()])
		numbers = []
		for number in re.findall(NUMBER, match["chain"] or match["bare"]):
			digits = number.replace(",", "")
			zeros = len(digits) - len(digits.rstrip("0")) if about and "." not in digits else 0
			half = Fraction(10) ** (zeros - len(digits.partition(".")[2])) / 2
			numbers.append((number, Fraction(digits), half, scale, large))
		yield match, numbers


def evaluate(node):
	"""The value of an arithmetic expression; ValueError when it is none."""
	if isinstance(node, ast.Expression):
		return evaluate(node.body)
	if isinstance(node, ast.Constant) and type(node.value) in (int, float):
		return Fraction(str(node.value))
	if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
		return OPERATORS[type(node.op)](evaluate(node.left), evaluate(node.right))
	raise ValueError


def values(top, kind, path, needle):
	"""What NEEDLE has: values, each with what it may be a multiple of; ValueError says what is wrong with it."""
	if kind == "sum":
		try:
			return [(evaluate(ast.parse(needle, mode="eval")), 1)]
		except (SyntaxError, ValueError, ZeroDivisionError):
			raise ValueError(f"'{needle}' is no arithmetic") from None
	if not (top / path).is_file():
		raise ValueError(f"there is no {path}")
	if re.fullmatch(NUMBER, needle):
		raise ValueError(f"'{needle}' does not say what its numbers are")
	if not any(needle in " ".join(line.split()) for line in (top / path).read_text(encoding="utf-8").splitlines()):
		raise ValueError(f"'{needle}' is in no line of {path}")
	return [(Fraction(number.replace(",", "")), SCALES.get(scale, 1)) for number, scale in OTHER.findall(needle)]


def same(claimed, other):
	"""Is the number that a page claims OTHER, rounded?"""
	_, number, half, scale, large = claimed
	value, multiple = other
	return abs(value * multiple / scale - number) <= half or not large and abs(value - number) <= half


def refuted(top, fields, claimed):
	"""What is wrong with a row's source, of which are CLAIMED."""
	kind, _, path = fields[0].partition(" ")
	found = []
	for needle in fields[3:]:
		try:
			found.append(values(top, kind, path or FIGURES, " ".join(needle.split())))
		except ValueError as error:
			yield str(error)
			return
		if not any(same(number, other) for number in claimed for other in found[-1]):
			yield f"'{needle}' says none of its numbers"
	for number in claimed:
		if not any(same(number, other) for others in found for other in others):
			yield f"{number[0]} is not in '{' and '.join(fields[3:])}'"


def misshapen(fields):
	"""What is wrong with a row as such, or nothing."""
	kind, _, path = fields[0].partition(" ")
	if kind not in ("figures", "file", "sum", "example", "hand"):
		return f"'{fields[0]}' is not a source"
	if bool(path) != (kind == "file"):
		return f"'{fields[0]}': a file, and only that, has a path"
	least, most = {"example": (3, 3), "hand": (4, 4)}.get(kind, (4, 99))
	if not least <= len(fields) <= most or not all(fields):
		return f"{len(fields)} columns"
	return None


def read(top):
	"""The pages, NAME -> text, and the rows of the table, each with where it is."""
	pages = {}
	for (globs, _), without in zip(KINDS, (of_page, of_guide, of_manual)):
		for glob in globs:
			found = sorted(top.glob(glob))
			if not found:
				sys.exit(f"claims.py: there is no {glob} in {top}")
			for page in found:
				pages[str(page.relative_to(top))] = plain("\n".join(without(page.read_text(encoding="utf-8"))))
	if not (top / TABLE).is_file():
		sys.exit(f"claims.py: there is no {TABLE} in {top}")
	lines = enumerate((top / TABLE).read_text(encoding="utf-8").splitlines(), 1)
	return pages, [(f"{TABLE}, line {number}", line.split("\t")) for number, line in lines if not line.startswith("#")]


def main(arguments):
	"""Prints TAP."""
	top = pathlib.Path(arguments[0] if arguments else pathlib.Path(HERE).parents[1]).resolve()
	pages, rows = read(top)
	found = {page: list(claims(text)) for page, text in pages.items()}
	covered = {page: set() for page in pages}
	shape, away, wrong = [], [], []
	for where, fields in rows:
		error = misshapen(fields)
		if error:
			shape.append(f"{where}: {error}")
			continue
		page, text = fields[1], plain(fields[2])
		count = pages.get(page, "").count(text)
		if count != 1:
			away.append(f"{where}: '{text}' is {count} times in {page}")
			continue
		begin = pages[page].index(text)
		inside = [(match, numbers) for match, numbers in found[page] if begin <= match.start() and match.end() <= begin + len(text)]
		if not inside:
			away.append(f"{where}: '{text}' has no number that needs it")
		covered[page].update(match.start() for match, _ in inside)
		if fields[0] not in ("example", "hand"):
			claimed = [number for _, numbers in inside for number in numbers]
			wrong += [f"{where}: {error}" for error in refuted(top, fields, claimed)]
	missing = [f"{page}: '{match[0].strip()}' of '{pages[page][max(0, match.start() - 40):match.end() + 20]}'"
		   for page, matches in found.items() for match, _ in matches if match.start() not in covered[page]]

	tap = Tap(4)
	for name, errors in (("each row of tests/numbers says where its numbers are from", shape),
			     ("each number of the pages is in tests/numbers", missing),
			     ("what is in tests/numbers is in its page, once", away),
			     ("what stands behind the numbers says the same", wrong)):
		tap.result(not errors, name)
		for line in errors:
			tap.comment(line)
	return tap.status()


if __name__ == "__main__":
	sys.exit(main(sys.argv[1:]))
