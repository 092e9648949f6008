# SPDX-License-Identifier: GPL-2.0
"""Draws throughput of modelled machines."""
from drawing import bar_plot, figure


def figures(rows):
    """What is drawn: rows(NAME) are those of NAME.csv"""
    found = [row for row in rows("machines") if row["modelled over DRAM"]]
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
