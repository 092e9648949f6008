#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests how judge.py sums up and judges what was measured. Prints TAP."""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
from tap import print_results  # noqa: E402 - leaves nothing beside the sources

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "judge.py")
MODES = ("base", "balancing", "off", "direct", "lazy")


def judge(near=None, followed=None, instructions=None):
    """Status and table, where three long runs of MODE have these percents, and MODE counts something, or takes these instructions"""
    with tempfile.TemporaryDirectory() as directory, tempfile.TemporaryDirectory() as target:
        for mode in MODES:
            for work in ("stream", "compile", "pool"):
                for run in (1, 2, 3):
                    percent = (near or {}).get(mode, (98, 99, 97))[run - 1] if work == "stream" else 50
                    name = os.path.join(directory, f"{mode}-{work}-{run}")
                    with open(name + ".log", "w", encoding="ascii") as f:
                        f.write(f"[ 1.0] booted\r\n{work} {mode} moves={run} migrated=1000 followed={(followed or {}).get(mode, 0)} "
                                f"near={percent * 10} of=1000\r\ndone\r\n")
                    with open(name + ".counts", "w", encoding="ascii") as f:
                        f.write(f"0 1 3000000\n0 7 {(instructions or {}).get(mode, 4000000)}\n0 lines 12000000\n")
        result = subprocess.run([SCRIPT, directory, target], capture_output=True, text=True, check=False)
        return result.returncode, result.stdout, sorted(os.listdir(target))


def fails(words, **measured):
    status, text, _ = judge(**measured)
    return status == 1 and any("DOES NOT HOLD" in line and words in line for line in text.splitlines())


FAR = (60, 60, 60)
STATUS, TEXT, FILES = judge({"off": FAR}, {"direct": 5, "lazy": 5})
TESTS = {
    "memory that follows": STATUS == 0 and "DOES NOT HOLD" not in TEXT,
    "median, least and most": "98.0 (97.0..99.0)" in TEXT and "2 (1..3)" in TEXT,
    "figures that do not differ stand alone": "60.0\n" not in TEXT and " 60.0 " in TEXT,
    "instructions are those of all functions, in millions": any(line.rstrip().endswith(" 7") for line in TEXT.splitlines()),
    "the tables are left": FILES == ["migration.csv", "migration.txt"],
    "something follows while it is off": fails("off:", followed={"off": 1}),
    "something is counted on the base": fails("off:", followed={"base": 1}),
    "direct leaves memory behind": fails("direct:", near={"off": FAR, "direct": (94, 94, 99)}),
    "lazy leaves memory behind": fails("lazy:", near={"off": FAR, "lazy": (94, 94, 99)}),
    "two billion instructions a gigabyte": judge({"off": FAR}, None, {"direct": 11600000})[0] == 0,
    "more of them": fails("gigabyte", near={"off": FAR}, instructions={"direct": 11700000}),
    "no better than off": fails("direct:", near={"off": (99, 99, 99), "direct": (98, 98, 98)}),
}

sys.exit(print_results(TESTS.items()))
