#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Prints the weights that the model of published machines has.

model.py JUDGE sets        for each line of standard input, the largest weight and the bandwidth of each node
model.py JUDGE machines    for its own machines, with such a line before them: LARGEST BANDWIDTH...:WEIGHT...

JUDGE is scripts/bench/machines/judge.py. Bandwidths are in MB/s there, or in whatever else a machine is described by.
"""
import importlib.util
import sys

sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("model", sys.argv[1])
model = importlib.util.module_from_spec(spec)
spec.loader.exec_module(model)


def line(numbers):
    return " ".join(map(str, numbers))


def print_sets():
    for most, *bandwidth in (map(int, text.split()) for text in sys.stdin):
        model.MAX_WEIGHT = most
        print(line(model.best_weights(bandwidth)))


def print_machines():
    for workload in model.workloads():
        # The kernels of STREAM share weights that fit none of them best.
        if workload.weights is model.STREAM_WEIGHTS:
            continue
        scale = 1000 if workload.unit == "GB/s" else 1
        print(line([model.MAX_WEIGHT] + [round(scale * speed) for speed in workload.bandwidth]) + ":" + line(workload.weights))


{"sets": print_sets, "machines": print_machines}[sys.argv[2]]()
