# SPDX-License-Identifier: GPL-2.0
"""Draws touches that the fast node serves."""
from collections import defaultdict

from drawing import figure, line_plot


def figures(rows):
    """What is drawn: rows(NAME) are those of NAME.csv"""
    share = defaultdict(lambda: defaultdict(dict))
    for row in rows("tiering-time"):
        share[row["run"]][row["kernel"]][int(row["seconds"])] = float(row["share"])
        if row["kernel"] == "series":
            share[row["run"]]["best"][int(row["seconds"])] = float(row["best"])
    for run in ("normal:8", "shifting:8"):
        if run in share:
            seconds = sorted({s for values in share[run].values() for s in values})
            yield figure(line_plot({name: [values.get(s) for s in seconds] for name, values in share[run].items()},
                                   list(map(str, seconds)), "percent", "seconds", 3),
                         f"Share of the touches that the fast node serves, {run.split(':', maxsplit=1)[0]} distribution, 8 MB/s.")
