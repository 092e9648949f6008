#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests the arithmetic of scripts/bench-sim.py and how it judges, on the plan of scripts/bench-sim.sh. Prints TAP."""
import csv
import os
import subprocess
import sys
import tempfile

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
SCRIPT = os.path.join(TOP, "scripts/bench-sim.py")
NODES = {"": [(200000, 200000, 80), (20000, 20000, 250)], "expanders": [(300000, 300000, 80)] + 8 * [(12500, 12500, 250)]}
STREAM = ("copy", "scale", "add", "triad")


def plan():
    """BOOT -> its lines, as sim-plan.sh splits them"""
    boots = {}
    with open(os.path.join(TOP, "scripts/bench-sim.plan"), encoding="ascii") as file:
        for line in file:
            if line.startswith("boot "):
                lines = boots.setdefault(line.split()[1], [])
            if line.strip() and not line.startswith("#"):
                lines.append(line)
    return boots


def stream(value):
    return [f"{kernel} {value}" for kernel in STREAM]
