#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes the tables of what programs measured on modelled machines.

bench/sim/judge.py DIRECTORY TARGET   writes sim.txt and sim.csv to TARGET, and prints the former
bench/sim/judge.py --tap DIRECTORY    prints what is promised, as TAP

DIRECTORY is sim-plan.sh's. What a plan has not asked for is in no table; what it has asked for and not got does not hold. The exit
status is 1 when something promised does not hold.
"""
import glob
import os
import sys
import textwrap
from typing import NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "../../lib"))
from figures import Published, status, verdict, write_csv, write_text  # noqa: E402 - leaves nothing beside the sources
from tap import Tap  # noqa: E402

# How far measurements may be off, percent
BANDWIDTH, LATENCY, EVEN, REPEAT, PUBLISHED = 2, 3, 5, 1, 10
# Latency is flat up to the first and straight from there to the second of these shares of the bandwidth.
FLAT, STRAIGHT = 0.40, 0.80
# and may be off so many percent there
FLATNESS, STRAIGHTNESS = 5, 5
# What derived weights may be short of the best ones where they are told the mix, and where it is 67 % of reads and nothing is told, percent
DERIVED = 3
# What weights found by measuring have to reach of what all nodes give, percent
REACHED = 98
# And what this kernel's promotion may be short of the base's
TIERING = 3

LINE = 64

TOLD = Published(os.path.join(HERE, "../published.tsv"))

# Reads and writes of STREAM's kernels
KERNELS = {"copy": (1, 1), "scale": (1, 1), "add": (2, 1), "triad": (2, 1)}
PLACEMENTS = {"dram": "DRAM only", "cxl": "CXL only", "points": "DRAM only", "default": "default interleave", "weighted": "weighted, automatic",
              "nine": "weighted 9:1", "global": "global weights", "targeted": "targeted weights", "best": "weighted, best",
              "local": "local DRAM", "near": "local DRAM and CXL", "own": "own weights, all nodes"}


class Node(NamedTuple):
    """What the model knows of a node: MB/s and ns"""
    read: int
    write: int
    latency: int
    socket: int

    def speed(self, reads, writes):
        """GB/s of so many reads and writes in turn"""
        return (reads + writes) / (reads / self.read + writes / self.write) / 1000


class Row(NamedTuple):
    """A figure. It is compared with (least, most), which come from "of"; with "rule" it has to be within so many percent of the
    nearer one (within), or may be so many percent below (least) or above (most) it."""
    machine: str
    workload: str
    placement: str
    unit: str
    measured: float
    wanted: tuple = None
    of: str = ""
    rule: str = None
    percent: float = 0

    def ratio(self):
        """Measured by wanted"""
        if self.measured is None or not self.wanted:
            return None
        least, most = self.wanted
        nearest = min(max(self.measured, least), most)
        return self.measured / nearest if nearest else None

    def holds(self):
        """None where nothing is promised"""
        if not self.rule:
            return None
        ratio = self.ratio()
        if ratio is None:
            return False
        low = 1 - self.percent / 100 if self.rule != "most" else 0
        high = 1 + self.percent / 100 if self.rule != "least" else float("inf")
        return low <= ratio <= high

    def promise(self):
        """In words"""
        if self.rule == "within":
            return f"+-{self.percent:g} %"
        percent = 100 - self.percent if self.rule == "least" else 100 + self.percent
        return f"at {self.rule}" + (f" {percent:g} %" if self.percent else "")


class Table(NamedTuple):
    name: str
    title: str
    notes: str
    rows: list
    # in place of a line for each row
    lines: list = None


class Measured:
    """What the plans asked for, and what was printed: KEY -> lines of words"""
    def __init__(self, directory):
        self.asked, self.lines, self.scenarios, self.windows = {}, {}, {}, {}
        # of scenarios
        self.speeds, self.links, self.usual_windows = {}, {}, {}
        for path in sorted(glob.glob(os.path.join(directory, "*.plan"))):
            with open(path, encoding="ascii") as file:
                for line in file:
                    key, *command = line.split()
                    if key == "boot":
                        scenario, window = command[1], (command[2:] + ["-", "-"])[1]
                    elif key != "-":
                        self.asked[key], self.scenarios[key], self.windows[key] = command, scenario, window
            self.read(path[:-len("plan")] + "txt")
        for path in glob.glob(os.path.join(directory, "*.nodes")):
            with open(path, encoding="ascii") as file:
                options = [option.split("=") for option in file.read().strip().split(",")]
            name = os.path.basename(path)[:-len(".nodes")]
            nodes = ((value + ":0").split(":") for option, value in options if option == "node")
            self.speeds[name] = [Node(*map(int, node[2:5] + node[6:7])) for node in nodes]
            links = (map(int, value.split(":")) for option, value in options if option == "link")
            self.links[name] = {(near, far): read for near, far, read, _ in links}
            self.usual_windows[name] = int(dict(options)["window"])

    def read(self, path):
        if not os.path.exists(path):
            return
        with open(path, encoding="ascii") as file:
            for line in file:
                key, *words = line.split() or [""]
                self.lines.setdefault(key, []).append(words)

    def keys(self, prefix):
        """(rest of the key, key) of what was asked for"""
        return [(key[len(prefix):], key) for key in self.asked if key.startswith(prefix)]

    def nodes(self, key):
        return self.speeds[self.scenarios[key]]

    def window(self, key):
        """Cache lines in flight"""
        window = self.windows[key]
        return self.usual_windows[self.scenarios[key]] if window == "-" else int(window)

    def value(self, key, name=None):
        """The number behind NAME, or the only one; None if it is not there"""
        for words in self.lines.get(key, []):
            if name is None and len(words) == 1 or len(words) == 2 and words[0] == name:
                try:
                    return float(words[-1])
                except ValueError:
                    return None
        return None

    def numbers(self, key):
        """Lines of numbers"""
        found = []
        for words in self.lines.get(key, []):
            try:
                found.append([float(word) for word in words])
            except ValueError:
                pass
        return found


def over(value, base):
    return value / base if value is not None and base else None


def stream_values(measured, key):
    return [(kernel, measured.value(key, kernel)) for kernel in KERNELS]


# --- the tables

def change(measured, first, again, name):
    """Percent"""
    ratio = over(measured.value(again, name), measured.value(first, name))
    return None if ratio is None else 100 * abs(ratio - 1)


def calibration(measured):
    def wanted(key, place, kernel):
        nodes = measured.nodes(key)
        if place.startswith("bind:"):
            return nodes[int(place[5:])].speed(*KERNELS[kernel]), BANDWIDTH
        return 2 * min(node.speed(*KERNELS[kernel]) for node in nodes), EVEN

    rows = []
    for cpus in ("one", "four"):
        for place, key in measured.keys(f"calibrate/{cpus}/stream/"):
            for kernel, value in stream_values(measured, key):
                speed, percent = wanted(key, place, kernel)
                rows.append(Row(measured.scenarios[key], f"{kernel}, {cpus}", place, "GB/s", value, (speed, speed), "scenario",
                                "within", percent))
        for place, key in measured.keys(f"calibrate/{cpus}/chase/"):
            if place.startswith("bind:"):
                latency = measured.nodes(key)[int(place[5:])].latency
            else:
                latency = sum(node.latency for node in measured.nodes(key)) / 2
            rows.append(Row(measured.scenarios[key], f"chase, {cpus}", place, "ns", measured.value(key), (latency, latency),
                            "scenario", "within", LATENCY))
        repeats = measured.keys(f"again/{cpus}/")
        if repeats:
            away = [change(measured, f"calibrate/{cpus}/{rest}", key, name) for rest, key in repeats
                    for name in (KERNELS if rest.startswith("stream/") else [None])]
            rows.append(Row(measured.scenarios[repeats[0][1]], f"once more, {cpus}", "worst of all", "%", None if None in away else max(away),
                            (REPEAT, REPEAT), "first boot", "most"))
    return Table("calibration", "What is known, measured", """\
One CPU that stands for a socket, and four of them; 1024 cache lines in flight between them. Arrays of 16 MiB, chains of 8 MiB.
Wanted is what the scenario says of a node, at the kernel's mix of reads and writes; for two nodes evenly twice the slower one.""", rows)


def straightness(points):
    """How far points are from the straight line through them that is nearest, percent"""
    n, xs, ys = len(points), [x for x, _ in points], [y for _, y in points]
    middle, level = sum(xs) / n, sum(ys) / n
    slope = sum((x - middle) * (y - level) for x, y in points) / sum((x - middle) ** 2 for x in xs)
    return max(100 * abs(y / (level + slope * (x - middle)) - 1) for x, y in points)


def loaded(measured):
    """Of each line, TARGET BANDWIDTH LATENCY in MB/s, GB/s and ns"""
    rows, curves, lines = [], {}, []
    for place, key in measured.keys("loaded/"):
        if place == "idle":
            continue
        machine = measured.scenarios[key]
        curves[place] = {int(target): (bandwidth, latency) for target, bandwidth, latency in
                         (line for line in measured.numbers(key) if len(line) == 3)}
        for target, (bandwidth, latency) in curves[place].items():
            load = f"{target / 1000:g} GB/s wanted" if target else "all that goes"
            rows.append(Row(machine, load, PLACEMENTS[place], "GB/s", bandwidth))
            rows.append(Row(machine, load, PLACEMENTS[place], "ns", latency))
    idle = measured.value("loaded/idle")
    for place in ("dram", "points"):
        if place not in curves:
            continue
        key = "loaded/" + place
        limit, machine = measured.nodes(key)[0].read / 1000, measured.scenarios[key]
        points = sorted((bandwidth / limit, latency / idle) for bandwidth, latency in curves[place].values()) if idle else []
        flat = [y for x, y in points if x <= FLAT]
        straight = [(x, y) for x, y in points if FLAT <= x <= STRAIGHT + 0.02]
        rows.append(Row(machine, "worst up to 40 %", PLACEMENTS[place], "of idle", max(flat) if flat else None, (1, 1), "idle",
                        "within", FLATNESS))
        if place == "dram":
            rows.append(Row(machine, "away from a line, 40 to 80 %", PLACEMENTS[place], "%",
                            straightness(straight) if len(straight) > 2 else None, (STRAIGHTNESS, STRAIGHTNESS), "bound", "most"))
        rows.append(Row(machine, "most of all", PLACEMENTS[place], "of idle", max(y for _, y in points) if points else None, (2, 2),
                        "bound", "least"))
    targets = sorted({target for curve in curves.values() for target in curve}, key=lambda target: target or float("inf"))
    if targets:
        lines += [f"{'wanted, GB/s':<14}" + "".join(f"{PLACEMENTS[place]:>24}" for place in curves),
                  " " * 14 + f"{'GB/s':>16}{'ns':>8}" * len(curves)]
        for target in targets:
            cells = (curve.get(target) for curve in curves.values())
            lines.append(f"{f'{target / 1000:g}' if target else 'all':<14}" +
                         "".join(f"{cell[0]:16.1f}{cell[1]:8.1f}" if cell else f"{'-':>16}{'-':>8}" for cell in cells))
        lines.append("")
    return Table("loaded", "Latency under load", """\
One CPU follows pointers, three read, at as many GB/s as they are told. Chain and arrays have the placement; idle is without the
readers. Shares are of the scenario's bandwidth of reads.""", rows, lines)


def gains(measured, prefix, workload, placements, unit, value):
    """Rows of a workload: absolute ones, and those over DRAM only. placements: of each what was published over DRAM only as
    (least, most), and a rule, or None"""
    rows = []
    for place, published in placements.items():
        key = prefix + place
        if key not in measured.asked:
            continue
        rows.append(Row(measured.scenarios[key], workload, PLACEMENTS[place], unit, value(key)))
        if published:
            gain, rule = published
            rows.append(Row(measured.scenarios[key], workload, PLACEMENTS[place], f"/ {PLACEMENTS['dram']}",
                            over(value(key), value(prefix + "dram")), gain, "published", rule, PUBLISHED))
    return rows


def more(factors):
    """Percent that the least and the most of some factors add: +2.5 to +4"""
    return " to ".join(f"{100 * (factor - 1):+.3g}" for factor in dict.fromkeys(factors))


def stream(measured):
    rows, speeds = [], {place: [TOLD.number(f"stream/{kernel}/{place}") for kernel in KERNELS] for place in ("dram", "cxl")}
    default, everything, targeted = (TOLD.span(f"stream/{place}/over-dram") for place in ("default", "global", "targeted"))
    placements = {"cxl": None, "dram": None, "default": (default, "within"), "global": (everything, "within"),
                  "targeted": (targeted, "within"), "weighted": (everything, "within")}
    for kernel in KERNELS:
        rows += gains(measured, "stream/", kernel, placements, "GB/s", lambda key, name=kernel: measured.value(key, name))
    return Table("stream", "STREAM", f"""\
A socket with DRAM of {min(speeds['dram']):.0f} to {max(speeds['dram']):.0f} GB/s and a CXL expander of {min(speeds['cxl']):.0f} to
{max(speeds['cxl']):.0f}. Published: {more(default)} % with default interleave, {more(everything)} % with weights for all of the task
(global), {more(targeted)} % with weights for its arrays (targeted), over DRAM only. Four CPUs stand for the socket; arrays of 32 MiB
stand for some of gigabytes. Weights are 9:1; automatic ones are what the kernel derives of the tables.
Never published: latencies, and the weights. All of the model's traffic is that of arrays, so that global and targeted are alike.""",
                 rows)


def window_bound(measured, key, weights):
    """GB/s that the lines in flight allow: each takes a place for its latency"""
    shares = [float(weight) for weight in weights_of(measured, weights).split(":") if weight]
    nodes = measured.nodes(key)
    if len(shares) != len(nodes):
        return None
    mean = sum(share * node.latency for share, node in zip(shares, nodes)) / sum(shares)
    return measured.window(key) * LINE / mean


def several(numbers):
    """Equal ones in one: 298.8 + 8 x 12.6"""
    parts = []
    for number in numbers:
        if parts and parts[-1][0] == number:
            parts[-1][1] += 1
        else:
            parts.append([number, 1])
    return " + ".join(f"{number:.1f}" if count == 1 else f"{count} x {number:.1f}" for number, count in parts)


def mixed(measured, prefix, published, rule):
    """Tables of mixes of reads and writes. published: mix -> gains over DRAM, and over default interleave, each (least, most)"""
    rows, speeds = [], []
    for mix, (over_dram, over_default) in published.items():
        path = f"{prefix}/{mix}/"

        def value(key):
            return measured.value(key)
        rows += gains(measured, path, mix, {"dram": None, "default": None, "weighted": (over_dram, rule), "best": (over_dram, rule)},
                      "GB/s", value)
        for place in ("weighted", "best"):
            if over_default and path + place in measured.asked:
                rows.append(Row(measured.scenarios[path + place], mix, PLACEMENTS[place], "/ default interleave",
                                over(value(path + place), value(path + "default")), over_default, "published", rule, PUBLISHED))
        if path + "dram" in measured.asked:
            nodes = [node.speed(*map(int, mix.split(":"))) for node in measured.nodes(path + "dram")]
            speeds.append(f"{mix}: {several(nodes)}, together {sum(nodes):.1f} GB/s.")
    return rows, " ".join(speeds)


def weights_of(measured, key):
    """Weights that were printed, as 9:1"""
    return ":".join(words[-1].rsplit(":", 1)[-1] for words in measured.lines.get(key, []))


def mixes(measured):
    published = {mix: [TOLD.span(f"mix/{mix}/weighted/{base}") for base in ("over-dram", "over-default")] for mix in ("2:1", "1:1")}
    rows, speeds = mixed(measured, "mix", published, "within")
    return Table("mixes", "Reads and writes, one socket with several expanders", f"""\
Published: DRAM of {TOLD.number('mix/2:1/dram')} GB/s with two reads a write, {TOLD.number('mix/1:1/dram')} with one; gains of weighted
over DRAM only and over default interleave. Number and bandwidth of the expanders were not published and are fitted to these gains. Nodes:
{speeds} Automatic weights: {weights_of(measured, 'mix/weights')}:
they are for 67 % of reads, which is the first mix; for the second the kernel is told its 50 %. The best ones are 24:1 and 21:1. Four CPUs stand for the socket; 64 MiB for some gigabytes.""", rows)


def channels(measured):
    published = {mix: (TOLD.span(f"channels/{mix}/weighted/over-dram"), None) for mix in ("2:1", "1:1")}
    rows, speeds = mixed(measured, "channels", published, "within")
    return Table("channels", "Reads and writes, 8 channels of DDR5 with 4 of CXL", f"""\
Published: gains of weighted over DRAM only, {more(published['2:1'][0])} % with two reads a write and {more(published['1:1'][0])} % with
one, and no bandwidth: those of the nodes are fitted to the gains. Nodes:
{speeds} Automatic weights: {weights_of(measured, 'channels/weights')};
for the second mix the kernel is told it. Four CPUs stand for the socket; 64 MiB for some gigabytes.""", rows)


TOLD_WEIGHTS = {"told": "weighted, told the mix", "default": "weighted, 67 % of reads", "best": PLACEMENTS["best"]}


def told(measured):
    """Of machines and mixes: weights that the kernel derives for the mix, and for that which it takes if nothing is told"""
    rows, losses = [], {}
    for rest, key in measured.keys("told/"):
        machine, mix, place = rest.split("/")
        reads, writes = map(int, mix.split(":"))
        best = measured.value(f"told/{machine}/{mix}/best")
        workload = f"{machine}, {mix}"
        rows.append(Row(machine, workload, TOLD_WEIGHTS[place], "GB/s", measured.value(key)))
        if place == "best":
            continue
        promised = place == "told" or reads == 2 * writes
        share = over(measured.value(key), best)
        rows.append(Row(machine, workload, TOLD_WEIGHTS[place], "/ best", share, (1, 1), "best", "least" if promised else None, DERIVED))
        if not promised and share is not None:
            losses.setdefault(machine, []).append(f"{mix} {100 * share:.0f} %")
    lost = "; ".join(f"{machine}: {', '.join(shares)}" for machine, shares in losses.items())
    return Table("told", "Derived weights for the mix of a program", f"""\
Nothing was published of these. A program reads and writes buffers of 64 MiB by the mix; weighted_interleave/mix has its percentage of
reads, or 67. The best weights are the integers up to 255 that are nearest to the nodes' speeds at the mix, as the scenario has them.
So a program of another mix gets of the best, with the kernel's 67 %: {lost}.""", rows)


def lookups(measured):
    placements = {"dram": None, "default": None, "weighted": (TOLD.span("lookup/weighted/over-dram"), "within")}
    rows = gains(measured, "lookup/", "lookup", placements, "lookups/s", measured.value)
    dram, default, weighted = (TOLD.number(f"lookup/{place}") / 1e6 for place in ("dram", "default", "weighted"))
    if "lookup/weighted" in measured.asked:
        rows.append(Row(measured.scenarios["lookup/weighted"], "lookup", PLACEMENTS["weighted"], "/ default interleave",
                        over(measured.value("lookup/weighted"), measured.value("lookup/default")),
                        TOLD.span("lookup/weighted/over-default"), "published", "within", PUBLISHED))
    return Table("lookups", "Random lookups, one socket with an expander", f"""\
Published: {dram:.2f} million lookups/s with DRAM only, {default:.2f} with default interleave, {weighted:.2f} weighted, on 56 cores; of
the nodes nothing, so their bandwidths are fitted to the first two. Automatic weights: {weights_of(measured, 'lookup/weights')}.
Four CPUs stand for the socket, a small table for a large one.""", rows)


SOCKETS = {"0": "first socket", "1": "second socket", "both": "both at once"}


def shares_of(policy, weights):
    """NODE -> share of the pages, of bind:NODE, weights:NODE*WEIGHT,... or weighted:NODE,..."""
    kind, nodes = policy.split(":")
    pairs = [(node.split("*") + ["1"])[:2] for node in nodes.split(",")]
    shares = {int(node): weights[int(node)] if kind == "weighted" else int(weight) for node, weight in pairs}
    return {node: share / sum(shares.values()) for node, share in shares.items()}


def read_bound(nodes, links, users):
    """GB/s of reads of users that are equally fast: (socket, NODE -> share) of each. A node and a link give all of them together what
    they have."""
    used = {}
    for socket, shares in users:
        for node, share in shares.items():
            used["node", node] = used.get(("node", node), 0) + share
            path = socket, nodes[node].socket
            if path in links:
                used["link", path] = used.get(("link", path), 0) + share
    speeds = (nodes[which].read / share if kind == "node" else links[which] / share for (kind, which), share in used.items())
    return len(users) * min(speeds) / 1000


def sockets(measured):
    rows, best = [], []
    weights = [int(weight) for weight in weights_of(measured, "sockets/weights").split(":") if weight]
    for who, title in SOCKETS.items():
        found = {}
        for place, key in measured.keys(f"sockets/{who}/"):
            command = measured.asked[key]
            policies = [command[i + 1].rstrip(";") for i, word in enumerate(command) if word == "-b"]
            users = zip((0, 1) if who == "both" else (int(who),), policies)
            values = [line[0] for line in measured.numbers(key) if len(line) == 1]
            found[place] = sum(values) if len(values) == len(policies) else None
            if not weights and any(policy.startswith("weighted:") for policy in policies):
                bound = None
            else:
                bound = read_bound(measured.nodes(key), measured.links[measured.scenarios[key]],
                                   [(socket, shares_of(policy, weights)) for socket, policy in users])
            rows.append(Row(measured.scenarios[key], title, PLACEMENTS[place], "GB/s", found[place], bound and (bound, bound), "bound"))
        if found and None not in found.values():
            best.append(f"{title}: {PLACEMENTS[max(found, key=found.get)]}.")
    return Table("sockets", "Reads, two sockets with a link between them", f"""\
Nothing was published of such a machine, and nothing is fitted. Each socket has DRAM of 400 GB/s and a CXL device of 64, and gets 200 GB/s of the other's over
the link. Bound: of what each node and each direction of the link has to carry, by what it can. Global weights are the automatic
ones, {weights_of(measured, 'sockets/weights')} for nodes 0 to 3 (DRAM, DRAM, CXL, CXL), own weights those that a link of 200 GB/s
allows one socket: 50:19:8:6 from the first one. Two CPUs stand for a socket; 8 MiB are read again and again. Both at once do not
begin and end together, which adds up to 3 %. Fastest: {' '.join(best)}""", rows)


KERNELS_OF_TIERING = {"off": "no promotion", "placed": "base", "this": "this kernel"}


def tiering(measured):
    """Lines of SECONDS ACCESSES/S SHARE"""
    rows, lines = [], []
    distributions = dict.fromkeys(rest.split("/")[0] for rest, _ in measured.keys("tiering/"))
    for distribution in distributions:
        means, courses = {}, {}
        for kernel, name in KERNELS_OF_TIERING.items():
            key = f"tiering/{distribution}/{kernel}"
            if key not in measured.asked:
                continue
            courses[name] = course = measured.numbers(key)
            half = [line[1] for line in course[len(course) // 2:]]
            means[kernel] = sum(half) / len(half) / 1e6 if half else None
            rows.append(Row(measured.scenarios[key], distribution, name, "M accesses/s", means[kernel]))
        for kernel, base, wanted in (("this", "off", (1, 1)), ("this", "placed", (1, 1))):
            if kernel in means and base in means:
                rows.append(Row(measured.scenarios[f"tiering/{distribution}/{kernel}"], distribution, KERNELS_OF_TIERING[kernel],
                                f"/ {KERNELS_OF_TIERING[base]}", over(means[kernel], means[base]), wanted,
                                KERNELS_OF_TIERING[base], "least", TIERING if base == "placed" else 0))
        lines += [f"{distribution}: M accesses/s and share of the fast node, %", f"{'s':<14}" + "".join(f"{name:>24}" for name in courses)]
        for line in range(max(map(len, courses.values()), default=0)):
            found = [course[line] if line < len(course) else None for course in courses.values()]
            seconds = next(each[0] for each in found if each)
            lines.append(f"{seconds:<14g}" + "".join(f"{each[1] / 1e6:16.2f}{each[2]:8.1f}" if each else f"{'-':>16}{'-':>8}"
                                                     for each in found))
        lines.append("")
    before, after, factor = (TOLD.number(f"tiering/{which}") for which in ("from", "to", "gain"))
    return Table("tiering", "Accesses a second while pages are promoted", f"""\
Published: from {before} to {after} M accesses/s, {factor} times as many, with DRAM and Optane memory; of a machine that is not
this one. DRAM of 256 MiB is first filled by what happens to be touched first, of 512 MiB; persistent memory has the rest. The base
is one that knows the tiers, or it would promote nothing. Seconds stand for minutes: on all kernels alike a scan takes 0.2 s, the
first threshold is 20 ms, and the limit is 400 MB/s, where the defaults are 1 to 60 s, 1000 ms and none. Means are of the second
half.""", rows, lines)


def found_weights(measured):
    """What bwactl found, and what it gives"""
    rows, found = [], []
    for mix, key in measured.keys("found/"):
        if "/" in mix:
            continue
        path = f"found/{mix}/"
        alone = [measured.value(path + place) for place in ("dram", "cxl")]
        limit = sum(alone) if None not in alone else None
        scenario = measured.scenarios[key]
        rows += [Row(scenario, mix, PLACEMENTS[place], "GB/s", value) for place, value in zip(("dram", "cxl"), alone)]
        rows.append(Row(scenario, mix, "found by bwactl", "GB/s", measured.value(path + "weighted"), limit and (limit, limit),
                        "sum of both", "least", 100 - REACHED))
        bound = number(window_bound(measured, path + "weighted", path + "weights"), "GB/s")
        found.append(f"{mix} {weights_of(measured, path + 'weights')}, for which the lines in flight allow {bound} GB/s")
    return Table("found", "Weights that bwactl finds on the machine", f"""\
Four CPUs stand for the socket, and have {measured.window(key) if found else ''} cache lines in flight. bwactl --max-weight 255 measures each node, with reads alone and
with a write a read, and writes the weights. Found: {'; '.join(found)}.
That is what all of them bring, each in the mean of the idle latencies by weight: so the sum of both nodes is the limit.""", rows)


ORDERS = {"64": "64", "256": "256", "1024": "1024", "4x64": "4 x 64"}


def order(measured):
    rows, values = [], {}
    for rest, key in measured.keys("order/"):
        window, weights, kind = rest.split("/")
        value = measured.value(key, "copy")
        values.setdefault(weights, {})[window, kind] = value
        rows.append(Row(measured.scenarios[key], f"copy, {weights}", f"{kind}, {ORDERS[window]} lines in flight", "GB/s", value))
    lines = [f"{'weights':<8}" + "".join(f"{name:>24}" for name in ORDERS.values())]
    for weights, found in values.items():
        line = f"{weights:<8}"
        for window in ORDERS:
            runs, smooth = found.get((window, "runs")), found.get((window, "smooth"))
            line += f"{f'{runs:.1f} / {smooth:.1f}':>16}{100 * (smooth / runs - 1):+6.0f} %" if runs and smooth else f"{'-':>24}"
        lines.append(line)
    return Table("order", "Copy: all pages of a node's weight in one run, as mainline has it, against the smooth order", """\
GB/s, runs / smooth: the same machine, weights and pages of each node. One CPU with so many cache lines in flight, and four of them
with 64 each. Runs are made by binding each of them. Arrays of 16 MiB.""", rows, lines + [""])


TABLES = (calibration, loaded, stream, mixes, channels, told, lookups, sockets, tiering, found_weights, order)


# --- printing

def cells(row):
    wanted = ""
    if row.wanted:
        least, most = (number(value, row.unit) for value in row.wanted)
        wanted = least if least == most else f"{least}..{most}"
    ratio = row.ratio()
    return [row.workload, row.placement, row.unit, number(row.measured, row.unit), wanted, row.of if row.wanted else "",
            "" if ratio is None else f"{ratio:.3f}", verdict(row.holds(), row.promise()) if row.rule else ""]


def number(value, unit):
    if value is None:
        return "nothing"
    return f"{value:.0f}" if value >= 10000 else f"{value:.2f}" if unit in ("GB/s", "ns") else f"{value:.3f}"


def text_of(table):
    yield table.title
    yield ""
    yield from textwrap.wrap(table.notes, 130)
    yield ""
    yield from table.lines or []
    shown = [row for row in table.rows if not table.lines or row.rule]
    if not shown:
        return
    lines = [["workload", "placement", "unit", "measured", "wanted", "by", "ratio", ""]] + [cells(row) for row in shown]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for line in lines:
        yield "  ".join(cell.rjust(width) if i in (3, 4, 6) else cell.ljust(width)
                        for i, (cell, width) in enumerate(zip(line, widths))).rstrip()
    yield ""


COLUMNS = ("table", "machine", "workload", "placement", "unit", "measured", "least", "most", "by", "ratio", "holds")


def csv_rows(tables):
    """All rows of the tables, as COLUMNS have them"""
    for table in tables:
        for row in table.rows:
            least, most = (f"{value:.6g}" for value in row.wanted) if row.wanted else ("", "")
            ratio, holds = row.ratio(), row.holds()
            yield (table.name, row.machine, row.workload, row.placement, row.unit,
                   "" if row.measured is None else f"{row.measured:.6g}", least, most, row.of,
                   "" if ratio is None else f"{ratio:.4f}", "" if holds is None else "yes" if holds else "no")


def print_tap(rows):
    """Prints rows with a rule; returns the exit status"""
    tap = Tap(len(rows))
    for row in rows:
        workload, placement, unit, value, wanted, of, _, _ = cells(row)
        tap.result(row.holds(), f"{row.machine}: {workload}, {placement}: {value} {unit}, {of} {wanted}, {row.promise()}")
    return tap.status()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    tap = sys.argv[1] == "--tap"
    measured = Measured(sys.argv[2] if tap else sys.argv[1])
    tables = [table for table in (make(measured) for make in TABLES) if table.rows]
    promised = [row for table in tables for row in table.rows if row.rule]
    if tap:
        return print_tap(promised)
    lines = [line for table in tables for line in text_of(table)]
    write_text(os.path.join(sys.argv[2], "sim.txt"), lines)
    write_csv(os.path.join(sys.argv[2], "sim.csv"), COLUMNS, csv_rows(tables))
    print("\n".join(lines))
    return status((row.holds(), row.promise()) for row in promised) if promised else 1


if __name__ == "__main__":
    sys.exit(main())
