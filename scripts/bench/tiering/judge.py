#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Prints what bench-tiering measured on each kernel as a table, and leaves tiering.csv and, over time, tiering-time.csv:
bench/tiering/judge.py DIRECTORY KERNEL=FILE ..., one of them series, which is judged by each of the others.

What has been measured with several seeds is judged: a promise holds when it does outside of the interval that 95 % of such
means have around the true one (Student's t). Runs with the same seed touch the same pages on all kernels, so that differences
are those of pairs."""
import os
import re
import statistics
import sys
from collections import defaultdict

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
from figures import status, verdict, write_csv  # noqa: E402 - leaves nothing beside the sources

HEAD = """Share of the touches that the fast node serves, over the second half of the run; best: of any placement; moved: pages promoted
and demoted, and for each percent of that share; hot: pages on the fast node that are among the hottest that fit there; wait: until
a new hot set serves nine tenths of the best, in s, for the distribution that shifts; touches of the program in a second, and millions
of instructions that the kernel takes in one; own: of the pages that two programs have on the fast node, those of the one whose share this
is, percent. Pages of 4 KiB; means of so many seeds, and behind +- the interval of these.
"""
COURSE = "normal:8"  # the run that is printed as time goes on
PASS = 10  # seconds that scripts/machine/guest/bench-tiering gives the scan
INSTRUCTIONS = 125000  # in a ms of the machine's clock, which gives each of them 8 ns
# What the rows say, and with how many digits
MEANS = {"share": 1, "best": 1, "of best": 1, "promoted": 0, "moved": 0, "per %": 0, "hot": 1, "candidates": 0, "faults": 0, "stalls": 0,
         "wait": 0, "touches": 0, "kernel": 1, "own": 1}
# Those with an interval in the table
SPREAD = ("of best", "moved", "own")
# What a program keeps of the fast node beside a rival that touches as often, and beside a faster one, percent
EVEN, LEAST = (45, 55), 35
# Student's t for 95 %, by the number of values
STUDENT = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}


def interval(values):
    """The mean of values, and half of its interval, None of a single one"""
    mean = statistics.fmean(values)
    if len(values) < 2:
        return mean, None
    return mean, STUDENT[min(len(values), max(STUDENT))] * statistics.stdev(values) / len(values) ** 0.5


def read(path):
    """RUN -> SEED -> fields of its summary, as text, and lines as time goes on: (seconds, share, best, pages promoted)"""
    runs = defaultdict(dict)
    with open(path, encoding="ascii") as file:
        for line in file:
            word, *fields = line.split() or [""]
            if word == "run":
                name, _, seed = fields[0].partition(":seed=")
                run = runs[name].setdefault(int(seed or 1), {"course": []})
            elif word in ("summary", "counted"):
                run.update(field.split("=") for field in fields)
            elif match := re.match(r" *(\d+) s +([\d.]+) % +([\d.]+) % +\d+ +(\d+) ", line):
                run["course"].append((int(match[1]), float(match[2]), float(match[3]), int(match[4])))
    return runs


def of_best(fields):
    """The share that the fast node serves, percent of what it could"""
    return 100 * float(fields["share"]) / float(fields["best"])


def moved(fields):
    """Pages promoted and demoted"""
    return int(fields["promoted"]) + int(fields["demoted"])


def for_each(fields):
    """Those for each percent of the share"""
    share = float(fields["share"])
    return moved(fields) / share if share else 0


def told(run, fields):
    """What the row says of one seed, None where it says nothing"""
    seconds = fields["course"][-1][0]
    return {"share": float(fields["share"]), "best": float(fields["best"]), "of best": of_best(fields), "promoted": int(fields["promoted"]),
            "moved": moved(fields), "per %": for_each(fields), "hot": float(fields["hot"]), "candidates": int(fields["candidates"]),
            "faults": int(fields["faults"]), "stalls": int(fields["stalls"]),
            "wait": int(fields["arrived"]) if run.startswith("shifting") else None, "touches": int(fields["touches"]) / seconds,
            "kernel": int(fields["kernel"]) * INSTRUCTIONS / seconds / 1e6, "own": float(fields["own"]) if "own" in fields else None}


def row(run, kernel, seeds):
    """Cells of the table"""
    each = [told(run, fields) for fields in seeds.values()]
    cells = [run, kernel, str(len(each))]
    for name, digits in MEANS.items():
        values = [one[name] for one in each]
        if None in values:
            cells.append("")
            continue
        mean, half = interval(values)
        cells.append(f"{mean:.{digits}f}" + (f" +-{half:.{digits}f}" if half is not None and name in SPREAD else ""))
    return cells


def goes_on(fields):
    """Whether the kernel still promotes in the second half"""
    course = [promoted for *_, promoted in fields["course"]]
    return course[-1] - course[len(course) // 2] > int(fields["pages"]) / 1000


def at_least(values, bound=0):
    """(holds or None, words): whether the mean of values is so much, outside of its interval"""
    mean, half = interval(values)
    if half is None:
        return None, "one seed, not judged"
    return mean - half >= bound, f"+-{half:.1f}"


def pairs(value, ours, theirs):
    """Differences of a value between two kernels, for the seeds that both have"""
    return [value(ours[seed]) - value(theirs[seed]) for seed in ours if seed in theirs]


def beside(run, ours, name, theirs):
    """(holds or None, sentence) for a run, beside the same on another kernel"""
    more = pairs(lambda fields: float(fields["share"]), ours, theirs)
    holds, words = at_least(more)
    yield holds, f"{run}: share {statistics.fmean(more):+.1f} points beside {name} ({words}), not lower"
    fewer = pairs(for_each, theirs, ours)
    cost = f"{run}: {-statistics.fmean(fewer):+.0f} pages moved for a percent of the share, beside {name}"
    if all(map(goes_on, theirs.values())):
        holds, words = at_least(fewer)
        yield holds, f"{cost} ({words}), not more"
    else:
        yield None, f"{cost}, which has stopped promoting, so these are not compared"


def promises(series, others):
    """(holds or None, sentence) for what is promised of the distributions, with the limit that they are measured at"""
    for run in ("normal:8", "zipf:8"):
        if run in series:
            shares = list(map(of_best, series[run].values()))
            holds, words = at_least(shares, 90)
            yield holds, f"{run}: {statistics.fmean(shares):.1f} % of the best share ({words}), at least 90"
    for run in (run for run in series if run.count(":") == 1 or run.endswith(":huge") or ":users" in run):
        for name, runs in others.items():
            if run in runs:
                yield from beside(run, series[run], name, runs[run])
        stalls = sum(int(fields["stalls"]) for fields in series[run].values())
        yield stalls == 0, f"{run}: {stalls} direct reclaims, none"
    if "groups:8" in series:
        hot = [float(fields["hot"]) for fields in series["groups:8"].values()]
        holds, words = at_least(hot, 90)
        yield holds, f"groups:8: {statistics.fmean(hot):.1f} % of the pages are hot ones ({words}), at least 90"
    if "shifting:8" in series:
        waits = [int(fields["arrived"]) for fields in series["shifting:8"].values()]
        yield min(waits) > 0 and max(waits) <= 3 * PASS, \
            f"shifting:8: {min(waits)} to {max(waits)} s until a new hot set has come (0: never), at most {3 * PASS}"
    if "uniform:8" in series:
        for name, runs in others.items():
            if "uniform:8" in runs:
                fewer = pairs(lambda fields: int(fields["promoted"]), runs["uniform:8"], series["uniform:8"])
                holds, words = at_least(fewer)
                yield holds, f"uniform:8: {-statistics.fmean(fewer):+.0f} pages promoted beside {name} ({words}), not more"


def shared(series):
    """(holds or None, sentence) for two programs, with a hot set each that is larger than half of the fast node"""
    for run in (run for run in series if ":rival=" in run):
        own = [float(fields["own"]) for fields in series[run].values()]
        mean, half = interval(own)
        words = f"{run}: {mean:.1f} % of the pages that both have on the fast node"
        if half is None:
            yield None, f"{words} (one seed, not judged)"
        elif re.search(r":rival=1\b", run):
            yield EVEN[0] <= mean - half and mean + half <= EVEN[1], f"{words} (+-{half:.1f}), {EVEN[0]} to {EVEN[1]}"
        else:
            yield mean - half >= LEAST, f"{words} (+-{half:.1f}), at least {LEAST}"


def courses(runs):
    """RUN -> seconds -> (share, best), means over the seeds"""
    times = {}
    for run, seeds in runs.items():
        at = defaultdict(list)
        for fields in seeds.values():
            for seconds, share, best, _ in fields["course"]:
                at[seconds].append((share, best))
        times[run] = {seconds: tuple(map(statistics.fmean, zip(*values))) for seconds, values in at.items()}
    return times


def over_time(times):
    """Lines with the share of each kernel and the best of this one as time goes on"""
    if COURSE not in times["series"]:
        return
    course = {name: runs.get(COURSE, {}) for name, runs in times.items()}
    yield ""
    yield f"{COURSE} as time goes on: share of the touches that the fast node serves, %"
    yield "".join(f"{name:>8}" for name in ("s", *course, "best"))
    for seconds, (_, best) in course["series"].items():
        cells = [f"{course[name][seconds][0]:.1f}" if seconds in course[name] else "-" for name in course]
        yield "".join(f"{text:>8}" for text in (seconds, *cells, f"{best:.1f}"))


def main():
    directory, *paths = sys.argv[1:]
    kernels = {name: read(path) for name, path in (word.split("=", 1) for word in paths)}
    series = kernels["series"]
    times = {name: courses(runs) for name, runs in kernels.items()}
    columns = ["run", "kernel", "seeds", *MEANS]
    rows = [row(run, name, runs[run]) for run in series for name, runs in kernels.items() if run in runs]
    write_csv(os.path.join(directory, "tiering.csv"), ["run", "kernel", "seed", *MEANS],
              [[run, name, seed, *("" if value is None else f"{value:.{MEANS[cell]}f}" for cell, value in told(run, fields).items())]
               for run in series for name, runs in kernels.items() for seed, fields in runs.get(run, {}).items()])
    write_csv(os.path.join(directory, "tiering-time.csv"), ["run", "kernel", "seconds", "share", "best"],
              [(run, name, seconds, f"{share:.1f}", f"{best:.1f}") for name, runs in times.items() for run, course in runs.items()
               for seconds, (share, best) in course.items()])
    print(HEAD)
    widths = [max(map(len, column)) for column in zip(columns, *rows)]
    for cells in [columns] + rows:
        left, right = cells[:2], cells[2:]
        print("  ".join([f"{text:<{width}}" for text, width in zip(left, widths)] +
                        [f"{text:>{width}}" for text, width in zip(right, widths[2:])]).rstrip())
    print("\n".join(over_time(times)))
    print()
    results = [*promises(series, {name: runs for name, runs in kernels.items() if name != "series"}), *shared(series)]
    for result in results:
        print(verdict(*result))
    sys.exit(status(results))


main()
