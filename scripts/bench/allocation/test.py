#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests how report.py judges orders of pages and figures. Prints TAP."""
import itertools
import os
import sys
import types

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
import counts  # noqa: E402 - leaves nothing beside the sources
import report  # noqa: E402
from tap import print_results  # noqa: E402

results = []


def check(name, passed):
    results.append((name, passed))


def near(a, b):
    return abs(a - b) < 1e-9


def worst(places, share, starts):
    """By the definition: every node in every part of the order"""
    return max(abs((end - start) * part - places[start:end].count(node))
               for start, end in starts for node, part in enumerate(share))


def order(nodes, weights, places):
    return counts.Order(nodes, weights, "".join(chr(ord("0") + n) for n in places))


def orders():
    runs = order(2, "5:1", [0, 0, 0, 0, 0, 1] * 4)
    check("runs of 5:1 are 5/6 of a page away before the other node", near(runs.prefix(), 5 / 6))
    check("a round of 5:1 is exact", near(runs.buffers(6), 0))
    check("half a round of 5:1 has half a page too few or too many", near(runs.buffers(3), 0.5))
    check("equal shares without weights", near(order(4, "-", [0, 1, 2, 3]).buffers(4), 0))
    check("a node that gets nothing", near(order(2, "1:1", [0] * 10).prefix(), 5))
    check("nodes above 9", near(order(64, "1:1", range(64)).buffers(64), 0))
    same = []
    for places in itertools.product(range(3), repeat=6):
        one = order(3, "2:1", places)
        same.append(near(one.prefix(), worst(places, one.share, [(0, n) for n in range(1, 7)])) and
                    near(one.buffers(2), worst(places, one.share, [(0, 2), (2, 4), (4, 6)])))
    check("every order of six pages on three nodes as counted by hand", all(same))


def limits():
    def row(prefix, buffer, nodes=2, kernel="default"):
        return (kernel, nodes, "weighted", "task", "5:1", prefix, buffer, buffer, buffer, buffer)

    def held(*rows):
        return [holds for holds, _ in report.fidelity_limits(rows)]

    more = row(0.9, 1.9, 4)
    check("a good order holds", held(row(0.9, 1.0), more) == [True, True, True])
    check("a prefix a page away does not", held(row(1.0, 1.0), more) == [False, True, True])
    check("a buffer of two nodes more than a page away does not", held(row(0.5, 1.1), more) == [True, False, True])
    check("a buffer of four nodes two pages away does not", held(row(0.5, 1.0), row(0.5, 2.0, 4)) == [True, True, False])
    check("other kernels are not judged", held(row(0.5, 1.0), more, row(9, 9, 2, "peer-6.12")) == [True, True, True])
    check("a figure that is not there does not hold", not report.at_most(None, 3, "x")[0])
    check("a figure at its limit holds", report.at_most(3.0, 3.0, "x")[0])
    check("a figure above its limit does not", not report.at_most(3.1, 3.0, "x")[0])


class Bulk:
    """A boot with requests for many pages alone: what 5:1, 100:37, own and plain interleaving add"""

    def __init__(self, few, many, own, even=1.0):
        self.rows = {("bulk", "default", "-", "-"): 0, ("bulk", "interleave", "task", "-"): even,
                     ("bulk", "weighted", "task", "5:1"): few, ("bulk", "weighted", "task", "100:37"): many,
                     ("bulk", "own", "task", "5:1"): own}

    def over_default(self, key):
        return self.rows[key]

    def worst(self, load, policy, scope):
        return max(self.rows[key] for key in self.rows if key[:3] == (load, policy, scope))


def bulk():
    def held(nodes, *figures):
        boots = {(kernel, nodes): Bulk(*figures) for kernel in ("default", "default-base")}
        return [holds for holds, _ in report.bulk_limits(boots, "bulk, task", "task")]

    check("bulk memory may cost what mainline takes", held(2, 1.8, 1.4, 1.8) == [True] * 4)
    check("5:1 may not cost more", held(2, 1.81, 1.4, 1.8) == [True, False, True, True])
    check("100:37 may not cost more", held(2, 1.8, 1.41, 1.8) == [True, True, False, True])
    check("own weights may not cost more", held(2, 1.8, 1.4, 1.81) == [True, True, True, False])
    check("more nodes may cost more", held(16, 11.6, 4.6, 11.6, 6.8) == [True] * 4)
    check("two nodes may not cost what 16 may", held(2, 11.6, 4.6, 11.6, 6.8) == [True, False, False, False])
    check("a few more than plain interleaving on as many nodes", held(16, 11.6, 4.6, 11.6, 6.5) == [False, True, True, True])
    check("nodes of which mainline's figure is not known", held(32, 1.0, 1.0, 1.0) == [True, False, False, False])


def figures():
    def judged(now, base="6.1", load="anon"):
        committed = [{"base": "6.1", "compiler": "gcc 12", "nodes": "2", "load": load, "policy": "weighted", "scope": "task",
                      "weights": "5:1", "policy_code": "125.00"}]
        return [verdict for verdict, *_ in report.growth(now, (base, "gcc 12"), committed)]

    key = "2", "anon", "weighted", "task", "5:1"
    check("a figure may grow by three instructions", judged({key: 128.0}) == [True])
    check("and not by more", judged({key: 128.01}) == [False])
    page = "2", "bulk", "weighted", "task", "5:1"
    check("a page of bulk memory by a third of one", judged({page: 125.3}, load="bulk") == [True])
    check("and not by more than that", judged({page: 125.31}, load="bulk") == [False])
    check("a figure that has become smaller is good", judged({key: 100.0}) == [True])
    check("a figure that is gone is not", judged({}) == [False])
    check("a figure that nobody has committed is not", judged({key: 125.0, ("2", "anon", "own", "task", "5:1"): 1.0}) ==
          [False, True])
    check("figures of another base are skipped", judged({key: 999.0}, "6.2") == [None])


def base():
    def boots(*codes):
        rows = {("anon", "default", "-", "-"): codes[0], ("anon", "interleave", "task", "-"): codes[1]}
        rows = {key: types.SimpleNamespace(load=key[0], error=0, code=code, single=7, lines=9) for key, code in rows.items()}
        rows["anon", "weighted", "task", "5:1"] = types.SimpleNamespace(load="anon", error=22)
        return {("default-base", 2): types.SimpleNamespace(version="6.1", compiler="gcc 12", rows=rows)}

    kept = [dict(zip(counts.HEAD, map(str, row))) for row in counts.remember(boots(111.25, 151.5))]
    again = counts.recall("default-base", kept)["default-base", 2]
    check("figures of the base are kept as they are", (again.default("anon").code, again.default("anon").lines) == (111.25, 9))
    check("and what follows from them", near(again.worst("anon", "interleave", "task"), 40.25))
    check("a policy that the base does not have costs nothing there", again.worst("anon", "weighted", "task") is None)
    check("the machine they are of", (again.version, again.compiler, again.nodes) == ("6.1", "gcc 12", 2))

    def same(now):
        return next(report.remembered(now, kept))[0]

    check("a base that costs the same is as it was kept", same(boots(111.25, 151.5)))
    check("one that costs an instruction more is not", not same(boots(111.25, 152.5)))
    check("nor is one with another policy", not same({("default-base", 4): boots(111.25, 151.5)["default-base", 2]}))


orders()
limits()
base()
bulk()
figures()
sys.exit(print_results(results))
