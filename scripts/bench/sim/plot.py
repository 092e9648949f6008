# SPDX-License-Identifier: GPL-2.0
"""Draws latency under load."""
from collections import defaultdict

from drawing import figure, line_plot


def figures(rows):
    """What is drawn: rows(NAME) are those of NAME.csv"""
    curves = defaultdict(dict)
    for row in rows("sim"):
        if row["table"] == "loaded" and row["unit"] == "ns" and row["workload"] != "all that goes":
            curves[row["placement"]][float(row["workload"].split()[0])] = float(row["measured"])
    if curves:
        loads = sorted({load for curve in curves.values() for load in curve})
        yield figure(line_plot({name: [curve.get(load) for load in loads] for name, curve in curves.items()},
                               [f"{load:g}" for load in loads], "ns", "GB/s that others want"),
                     "Latency of a chain of pointers while other CPUs read, one socket with an expander.")
