#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Draws the pictures of the documentation: pictures.py DIRECTORY

Each is made of what the repository has: speeds of a machine of scenarios/, tables of
Documentation/mm/memory-placement-figures.rst. The same data give the same bytes.
"""
import os
import re
import sys

sys.dont_write_bytecode = True
import drawing  # noqa: E402 pylint: disable=wrong-import-position - leaves nothing beside the sources

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
FIGURES = "Documentation/mm/memory-placement-figures.rst"


def lines(name):
    """Of a file of the repository"""
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read().split("\n")


def below(heading, ends=""):
    """The lines of the table of figures with that heading, up to one that begins with ENDS or an empty one"""
    found = lines(FIGURES)
    start = found.index("  " + heading) + 1
    while not found[start].startswith(ends or "  "):
        start += 1
    for line in found[start:]:
        if not line.strip():
            break
        yield line.strip()


def speeds(scenario):
    """NODE -> GB/s, ns: what the firmware of a machine says, in which a GB has 1024 MB"""
    rows = [line[len("node="):].split() for line in lines(f"scenarios/{scenario}.conf") if line.startswith("node=")]
    return {int(node): (int(mbps) / 1024, int(ns)) for node, mbps, ns in rows}


def best_ratio(fast, slow):
    """The smallest numbers whose ratio is within a hundredth of that of the bandwidths"""
    return next((round(n * fast / slow), n) for n in range(1, 256) if abs(round(n * fast / slow) / n / (fast / slow) - 1) < 0.011)


def together(fast, slow, ratio):
    """GB/s when the fast node has RATIO times the pages of the slow one: the node that is busy for longest ends last"""
    return min(fast * (ratio + 1) / ratio, slow * (ratio + 1))


def arrow(x, y, length, width, words, number):
    """From the CPUs to a memory"""
    return (f'<line class="line{number}" x1="{x}" x2="{x + length}" y1="{y}" y2="{y}" stroke-width="{width}"/>' +
            drawing.text(x + length / 2, y - width / 2 - 6, words[0], "middle", 15) +
            drawing.text(x + length / 2, y + width / 2 + 18, words[1], "middle"))


def box(x, y, width, height, words):
    """With lines of words in it"""
    parts = [f'<rect class="box" x="{x}" y="{y}" width="{width}" height="{height}" rx="6"/>']
    top = y + height / 2 - 10 * (len(words) - 1) + 5
    parts += [drawing.text(x + width / 2, top + 20 * n, line, "middle", 11 if n else 15) for n, line in enumerate(words)]
    return "".join(parts)


def machine():
    """The machine of most examples"""
    (fast, near), (slow, far) = (speeds("cxl2")[node] for node in (0, 1))
    weights = best_ratio(fast, slow)
    both, even = together(fast, slow, weights[0] / weights[1]), together(fast, slow, 1)
    parts = [box(10, 30, 120, 180, ["CPUs"]), box(330, 20, 180, 80, ["node 0: DRAM", f"weight {weights[0]}"]),
             box(330, 140, 180, 80, ["node 1: CXL card", f"weight {weights[1]}"]),
             arrow(130, 60, 200, 16, (f"{fast:.0f} GB/s", f"{near} ns"), 0), arrow(130, 180, 200, 2, (f"{slow:.0f} GB/s", f"{far} ns"), 1),
             drawing.text(420, 115, "hot pages move up", "middle"), drawing.text(420, 132, "cold pages move down", "middle"),
             drawing.text(530, 55, "at most, of both nodes:", size=13),
             drawing.text(530, 80, f"{both:.0f} GB/s with weights {weights[0]}:{weights[1]}", size=13),
             drawing.text(530, 100, f"{fast:.0f} GB/s with DRAM alone", size=13),
             drawing.text(530, 120, f"{even:.0f} GB/s interleaved evenly", size=13)]
    return drawing.picture(parts, f"CPUs with DRAM of {fast:.0f} GB/s and {near} ns, and a CXL card of {slow:.0f} GB/s and {far} ns. "
                           f"Weights {weights[0]}:{weights[1]} give {both:.0f} GB/s at most, "
                           f"DRAM alone {fast:.0f}, even interleaving {even:.0f}.",
                           720, 240)


def weights_picture():
    """Bandwidth over the weight of the fast node"""
    (fast, _), (slow, _) = (speeds("cxl2")[node] for node in (0, 1))
    best, ratio = best_ratio(fast, slow), sorted([n / 4 for n in range(1, 81)] + [fast / slow])
    peak, even = together(fast, slow, best[0] / best[1]), together(fast, slow, 1)
    curves = {"both nodes": [(r, together(fast, slow, r)) for r in ratio], "DRAM alone": [(ratio[0], fast), (ratio[-1], fast)]}
    marks = [(best[0] / best[1], peak, f"{best[0]}:{best[1]}, {peak:.0f} GB/s"), (1, even, f"1:1, {even:.0f} GB/s")]
    return drawing.curve_plot(curves, "GB/s", "weight of DRAM, when the card has 1",
                              f"Bandwidth over weights, as far as the nodes of {fast:.0f} and {slow:.0f} GB/s allow: "
                              f"{even:.0f} GB/s with 1:1, {peak:.0f} with {best[0]}:{best[1]}, nearly the most, "
                              f"towards {fast:.0f} beyond.", marks)


def latency():
    """Over bandwidth, by placement"""
    names = ["DRAM alone", "even interleaving", "weights 9:1"]
    curves = {name: [] for name in names}
    for line in below("Latency under load", "  10 "):
        numbers = re.findall(r"-(?= )|-$|[\d.]+", line.split(None, 1)[1])
        for name, (rate, delay) in zip(names, zip(numbers[::2], numbers[1::2])):
            if rate != "-":
                curves[name].append((float(rate), float(delay)))
    ends = ", ".join(f"{name} {points[-1][1]:.0f} ns at {points[-1][0]:.0f} GB/s" for name, points in curves.items())
    return drawing.curve_plot(curves, "ns", "GB/s that three CPUs read meanwhile",
                              f"Latency under load in the modelled machine, at most: {ends}.")


def faults():
    """Instructions for a fault over nodes, beside 6.12"""
    table = list(below("anonymous memory, a page a fault", "  policy"))
    nodes = table[0].split()[4:]
    series, key = {}, None
    for line in table[1:]:
        words = line.split()
        if len(words) > len(nodes) + 1:
            key, words = words[:3], words[3:]
        if key == ["weighted", "mapping", "5:1"] and words[0] in ("series", "6.12"):
            series[{"series": "here", "6.12": "Linux 6.12"}[words[0]]] = [float(word) for word in words[1:]]
    told = "; ".join(f"{name} {values[0]:.0f} to {values[-1]:.0f}" for name, values in series.items())
    curves = {name: list(zip(map(float, nodes), values)) for name, values in series.items()}
    return drawing.curve_plot(curves, "instructions", "nodes of the policy",
                              "Instructions of the policy code for a fault under weighted interleaving, above the default policy's, "
                              f"on 1 to 64 nodes: {told}.")


def touches():
    """What the fast node serves, as time goes on, on this kernel and others"""
    heading, *table = [line.split() for line in below("normal:8 as time goes on: share of the touches that the fast node serves, %")]
    called = {"base": "Linux 6.1 with tiers", "tuned": "the same, tuned", "series": "here", "best": "any placement, at most"}
    curves = {called.get(name, f"Linux {name}"): [(float(row[0]), float(row[n])) for row in table if row[n] != "-"]
              for n, name in enumerate(heading) if n}
    curves = {name: points for name, points in curves.items() if points}
    early = float(table[len(table) // 6][0])
    told = "; ".join(f"{name} {next((share for time, share in points if time >= early), points[-1][1]):.0f} % after {early:.0f} s "
                     f"and {points[-1][1]:.0f} % after {points[-1][0]:.0f} s" for name, points in curves.items())
    return drawing.curve_plot(curves, "% of the touches", "seconds",
                              f"Touches that the fast node serves, pages touched as a normal distribution says, limit 8 MB/s: {told}.")


def policy():
    """The way of a policy from the call to the page"""
    way = [("a call", "mbind2 or mbind,", "or a mount option"), ("mm/mempolicy2", "one struct, copied once", "and checked"),
           ("mm/interleave", "a smooth order", "of the weights"), ("a page fault", "its place in the round,", "by the page's offset"),
           ("the page", "on its node; look", "with numa_maps")]
    width, every = 130, 144
    parts = []
    for n, words in enumerate(way):
        parts.append(box(6 + n * every, 30, width, 90, words))
        if n:
            parts.append(drawing.text(n * every - 1, 80, "→", "middle", 15))
    middle = 6 + 2 * every + width / 2
    parts += [drawing.text(middle, 145, "↑", "middle", 15),
              drawing.text(middle, 168, "weights: the policy's own, sysfs's, or from the firmware's tables", "middle")]
    return drawing.picture(parts, "A program's call is copied and checked in mm/mempolicy2; mm/interleave makes an order of the weights, "
                           "which are the policy's own, sysfs's or the firmware's; a page fault looks up the node by the page's offset; "
                           "numa_maps shows where the page is.", 720, 190)


PICTURES = {"machine": machine, "weights": weights_picture, "latency": latency, "faults": faults, "touches": touches,
            "policy": policy}


def main():
    """Writes all of them"""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, draw in PICTURES.items():
        with open(os.path.join(sys.argv[1], f"{name}.svg"), "w", encoding="utf-8") as file:
            file.write("<!-- SPDX-License-Identifier: GPL-2.0 -->\n" + draw() + "\n")


if __name__ == "__main__":
    main()
