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
# Machine -> measurement -> (how many things, instructions of all of them, the longest stretch)
GOOD = {
    "sets": {"warm-up": (10, 999999, 9), "beside-none": (10, 10000, 700), "beside-a-million": (10, 11000, 900),
             "killed-a-million": (1000, 5000000, 9)},
    "rebind-base": {"rebind": (100, 100000, 9), "settling": (100, 1000, 9), "first-page": (100, 200000, 9)},
    "rebind": {"rebind": (100, 150000, 9), "settling": (100, 3000, 9), "first-page": (100, 900000, 9)},
    "rebind-2-base": {"rebind": (100, 1000000, 9)},
    "rebind-2": {"rebind": (100, 1200000, 9)},
    "move-base": {"move": (50, 50000, 9)},
    "move": {"move": (40, 48000, 9), "move-again": (50, 5000, 9)},
    "fold": {"fold-plain": (1, 60000, 100000), "fold-static": (1, 60000, 50000), "fold-relative": (1, 60000, 70000)},
    "write": {"write": (32, 640000000, 100000), "killed": (32, 20000000, 90000)},
}


def judge(**worse):
    """Status, table and files, where MACHINE has these measurements in place of the good ones"""
    with tempfile.TemporaryDirectory() as directory, tempfile.TemporaryDirectory() as target:
        for machine, measured in GOOD.items():
            measured = {**measured, **worse.get(machine, {})}
            path = os.path.join(directory, machine)
            with open(f"{path}.log", "w", encoding="ascii") as log, open(f"{path}.counts", "w", encoding="ascii") as counts:
                log.write("[ 0.1] booted\r\n")
                for index, (name, (count, total, longest)) in enumerate(measured.items()):
                    log.write(f"measured {name} index={index} of={count} clock=2000000\r\n")
                    counts.write(f"{index} 3 {total - 1}\n{index} 71 1\n{index} longest {longest}\n")
                log.write("done\r\n")
        result = subprocess.run([SCRIPT, directory, target], capture_output=True, text=True, check=False)
        return result.returncode, result.stdout, sorted(os.listdir(target))


def fails(words, **worse):
    """Does just the promise with these words not hold?"""
    code, text, _ = judge(**worse)
    broken = [line for line in text.splitlines() if "DOES NOT HOLD" in line]
    return code == 1 and len(broken) == 1 and words in broken[0]


STATUS, TEXT, FILES = judge()
TESTS = {
    "figures at their limits": STATUS == 0 and "DOES NOT HOLD" not in TEXT,
    "the tables are left": FILES == ["tenants.csv", "tenants.txt"],
    "a figure is that of one thing": any(line.split() == "mbind2, 64 nodes 1,200".split() for line in TEXT.splitlines()),
    "the clock is in milliseconds": any(line.split()[-1:] == ["2"] and "killed, with 32" in line for line in TEXT.splitlines()),
    "a call beside a million sets": fails("beside a million", sets={"beside-a-million": (10, 11010, 900)}),
    "fewer calls for the same": fails("beside a million", sets={"beside-a-million": (9, 11000, 900)}),
    "moving a task": fails("moving a task", **{"rebind-2": {"rebind": (100, 1200100, 9)}}),
    "moving a page": fails("moving a page", move={"move": (40, 48040, 9)}),
    "fewer pages for the same": fails("moving a page", move={"move": (39, 48000, 9)}),
    "a lock that is held for a rebind": fails("a lock is held", fold={"fold-plain": (1, 60000, 100001)}),
    "a lock that is held for a relative one": fails("a lock is held", fold={"fold-relative": (1, 60000, 100001)}),
    "a lock that is held in a full tree": fails("a lock is held", sets={"beside-a-million": (10, 11000, 100001)}),
    "a writer who cannot be preempted": fails("a writer of weights", write={"write": (32, 640000000, 100001)}),
}

sys.exit(print_results(TESTS.items()))
