#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests how judge.py judges what was measured. Prints TAP."""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
from tap import print_results  # noqa: E402 - leaves nothing beside the sources

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "judge.py")
RUN = "normal:8:huge"
NORMAL = "normal:8"


def measured(share=60, promoted=(0, 5000, 10000), demoted=0, stalls=0, run=RUN, hot=95, arrived=10, spread=0, seeds=3, own=None):
    """What the guest prints of a run, at three times, for some seeds; from one to the next the share differs by the spread"""
    text = ""
    for seed in range(1, seeds + 1):
        now = share + spread * (seed - (seeds + 1) / 2)
        times = "".join(f"{90 * i:4d} s {now:12.1f} % {80:12.1f} % {4000:11d} {pages:9d} {demoted:9d}  100 ms\n"
                        for i, pages in enumerate(promoted))
        text += (f"run {run}:seed={seed}\n{times}summary distribution=normal huge=1 share={now:.1f} best=66.0 hot={hot} room=1 "
                 f"pages=131072 arrived={arrived} touches=36000000 kernel=1800 promoted={promoted[-1]} demoted={demoted}\n"
                 f"counted candidates=1 faults=1 stalls={stalls}" + (f" own={own + seed - 2}" if own else "") + "\n")
    return text


def judge(base, series, peer=None):
    """The exit status, what is printed, and the files that are left"""
    kernels = {"base": base, "6.12": peer, "series": series}
    with tempfile.TemporaryDirectory() as work:
        paths = []
        for name, text in kernels.items():
            if text:
                paths.append(f"{name}={os.path.join(work, name)}")
                with open(os.path.join(work, name), "w", encoding="ascii") as file:
                    file.write(text)
        done = subprocess.run([SCRIPT, work, *paths], check=False, stdout=subprocess.PIPE, text=True)
        return done.returncode, done.stdout, sorted(os.listdir(work))


def fails(words, base, series, peer=None):
    status, text, _ = judge(base, series, peer)
    return status == 1 and [line for line in text.splitlines() if "DOES NOT HOLD" in line and words in line] != []


def holds(words, base, series):
    status, text, _ = judge(base, series)
    return status == 0 and words in text and "DOES NOT HOLD" not in text


def says(words, base, series):
    return words in judge(base, series)[1]


RIVAL, FASTER = "normal:8:rival=1", "normal:8:rival=10"
SMALL, LARGE = (0, 1000, 2000), (0, 50000, 100000)
STUCK = (0, 1900, 2000)
TESTS = {
    "as good as the base": holds("beside base (+-0.0), not lower - holds", measured(), measured()),
    "a smaller share": fails("share", measured(share=60), measured(share=59)),
    "more pages moved for each percent": fails("pages moved", measured(promoted=SMALL), measured(promoted=LARGE)),
    "demoted pages count as well": fails("pages moved", measured(), measured(demoted=1)),
    "a base that has stopped is not compared with": holds("has stopped promoting", measured(promoted=STUCK), measured(promoted=LARGE)),
    "but its share is": fails("share", measured(promoted=STUCK, share=60), measured(promoted=LARGE, share=59)),
    "one page in a thousand is no stop": fails("pages moved", measured(promoted=(0, 1800, 2000)), measured(promoted=LARGE)),
    "a direct reclaim": fails("direct reclaims", measured(), measured(stalls=1)),
    "less than nine tenths of the best":
        fails("of the best share", measured(run="zipf:8", share=50), measured(run="zipf:8", share=59)),
    "cold pages on the fast node": fails("hot ones", measured(run="groups:8"), measured(run="groups:8", hot=89)),
    "a hot set that comes late": fails("until a new hot set", measured(run="shifting:8"), measured(run="shifting:8", arrived=40)),
    "a hot set that never comes": fails("until a new hot set", measured(run="shifting:8"), measured(run="shifting:8", arrived=0)),
    "more promotions than the base where all is alike": fails("promoted beside", measured(run="uniform:8", promoted=SMALL), measured(run="uniform:8")),
    "a smaller share than a peer": fails("beside 6.12", measured(share=58), measured(share=59), measured(share=60)),
    "more pages moved than a peer": fails("beside 6.12", measured(promoted=LARGE), measured(promoted=LARGE), measured(promoted=SMALL)),
    "better, but not by as much as seeds differ": fails("points beside base", measured(), measured(share=61, spread=2)),
    "better by more than seeds differ": holds("+3.0 points beside base (+-2.5)", measured(), measured(share=63, spread=1)),
    "seeds differ alike on both": holds("+1.0 points beside base (+-0.0)", measured(spread=5), measured(share=61, spread=5)),
    "one seed is not judged": holds("one seed, not judged", measured(seeds=1), measured(share=59, seeds=1)),
    "two that touch alike, with half each": holds("50.0 % of the pages that both have", measured(), measured(run=RIVAL, own=50)),
    "one of two that touch alike has less": fails("45 to 55", measured(), measured(run=RIVAL, own=46)),
    "one of two that touch alike has more": fails("45 to 55", measured(), measured(run=RIVAL, own=54)),
    "a faster one that leaves enough": holds("38.0 % of the pages that both have", measured(), measured(run=FASTER, own=38)),
    "a faster one that pushes the other out": fails("at least 35", measured(), measured(run=FASTER, own=36)),
    "two programs, one seed": holds("one seed, not judged", measured(), measured(run=FASTER, own=9, seeds=1)),
    "the mean, and its interval": says("90.9 +-3.8", measured(), measured(share=60, spread=1)),
    "what the program does, and the kernel": says(" 200000     1.2", measured(), measured()),
    "a run that only this kernel has": says("zipf:8", measured(), measured() + measured(run="zipf:8")),
    "each kernel over time": "\n".join(["       s    base    6.12  series    best", "       0    60.0    50.0    61.0    80.0"]) in
    judge(measured(run=NORMAL), measured(run=NORMAL, share=61), measured(run=NORMAL, share=50))[1],
    "the tables are left": judge(measured(), measured())[2] == ["base", "series", "tiering-time.csv", "tiering.csv"],
}

sys.exit(print_results(TESTS.items()))
