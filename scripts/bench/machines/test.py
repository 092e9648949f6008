#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests the arithmetic of judge.py, with placements that a virtual machine once had. Prints TAP."""
import csv
import importlib.util
import itertools
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "judge.py")
PLACEMENT = os.path.join(HERE, "test.placement")

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "../../lib"))
from tap import Tap  # noqa: E402 - leaves nothing beside the sources

spec = importlib.util.spec_from_file_location("bench_model", SCRIPT)
model = importlib.util.module_from_spec(spec)
spec.loader.exec_module(model)


def near(value, expected):
    assert abs(value - expected) <= 1e-9 * abs(expected), f"{value}, not {expected}"


def equal(value, expected):
    assert value == expected, f"{value}, not {expected}"


def refused(words, call, *arguments):
    try:
        call(*arguments)
    except ValueError as error:
        assert words in str(error), f"'{error}' does not say '{words}'"
    else:
        raise AssertionError("not refused")


def busiest_node():
    """the busiest node sets the pace"""
    near(model.rate({"a": 1}, {"a": {0: 9, 1: 1}}, (200, 20)), 200)
    near(model.rate({"a": 1}, {"a": {0: 10, 1: 1}}, (200, 20)), 220)
    near(model.rate({"a": 1}, {"a": {0: 1, 1: 1}}, (200, 20)), 40)
    near(model.rate({"a": 1}, {"a": {1: 7}}, (200, 20)), 20)
    # 300 pages at 100 on node 0, 100 at 50 on node 1
    near(model.rate({"a": 2, "b": 1}, {"a": {0: 100, 1: 50}, "b": {0: 100}}, (100, 50)), 400 / 3)


def untouched_buffers():
    """a buffer without traffic counts for nothing"""
    pages = {"a": {0: 2, 1: 1}, "rest": {1: 1000}}
    near(model.rate({"a": 1}, pages, (2, 1)), 3)
    near(model.share_of_dram({"a": 1}, pages), 2 / 3)


def share():
    """the share of node 0 goes by traffic, not by pages"""
    near(model.share_of_dram({"a": 3, "b": 1}, {"a": {0: 1}, "b": {0: 1, 1: 1}}), 4 / 5)


def within_limit():
    """no placement exceeds the sum of the bandwidths, and their ratio reaches it"""
    for pages in itertools.product(range(1, 12), repeat=3):
        assert model.rate({"a": 1}, {"a": dict(enumerate(pages))}, (7, 3, 2)) <= 12 * (1 + 1e-12), pages
    near(model.rate({"a": 1}, {"a": {0: 7, 1: 3, 2: 2}}, (7, 3, 2)), 12)


def foreign_node():
    """pages on a node that the machine lacks are refused"""
    refused("node 2", model.rate, {"a": 1}, {"a": {0: 1, 2: 1}}, (2, 1))


def weights():
    """weights fit the bandwidths best, by the smallest of them"""
    for bandwidth, expected in (((200, 20), [10, 1]), ((200, 22), [100, 11]), ((8, 4), [2, 1]), ((5, 5, 5), [1, 1, 1]),
                                ((10, 10000), [1, 255])):
        equal(model.best_weights(bandwidth), expected)
    for bandwidth in ((200.9, 22.2), (4691618, 1538646.5), (298.8, 12.65), (3.14159, 2.71828)):
        ratio = bandwidth[0] / bandwidth[1]
        best = min(max(a / b / ratio, ratio * b / a) for a in range(1, 256) for b in range(1, 256))
        top, low = model.best_weights(bandwidth)
        near(max(top / low / ratio, ratio * low / top), best)


def exact_fit():
    """a machine that is as the model says is found again"""
    dram, expanders, speed = 300, 4, 23
    mix = dram, (expanders + 1) * speed, dram + expanders * speed
    fit = model.fit_bandwidth(*mix, expanders)
    near(fit.bandwidth, speed)
    near(fit.limit, 392)
    near(1 + fit.interleave_residual, 1)
    near(1 + fit.weighted_residual, 1)
    equal(min(model.fit_machine([mix], 8), key=model.squares)[0].expanders, expanders)


def least_squares():
    """no other bandwidth fits the published mixes better"""
    for (dram, interleave, weighted), expanders in itertools.product(model.all_mixes(), range(1, 9)):
        fit = model.fit_bandwidth(dram, interleave, weighted, expanders)
        for speed in (fit.bandwidth * 0.999, fit.bandwidth * 1.001):
            other = ((expanders + 1) * speed / interleave - 1) ** 2 + ((dram + expanders * speed) / weighted - 1) ** 2
            assert other > model.squares([fit]), f"{speed} with {expanders}"


def published_fit():
    """8 expanders of 12.65 and 13.07 GB/s, within 3.1 % of what is published"""
    fits = model.chosen_fits()
    equal([fit.expanders for fit in fits], [8, 8])
    equal([f"{fit.bandwidth:.2f}" for fit in fits], ["12.65", "13.07"])
    equal([f"{100 * fit.interleave_residual:+.1f} {100 * fit.weighted_residual:+.1f}" for fit in fits], ["+0.7 -3.0", "+0.4 -1.3"])


def plan():
    """the recorded runs are those that are planned"""
    equal(list(model.read_placement(PLACEMENT)[1]), model.plan())


def run_report(placement):
    """Text and rows of a report, or its message"""
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "model.csv")
        done = subprocess.run([sys.executable, SCRIPT, "report", placement, path], capture_output=True, text=True, check=False)
        if done.returncode:
            return done.stderr, None
        with open(path, encoding="ascii", newline="") as file:
            return done.stdout, list(csv.DictReader(file))


def results():
    """results with recorded placements"""
    _, rows = run_report(PLACEMENT)
    modelled = {(row["machine"], row["workload"], row["placement"]): row["modelled"] for row in rows}
    equal(len(rows), 40)
    for kernel, *values in (("copy", "200.9", "22.2", "44.4", "222.0", "222.0"),
                            ("scale", "202.1", "22.3", "44.6", "223.0", "223.0"),
                            ("add", "208.9", "24.4", "48.8", "232.1", "232.1"),
                            ("triad", "208.5", "24.5", "49.0", "231.7", "231.7")):
        equal([modelled["one expander", kernel, name] for name in model.NAMES.values()], values)
    for machine, workload, *values in (("N expanders", "2:1", "298.8", "113.8", "399.7"),
                                       ("N expanders", "1:1", "273.2", "117.6", "377.7"),
                                       ("8 + 4 channels", "2:1", "8.00", "8.00", "12.00"),
                                       ("random lookup", "lookup", "4691618", "3077293", "6229617")):
        equal([modelled[machine, workload, model.NAMES[name]] for name in ("dram", "interleave", "everything")], values)
    assert all(float(row["modelled"]) <= float(row["limit"]) for row in rows)


def repeated():
    """the same placement gives the same report"""
    equal(run_report(PLACEMENT), run_report(PLACEMENT))


def changed_placement(change):
    with open(PLACEMENT, encoding="ascii") as file, tempfile.NamedTemporaryFile("w", encoding="ascii") as other:
        other.write(change(file.read()))
        other.flush()
        return run_report(other.name)


def follows_placement():
    """pages elsewhere give another result"""
    run = "run lookup:everything:186,61:table=96,rest=4\n"
    _, rows = changed_placement(lambda text: text[:text.index(run)] + run + "table 0=12288 1=12288\nrest 0=1024\n" +
                                text[text.index("run lookup:big"):])
    equal([row["modelled"] for row in rows if row["machine"] == "random lookup"], ["4691618", "3077293", "3077293", "6229617"])


def incomplete():
    """a placement that ends early is refused"""
    for change, words in ((lambda text: text[:text.index("run lookup:big")], "is missing"),
                          (lambda text: text[:text.rindex("table")], "0 pages of buffer table"),
                          (lambda text: "", "is missing")):
        message, rows = changed_placement(change)
        assert rows is None and words in message, message


def main():
    tests = [busiest_node, untouched_buffers, share, within_limit, foreign_node, weights, exact_fit, least_squares, published_fit,
             plan, results, repeated, follows_placement, incomplete]
    tap = Tap(len(tests))
    for test in tests:
        try:
            test()
            tap.result(True, test.__doc__)
        except Exception as error:  # whatever it is, the others still have their turn
            tap.result(False, test.__doc__)
            tap.comment(f"{type(error).__name__}: {error}")
    return tap.status()


sys.exit(main())
