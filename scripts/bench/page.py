#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes one page of the benchmarks' results: page.py DIRECTORY

Reads PART.about, the tables of each part of the list beside this file, as text and as CSV; writes index.html, which needs nothing else, and
figures.rst, the same tables for the kernel's documentation.
"""
import csv
import html
import importlib.util
import os
import sys
from typing import NamedTuple

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))

STYLE = """
body { font: 15px/1.5 sans-serif; max-width: 76em; margin: 2em auto; padding: 0 1em; color: #222 }
pre { font: 12px/1.35 monospace; overflow-x: auto; background: #f6f6f6; padding: .8em }
figure { margin: 1.2em 0 } figcaption { font-size: 13px; color: #555 } .about { font-size: 13px; color: #555 }
@media (prefers-color-scheme: dark) {
body { background: #14181d; color: #ddd } pre { background: #1d2329 } figcaption, .about { color: #aaa }
}
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


class Part(NamedTuple):
    """A line of the list"""
    name: str
    title: str
    tables: str
    arguments: str
    repeats: str


def listed():
    with open(os.path.join(HERE, "list"), encoding="ascii") as file:
        return [Part(*line.rstrip("\n").split("\t")) for line in file if not line.startswith("#")]


def figures(part, directory):
    """What the part's folder draws"""
    path = os.path.join(HERE, part.name, "plot.py")
    if not os.path.exists(path):
        return []
    spec = importlib.util.spec_from_file_location(f"plot_{part.name}", path)
    plot = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plot)
    return list(plot.figures(lambda name: rows(directory, name)))


def write_html(directory, parts):
    out = ["<!DOCTYPE html>", '<html lang="en"><head><meta charset="utf-8"><title>Memory placement: benchmarks</title>',
           f"<style>{STYLE}</style></head><body>", "<h1>Memory placement: benchmarks</h1>",
           "<p>Instructions are counted and pages looked up in virtual machines; what was timed was timed by a model. What a count and a model "
           "leave out stands beside each table.</p>"]
    for part in parts:
        out.append(f"<h2>{html.escape(part.title)}</h2>")
        out.append(f'<p class="about">{html.escape(part.repeats)}<br>' +
                   "<br>".join(map(html.escape, text(directory, f"{part.name}.about").split("\n"))) + "</p>")
        out += figures(part, directory)
        out += [f"<pre>{html.escape(text(directory, f'{name}.txt'))}</pre>" for name in part.tables.split()]
    out.append("</body></html>")
    with open(os.path.join(directory, "index.html"), "w", encoding="ascii") as file:
        file.write("\n".join(out) + "\n")


def write_rst(directory, parts):
    title = "Figures of memory placement"
    out = [".. SPDX-License-Identifier: GPL-2.0", "", "=" * len(title), title, "=" * len(title), "",
           "What ``make bench`` of the series has printed last.  Instructions are counted and pages",
           "looked up in virtual machines; what was timed was timed by a model."]
    for part in parts:
        out += ["", part.title, "=" * len(part.title), "", part.repeats + "  Measured on::", ""]
        out += ["  " + line for line in text(directory, f"{part.name}.about").split("\n")]
        for name in part.tables.split():
            out += ["", "::", ""] + [("  " + line).rstrip() for line in text(directory, f"{name}.txt").split("\n")]
    with open(os.path.join(directory, "figures.rst"), "w", encoding="ascii") as file:
        file.write("\n".join(out) + "\n")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    directory = sys.argv[1]
    parts = [part for part in listed() if text(directory, f"{part.tables.split()[0]}.txt")]
    write_html(directory, parts)
    write_rst(directory, parts)


if __name__ == "__main__":
    main()
