#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests the arithmetic of judge.py and how it judges, on the plan of run.sh. Prints TAP."""
import csv
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
from tap import print_results  # noqa: E402 - leaves nothing beside the sources

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "judge.py")

# READ:WRITE MB/s, READ:WRITE ns and socket
SOCKET = ["200000:200000:80:80", "20000:20000:250:250"]
MACHINES = {
    "expanders": ["300000:300000:80:80"] + 8 * ["12500:12500:250:250"],
    "sockets": ["400000:400000:100:100:0", "400000:400000:100:100:1", "64000:64000:250:250:0", "64000:64000:250:250:1"],
}
LINKS = {"sockets": ",cpus=0-1:0,remote=0:1:170:170,link=0:1:200000:200000,link=1:0:200000:200000"}
STREAM = {"dram": 200, "cxl": 20, "default": 44, "weighted": 206, "global": 204, "targeted": 206}
MIX = {"mix/2:1": (300, 113.4, 414), "mix/1:1": (270, 116, 378), "channels/2:1": (300, 126, 363), "channels/1:1": (255, 158, 334)}
WEIGHTS = {"sockets/weights": ("4", "4", "1", "1"), "found/reads/weights": ("10", "1")}


def stream(value):
    return [f"{kernel} {value}" for kernel in ("copy", "scale", "add", "triad")]


def loaded(command, idle, limit):
    """A curve as the model has it"""
    for rate in map(int, command[command.index("-d") + 1].split(",")):
        bandwidth = min(rate / 1000 or limit, limit)
        load = bandwidth / 200
        factor = 1 if load <= 0.4 else 0.6 + load if load <= 0.8 else 1.4 + 25 * (load - 0.8) ** 2
        yield f"{rate} {bandwidth:.2f} {idle * factor:.2f}"


def reply(key, command):
    """What is printed where all is as it should be"""
    table, *rest = key.split("/")
    last = rest[-1]
    if last == "weights":
        return WEIGHTS.get(key, ("9", "1"))
    if table in ("calibrate", "again"):
        place = ("bind:0", "bind:1", "interleave:0,1").index(last)
        return stream((200, 20, 40)[place]) if rest[1] == "stream" else [str((80, 250, 165)[place])]
    if table == "loaded":
        return ["80.00"] if last == "idle" else list(loaded(command, {"dram": 80, "default": 165, "nine": 97}[last],
                                                            {"dram": 200, "default": 40, "nine": 220}[last]))
    if table == "stream":
        return stream(STREAM[last])
    if table in ("mix", "channels"):
        return [str(MIX[f"{table}/{rest[0]}"][min(2, ("dram", "default", "weighted", "best").index(last))])]
    if table == "told":
        return ["180" if last == "default" and rest[1] != "2:1" else "200"]
    if table == "lookup":
        return [str({"dram": 4000000, "default": 2620000, "weighted": 4960000}[last])]
    if table == "sockets":
        return ["390.5"] * (2 if rest[0] == "both" else 1)
    if table == "tiering":
        rate = {"off": 10e6, "placed": 20e6, "this": 21e6}[last]
        return [f"{second} {rate * (1 if second > 2 else 0.5):.0f} 50.0" for second in (1, 2, 3, 4)] + [f"mean {rate:.0f}"]
    if table == "found":
        return {"dram": ["200"], "cxl": ["20"], "weighted": ["216"]}.get(last, ["from node0 compute cores:"])
    if table == "order":
        return stream(110 if last == "smooth" else 100)
    raise KeyError(key)


def plan():
    """BOOT -> its lines, as sim-plan.sh splits them"""
    boots = {}
    with open(os.path.join(HERE, "plan"), encoding="ascii") as file:
        for line in file:
            if line.startswith("boot "):
                lines = boots.setdefault(line.split()[1], [])
            if line.strip() and not line.startswith("#"):
                lines.append(line)
    return boots


def write(path, lines):
    with open(path, "w", encoding="ascii") as file:
        file.write("".join(line.rstrip("\n") + "\n" for line in lines))


def judge(others=None, without=(), boots=None, tap=False):
    """Status and table, where keys print others than usual, and boots without results"""
    with tempfile.TemporaryDirectory() as directory, tempfile.TemporaryDirectory() as target:
        for boot, lines in plan().items():
            if boots and boot not in boots:
                continue
            write(os.path.join(directory, boot + ".plan"), lines)
            scenario = lines[0].split()[2]
            nodes = ",".join(f"node={n}:{n + 1}:{node}" for n, node in enumerate(MACHINES.get(scenario, SOCKET)))
            write(os.path.join(directory, scenario + ".nodes"), [nodes + LINKS.get(scenario, "") + ",window=1024"])
            found = []
            for line in lines[1:]:
                key, *command = line.split()
                if key != "-":
                    found += [f"{key} {word}" for word in (others or {}).get(key) or reply(key, command)]
            if boot not in without:
                write(os.path.join(directory, boot + ".txt"), found)
        words = ["--tap", directory] if tap else [directory, target]
        result = subprocess.run([SCRIPT] + words, capture_output=True, text=True, check=False)
        rows = []
        if not tap:
            with open(os.path.join(target, "sim.csv"), encoding="ascii", newline="") as file:
                rows = list(csv.DictReader(file))
        return result.returncode, result.stdout, rows


def fails(others, *words):
    """What does not hold is one line, with these words, or some"""
    status, text, _ = judge(others)
    lines = [line for line in text.splitlines() if "DOES NOT HOLD" in line]
    return status == 1 and lines and all(all(word in line for word in words) for line in lines)


def holds(others):
    return judge(others)[0] == 0


def row(rows, table, workload, placement, unit):
    return next(row for row in rows if (row["table"], row["workload"], row["placement"], row["unit"]) ==
                (table, workload, placement, unit))


def curve(change):
    """The curve of DRAM with points changed: BANDWIDTH, LATENCY -> LATENCY"""
    lines = next(line for line in plan()["loaded"] if line.startswith("loaded/dram ")).split()
    points = (line.split() for line in loaded(lines, 80, 200))
    return {"loaded/dram": [f"{rate} {speed} {change(float(speed), float(ns))}" for rate, speed, ns in points]}


STATUS, TEXT, ROWS = judge()
TABLES = ["calibration", "loaded", "stream", "mixes", "channels", "told", "lookups", "sockets", "tiering", "found", "order"]
PROMISED = {table: sum(row["table"] == table and row["holds"] != "" for row in ROWS) for table in TABLES}
TAP = judge(boots=("one", "stream"), tap=True)
TESTS = {
    "all is as it should be": STATUS == 0 and "DOES NOT HOLD" not in TEXT and all(row["measured"] for row in ROWS),
    "every table is there": list(dict.fromkeys(row["table"] for row in ROWS)) == TABLES,
    "what is promised is asked for": PROMISED == {"calibration": 32, "loaded": 3, "stream": 16, "mixes": 8, "channels": 4, "told": 20, "lookups": 2,
                                                  "sockets": 0, "tiering": 4, "found": 2, "order": 0},
    "no result of a boot does not hold": judge(without=("stream",))[0] == 1,
    "a node within 2 %": holds({"calibrate/four/stream/bind:1": stream(20.39), "again/four/stream/bind:1": stream(20.39)}),
    "a node out of 2 %": fails({"calibrate/four/stream/bind:1": stream(20.41), "again/four/stream/bind:1": stream(20.41)}, "bind:1", "four"),
    "reads and writes of a kernel count by bytes": row(ROWS, "calibration", "add, one", "bind:0", "GB/s")["least"] == "200",
    "latency within 3 %": holds({"calibrate/one/chase/bind:0": ["82.3"], "again/one/chase/bind:0": ["82.3"]}),
    "latency out of 3 %": fails({"calibrate/one/chase/bind:0": ["77.5"], "again/one/chase/bind:0": ["77.5"]}, "chase, one", "bind:0"),
    "two nodes evenly out of 5 %": fails({"calibrate/one/stream/interleave:0,1": stream(37.9),
                                          "again/one/stream/interleave:0,1": stream(37.9)}, "interleave:0,1", "one"),
    "again within 1 %": holds({"again/four/stream/bind:0": ["copy 200", "scale 200", "add 200", "triad 201.9"]}),
    "again out of 1 %": fails({"again/four/stream/bind:0": ["copy 200", "scale 200", "add 200", "triad 202.1"]}, "once more, four"),
    "again without a figure": fails({"again/four/chase/bind:0": ["-"]}, "once more, four"),
    "latency grows below 40 %": fails(curve(lambda speed, ns: 85 if speed < 20 else ns), "up to 40 %"),
    "latency leaps between 40 and 80 %": fails(curve(lambda speed, ns: ns * (1.3 if 100 < speed < 160 else 1)), "away from a line"),
    "latency does not double": fails(curve(lambda speed, ns: min(ns, 159)), "most of all"),
    "default interleave within 10 %": holds({"stream/default": stream(48.3)}),
    "default interleave out of 10 %": fails({"stream/default": stream(48.5)}, "default interleave", "/ DRAM only"),
    "a range: 10 % above its end": holds({"stream/global": stream(228.7)}),
    "a range: further above": fails({"stream/global": stream(229)}, "global"),
    "a range: 10 % below its start": fails({"stream/global": stream(169)}, "global"),
    "within a range the ratio is 1": row(ROWS, "stream", "copy", "global weights", "/ DRAM only")["ratio"] == "1.0000",
    "mixes out of 10 %": fails({"mix/1:1/best": ["339"]}, "1:1", "weighted, best"),
    "weights of the kernel out of 10 %": fails({"channels/1:1/weighted": ["300"]}, "1:1", "weighted, automatic"),
    "told weights that reach 97 %": holds({"told/pmem/1:0/told": ["194.1"], "told/pmem/2:1/default": ["194.1"]}),
    "told weights that do not": fails({"told/pmem/1:0/told": ["193.9"]}, "pmem, 1:0", "told the mix", "/ best"),
    "usual weights that do not, at their mix": fails({"told/pmem/2:1/default": ["193.9"]}, "pmem, 2:1", "67 % of reads", "/ best"),
    "told weights without the best ones": fails({"told/socket/3:1/best": ["-"]}, "socket, 3:1", "told the mix", "/ best"),
    "what usual weights lose at other mixes": "pmem: 1:0 90 %, 3:1 90 %, 1:1 90 %; socket: 1:0 90 %" in " ".join(TEXT.split()),
    "lookups over DRAM out of 10 %": fails({"lookup/weighted": ["5500000"], "lookup/default": ["2910000"]}, "lookup", "/ DRAM only"),
    "lookups over default interleave out of 10 %": fails({"lookup/default": ["2300000"]}, "lookup", "/ default interleave"),
    "found weights that reach 98 %": holds({"found/reads/weighted": ["215.7"]}),
    "found weights that do not": fails({"found/reads/weighted": ["215.5"]}, "reads", "found by bwactl"),
    "lines in flight, each for the mean latency": "reads 10:1, for which the lines in flight allow 686.57 GB/s" in " ".join(TEXT.split()),
    "promotion is no gain": fails({"tiering/zipf/off": ["1 1 5", "2 25000000 50"]}, "zipf", "/ no promotion"),
    "promotion is less than the base's": fails({"tiering/zipf/placed": ["1 1 5", "2 21700000 50"]}, "zipf", "/ base"),
    "promotion counts in the second half": row(ROWS, "tiering", "normal", "base", "M accesses/s")["measured"] == "20",
    "a node is the bound": row(ROWS, "sockets", "first socket", "local DRAM", "GB/s")["least"] == "400",
    "the link is the bound": row(ROWS, "sockets", "first socket", "global weights", "GB/s")["least"] == "400",
    "what both use is the bound": row(ROWS, "sockets", "both at once", "own weights, all nodes", "GB/s")["least"] == "758.857",
    "both at once are added": row(ROWS, "sockets", "both at once", "local DRAM", "GB/s")["measured"] == "781",
    "runs and smooth side by side": "100.0 / 110.0   +10 %" in TEXT,
    "TAP of what a plan asks for": TAP[0] == 0 and f"1..{TAP[1].count(chr(10) + 'ok ')}\n" in TAP[1] and "not ok" not in TAP[1],
    "TAP of what does not hold": (lambda status, text, _: status == 1 and text.count("\nnot ok ") == 4)(
        *judge({"stream/default": stream(60)}, boots=("one", "stream"), tap=True)),
}

sys.exit(print_results(TESTS.items()))
