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
MACHINES = {"published": ((0, 1),), "two": ((0, 1),), "three": ((0, 1, 2),), "numa": ((0, 1), (2, 3))}
LISTS = ("plain", "general", "one", "shuffle", "blocks", "blocks+shuffle", "channels", "channels+blocks", "channels+shuffle")
PAGES = 16384


def commas(values):
    return ",".join(map(str, values))


def spread(machine, lists, thread):
    """Pages of one buffer: even where channels order the lists, else on one channel"""
    nodes = MACHINES[machine]
    channels = nodes[thread * len(nodes) // 4]
    pages = [0] * (sum(map(len, nodes)) + 1)
    if "channels" in lists and (machine != "published" or "blocks" in lists):
        for channel in channels:
            pages[channel] = PAGES // len(channels)
        pages[channels[0]] += PAGES - sum(pages)
    else:
        pages[channels[-1]] = PAGES
    return pages


def report(machine, lists, boot, buffer, movable, inside):
    nodes = MACHINES[machine]
    lines = [f"movable pages={movable}"]
    for number in range(8):
        pages = buffer(machine, lists, boot, number) or spread(machine, lists, number // 2)
        lines.append(f"buffer {number // 2} {('from', 'to')[number % 2]} pages={commas(pages)} run={1024 * boot}")
    kernel = [0] * (sum(map(len, nodes)) + 1)
    kernel[0] = 30
    kernel = commas(kernel)
    return lines + ["lockstep busiest=65536 of=131072", "apart busiest=98304 of=131072",
                    f"kernel slab={kernel} tables={kernel} other={kernel} inside={inside}"]


def judge(buffer=lambda *_: None, kernel="series", movable=None, inside=None, lose=None):
    """Status and table; buffer(machine, list, boot, number) gives other pages than usual, for the kernel that is named, as do movable
    and inside: {(machine, list): pages}. The boot LOSE loses its last lines."""
    with tempfile.TemporaryDirectory() as directory, tempfile.TemporaryDirectory() as target:
        def write(name, lines):
            with open(os.path.join(directory, name + ".log"), "w", encoding="ascii") as f:
                f.write("[ 1.0] booted\r\n" + "\r\n".join(lines[:4] if name == lose else lines) + "\r\ndone\r\n")

        for machine in MACHINES:
            for tested in ("base", "series"):
                for lists in LISTS if tested == "series" else LISTS[:3]:
                    for boot in range(1, 4 if "shuffle" in lists and "channels" not in lists else 2):
                        changed = tested == kernel
                        write(f"{machine}-{tested}-{lists}-copy-{boot}", report(
                            machine, lists, boot, buffer if changed else lambda *_: None,
                            (movable or {}).get((machine, lists), 153600), (inside or {}).get((machine, lists), 0)))
        write("published-series-blocks-fill-1", ["movable pages=153600"] + [f"fill percent={p} pages=75,25,0 run=2048" for p in (10, 50, 100)])
        write("two-series-channels-churn-1", ["movable pages=0"] + [f"churn minute={m} allocated={m} pages={pages},0 run=512"
                                                                   for m in (0, 15, 30, 45, 60) for pages in ("10240,6144", "8192,8192")])
        write("published-series-blocks-compact-1", ["movable pages=153600", "compact moved=1000 scanned=5000"])
        with open(os.path.join(directory, "published-series-blocks-compact-1.counts"), "w", encoding="ascii") as f:
            f.write("0 1 3000000\n0 7 4000000\n0 lines 12000000\n")
        result = subprocess.run([SCRIPT, directory, target], capture_output=True, text=True, check=False)
        return result.returncode, result.stdout, sorted(os.listdir(target))


def fails(words, **measured):
    status, text, _ = judge(**measured)
    return status == 1 and any("DOES NOT HOLD" in line and words in line for line in text.splitlines())


def one_buffer(machine, lists, pages):
    """The last of all buffers of these boots"""
    return lambda of, asked, boot, number: pages if (of, asked, number) == (machine, lists, 7) else None


def every_buffer(machine, lists, pages):
    return lambda of, asked, boot, number: pages if (of, asked) == (machine, lists) else None


def row(text, title, words):
    """The line that begins with these words in the table with this title"""
    lines = iter(text.splitlines())
    next(line for line in lines if line.startswith(title))
    return next((line for line in lines if line.strip().startswith(words)), "")


def drawn(_machine, lists, boot, _number):
    return [4096 * boot, PAGES - 4096 * boot, 0] if (_machine, lists) == ("two", "shuffle") else None


STATUS, TEXT, FILES = judge()
TESTS = {
    "what is promised": STATUS == 0 and "DOES NOT HOLD" not in TEXT,
    "the tables are left": FILES == ["channels.csv", "channels.txt"],
    "all on one channel takes as long as published": " 4.05 " in row(TEXT, "As published", "plain") and
                                                     row(TEXT, "As published", "plain").endswith("4.047"),
    "half on each takes half": " 2.02 " in row(TEXT, "Two channels", "channels "),
    "threads that are apart, and in step": "3.04               2.02" in row(TEXT, "Two channels", "channels "),
    "a third on each": "33.3  33.3  33.3" in row(TEXT, "Three channels", "channels "),
    "two nodes": "25.0  25.0  25.0  25.0" in row(TEXT, "Two nodes", "channels "),
    "median, least and most": "50 (25..75)  50 (25..75)" in row(judge(drawn)[1], "Two channels", "shuffle") and
                              "3.04 (2.02..3.04)" in row(judge(drawn)[1], "Two channels", "shuffle"),
    "accesses of the kernel": row(TEXT, "Modelled", "plain").split()[-3:] == ["3.68", "2.02", "3.68"],
    "instructions are those of all functions": row(TEXT, "Compaction", "blocks").split() == ["blocks", "1000", "5000", "7.0", "7000"],
    "churn": row(TEXT, "Churn", "channels").split() == ["channels", "0", "56.2", "43.8", "0.5", "8.0"] and
             row(TEXT, "Churn", "60 ").split() == ["60", "56.2", "43.8", "0.5", "8.0"],
    "a buffer a block from even": judge(one_buffer("two", "channels", [9216, 7168, 0]))[0] == 0,
    "a page more": fails("two, channels:", buffer=one_buffer("two", "channels", [9217, 7167, 0])),
    "away on the third channel": fails("three, channels:", buffer=one_buffer("three", "channels", [6200, 6200, 3984, 0])),
    "buffers that are even only together": fails("two, channels:", buffer=lambda machine, lists, boot, number: (
        [PAGES * (number % 2), PAGES * (1 - number % 2), 0] if (machine, lists) == ("two", "channels") else None)),
    "memory of the other node": fails("numa, channels:", buffer=one_buffer("numa", "channels", [8192, 8192, 0, 0, 0])),
    "memory on no channel": fails("two, channels:", buffer=one_buffer("two", "channels", [7000, 7000, 2384])),
    "zones that no order helps are not judged": not any("published, channels:" in line for line in TEXT.splitlines()),
    "blocks that are not even": fails("published, channels, blocks:", buffer=every_buffer("published", "channels+blocks", [PAGES, 0, 0])),
    "not even when shuffled": fails("two, channels, shuffle:", buffer=every_buffer("two", "channels+shuffle", [PAGES, 0, 0])),
    "plain memory on both": fails("two, plain:", buffer=every_buffer("two", "plain", [8192, 8192, 0])),
    "nine tenths on one": "two, plain: 90.0 % of a node's buffers are on one channel, at least 90 - holds" in
                          judge(every_buffer("two", "plain", [1638, 14746, 0]), "base")[1],
    "less than that": fails("two, plain: 90.0 %", kernel="base", buffer=every_buffer("two", "plain", [1639, 14745, 0])),
    "plain memory is not where the base has it": fails("shares are within", buffer=every_buffer("three", "plain", [PAGES, 0, 0, 0])),
    "600M is not either": fails("three, movablecore=600M:", buffer=every_buffer("three", "general", [PAGES, 0, 0, 0])),
    "a block that is too small": fails("numa, blocks: 599", movable={("numa", "blocks"): 153599}),
    "kernel memory in a block": fails("two, blocks: 1 page", inside={("two", "blocks"): 1}),
    "a boot without figures": judge(lose="numa-series-one-copy-1") == (1, "", []),
}

sys.exit(print_results(TESTS.items()))
