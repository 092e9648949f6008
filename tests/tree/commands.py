#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The commands of the README, its pages, guides and manual pages, held against tests/commands, which says where each runs. Prints TAP.

usage: commands.py [--place PLACE] [DIRECTORY]
  --place     prints those of that place instead, "COMMAND<tab>PATTERN" a line, in the order of the table
  DIRECTORY   another checkout

Commands are what stands in a block of a page that begins with ```sh, behind a prompt in a guide's literal block, and behind one in a manual
page's example. What follows two spaces and # is a remark.
"""

import os
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/lib"))
from tap import Tap  # noqa: E402 - leaves nothing beside the sources

# What begins a line that is to be typed, though nothing says so
TYPED = re.compile(r"(sudo |\$ |# )?(make|git|echo|cat|grep|sysctl|sync|mpolctl|bwactl|numactl|dmesg|apt-get)\s")
# A fence of a page, and what it says of the block
FENCE = re.compile(r"\s*```(\w*)$")
# Words of a line of a manual page that are set in turn in two fonts
WORDS = re.compile(r'"([^"]*)"|(\S+)')


def joined(lines):
	"""Lines that end with a backslash, with those that follow; without remarks and what is around them."""
	rest = ""
	for line in lines:
		line = re.sub(r"(^|\s{2,})# .*", "", rest + line.strip()).strip()
		if line.endswith("\\"):
			rest = line[:-1].rstrip() + " "
			continue
		rest = ""
		if line:
			yield line


def of_page(text):
	"""The commands of a page in Markdown, and what is wrong with it."""
	kind = None
	lines = []
	for line in text.splitlines():
		fence = FENCE.match(line)
		if not fence:
			if kind == "sh":
				lines.append(line)
			elif kind and TYPED.match(line.strip()) and not re.search(r"\S {2,}[^ #]", line):
				yield None, f"a command in a block of '{kind}': {line.strip()}"
			continue
		if kind is None:
			kind = fence[1] or "nothing"
			if kind == "nothing":
				yield None, "a block does not say what it holds: sh, text or another language"
		else:
			kind = None
	for command in joined(lines):
		yield command, None


def of_guide(text):
	"""The commands of a guide in reStructuredText: lines of literal blocks with a prompt."""
	depth = None
	lines = []
	for line in text.splitlines():
		indent = len(line.expandtabs()) - len(line.expandtabs().lstrip())
		if depth is not None and line.strip() and indent <= depth:
			depth = None
		if depth is not None and re.match(r"[$#] ", line.strip()):
			lines.append(line.strip()[2:])
		elif depth is not None and lines and lines[-1].endswith("\\"):
			lines.append(line)
		if depth is None and line.rstrip().endswith("::") and not line.startswith(".. "):
			depth = indent
	for command in joined(lines):
		yield command, None
	# A literal block of commands without prompts reads as a file.
	for block in re.findall(r"::\n\n((?:\t.*\n|\n)+)", text):
		if not re.search(r"^\s*[$#] ", block, re.MULTILINE):
			for line in block.splitlines():
				if TYPED.match(line.strip()):
					yield None, f"a command without a prompt: {line.strip()}"


def of_manual(text):
	"""The commands of a manual page: lines of examples that begin with a prompt."""
	example = False
	lines = []
	for line in text.splitlines():
		if line in (".EX", ".EE"):
			example = line == ".EX"
		elif example:
			if line.startswith("."):
				line = "".join(quoted or word for quoted, word in WORDS.findall(line)[1:])
			line = line.replace("\\-", "-").replace("\\&", "")
			if re.match(r"[$#] ", line):
				lines.append(line[2:])
	for command in joined(lines):
		yield command, None


KINDS = ((("README.md", "Documentation/*.md"), of_page), (("Documentation/admin-guide/mm/*.rst",), of_guide),
	 (("tools/mm/placement/man/*.[0-9]",), of_manual))


def rows(top):
	"""The lines of the table with their numbers."""
	for number, line in enumerate((top / "tests/commands").read_text(encoding="utf-8").splitlines(), 1):
		if not line.startswith("#"):
			yield number, line.split("\t")


def shape(top):
	"""What is wrong with the table as such."""
	seen = {}
	for number, fields in rows(top):
		where = f"tests/commands, line {number}"
		if len(fields) not in (2, 3) or not all(fields[:2]):
			yield f"{where}: {len(fields)} columns"
			continue
		if fields[1] in seen:
			yield f"{where}: '{fields[1]}' is in line {seen[fields[1]]}, too"
		seen[fields[1]] = number
		kind, _, name = fields[0].partition(" ")
		if kind == "machine":
			if not (top / f"scenarios/{name}.conf").exists():
				yield f"{where}: there is no machine {name}"
		elif kind == "by":
			if not (top / name).is_file():
				yield f"{where}: there is no {name}"
		elif fields[0] not in ("numactl", "host", "debian", "hand"):
			yield f"{where}: '{fields[0]}' is not a place"
		elif kind == "hand" and len(fields) < 3:
			yield f"{where}: says no reason"


def main(arguments):
	"""Prints commands, or TAP."""
	place = None
	if arguments[:1] == ["--place"]:
		place = arguments[1]
		arguments = arguments[2:]
	top = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parents[2]).resolve()
	if place:
		for _, fields in rows(top):
			if fields[0] == place:
				print("\t".join([*fields[1:], ""][:2]))
		return 0

	found, wrong = {}, []
	for globs, kind in KINDS:
		for page in sorted({page for glob in globs for page in top.glob(glob)}):
			for command, error in kind(page.read_text(encoding="utf-8")):
				name = page.relative_to(top)
				if error:
					wrong.append(f"{name}: {error}")
				else:
					found.setdefault(command, name)
	tap = Tap(4)

	def judge(name, wrong):
		tap.result(not wrong, name)
		for line in wrong:
			tap.comment(line)

	judge("blocks of the pages say what is typed", wrong)
	judge("each row of tests/commands says where", list(shape(top)))
	table = {fields[1] for _, fields in rows(top) if len(fields) > 1}
	judge("each command of the pages is in tests/commands", [f"{name}: {command}" for command, name in found.items() if command not in table])
	judge("what is in tests/commands is in a page", sorted(table - set(found)))
	return tap.status()


if __name__ == "__main__":
	sys.exit(main(sys.argv[1:]))
