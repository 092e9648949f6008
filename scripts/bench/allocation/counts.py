# SPDX-License-Identifier: GPL-2.0
"""What the virtual machines of run.sh left, read."""

import collections
import os
import re
import statistics
import sys

# Order of the columns and lines, and what the kernels are called
TITLES = {"default-base": "base", "default": "series"}
BUFFERS = (16, 64, 256, 4096)


def title(kernel):
    return TITLES.get(kernel) or kernel.replace("peer-", "")


class Row:
    """What one policy cost in one boot."""

    def __init__(self, fields, values, counts, symbols):
        self.load, self.policy, self.scope, self.weights = fields
        self.error = int(values["error"]) if "error" in values else 0
        if self.error:
            return
        self.split = [int(n) for n in values.get("split", "").split(":") if n]
        self.pages = int(values["pages"])
        self.runs = int(values["runs"]) - 1
        self.single = statistics.median(
            int(n) for n in values["single"].split(":")[1:])
        first = int(values["first"]) + 1
        runs = [counts[first + i] for i in range(self.runs)]
        self.lines = statistics.median(run.get("lines", 0) for run in runs)
        for run in runs:
            run.pop("lines", None)
        self.functions = {
            s: self.median(run.get(s, 0) for run in runs)
            for s in sorted(set().union(*runs))}
        self.code, self.kernel = (
            self.median(sum(n for s, n in run.items() if symbols[s][0] in groups)
                        for run in runs)
            for groups in (("policy", "library"),
                           ("policy", "library", "rest")))

    def median(self, totals):
        return statistics.median(totals) / self.pages


class Order:
    """The nodes of pages one after the other, and their ideal shares."""

    def __init__(self, nodes, weights, places):
        even, odd = (int(w) for w in weights.split(":")) if weights != "-" \
            else (1, 1)
        self.places = [ord(c) - ord("0") for c in places]
        self.share = [odd if n % 2 else even for n in range(nodes)]
        total = sum(self.share)
        self.share = [s / total for s in self.share]

    def prefix(self):
        """Pages that a node is away from its share, in the worst beginning.

        Between two pages of a node the distance grows evenly, so that it is
        largest just before a page of the node, just after one, or at the end.
        """
        count = [0] * len(self.share)
        worst = 0
        for n, node in enumerate(self.places):
            share = self.share[node]
            worst = max(worst, abs(n * share - count[node]),
                        abs((n + 1) * share - count[node] - 1))
            count[node] += 1
        return max([worst] + [abs(len(self.places) * share - c)
                              for share, c in zip(self.share, count)])

    def buffers(self, size):
        """The same in the worst aligned buffer of so many pages."""
        worst = 0
        for start in range(0, len(self.places), size):
            count = collections.Counter(self.places[start:start + size])
            worst = max([worst] + [abs(size * share - count[node])
                                   for node, share in enumerate(self.share)])
        return worst


class Boot:
    """One boot: rows by (load, policy, scope, weights), orders without load."""

    def __init__(self, directory, kernel, nodes):
        path = os.path.join(directory, f"{kernel}-{nodes}")
        with open(os.path.join(directory, f"{kernel}.symbols")) as f:
            self.symbols = [line.split()[2:] for line in f]
        counts = collections.defaultdict(dict)
        with open(path + ".counts") as f:
            for line in f:
                measurement, symbol, count = line.split()
                symbol = symbol if symbol == "lines" else int(symbol)
                counts[int(measurement)][symbol] = int(count)
        with open(path + ".log", errors="replace") as f:
            log = f.read().replace("\r", "")
        if f"nodes {nodes}\n" not in log:
            sys.exit(f"error: {path}.log is not from a machine of {nodes} nodes")
        self.kernel, self.nodes = kernel, nodes
        self.version, self.compiler = re.search(
            r"Linux version (\S+) \(\S+?\) \((.*?),", log).groups()
        self.rows, self.orders = {}, {}
        for line in re.findall(r"^policy (.*)$", log, re.M):
            fields = line.split()
            values = dict(f.split("=", 1) for f in fields[4:])
            key = tuple(fields[:4])
            self.rows[key] = Row(key, values, counts, self.symbols)
        for line in re.findall(r"^order (.*)$", log, re.M):
            policy, scope, weights, places = line.split()
            self.orders[policy, scope, weights] = Order(nodes, weights, places)

    def default(self, load):
        return self.rows[load, "default", "-", "-"]

    def over_default(self, key, what="code"):
        """Instructions above the default policy, None when not available."""
        row = self.rows[key]
        if row.error:
            return None
        return getattr(row, what) - getattr(self.default(row.load), what)

    def worst(self, load, policy, scope):
        """The highest figure over all weights, None when not available."""
        costs = [self.over_default(key) for key in self.rows
                 if key[:3] == (load, policy, scope)]
        return None if not costs or None in costs else max(costs)


# What is remembered of a row
REMEMBERED = ("policy_code", "single", "lines")


class RememberedRow:
    """What one policy cost in a boot whose figures were kept; no policy, no figures."""

    def __init__(self, load, fields):
        self.load = load
        self.error = 0 if fields["policy_code"] else 1
        if not self.error:
            self.code, self.single, self.lines = (float(fields[name]) for name in REMEMBERED)


class RememberedBoot(Boot):
    """As Boot, of a kernel that is not there: all that limits and tables of a gate ask for."""

    def __init__(self, kernel, nodes, rows):  # pylint: disable=super-init-not-called
        self.kernel, self.nodes = kernel, nodes
        self.version, self.compiler = rows[0]["version"], rows[0]["compiler"]
        keys = [tuple(row[name] for name in KEY) for row in rows]
        self.rows = {key: RememberedRow(key[0], row) for key, row in zip(keys, rows)}
        self.orders = {}


KEY = ("load", "policy", "scope", "weights")
HEAD = ["version", "compiler", "nodes", *KEY, *REMEMBERED]


def remember(boots):
    """Lines of a table from which recall() makes the same boots."""
    for (_, nodes), boot in sorted(boots.items()):
        for key, row in boot.rows.items():
            figures = [""] * len(REMEMBERED) if row.error else [f"{row.code:.4f}", f"{row.single:g}", f"{row.lines:g}"]
            yield [boot.version, boot.compiler, nodes, *key, *figures]


def recall(kernel, rows):
    """The boots that were kept, as read() has them."""
    sizes = dict.fromkeys(int(row["nodes"]) for row in rows)
    return {(kernel, nodes): RememberedBoot(kernel, nodes, [row for row in rows if int(row["nodes"]) == nodes])
            for nodes in sizes}


def read(directory):
    """The boots that the plan of a directory names, (kernel, nodes) -> Boot."""
    boots = {}
    with open(os.path.join(directory, "plan")) as f:
        for line in f:
            kernel, _, nodes, _, result = line.split()
            if not result.endswith("-again"):
                boots[kernel, int(nodes)] = Boot(directory, kernel, int(nodes))
    return boots
