#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes one page of the benchmarks' results: page.py DIRECTORY

Reads PART.about, PART.txt and the CSV files that are there; writes index.html, which needs nothing else, and figures.rst, the same
tables for the kernel's documentation.
"""
import csv
import html
import math
import os
import statistics
import sys
from collections import defaultdict

PARTS = {
    "allocation": ("The cost of allocation", ["allocation", "fidelity"]),
    "machines": ("Modelled machines", ["machines"]),
    "tiering": ("Promotion of hot pages", ["tiering"]),
    "system": ("The system when nothing is used", ["system"]),
    "migration": ("Memory that follows its task", ["migration"]),
    "channels": ("Memory channels", ["channels"]),
    "sim": ("Modelled in guest time", ["sim"]),
}
REPEATS = {
    "allocation": "Two runs give identical tables.",
    "machines": "Two runs give identical tables.",
    "tiering": "The clock counts instructions, so that a busy host makes no difference; two runs differ by about one percent of "
               "the touches, with huge pages by more.",
    "system": "Two runs give identical tables.",
    "migration": "Two runs differ as the scheduler decides; each figure is the median of three.",
    "channels": "Two runs differ in what shuffle draws, and by some pages elsewhere.",
    "sim": "Timed by the clock of virtual machines whose memory has the speeds of a model; the host's speed makes no difference, and two "
           "boots of the same machine differ by less than one percent.",
}
COLOURS = ["#1f5fa8", "#c2571a", "#3a7d34", "#7a3f98", "#555555", "#b08a00"]
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 720, 310, 60, 46, 42

STYLE = """
body { font: 15px/1.5 sans-serif; max-width: 76em; margin: 2em auto; padding: 0 1em; color: #222 }
pre { font: 12px/1.35 monospace; overflow-x: auto; background: #f6f6f6; padding: .8em }
figure { margin: 1.2em 0 } figcaption { font-size: 13px; color: #555 }
svg text { font: 12px sans-serif; fill: #333 } .about { font-size: 13px; color: #555 }
"""


def rows(directory, name):
    path = os.path.join(directory, f"{name}.csv")
    if not os.path.exists(path):
        return []
    with open(path, encoding="ascii", newline="") as file:
        return list(csv.DictReader(file))


def text(directory, name):
    path = os.path.join(directory, name)
    if not os.path.exists(path):
        return ""
    with open(path, encoding="ascii") as file:
        return file.read().rstrip("\n")


# --- drawings

def steps(top):
    """About five round steps up to and beyond top"""
    size = 10 ** math.floor(math.log10(top)) if top > 0 else 1
    size = next(size * factor for factor in (0.2, 0.5, 1, 2) if top / (size * factor) <= 6)
    return [size * n for n in range(math.ceil(top / size) + 1)]


class Drawing:
    def __init__(self, top, labels, unit):
        self.parts, self.ticks = [], steps(top)
        self.labels = labels
        for tick in self.ticks:
            y = self.y(tick)
            self.parts.append(f'<line x1="{LEFT}" x2="{WIDTH - 10}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
                              f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>')
        self.parts.append(f'<text x="6" y="16">{html.escape(unit)}</text>')

    def y(self, value):
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * value / self.ticks[-1]

    def x(self, position, count):
        return LEFT + (WIDTH - 10 - LEFT) * (position + 0.5) / count

    def legend(self, names):
        x, y = LEFT + 90, 16
        for colour, name in zip(COLOURS, names):
            width = 28 + 6.5 * len(name)
            if x + width > WIDTH:
                x, y = LEFT + 90, y + 15
            self.parts.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{colour}"/>'
                              f'<text x="{x + 14}" y="{y}">{html.escape(name)}</text>')
            x += width

    def below(self, every=1):
        for position, label in enumerate(self.labels):
            if position % every == 0:
                self.parts.append(f'<text x="{self.x(position, len(self.labels)):.1f}" y="{HEIGHT - BOTTOM + 16}" '
                                  f'text-anchor="middle">{html.escape(label)}</text>')

    def svg(self, below):
        self.parts.append(f'<text x="{(WIDTH + LEFT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{html.escape(below)}</text>')
        return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img">{"".join(self.parts)}</svg>'


def line_plot(series, labels, unit, below, every=1):
    """series: name -> values, None where there is none"""
    drawing = Drawing(max(v for values in series.values() for v in values if v is not None), labels, unit)
    for colour, values in zip(COLOURS, series.values()):
        points = [f"{drawing.x(i, len(labels)):.1f},{drawing.y(v):.1f}" for i, v in enumerate(values) if v is not None]
        drawing.parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{" ".join(points)}"/>')
    drawing.legend(series)
    drawing.below(every)
    return drawing.svg(below)


def bar_plot(series, labels, unit, below):
    drawing = Drawing(max(v for values in series.values() for v in values if v is not None), labels, unit)
    width = 0.8 * (WIDTH - 10 - LEFT) / len(labels) / len(series)
    for number, (colour, values) in enumerate(zip(COLOURS, series.values())):
        for i, value in enumerate(values):
            if value is not None:
                x = drawing.x(i, len(labels)) + width * (number - len(series) / 2)
                drawing.parts.append(f'<rect x="{x:.1f}" y="{drawing.y(value):.1f}" width="{width:.1f}" '
                                     f'height="{HEIGHT - BOTTOM - drawing.y(value):.1f}" fill="{colour}"/>')
    drawing.legend(series)
    drawing.below()
    return drawing.svg(below)


def figure(svg, caption):
    return f"<figure>{svg}<figcaption>{html.escape(caption)}</figcaption></figure>"


# --- what is drawn of each part

def allocation_figures(directory):
    cost = defaultdict(dict)
    nodes = set()
    for row in rows(directory, "allocation"):
        key = row["load"], row["policy"], row["scope"], row["weights"]
        nodes.add(int(row["nodes"]))
        if row["error"] == "0" and key in (("anon", "interleave", "mapping", "-"), ("anon", "weighted", "mapping", "5:1")):
            cost[f"{row['kernel']}, {row['policy']}"][int(row["nodes"])] = float(row["policy_code_over_default"])
    nodes = sorted(nodes)
    if cost:
        yield figure(line_plot({name: [values.get(n) for n in nodes] for name, values in cost.items()}, list(map(str, nodes)),
                               "instructions", "nodes in the policy"),
                     "Policy code for one anonymous fault above that of the default policy, mapping, weights 5:1.")
    away = defaultdict(dict)
    for row in rows(directory, "fidelity"):
        if row["policy"] == "weighted" and row["nodes"] == "2":
            worst = max(float(value) for key, value in row.items() if key.startswith(("prefix", "buffer")))
            away[row["kernel"]][row["weights"]] = max(worst, away[row["kernel"]].get(row["weights"], 0))
    if away:
        weights = list(next(iter(away.values())))
        yield figure(bar_plot({name: [values.get(w) for w in weights] for name, values in away.items()}, weights, "pages",
                              "weights of two nodes"),
                     "Pages away from the ideal share, at worst of all prefixes and all aligned buffers of 16 to 4096 pages.")


def machines_figures(directory):
    found = [row for row in rows(directory, "machines") if row["modelled over DRAM"]]
    chosen = [row for row in found if row["placement"] == ("weighted, big buffers" if row["machine"] == "one expander"
                                                           else "weighted, everything")]
    even = {(row["machine"], row["workload"]): row for row in found if row["placement"] == "default interleave"}
    only = {(row["machine"], row["workload"]): row for row in found if row["placement"] == "DRAM only"}
    if not chosen:
        return
    labels = [row["workload"] + (" ch." if "channels" in row["machine"] else "") for row in chosen]
    published = [sum(map(float, row["published over DRAM"].split("-"))) / len(row["published over DRAM"].split("-"))
                 if row["published over DRAM"] else None for row in chosen]
    keys = [(row["machine"], row["workload"]) for row in chosen]
    yield figure(bar_plot({
        "default interleave, modelled": [float(even[key]["modelled over DRAM"]) for key in keys],
        "weighted, published": published,
        "weighted, modelled": [float(row["modelled over DRAM"]) for row in chosen],
        "limit": [float(row["limit"]) / float(only[key]["modelled"]) for row, key in zip(chosen, keys)],
    }, labels, "over DRAM only", "workload; ch.: one socket with DDR5 and CXL channels"),
        "Throughput over that of DRAM alone, with pages where this kernel put them. The middle of what was published as a range.")


def tiering_figures(directory):
    share = defaultdict(lambda: defaultdict(dict))
    for row in rows(directory, "tiering-time"):
        share[row["run"]][row["kernel"]][int(row["seconds"])] = float(row["share"])
        if row["kernel"] == "series":
            share[row["run"]]["best"][int(row["seconds"])] = float(row["best"])
    for run in ("normal:8", "shifting:8"):
        if run in share:
            seconds = sorted({s for values in share[run].values() for s in values})
            yield figure(line_plot({name: [values.get(s) for s in seconds] for name, values in share[run].items()},
                                   list(map(str, seconds)), "percent", "seconds", 3),
                         f"Share of the touches that the fast node serves, {run.split(':', maxsplit=1)[0]} distribution, 8 MB/s.")


def migration_figures(directory):
    near = defaultdict(lambda: defaultdict(list))
    for row in rows(directory, "migration"):
        near[row["mode"]][row["program"]].append(float(row["near"]))
    if near:
        programs = list(near["off"])
        yield figure(bar_plot({mode: [statistics.median(values[p]) for p in programs] for mode, values in near.items()}, programs,
                              "percent", "program"),
                     "Accesses to memory of the node that the task was on.")


def channels_figures(directory):
    times = defaultdict(lambda: defaultdict(list))
    for row in rows(directory, "channels"):
        if row["of"] == "buffers" and row["work"] == "copy" and row["kernel"] == "series":
            times[row["machine"]][row["list"]].append(float(row["time"]))
    if times:
        lists = [name for name in next(iter(times.values())) if all(name in values for values in times.values())]
        yield figure(bar_plot({machine: [statistics.median(values[name]) for name in lists] for machine, values in times.items()},
                              lists, "seconds", "command line; one: 600 MiB in one place, general: anywhere"),
                     "Modelled time of four threads that copy, with equal channels; the median where boots differ.")


def sim_figures(directory):
    curves = defaultdict(dict)
    for row in rows(directory, "sim"):
        if row["table"] == "loaded" and row["unit"] == "ns" and row["workload"] != "all that goes":
            curves[row["placement"]][float(row["workload"].split()[0])] = float(row["measured"])
    if curves:
        loads = sorted({load for curve in curves.values() for load in curve})
        yield figure(line_plot({name: [curve.get(load) for load in loads] for name, curve in curves.items()},
                               [f"{load:g}" for load in loads], "ns", "GB/s that others want"),
                     "Latency of a chain of pointers while other CPUs read, one socket with an expander.")


FIGURES = {"allocation": allocation_figures, "machines": machines_figures, "tiering": tiering_figures,
           "migration": migration_figures, "channels": channels_figures, "sim": sim_figures}


# --- the pages

def write_html(directory, parts):
    out = ["<!DOCTYPE html>", '<html lang="en"><head><meta charset="utf-8"><title>Memory placement: benchmarks</title>',
           f"<style>{STYLE}</style></head><body>", "<h1>Memory placement: benchmarks</h1>",
           "<p>Instructions are counted and pages looked up in virtual machines; what was timed was timed by a model. What a count and a model "
           "leave out stands beside each table.</p>"]
    for part, (title, names) in parts.items():
        out.append(f"<h2>{html.escape(title)}</h2>")
        out.append(f'<p class="about">{html.escape(REPEATS[part])}<br>' +
                   "<br>".join(map(html.escape, text(directory, f"{part}.about").split("\n"))) + "</p>")
        out += FIGURES.get(part, lambda _: [])(directory)
        out += [f"<pre>{html.escape(text(directory, f'{name}.txt'))}</pre>" for name in names]
    out.append("</body></html>")
    with open(os.path.join(directory, "index.html"), "w", encoding="ascii") as file:
        file.write("\n".join(out) + "\n")


def write_rst(directory, parts):
    title = "Figures of memory placement"
    out = [".. SPDX-License-Identifier: GPL-2.0", "", "=" * len(title), title, "=" * len(title), "",
           "What ``make bench`` of the series has printed last.  Instructions are counted and pages",
           "looked up in virtual machines; what was timed was timed by a model."]
    for part, (title, names) in parts.items():
        out += ["", title, "=" * len(title), "", REPEATS[part] + "  Measured on::", ""]
        out += ["  " + line for line in text(directory, f"{part}.about").split("\n")]
        for name in names:
            out += ["", "::", ""] + [("  " + line).rstrip() for line in text(directory, f"{name}.txt").split("\n")]
    with open(os.path.join(directory, "figures.rst"), "w", encoding="ascii") as file:
        file.write("\n".join(out) + "\n")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    directory = sys.argv[1]
    parts = {part: what for part, what in PARTS.items() if text(directory, f"{what[1][0]}.txt")}
    write_html(directory, parts)
    write_rst(directory, parts)


if __name__ == "__main__":
    main()
