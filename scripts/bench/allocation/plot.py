# SPDX-License-Identifier: GPL-2.0
"""Draws the cost of allocation, and where pages are."""
from collections import defaultdict

from drawing import bar_plot, figure, line_plot


def figures(rows):
    """What is drawn: rows(NAME) are those of NAME.csv"""
    cost = defaultdict(dict)
    nodes = set()
    for row in rows("allocation"):
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
    for row in rows("fidelity"):
        if row["policy"] == "weighted" and row["nodes"] == "2":
            worst = max(float(value) for key, value in row.items() if key.startswith(("prefix", "buffer")))
            away[row["kernel"]][row["weights"]] = max(worst, away[row["kernel"]].get(row["weights"], 0))
    if away:
        weights = list(next(iter(away.values())))
        yield figure(bar_plot({name: [values.get(w) for w in weights] for name, values in away.items()}, weights, "pages",
                              "weights of two nodes"),
                     "Pages away from the ideal share, at worst of all prefixes and all aligned buffers of 16 to 4096 pages.")
