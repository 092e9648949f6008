#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Models how fast published machines are with the placement of pages that a virtual machine had.

bench/machines/judge.py plan                     prints the runs of scripts/machine/guest/bench-model
bench/machines/judge.py report PLACEMENT CSV     models what it printed: a table on standard output, and one for programs

The model: work that is bound by bandwidth takes as long as the busiest node, which is the bytes on that node by its bandwidth.
"""
import math
import os
import sys
from fractions import Fraction
from typing import NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "../../lib"))
from figures import Published, write_csv  # noqa: E402 - leaves nothing beside the sources

PAGE = 4096
MAX_WEIGHT = 255
# Expanders of a socket that has 64 lanes for them, 8 lanes each
MAX_EXPANDERS = 8

NAMES = {"dram": "DRAM only", "cxl": "CXL only", "interleave": "default interleave", "everything": "weighted, everything",
         "big": "weighted, big buffers"}


# --- the model

def rate(traffic, pages, bandwidth):
    """Bytes a second of a workload. traffic: bytes that it moves for each byte of a buffer; pages: node -> pages of a buffer."""
    moved = [0.0] * len(bandwidth)
    for buffer, passes in traffic.items():
        for node, count in pages[buffer].items():
            if node >= len(moved):
                raise ValueError(f"buffer {buffer} has pages on node {node}, which the machine does not have")
            moved[node] += passes * count * PAGE
    return sum(moved) / max(amount / speed for amount, speed in zip(moved, bandwidth))


def share_of_dram(traffic, pages):
    """The share of the bytes that node 0 moves"""
    moved = sum(passes * sum(pages[buffer].values()) for buffer, passes in traffic.items())
    return sum(passes * pages[buffer].get(0, 0) for buffer, passes in traffic.items()) / moved


def best_weights(bandwidth):
    """The weights for which the largest relative error of the ratios is smallest; the smallest of them. The node that is done first with
    its pages of a round gets one more, until it has the most that a node can have: no better weights are passed by."""
    speeds = [Fraction(speed) for speed in bandwidth]
    whole = math.lcm(*(speed.numerator for speed in speeds))
    a_page = [int(whole * speed.denominator / speed.numerator) for speed in speeds]
    busy, weights, best = list(a_page), [1] * len(speeds), None
    while True:
        shortest, longest = min(busy), max(busy)
        if best is None or longest * best[0] < best[1] * shortest:
            best = shortest, longest, list(weights)
        first = busy.index(shortest)
        if weights[first] == MAX_WEIGHT:
            return best[2]
        weights[first] += 1
        busy[first] += a_page[first]


class Fit(NamedTuple):
    """Expanders beside DRAM. The residuals are relative: what is modelled by what is published, less 1."""
    expanders: int
    bandwidth: float
    limit: float
    interleave: float
    interleave_residual: float
    weighted_residual: float


def fit_bandwidth(dram, interleave, weighted, expanders):
    """The bandwidth of each of so many expanders that fits both results best: evenly interleaved, the slowest node sets the pace,
    (N + 1) * B; weighted, all nodes are busy, DRAM + N * B. Least squares of the relative residuals."""
    even, more = (expanders + 1) / interleave, expanders / weighted
    speed = (even + more * (1 - dram / weighted)) / (even * even + more * more)
    limit = dram + expanders * speed
    modelled = (expanders + 1) * min(speed, dram)
    return Fit(expanders, speed, limit, modelled, modelled / interleave - 1, limit / weighted - 1)


def squares(fits):
    return sum(fit.interleave_residual ** 2 + fit.weighted_residual ** 2 for fit in fits)


def fit_machine(mixes, most):
    """For each number of expanders the fits of all mixes, which have that number in common"""
    return [[fit_bandwidth(*mix, expanders) for mix in mixes] for expanders in range(1, most + 1)]


# --- the machines, as published

TOLD = Published(os.path.join(HERE, "../published.tsv"))


def alone(kernel):
    """The bandwidths of DRAM and of CXL for a kernel of STREAM, GB/s"""
    return TOLD.number(f"stream/{kernel}/dram"), TOLD.number(f"stream/{kernel}/cxl")


STREAM_KERNELS = {
    # bytes that STREAM counts, and bandwidths
    "copy": ({"a": 1, "c": 1}, alone("copy")),
    "scale": ({"b": 1, "c": 1}, alone("scale")),
    "add": ({"a": 1, "b": 1, "c": 1}, alone("add")),
    "triad": ({"a": 1, "b": 1, "c": 1}, alone("triad")),
}
# The whole ratio next to those of the four kernels, 8.5 to 9.05
STREAM_WEIGHTS = [9, 1]

MIX_TRAFFIC = {"2:1": {"read": 2, "written": 1}, "1:1": {"read": 1, "written": 1}}
# DRAM only, default interleave, weighted: GB/s
MIXES = {mix: tuple(TOLD.number(f"mix/{mix}/{placement}") for placement in ("dram", "default", "weighted")) for mix in MIX_TRAFFIC}

DDR5_CHANNELS, CXL_CHANNELS = 8, 4
CHANNEL_GAINS = {mix: TOLD.number(f"channels/{mix}/weighted/over-dram") for mix in MIX_TRAFFIC}

LOOKUPS = {"dram": TOLD.number("lookup/dram"), "interleave": TOLD.number("lookup/default"), "everything": TOLD.number("lookup/weighted")}

# The lookups' table is read at random, so each page as often as any other. "rest" is whatever else a program has; the model gives
# it no traffic.
BUFFERS = {"stream": "a=24,b=24,c=24,rest=4", "mix": "read=64,written=64,rest=4", "lookup": "table=96,rest=4"}


class Placed(NamedTuple):
    """What was published of a placement; gains as (least, most)"""
    value: float = None
    over_dram: tuple = None
    over_interleave: tuple = None


class Workload(NamedTuple):
    machine: str
    name: str
    run: str
    weights: list
    buffers: str
    bandwidth: tuple
    traffic: dict
    unit: str
    published: dict
    # what of the published results went into the bandwidths, and how
    inputs: dict


def stream():
    for name, (traffic, bandwidth) in STREAM_KERNELS.items():
        published = {
            "dram": Placed(bandwidth[0]),
            "cxl": Placed(bandwidth[1]),
            "interleave": Placed(None, TOLD.span("stream/default/over-dram")),
            "everything": Placed(None, TOLD.span("stream/global/over-dram")),
            "big": Placed(TOLD.number("stream/triad/targeted") if name == "triad" else None,
                          TOLD.span("stream/targeted/over-dram"), TOLD.span("stream/targeted/over-default")),
        }
        yield Workload("one expander", name, "stream", STREAM_WEIGHTS, BUFFERS["stream"], bandwidth, traffic, "GB/s", published,
                       {"dram": "input", "cxl": "input"})


def mixes(fits):
    for (name, values), fit in zip(MIXES.items(), fits):
        bandwidth = (values[0],) + (fit.bandwidth,) * fit.expanders
        published = {
            "dram": Placed(values[0]),
            "interleave": Placed(values[1]),
            "everything": Placed(values[2], TOLD.span(f"mix/{name}/weighted/over-dram"), TOLD.span(f"mix/{name}/weighted/over-default")),
            "big": Placed(),
        }
        yield Workload("N expanders", name, "mix-" + name.replace(":", "-"), best_weights(bandwidth), BUFFERS["mix"], bandwidth,
                       MIX_TRAFFIC[name], "GB/s", published, {"dram": "input", "interleave": "fitted", "everything": "fitted"})


def channels():
    bandwidth = (DDR5_CHANNELS, CXL_CHANNELS)
    for name, gain in CHANNEL_GAINS.items():
        published = {"dram": Placed(), "interleave": Placed(), "everything": Placed(None, (gain, gain)), "big": Placed()}
        yield Workload("8 + 4 channels", name, "channels", best_weights(bandwidth), BUFFERS["mix"],
                       bandwidth, MIX_TRAFFIC[name], "channels", published, {"dram": "input"})


def lookup_bandwidth():
    """In lookups a second: DRAM does them alone; evenly interleaved, the expander does half of them and sets the pace."""
    return LOOKUPS["dram"], LOOKUPS["interleave"] / 2


def lookups():
    bandwidth = lookup_bandwidth()
    published = {
        "dram": Placed(LOOKUPS["dram"]),
        "interleave": Placed(LOOKUPS["interleave"]),
        "everything": Placed(LOOKUPS["everything"], TOLD.span("lookup/weighted/over-dram"), TOLD.span("lookup/weighted/over-default")),
        "big": Placed(),
    }
    yield Workload("random lookup", "lookup", "lookup", best_weights(bandwidth), BUFFERS["lookup"], bandwidth, {"table": 1},
                   "lookups/s", published, {"dram": "fitted", "interleave": "fitted"})


def all_mixes():
    return list(MIXES.values())


def chosen_fits():
    return min(fit_machine(all_mixes(), MAX_EXPANDERS), key=squares)


def workloads():
    return [*stream(), *mixes(chosen_fits()), *channels(), *lookups()]


# --- runs of the virtual machine

def check_pages(run, buffers):
    """Refuses a placement that lacks buffers or pages"""
    for word in run.split(":")[3].split(","):
        name, mib = word.split("=")
        pages, wanted = sum(buffers.get(name, {}).values()), (int(mib) << 20) // PAGE
        if pages != wanted:
            raise ValueError(f"{run}: {pages} pages of buffer {name}, not {wanted}")


def run_name(workload, placement):
    return ":".join((workload.run, placement, ",".join(map(str, workload.weights)), workload.buffers))


def plan():
    """Each run once, in the order of the workloads"""
    return list(dict.fromkeys(run_name(workload, placement) for workload in workloads() for placement in workload.published))


def read_placement(path):
    """The kernel, and RUN -> buffer -> node -> pages"""
    kernel, runs = "", {}
    with open(path, encoding="ascii") as file:
        for line in file:
            word, *fields = line.split() or [""]
            if word == "kernel":
                kernel = " ".join(fields)
            elif word == "run":
                buffers = runs.setdefault(fields[0], {})
            elif word and runs:
                buffers[word] = {int(node): int(pages) for node, pages in (field.split("=") for field in fields)}
    return kernel, runs


# --- the tables

COLUMNS = ["machine", "workload", "placement", "kind", "unit", "published", "modelled", "limit", "published over DRAM",
           "modelled over DRAM", "published over interleave", "modelled over interleave", "share of node 0", "bandwidths",
           "weights", "model"]
MODEL = "bytes of the busiest node by its bandwidth"


def several(words):
    """Equal ones at the end in one: 298.8 + 8 x 12.65"""
    first, *others = words
    if len(others) == 1:
        return first, others[0]
    return first, f"{len(others)} x {others[0]}"


def number(value, unit):
    return f"{value:.0f}" if unit == "lookups/s" else f"{value:.2f}" if unit == "channels" else f"{value:.1f}"


def gain(factors):
    """A range of factors over something: their increase is one less"""
    if factors is None:
        return ""
    least, most = (f"{factor:.3f}".rstrip("0").ljust(4, "0") for factor in factors)
    return least if least == most else f"{least}-{most}"


def rows_of(workload, runs):
    modelled = {}
    for placement in workload.published:
        run = run_name(workload, placement)
        if run not in runs:
            raise ValueError(f"the placement of {run} is missing")
        check_pages(run, runs[run])
        modelled[placement] = rate(workload.traffic, runs[run], workload.bandwidth)
    digits = 0 if workload.unit == "lookups/s" else 2
    bandwidths = " + ".join(several([f"{round(speed, digits):.10g}" for speed in workload.bandwidth]))
    weights = ":".join(several(list(map(str, workload.weights)))).replace(" ", "")
    for placement, published in workload.published.items():
        value = modelled[placement]
        yield [workload.machine, workload.name, NAMES[placement], workload.inputs.get(placement, "modelled"), workload.unit,
               "" if published.value is None else f"{published.value:.10g}", number(value, workload.unit),
               number(sum(workload.bandwidth), workload.unit),
               gain(published.over_dram), f"{value / modelled['dram']:.2f}",
               gain(published.over_interleave), f"{value / modelled['interleave']:.2f}",
               f"{100 * share_of_dram(workload.traffic, runs[run_name(workload, placement)]):.2f}", bandwidths,
               weights if placement in ("everything", "big") else "", MODEL]


HEAD = """Modelled machines. Model: the run time is that of the busiest node, its bytes by its bandwidth. Placement: of the pages in
a virtual machine with kernel {kernel}. Bandwidths: published, or fitted to what is published; each line has them.

limit     the sum of the bandwidths, which no placement exceeds in the model
kind      input: what is published is a bandwidth of the model; fitted: bandwidths were fitted to it; modelled: neither
/ DRAM    the result divided by that with DRAM only; 1.04 is +4 %
/ default the same for default interleave
node 0 %  the part of the traffic that node 0, which is DRAM, has with that placement
Weighted results of which it was not published whether all of the program or its big buffers were weighted stand at "everything".
"""

LEFT_OUT = """What the model leaves out
- Latency, and how many accesses are under way: a processor may be unable to keep all nodes busy. Lookups that wait for one another
  are not bound by bandwidth at all.
- Whatever makes a node slower than alone: load close to its limit, the mesh and the root port that nodes share, changes between
  reading and writing. Nodes count as independent, and as fast together as each by itself.
- Waiting: all threads keep all nodes busy until the end. The order of pages does not matter to the model.
- Caches and TLBs; traffic for lines that are read before they are written is in the published bandwidths or nowhere.
- All but the buffers: code, stack, page tables and small data have no traffic. So weighting everything and weighting the big
  buffers come out alike, where the published results do not.
- The weights of the published runs: those here fit the bandwidths. STREAM's kernels share 9:1.
So a program gets less of the limit than the model says: for STREAM, channels and lookups the published gains are smaller. The mixes
say nothing about that, as their bandwidths are fitted to the very results, and these are above the limit of the fit.
"""


def print_table(rows):
    over = [""] * 6 + ["/ DRAM", "/ DRAM", "/ default", "/ default"] + [""] * 3
    head = ["workload", "placement", "kind", "published", "modelled", "limit", "published", "modelled", "published", "modelled",
            "node 0 %", "bandwidths", "weights"]
    lines = [over, head] + [row[1:4] + row[5:-1] for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    for line in lines:
        cells = [cell.ljust(width) if i < 3 or i > 10 else cell.rjust(width) for i, (cell, width) in enumerate(zip(line, widths))]
        print("  ".join(cells).rstrip())


def print_fits():
    print("The fit of N expanders of bandwidth B: evenly interleaved, (N + 1) B; weighted, DRAM + N B, which is the limit. N is the"
          "\nsame for both mixes, B is not. Residuals are of the modelled result against the published one.\n")
    table = fit_machine(all_mixes(), MAX_EXPANDERS)
    print("   N" + "".join(f"   {mix}: {'B':>6} {'limit':>7} {'even':>7} {'residuals':>16}" for mix in MIXES) + "   mean")
    for fits in table:
        mean = 100 * math.sqrt(squares(fits) / (2 * len(fits)))
        print(f"{fits[0].expanders:>4}" + "".join(
            f"   {'':4} {fit.bandwidth:6.2f} {fit.limit:7.1f} {fit.interleave:7.1f} "
            f"{100 * fit.interleave_residual:+7.1f}% {100 * fit.weighted_residual:+6.1f}%" for fit in fits) + f" {mean:5.1f}%")
    for name, (dram, interleave, weighted) in zip(MIXES, all_mixes()):
        extra = weighted - dram
        if extra < interleave:
            exact = f"would need N = {extra / (interleave - extra):.1f} expanders of {interleave - extra:.2f} GB/s"
        else:
            exact = "have no solution with any N"
        print(f"{name}: (N + 1) B = {interleave:.2f} and N B = {weighted:.1f} - {dram:.1f} = {extra:.1f} {exact}.")
    near = sum(bandwidth[1] for _, bandwidth in STREAM_KERNELS.values()) / len(STREAM_KERNELS)
    alike = min(table, key=lambda fits: abs(fits[0].bandwidth - near))
    print(f"The residuals fall with each expander more: the results do not tell N. Taken is the best up to {MAX_EXPANDERS}, "
          f"N = {chosen_fits()[0].expanders}.\n"
          f"With N = {alike[0].expanders} an expander would be as fast as the one of STREAM's machine.\n")


def print_channels():
    parts = [f"{100 * (factor - 1) * DDR5_CHANNELS / CXL_CHANNELS:.0f} % at {name}" for name, factor in CHANNEL_GAINS.items()]
    print("A channel is 1. If DRAM gave all it has in the published runs, a CXL channel gave of a DDR5 channel: "
          f"{', '.join(parts)}.\n")


def print_lookups(rows):
    modelled = {row[2]: float(row[6]) for row in rows}
    weighted = modelled[NAMES["everything"]]
    dram, expander = lookup_bandwidth()
    print(f"Bandwidths in lookups a second: DRAM {dram}, fitted to DRAM only; the expander {expander:.0f}, "
          "half of\ndefault interleave. The weighted result is not part of the fit: residual "
          f"{100 * (weighted / LOOKUPS['everything'] - 1):+.1f} %.\n"
          f"Run time against DRAM only {100 * (modelled[NAMES['dram']] / weighted - 1):+.0f} % "
          f"(published -{TOLD.number('lookup/weighted/saved-over-dram')} %), "
          f"against default interleave {100 * (modelled[NAMES['interleave']] / weighted - 1):+.0f} % "
          f"(published -{TOLD.number('lookup/weighted/saved-over-default')} %).\n")


def print_placement(runs, wanted):
    print("Pages of each buffer, node=pages")
    for run in wanted:
        name, placement, weights, _ = run.split(":")
        print(f"{name}, {NAMES[placement]}" + (f" {weights}" if placement in ("everything", "big") else ""))
        for buffer, pages in runs[run].items():
            print(f"  {buffer:<8}" + "".join(f" {node}={count}" for node, count in sorted(pages.items())))


TITLES = {
    "one expander": "STREAM's four kernels, GB/s: one socket, one expander",
    "N expanders": "Reads and writes 2:1 and 1:1, GB/s: one socket, N expanders",
    "8 + 4 channels": "Reads and writes 2:1 and 1:1: one socket of 8 DDR5 channels, 4 CXL channels of the same speed",
    "random lookup": "Random lookups bound by bandwidth, lookups/s: one socket, one expander",
}


def report(path, csv_path):
    kernel, runs = read_placement(path)
    rows = [row for workload in workloads() for row in rows_of(workload, runs)]
    write_csv(csv_path, COLUMNS, rows)
    print(HEAD.format(kernel=kernel))
    for machine, title in TITLES.items():
        part = [row for row in rows if row[0] == machine]
        print(title + "\n")
        print_table(part)
        print()
        if machine == "N expanders":
            print_fits()
        elif machine == "8 + 4 channels":
            print_channels()
        elif machine == "random lookup":
            print_lookups(part)
    print(LEFT_OUT)
    print_placement(runs, plan())


def main():
    if sys.argv[1:] == ["plan"]:
        print("\n".join(plan()))
    elif len(sys.argv) == 4 and sys.argv[1] == "report":
        report(*sys.argv[2:])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    try:
        main()
    except ValueError as error:
        sys.exit(f"bench-model: {error}")
