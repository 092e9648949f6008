#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes the table of run.sh: judge.py DIRECTORY TARGET

The exit status is 1 when a user's policies cost another user more than they may, when moving a task or its pages costs too much beside the
base, or when something is held for too long.
"""
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
from figures import status, verdict, write_csv, write_text  # noqa: E402 - leaves nothing beside the sources

# The most that a call may cost beside another user's million sets, times what it costs without
BESIDE = 1.1
# The most that a mapping's rebind and a page's move may cost, times the base's
OVER_BASE = 1.2
# The most instructions in which nobody else runs: with a lock held, and without a point where a task can be preempted
HELD = 100000

NOTES = """\
Machines with one processor; time is instructions, one a nanosecond. Counted is all that the kernel executes, timer ticks included.
Calls beside others: mbind2() of a mapping with weights that nobody has, in a memory cgroup, on 8 nodes; the million sets are in another
one, and each has a mapping of its own. Rebind: cpuset.mems of a task with 65,000 mappings over 8 of 16 nodes, each with other weights,
becomes the 8 other nodes. The base has MPOL_INTERLEAVE there. With cgroup 1 (cpuset.memory_migrate is 0) nothing else is done, and it
is not judged; with cgroup 2 the kernel looks for pages to move as well. First pages are those of the mappings, asked for one after the
other; each completes the policy. What is freed later are sets and orders, a grace period afterwards, ticks included. Move: 8,192 pages
of one node, and mbind2() with MPOL_MF_MOVE takes them to where 64 nodes with weights of 1 to 8 want them, the base's mbind() to two
others. Then once more, when all are in their place, which is the walk alone. Longest stretch: from taking a lock to releasing it, with
weights of 254 and 255 on 64 nodes; for a write, between two points where the writer can be preempted. 32 sets over 64 nodes follow the
weight that is written, with rounds of 16,000 pages. Killed: from the signal until the writer has gone, its last order among it; the
sets that are left lose their orders."""


class Boot:
    """What one machine said and executed: measurement -> value"""
    def __init__(self, directory, name):
        with open(os.path.join(directory, f"{name}.log"), errors="replace") as file:
            said = re.findall(r"^measured (\S+) index=(\d+) of=(\d+) clock=(\d+)", file.read().replace("\r", ""), re.M)
        totals, longest = {}, {}
        with open(os.path.join(directory, f"{name}.counts"), encoding="ascii") as file:
            for line in file:
                index, what, count = line.split()
                if what == "longest":
                    longest[index] = int(count)
                else:
                    totals[index] = totals.get(index, 0) + int(count)
        self.total = {what: totals[index] for what, index, _, _ in said}
        self.each = {what: totals[index] / int(count) for what, index, count, _ in said}
        self.longest = {what: longest.get(index) for what, index, _, _ in said}
        self.clock = {what: int(clock) / 1e6 for what, _, _, clock in said}


def main():
    directory, target = sys.argv[1:]
    names = "sets rebind rebind-base rebind-2 rebind-2-base move move-base fold write".split()
    sets, rebind, rebind_base, rebind_2, rebind_2_base, move, move_base, fold, write = (Boot(directory, name) for name in names)
    alone, beside = sets.each["beside-none"], sets.each["beside-a-million"]
    kinds = ("plain", "static", "relative")
    rows = (
        ("A call of another user, instructions",
         (("mbind2, a new set, beside none", alone), ("the same beside a million sets", beside))),
        ("A task is moved to other nodes, instructions a mapping",
         (("cgroup 1: mbind, interleave, on the base", rebind_base.each["rebind"]),
          ("cgroup 1: mbind2, own weights", rebind.each["rebind"]),
          ("cgroup 2: mbind, interleave, on the base", rebind_2_base.each["rebind"]),
          ("cgroup 2: mbind2, own weights", rebind_2.each["rebind"]),
          ("what is freed later, base", rebind_base.each["settling"]), ("what is freed later, own weights", rebind.each["settling"]),
          ("first page afterwards, base", rebind_base.each["first-page"]),
          ("first page afterwards, own weights", rebind.each["first-page"]))),
        ("Pages are moved, instructions a page",
         (("mbind, two nodes, on the base", move_base.each["move"]), ("mbind2, 64 nodes", move.each["move"]),
          ("mbind2, all in their place", move.each["move-again"]))),
        ("Longest stretch, instructions",
         tuple((f"rebind of one policy, 64 nodes, {kind}", fold.longest[f"fold-{kind}"]) for kind in kinds) +
         (("finding or adding a set, beside none", sets.longest["beside-none"]),
          ("finding or adding a set, beside a million", sets.longest["beside-a-million"]),
          ("writing a weight, 64 nodes", write.longest["write"]))),
        ("A writer of weights, thousand instructions",
         (("one set of 64 nodes, round of 16,000", write.each["write"] / 1e3),
          ("killed, with 32 such sets", write.total["killed"] / 1e3),
          ("killed, with a million sets of 8 nodes", sets.total["killed-a-million"] / 1e3))),
        ("The same, milliseconds of the machine's clock",
         (("killed, with 32 such sets", write.clock["killed"]),
          ("killed, with a million sets of 8 nodes", sets.clock["killed-a-million"]))),
    )
    lines = []
    for title, figures in rows:
        lines += [title] + [f"  {name:44}{figure:14,.0f}" for name, figure in figures] + [""]
    lines += NOTES.split("\n") + [""]

    def at_most(figure, limit, words):
        return figure <= limit, f"{words}: {figure:.3g}, at most {limit:g}"

    held = max([fold.longest[f"fold-{kind}"] for kind in kinds] + [sets.longest[f"beside-{what}"] for what in ("none", "a-million")])
    promises = [at_most(beside / alone, BESIDE, "a call beside a million sets, times one beside none"),
                at_most(rebind_2.each["rebind"] / rebind_2_base.each["rebind"], OVER_BASE, "moving a task, cgroup 2, times the base"),
                at_most(move.each["move"] / move_base.each["move"], OVER_BASE, "moving a page, times the base"),
                at_most(held / 1e3, HELD / 1e3, "a lock is held for so many thousand instructions"),
                at_most(write.longest["write"] / 1e3, HELD / 1e3,
                        "thousand instructions of a writer of weights between two points where it can be preempted")]
    lines += [verdict(*promise) for promise in promises]
    write_text(os.path.join(target, "tenants.txt"), lines)
    write_csv(os.path.join(target, "tenants.csv"), ("table", "figure", "value"),
              ((title, name, f"{figure:.2f}") for title, figures in rows for name, figure in figures))
    print("\n".join(lines))
    return status(promises)


if __name__ == "__main__":
    sys.exit(main())
