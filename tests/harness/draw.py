#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests scripts/test/draw.py: what each rule makes of a function, that the lot goes by the seed alone, and Wilson's interval. Prints TAP."""
import collections
import pathlib
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(TOP / "scripts" / "lib"), str(TOP / "scripts" / "test")]
from draw import RULES, Places, wilson  # noqa: E402 - leaves nothing beside the sources
from tap import print_results  # noqa: E402

SOURCE = """/* if (a < b) return 1; */
#define LARGEST	7
static const int table[] = {
	3, 4
};

static int first(struct thing *thing, unsigned int flags)
{
	int count = 0; /* a == b */
	char *text = "1 < 2 && f(a, b);";

	if (thing->count < 0x10 && flags == GFP_KERNEL)
		take(thing, flags | 0644);
	err = begin(thing, __GFP_NOWARN | __GFP_THISNODE);
	if (err)
		return err;
	spin_lock(&thing->lock);
	thing->count += 2;
	spin_unlock(&thing->lock);
	return thing->large ?
		many(thing) :
		few(thing);
}

void second(void)
{
	thing_put();
}
"""
# RULE -> what becomes of the lines, without blanks before them
WANTED = {
    "boundary": ["if (thing->count <= 0x10 && flags == GFP_KERNEL)"],
    "turned": ["if (thing->count >= 0x10 && flags == GFP_KERNEL)", "if (thing->count < 0x10 && flags != GFP_KERNEL)"],
    "constant": ["int count = 1; /* a == b */", "if (thing->count < 17 && flags == GFP_KERNEL)",
                 "if (thing->count < 32 && flags == GFP_KERNEL)", "thing->count += 3;", "thing->count += 4;"],
    "connective": ["if (thing->count < 0x10 || flags == GFP_KERNEL)"],
    "negated": ["if (!(thing->count < 0x10 && flags == GFP_KERNEL))", "if (!(err))"],
    "left-out": [";", ";", ";", ";", ";"],
    "flag": ["err = begin(thing, __GFP_NOWARN);", "err = begin(thing, __GFP_THISNODE);"],
    "arguments": ["take(flags | 0644, thing);", "err = begin(__GFP_NOWARN | __GFP_THISNODE, thing);"],
    "error": ["if (0 && (err))"],
    "lock": ["spin_unlock(&thing->lock);\n\tthing->count += 2;"],
}


def made(rule, function="first"):
    return [new.lstrip() for _, _, _, new in Places.of_file(SOURCE)[function].get(rule, [])]


def in_place():
    """Each old text stands where it is said to, and the number of lines stays"""
    lines = SOURCE.split("\n")
    return all("\n".join(lines[first - 1:first - 1 + count]) == old and new.count("\n") == old.count("\n")
               for rules in Places.of_file(SOURCE).values() for places in rules.values() for first, count, old, new in places)


def drawn(seed, count, rooms=("one", "two"), again=0, base="a"):
    with tempfile.TemporaryDirectory() as work:
        for room, files in (("one", 1), ("two", 3)):
            directory = pathlib.Path(work) / "mm" / room
            directory.mkdir(parents=True)
            for number in range(files):
                (directory / f"file{number}.c").write_text(SOURCE, encoding="utf-8")
        (pathlib.Path(work) / "mm" / "two" / "empty.c").write_text("int nothing;\n", encoding="utf-8")
        own = pathlib.Path(work) / "bases" / "b" / "files" / "mm" / "one"
        own.mkdir(parents=True)
        (own / "own.c").write_text(SOURCE, encoding="utf-8")
        places = Places(pathlib.Path(work), rooms, base)
        return [places.draw(seed, number, again) for number in range(count)]


def files_drawn(base):
    return {fault["file"] for fault in drawn(1, 200, ("one",), base=base)}


def evenly(field, count, rooms=("one", "two")):
    """Whether of 2000 each of so many has its share, but for five deviations"""
    counted = collections.Counter(fault[field] for fault in drawn(1, 2000, rooms))
    share = 2000 / count
    return len(counted) == count and all(abs(value - share) < 5 * share ** 0.5 for value in counted.values())


TESTS = {f"rule: {rule}": made(rule) == WANTED[rule] for rule in RULES}
TESTS.update({
    "a function of one statement": Places.of_file(SOURCE)["second"] == {"left-out": [(27, 1, "\tthing_put();", "\t;")]},
    "functions alone have places": sorted(Places.of_file(SOURCE)) == ["first", "second"],
    "lines stay where they are": in_place(),
    "the same seed draws the same": drawn(3, 50) == drawn(3, 50),
    "more of a seed begin with the same": drawn(3, 50)[:20] == drawn(3, 20),
    "another seed draws others": drawn(3, 50) != drawn(4, 50),
    "one that is no good is drawn again": drawn(3, 50) != drawn(3, 50, again=1),
    "rooms evenly": evenly("room", 2),
    "files of the base alone": files_drawn("b") == {"mm/one/file0.c", "bases/b/files/mm/one/own.c"},
    "none of another base": files_drawn("a") == {"mm/one/file0.c"},
    "files of a room evenly": evenly("file", 3, ("two",)),
    "functions evenly": evenly("function", 2, ("one",)),
    "a room alone": {fault["room"] for fault in drawn(1, 50, ("two",))} == {"two"},
    "the interval of 54 in 60": [f"{bound:.1f}" for bound in wilson(54, 60)] == ["79.9", "95.3"],
    "the interval of all": [f"{bound:.1f}" for bound in wilson(60, 60)] == ["94.0", "100.0"],
    "the interval of nothing": wilson(0, 0) == (0, 100),
})

sys.exit(print_results(TESTS.items()))
