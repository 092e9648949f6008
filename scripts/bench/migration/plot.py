# SPDX-License-Identifier: GPL-2.0
"""Draws accesses to memory that is near."""
import statistics
from collections import defaultdict

from drawing import bar_plot, figure


def figures(rows):
    """What is drawn: rows(NAME) are those of NAME.csv"""
    near = defaultdict(lambda: defaultdict(list))
    for row in rows("migration"):
        near[row["mode"]][row["program"]].append(float(row["near"]))
    if near:
        programs = list(near["off"])
        yield figure(bar_plot({mode: [statistics.median(values[p]) for p in programs] for mode, values in near.items()}, programs,
                              "percent", "program"),
                     "Accesses to memory of the node that the task was on.")
