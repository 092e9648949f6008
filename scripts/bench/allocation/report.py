#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes the tables of run.sh from what its virtual machines left.

usage: report.py [--gate [ANSWERS] | --twice | --commit | --answers ANSWERS | --bench] DIRECTORY

Prints the tables and writes them to DIRECTORY, as text and as CSV. With --bench
they go to out/bench, and the limits follow as lines that say "holds" or "DOES
NOT HOLD". With --gate prints TAP, the tables as comments. Both exit 1 when a
figure is above its limit. --twice prints TAP as well, on which two boots are the
same. --commit writes the figures that --gate compares with. ANSWERS are figures of
the base: --answers writes them, and --gate takes them from there where the base
was not booted, and compares them with those of a base that was.
"""

import csv
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
import counts  # noqa: E402 - leaves nothing beside the sources
from figures import status, verdict, write_csv, write_text  # noqa: E402
from tap import Tap  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
COMMITTED = os.path.join(HERE, "committed.csv")

MARGIN = 5            # instructions a weighted policy may add to a plain one
DEFAULT_MARGIN = 2    # and to the default policy
OWN_MARGIN = 3        # own weights to global ones
GROWTH = 3            # and a change of the series to any of the figures,
BULK_GROWTH = 0.3     # a hundred of which are one request

# Instructions that mainline takes for a page of bulk memory above its default policy,
# weights -> nodes -> figure: Linux 6.12.117 (Debian's linux-source-6.12
# 6.12.117-1~deb12u1), gcc 12.2.0 at -Os, counted on the same machines by
# make bench PEERS=6.12 ONLY=allocation.
MAINLINE_BULK = {
    "5:1": {1: 1.1, 2: 1.8, 4: 3.2, 8: 6.0, 16: 11.6, 64: 30.8},
    "100:37": {1: 1.0, 2: 1.4, 4: 1.9, 8: 2.8, 16: 4.6, 64: 15.4},
}

LOADS = {
    "anon": "anonymous memory, a page a fault",
    "huge": "huge pages of 2 MiB, one a fault",
    "file": "page cache, a page a write(2) to a file of ramfs",
    "bulk": "memory that the kernel maps at once (alloc_pages_bulk)",
}

# Those that are bound by limits: of the others, files and bulk allocation take
# memory for themselves as well, and huge pages are too few for some.
FAULTS = ("anon", "huge")

NOTES = """\
Policy code: instructions executed in mm/mempolicy.c, mm/interleave and the
bitmap helpers for one page of the load's size, above those of the default
policy, whose own figure is the first line of a load. Mean of all pages, median of
{runs} runs after one that is not counted. Single: median over all faults or calls
of the instructions of one, of the kernel and of the program, above the default
policy's. Lines: cache lines of data, 64 bytes each, that the policy code looked
at in the whole run; stacks and the struct page of each page are left out. Whole
kernel: the mean for the whole kernel; it also holds LRU batching, refills of the
page allocator and timer ticks, and moves with the memory of the nodes. Other loads
than the first are in the CSV file. Below zero is less than the default policy's,
which asks the local node for huge pages first. A count of instructions sees no cache misses, no
mispredicted branches and not how long a division takes. Machines have one processor and 128 MiB a node; kernels are built
with {optimisation}. n/a: the kernel has no such policy."""

FIDELITY_NOTES = """\
Pages that the node furthest from its ideal share is away from it, at worst: of
all prefixes of 16384 pages, and of all aligned buffers of 16, 64, 256 and 4096
of them. A prefix begins with a round. The worse of mappings and tasks, and of
global and own weights. Weights alternate between even and odd nodes."""


def optimisation(directory):
    with open(os.path.join(directory, "default.config")) as f:
        size = "CONFIG_CC_OPTIMIZE_FOR_SIZE=y\n" in f.readlines()
    return "-Os" if size else "-O2"


def kernels_of(boots):
    return list(dict.fromkeys(kernel for kernel, _ in boots))


def sizes_of(boots):
    return sorted({nodes for _, nodes in boots})


def policies_of(boots):
    """Keys of rows as every kernel has them."""
    return list(next(iter(boots.values())).rows)


def heading(boots):
    for kernel in kernels_of(boots):
        boot = boots[kernel, sizes_of(boots)[0]]
        yield (f"{counts.title(kernel):8} Linux {boot.version}, "
               f"{boot.compiler}")


def cost_table(boots, what):
    sizes, kernels = sizes_of(boots), kernels_of(boots)
    load = None
    for key in policies_of(boots):
        if key[0] not in (LOADS if what == "code" else FAULTS[:1]):
            continue
        if key[0] != load:
            load = key[0]
            yield ""
            yield LOADS[load]
            yield ("policy      scope    weights  kernel  " +
                   "".join(f"{n:>9}" for n in sizes))
        head = "{:12}{:9}{:9}".format(*key[1:])
        for kernel in kernels:
            line = f"{head}{counts.title(kernel):8}"
            head = " " * 30
            for nodes in sizes:
                boot = boots[kernel, nodes]
                if boot.rows[key].error:
                    line += f"{'n/a':>9}"
                elif what == "lines":
                    line += f"{boot.rows[key].lines:9.0f}"
                elif key[1] == "default":
                    line += f"{getattr(boot.rows[key], what):9.1f}"
                else:
                    line += f"{boot.over_default(key, what):+9.1f}"
            yield line


def table(directory, boots, bench):
    yield from heading(boots)
    for name, what in (("Policy code", "code"), ("Single", "single"),
                       ("Lines", "lines"),
                       ("Whole kernel", "kernel"))[:None if bench else 2]:
        yield ""
        yield (f"{name}: cache lines, on machines of so many nodes"
               if what == "lines" else
               f"{name}: instructions, above the default policy's, on machines "
               "of so many nodes")
        yield from cost_table(boots, what)
    yield ""
    yield from NOTES.format(
        runs=boots["default", 2].default("anon").runs,
        optimisation=optimisation(directory)).split("\n")


def deviations(boots):
    """(kernel, nodes, policy, scope, weights, prefix, buffer, ...)"""
    for (kernel, nodes), boot in sorted(boots.items(), key=lambda b: b[0][1]):
        for key, order in boot.orders.items():
            yield (kernel, nodes, *key, order.prefix(),
                   *map(order.buffers, counts.BUFFERS))


def fidelity_table(rows):
    worst = {}
    for kernel, nodes, policy, _, weights, *away in rows:
        key = ("even" if policy == "interleave" else weights, nodes, kernel)
        worst[key] = [max(pair) for pair in
                      zip(away, worst.get(key, away))]
    yield ("weights   nodes  kernel     prefix" +
           "".join(f"{size:>8}" for size in counts.BUFFERS))
    for (weights, nodes, kernel), away in sorted(
            worst.items(), key=lambda w: (w[0][0] != "even", len(w[0][0]),
                                          w[0][0], w[0][1])):
        if nodes > 1:
            yield (f"{weights:9}{nodes:6}  {counts.title(kernel):8}" +
                   " " + "".join(f"{a:8.2f}" for a in away))
    yield ""
    yield from FIDELITY_NOTES.split("\n")


def cost_rows(boots):
    for (kernel, nodes), boot in boots.items():
        for key, row in boot.rows.items():
            head = [counts.title(kernel), boot.version, boot.compiler, nodes,
                    *key]
            if row.error:
                yield head + [""] * 9 + [row.error]
                continue
            yield head + [
                row.pages, row.runs, f"{row.code:.2f}",
                f"{boot.over_default(key):.2f}", f"{row.single:.0f}",
                f"{row.lines:.0f}",
                f"{row.kernel:.2f}", f"{boot.over_default(key, 'kernel'):.2f}",
                ":".join(map(str, row.split)), 0]


def function_rows(boots):
    for (kernel, nodes), boot in boots.items():
        for key, row in boot.rows.items():
            for symbol, cost in ({} if row.error else row.functions).items():
                yield [counts.title(kernel), nodes, *key,
                       *boot.symbols[symbol], f"{cost:.2f}"]


POLICY_HEAD = ["load", "policy", "scope", "weights"]


def write_tables(directory, boots, rows):
    write_csv(os.path.join(directory, "allocation.csv"),
              ["kernel", "version", "compiler", "nodes", *POLICY_HEAD, "pages",
               "runs", "policy_code", "policy_code_over_default",
               "single_median", "policy_data_lines", "whole_kernel", "whole_kernel_over_default",
               "split", "error"], cost_rows(boots))
    write_csv(os.path.join(directory, "functions.csv"),
              ["kernel", "nodes", *POLICY_HEAD, "group", "function",
               "instructions_per_page"], function_rows(boots))
    write_csv(os.path.join(directory, "fidelity.csv"),
              ["kernel", "nodes", *POLICY_HEAD[1:], "prefix",
               *(f"buffer_{size}" for size in counts.BUFFERS)],
              ([counts.title(row[0]), *row[1:5],
                *(f"{away:.3f}" for away in row[5:])] for row in rows))


# --- limits

def at_most(cost, limit, sentence):
    if cost is None or limit is None:
        return False, f"{sentence}: not available"
    return cost <= limit, f"{sentence}: {cost:.1f}, limit {limit:.1f}"


def plain(boots, nodes, load, scope):
    return min(boots[kernel, nodes].worst(load, "interleave", scope)
               for kernel in ("default", "default-base"))


def bulk_limits(boots, where, scope):
    """A request is shared out: either policy visits each node that has a part of it."""
    for nodes in sizes_of(boots):
        boot = boots["default", nodes]
        yield at_most(boot.worst("bulk", "weighted", scope),
                      plain(boots, nodes, "bulk", scope) + MARGIN,
                      f"{where}: weighted interleave at {nodes} nodes, plain interleave "
                      "at as many")
        for key in boot.rows:
            if key[0] == "bulk" and key[1] in ("weighted", "own"):
                yield at_most(boot.over_default(key), MAINLINE_BULK[key[3]].get(nodes),
                              f"{where}: {key[1]} {key[3]} at {nodes} nodes, mainline's")


def cost_limits(boots):
    sizes = sizes_of(boots)
    for load, scope in dict.fromkeys((key[0], key[2])
                                     for key in policies_of(boots)):
        if scope == "-":
            continue
        where = f"{load}, {scope}"
        if load == "bulk":
            yield from bulk_limits(boots, where, scope)
        else:
            yield at_most(max(boots["default", n].worst(load, "weighted", scope)
                              for n in sizes), plain(boots, 2, load, scope) + MARGIN,
                          f"{where}: weighted interleave at any number of nodes, "
                          "plain interleave at 2")
        own = [(boots["default", n].worst(load, "own", scope),
                boots["default", n].worst(load, "weighted", scope))
               for n in sizes]
        if load != "huge" and own[0][0] is not None:
            cost, other = max(own, key=lambda pair: pair[0] - pair[1])
            yield at_most(cost, other + OWN_MARGIN,
                          f"{where}: own weights, global weights")
    for load in LOADS:
        cost, other = max(((boots["default", n].default(load).code,
                            boots["default-base", n].default(load).code)
                           for n in sizes), key=lambda pair: pair[0] - pair[1])
        yield at_most(cost, other + DEFAULT_MARGIN,
                      f"{load}: default policy, the base's")
        if load not in FAULTS:
            continue
        cost, other = max(((boots["default", n].default(load).lines,
                            boots["default-base", n].default(load).lines)
                           for n in sizes), key=lambda pair: pair[0] - pair[1])
        yield at_most(cost, other, f"{load}: cache lines of data that policy "
                      "code looks at with the default policy, the base's")


def fidelity_limits(rows):
    rows = [row for row in rows if row[0] == "default" and row[1] > 1]
    away = max(row[5] for row in rows)
    yield (away < 1, f"prefixes: {away:.3f} pages from a node's share, "
           "limit below 1")
    for several in (False, True):
        away = max(max(row[6:]) for row in rows if (row[1] > 2) == several)
        yield (away < 2 if several else away <= 1,
               f"aligned buffers, {'more' if several else 'two'} nodes: "
               f"{away:.3f} pages from a node's share, limit "
               f"{'below 2' if several else '1'}")


def remembered(boots, kept):
    """(holds, sentence): does the base cost what was kept of it?"""
    now = {(nodes, *key): row for (kernel, nodes), boot in boots.items() if kernel == "default-base"
           for key, row in boot.rows.items()}
    before = {(nodes, *key): row for (_, nodes), boot in counts.recall("default-base", kept).items()
              for key, row in boot.rows.items()}
    other = [key for key in {*now, *before} if key not in now or key not in before or bool(now[key].error) != bool(before[key].error) or
             not now[key].error and key[1] != "huge" and abs(now[key].code - before[key].code) > 0.5]
    yield not other, f"the base costs what is kept of it: {len(other)} figures differ"


def identical(directory):
    with open(os.path.join(directory, "plan")) as f:
        results = [line.split()[4] for line in f]
    for again in results:
        if not again.endswith("-again"):
            continue
        first = again[:-len("-again")]
        same = True
        for suffix in ("counts", "log"):
            contents = []
            for name in (first, again):
                with open(os.path.join(directory, f"{name}.{suffix}"),
                          "rb") as f:
                    contents.append(f.read())
            same = same and contents[0] == contents[1]
        yield same, f"two boots, {first}: identical"


def limits(directory, boots, rows):
    """(holds, sentence) for each limit."""
    yield from cost_limits(boots)
    yield from fidelity_limits(rows)
    yield from identical(directory)


# --- committed figures

def measured_on(boots):
    """What the figures depend on beside the series itself."""
    boot = boots["default", 2]
    with open(os.path.join(os.environ.get("BUILD") or os.path.join(TOP, "build"), "base.stamp")) as f:
        name = next(line for line in f if line.startswith("name "))
    return name[len("name "):].strip(), boot.compiler


def figures(boots):
    """(nodes, load, policy, scope, weights) -> instructions a page

    Huge pages are too few: what a timer tick adds is seen in their mean.
    """
    return {(str(nodes), *key): boot.rows[key].code
            for (kernel, nodes), boot in sorted(boots.items())
            if kernel == "default"
            for key in boot.rows if key[0] != "huge"}


def commit(boots):
    base, compiler = measured_on(boots)
    write_csv(COMMITTED,
              ["base", "compiler", "nodes", *POLICY_HEAD, "policy_code"],
              ([base, compiler, *key, f"{cost:.2f}"]
               for key, cost in figures(boots).items()))


def growth(now, measured, committed):
    """(verdict, sentence) for each committed figure; (None, name, reason) is a skip.

    now: figures(); measured: what they depend on; committed: rows of the file.
    """
    other = {(row["base"], row["compiler"]) for row in committed}
    if other != {measured}:
        yield None, "committed figures", "they are of " + " and ".join(
            ", ".join(pair) for pair in sorted(other))
        return
    known = {}
    for row in committed:
        key = tuple(row[name] for name in ["nodes", *POLICY_HEAD])
        known[key] = float(row["policy_code"])
    for key in sorted({*known, *now}):
        name = f"{' '.join(key[1:])} at {key[0]} nodes"
        if key not in known or key not in now:
            yield False, f"{name}: not among the figures of both; commit new ones"
        else:
            yield (now[key] <= known[key] + (BULK_GROWTH if key[1] == "bulk" else GROWTH),
                   f"{name}: {now[key]:.2f}, committed {known[key]:.2f}")


def print_tap(results, text):
    """Prints limits() and growth(), with a text before them; returns the exit status."""
    tap = Tap(len(results), dash=False)
    for line in text:
        tap.comment(line)
    for passed, sentence, *reason in results:
        if passed is None:
            tap.skip(sentence, *reason)
        else:
            tap.result(passed, sentence)
    return tap.status()


def main():
    args = sys.argv[1:]
    mode = args.pop(0) if args and args[0].startswith("--") else ""
    answers = args.pop(0) if mode in ("--gate", "--answers") and len(args) == 2 else None
    if len(args) != 1 or mode not in ("", "--gate", "--twice", "--commit",
                                      "--answers", "--bench") or mode == "--answers" and not answers:
        sys.exit("usage: report.py [--gate [ANSWERS] | --twice | --commit | --answers ANSWERS | "
                 "--bench] DIRECTORY")
    directory = args[0]
    if mode == "--twice":
        return print_tap(list(identical(directory)), [])
    boots = counts.read(directory)
    if mode == "--commit":
        commit(boots)
        return 0
    if mode == "--answers":
        write_csv(answers, counts.HEAD, counts.remember(boots))
        return 0
    kept = []
    if answers:
        with open(answers, newline="") as f:
            kept = list(csv.DictReader(f))
    booted = ("default-base", 2) in boots
    if kept and not booted:
        boots = {**counts.recall("default-base", kept), **boots}

    rows = list(deviations(boots))
    text = list(table(directory, boots, mode == "--bench"))
    fidelity = list(fidelity_table(rows))
    target = os.path.join(TOP, "out", "bench") if mode == "--bench" \
        else directory
    os.makedirs(target, exist_ok=True)
    if booted:
        write_tables(target, boots, rows)
    results = list(limits(directory, boots, rows))
    if mode == "--bench":
        text += [""] + [verdict(*result) for result in results]
    for name, lines in (("allocation", text), ("fidelity", fidelity)):
        write_text(os.path.join(target, f"{name}.txt"), lines)
    if mode == "--gate":
        with open(COMMITTED, newline="") as f:
            committed = list(csv.DictReader(f))
        results += growth(figures(boots), measured_on(boots), committed)
        if kept and booted:
            results += remembered(boots, kept)
        return print_tap(results, text + [""] + fidelity)
    print("\n".join(text + [""] + fidelity))
    return status(results) if mode else 0


if __name__ == "__main__":
    sys.exit(main())
