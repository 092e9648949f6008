# SPDX-License-Identifier: GPL-2.0
"""Draws copying with memory on several channels."""
import statistics
from collections import defaultdict

from drawing import bar_plot, figure


def figures(rows):
    """What is drawn: rows(NAME) are those of NAME.csv"""
    times = defaultdict(lambda: defaultdict(list))
    for row in rows("channels"):
        if row["of"] == "buffers" and row["work"] == "copy" and row["kernel"] == "series":
            times[row["machine"]][row["list"]].append(float(row["time"]))
    if times:
        lists = [name for name in next(iter(times.values())) if all(name in values for values in times.values())]
        yield figure(bar_plot({machine: [statistics.median(values[name]) for name in lists] for machine, values in times.items()},
                              lists, "seconds", "command line; one: 600 MiB in one place, general: anywhere"),
                     "Modelled time of four threads that copy, with equal channels; the median where boots differ.")
