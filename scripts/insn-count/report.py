#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes the tables of insn-count.sh from what its virtual machines left.

usage: report.py [--gate] DIRECTORY

Prints the table and writes it to DIRECTORY: instructions.txt, instructions.csv
and, function by function, functions.csv. With --gate prints TAP instead, the
table as comments, and exits 1 when a figure is above its limit.
"""

import collections
import csv
import os
import re
import statistics
import sys

KERNELS = {"default-base": "base", "default": "with series"}
NODES = (2, 16)
MARGIN = 5            # instructions a weighted mapping may add to a plain one
DEFAULT_MARGIN = 2    # and to the default policy
OWN_MARGIN = 3        # own weights to global ones

NOTES = """\
Policy code: instructions executed in mm/mempolicy.c, mm/interleave and the
bitmap helpers, for one anonymous page fault; above the default policy's, whose
own figure is the first line. Whole kernel: the same for all functions; this
mean also holds LRU batching, the page allocator's refills and timer ticks, and
moves with the memory of the nodes. Medians of {runs} runs over {faults} faults
after one run that is not counted. A count of instructions sees no cache misses,
no mispredicted branches and not how long a division takes."""


class Row:
    """What one policy cost in one boot."""

    def __init__(self, fields, values, counts, symbols):
        self.policy, self.scope, self.weights = fields
        self.error = int(values["error"]) if "error" in values else 0
        if self.error:
            return
        self.pages = [int(n) for n in values["pages"].split(":")]
        self.faults = int(values["faults"])
        self.runs = int(values["runs"]) - 1
        first = int(values["first"]) + 1
        runs = [counts[first + i] for i in range(self.runs)]
        self.functions = {
            s: self.median(run.get(s, 0) for run in runs)
            for s in sorted(set().union(*runs))}
        self.code, self.kernel = (
            self.median(sum(n for s, n in run.items() if symbols[s][0] in groups)
                        for run in runs)
            for groups in (("policy", "library"),
                           ("policy", "library", "rest")))

    def median(self, totals):
        return statistics.median(totals) / self.faults

    def misplaced(self):
        """Pages that the node furthest from its share is away from it."""
        share = [1] * len(self.pages)
        if self.policy in ("weighted", "own"):
            even, odd = (int(w) for w in self.weights.split(":"))
            share = [odd if n % 2 else even for n in range(len(self.pages))]
        return max(abs(got - self.faults * s / sum(share))
                   for got, s in zip(self.pages, share))


class Boot:
    def __init__(self, directory, kernel, nodes):
        path = os.path.join(directory, f"{kernel}-{nodes}")
        with open(os.path.join(directory, f"{kernel}.symbols")) as f:
            self.symbols = [line.split()[2:] for line in f]
        counts = collections.defaultdict(dict)
        with open(path + ".counts") as f:
            for line in f:
                measurement, symbol, count = map(int, line.split())
                counts[measurement][symbol] = count
        with open(path + ".log", errors="replace") as f:
            log = f.read()
        self.version, self.compiler = re.search(
            r"Linux version (\S+) \(\S+?\) \((.*?),", log).groups()
        self.rows = {}
        for line in re.findall(r"^policy (.*)$", log, re.M):
            fields = line.split()
            values = dict(f.split("=", 1) for f in fields[3:])
            key = tuple(fields[:3])
            self.rows[key] = Row(key, values, counts, self.symbols)
        if f"nodes {nodes}\n" not in log.replace("\r", ""):
            sys.exit(f"error: {path}.log is not from a machine of {nodes} nodes")

    def default(self):
        return self.rows["default", "-", "-"]

    def over_default(self, key, what="code"):
        """Instructions above the default policy, None when not available."""
        row = self.rows[key]
        if row.error:
            return None
        return getattr(row, what) - getattr(self.default(), what)

    def worst(self, policy, scope):
        """The highest figure over all weights, None when not available."""
        costs = [self.over_default(key) for key in self.rows
                 if key[:2] == (policy, scope)]
        return None if None in costs else max(costs)


def optimisation(directory, kernel):
    with open(os.path.join(directory, f"{kernel}.config")) as f:
        size = "CONFIG_CC_OPTIMIZE_FOR_SIZE=y\n" in f.readlines()
    return "-Os" if size else "-O2"


def table(directory, boots):
    columns = [(k, n) for k in KERNELS for n in NODES]
    for kernel, name in KERNELS.items():
        boot = boots[kernel, NODES[0]]
        yield (f"{name}: Linux {boot.version}, {boot.compiler}, "
               f"{optimisation(directory, kernel)}")
    for title, what in (("Policy code", "code"), ("Whole kernel", "kernel")):
        yield ""
        yield f"{title}, instructions per anonymous fault"
        yield " " * 32 + "".join(
            f"{KERNELS[k] + ', ' + str(n):>17}" for k, n in columns)
        for key in boots[columns[0]].rows:
            line = "{:12}{:10}{:10}".format(*key)
            for column in columns:
                boot = boots[column]
                if key == ("default", "-", "-"):
                    cost = getattr(boot.default(), what)
                    line += f"{cost:17.1f}"
                elif boot.rows[key].error:
                    line += f"{'not available':>17}"
                else:
                    line += f"{boot.over_default(key, what):+17.1f}"
            yield line
    default = boots[columns[0]].default()
    yield ""
    yield from NOTES.format(runs=default.runs, faults=default.faults).split("\n")


def write_csv(directory, boots):
    with open(os.path.join(directory, "instructions.csv"), "w", newline="") as f, \
         open(os.path.join(directory, "functions.csv"), "w", newline="") as g:
        rows = csv.writer(f)
        functions = csv.writer(g)
        rows.writerow(["kernel", "version", "compiler", "nodes", "policy",
                       "scope", "weights", "faults", "runs", "policy_code",
                       "policy_code_over_default", "whole_kernel",
                       "whole_kernel_over_default", "pages", "error"])
        functions.writerow(["kernel", "nodes", "policy", "scope", "weights",
                            "group", "function", "instructions_per_fault"])
        for (kernel, nodes), boot in boots.items():
            for key, row in boot.rows.items():
                head = [KERNELS[kernel], boot.version, boot.compiler, nodes,
                        *key]
                if row.error:
                    rows.writerow(head + [""] * 7 + [row.error])
                    continue
                rows.writerow(head + [
                    row.faults, row.runs, f"{row.code:.2f}",
                    f"{boot.over_default(key):.2f}", f"{row.kernel:.2f}",
                    f"{boot.over_default(key, 'kernel'):.2f}",
                    ":".join(map(str, row.pages)), 0])
                for symbol, cost in row.functions.items():
                    functions.writerow([KERNELS[kernel], nodes, *key,
                                        *boot.symbols[symbol], f"{cost:.2f}"])


def same(directory, nodes, suffix):
    contents = []
    for again in ("", "-again"):
        name = f"default-{nodes}{again}.{suffix}"
        with open(os.path.join(directory, name), "rb") as f:
            contents.append(f.read())
    return contents[0] == contents[1]


def judgements(directory, boots):
    """(passed, sentence) for each limit."""
    def at_most(cost, other, margin, name, other_name):
        if cost is None or other is None:
            return False, f"{name}: not available"
        return (cost <= other + margin,
                f"{name}: {cost:.1f}, {other_name} {other:.1f}, "
                f"limit {other + margin:.1f}")

    few, many = (boots["default", n] for n in NODES)
    base = boots["default-base", NODES[0]]
    for scope in ("mapping", "task"):
        name = f"weighted interleave of a {scope} at {NODES[0]} nodes"
        cost = few.worst("weighted", scope)
        yield at_most(cost, few.worst("interleave", scope), MARGIN, name,
                      "plain interleave")
        yield at_most(cost, base.worst("interleave", scope), MARGIN, name,
                      "plain interleave of the base")
        yield at_most(many.worst("weighted", scope), cost, MARGIN,
                      f"weighted interleave of a {scope} at {NODES[1]} nodes",
                      f"at {NODES[0]} nodes")
        for nodes in NODES:
            boot = boots["default", nodes]
            yield at_most(boot.worst("own", scope),
                          boot.worst("weighted", scope), OWN_MARGIN,
                          f"own weights of a {scope} at {nodes} nodes",
                          "global weights")
    for nodes in NODES:
        yield at_most(boots["default", nodes].default().code,
                      boots["default-base", nodes].default().code,
                      DEFAULT_MARGIN, f"default policy at {nodes} nodes",
                      "on the base")
    # A mapping is a window of the order: the difference of two prefixes.
    for nodes in NODES:
        away = max(row.misplaced()
                   for row in boots["default", nodes].rows.values()
                   if not row.error and
                   row.policy in ("interleave", "weighted", "own"))
        yield (away <= 1 if nodes == 2 else away < 2,
               f"pages lie as the policy says at {nodes} nodes: "
               f"{away:.2f} from a node's share, limit "
               f"{'1' if nodes == 2 else 'below 2'}")
    for nodes in NODES:
        yield (same(directory, nodes, "counts") and same(directory, nodes, "log"),
               f"two boots with {nodes} nodes are identical")


def main():
    args = sys.argv[1:]
    gate = args[:1] == ["--gate"]
    if gate:
        args = args[1:]
    if len(args) != 1:
        sys.exit("usage: report.py [--gate] DIRECTORY")
    directory = args[0]

    boots = {(k, n): Boot(directory, k, n) for k in KERNELS for n in NODES}
    text = list(table(directory, boots))
    with open(os.path.join(directory, "instructions.txt"), "w") as f:
        f.write("\n".join(text) + "\n")
    write_csv(directory, boots)
    if not gate:
        print("\n".join(text))
        return 0

    results = list(judgements(directory, boots))
    print("TAP version 13")
    print(f"1..{len(results)}")
    for line in text:
        print(f"# {line}".rstrip())
    for number, (passed, sentence) in enumerate(results, 1):
        print(f"{'ok' if passed else 'not ok'} {number} {sentence}")
    return 0 if all(passed for passed, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
