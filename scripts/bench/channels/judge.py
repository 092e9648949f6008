#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes the tables of run.sh: judge.py DIRECTORY TARGET

The exit status is 1 when buffers do not lie on channels as is promised, or a boot has left no figures.
"""
import collections
import itertools
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "../../lib"))
from figures import Published, cell, status, verdict, write_csv, write_text  # noqa: E402 - leaves nothing beside the sources

# Channels of each node, numbered in the order of their ranges.
Machine = collections.namedtuple("Machine", "title nodes")


def read_machines():
    """The rows of machines, by their names"""
    machines = {}
    with open(os.path.join(HERE, "machines"), encoding="utf-8") as f:
        for line in f:
            if line.startswith("#"):
                continue
            name, _, _, channels, _, _, title = line.rstrip("\n").split("\t")
            number = itertools.count()
            machines[name] = Machine(title, tuple(tuple(next(number) for _ in node.split(",")) for node in channels.split("/")))
    return machines


MACHINES = read_machines()
LISTS = {
    "plain": "plain",
    "general": "movablecore=600M",
    "one": "movablecore=600M@BASE",
    "shuffle": "shuffle",
    "blocks": "blocks",
    "blocks+shuffle": "blocks, shuffle",
    "channels": "channels",
    "channels+blocks": "channels, blocks",
    "channels+shuffle": "channels, shuffle",
}
PUBLISHED = Published(os.path.join(HERE, "../published.tsv")).below("buffers/")
# In seconds, when each access goes to one channel: the published time of the plain kernel
ALONE = PUBLISHED["plain"]
MIXES = ((1, 10), (1, 1), (10, 1))
TOP_BLOCK = 1024
BUFFER = 16384
MIB = 256
# Plain, at least so many percent of a node's buffers are on one channel.
PILED = 90
# Movable blocks have at least so many pages, less what the firmware takes: 600 MiB
MOVABLE = 600 * MIB
# Lists that keep each buffer even, and the machines where they can
EVEN = {"channels": ("two", "three", "numa"), "channels+shuffle": ("two", "three", "numa"), "channels+blocks": tuple(MACHINES)}

NOTES = """\
A processor for each node, and one boot a line; with shuffle {shuffles} boots, with blocks and shuffle {sparse} (as published) or {fewer}, each
with a draw of its own: median (least..most). Four threads touch two buffers of 64 MiB each, one thread after the other, or side by
side, taking turns every 16 pages; then copy one to the other 30 times, a cache line of each page. On two nodes, two threads take
memory of each. Before them one allocation uses up what is free in blocks below 4 MiB.
Share: of the buffers' pages, on each channel. Run: the longest part of a buffer on one channel, in steps of 4 MiB. Away: the
farthest that a buffer's share of one of its node's channels is from even, in MiB. Blocks are 600 MiB on all channels (on two
nodes 608 MiB); BASE is 256 MiB (on two nodes 768 MiB, so that 256 MiB are of the first node and 344 MiB of the second).
Model: all channels are equal, and a program takes as long as the channel with the most accesses: time = {alone} s x its share, as
{alone} s is the published time with all on one channel. Apart and in step: at each moment threads wait for the channel that is
busiest then, and are each at a page of their own, or all at the same page; time = {alone} s x the sum of its accesses / all
accesses. The first is the best that the placement allows. All leave out what processors take when no channel limits them, caches,
and banks and directions of a channel, so that they exaggerate differences: no column is a forecast of the published one.
kernel:user: accesses to memory of the kernel in place of so many of the program's, spread over its slab, its page tables and its
other pages (128 full pipes, stacks) as they lie when the program ends. None of these can be in a movable block.
Churn: 512 anonymous mappings and files of 1 to 2047 pages live, some 560 MiB; each second one is replaced and a child runs, {churn}
pages in an hour. With blocks they nearly fill the movable zone, and what does not fit lies in the others. Compaction: of 500 MiB,
one page in four is left; instructions of the kernel while /proc/sys/vm/compact_memory is written to, with one processor and a
clock that counts instructions. A count of instructions sees no cache misses."""


class Boot:
    """What one machine said"""
    def __init__(self, path):
        with open(path, errors="replace") as f:
            text = f.read().replace("\r", "")
        self.movable = int(re.search(r"^movable pages=(\d+)$", text, re.M).group(1))
        self.buffers, self.fill, self.churn = [], {}, {}
        for thread, pages, run in re.findall(r"^buffer (\d+) \w+ pages=([\d,]+) run=(\d+)$", text, re.M):
            self.buffers.append((int(thread), numbers(pages), int(run)))
        for percent, pages, run in re.findall(r"^fill percent=(\d+) pages=([\d,]+) run=(\d+)$", text, re.M):
            self.fill[int(percent)] = (numbers(pages), int(run))
        for minute, allocated, pages, run in re.findall(r"^churn minute=(\d+) allocated=(\d+) pages=([\d,]+) run=(\d+)$", text, re.M):
            self.churn.setdefault(int(minute), []).append((numbers(pages), int(run)))
            self.allocated = int(allocated)
        busiest = {name: int(most) / int(of) for name, most, of in re.findall(r"^(\w+) busiest=(\d+) of=(\d+)$", text, re.M)}
        self.lockstep, self.apart = busiest.get("lockstep"), busiest.get("apart")
        self.kernel = None
        found = re.search(r"^kernel slab=([\d,]+) tables=([\d,]+) other=([\d,]+) inside=(\d+)$", text, re.M)
        if found:
            self.kernel = add(map(numbers, found.groups()[:3]))
            self.inside = int(found.group(4))
        found = re.search(r"^compact moved=(\d+) scanned=(\d+)$", text, re.M)
        if found:
            self.moved, self.scanned = map(int, found.groups())
            with open(path[:-len(".log")] + ".counts", encoding="ascii") as f:
                self.instructions = sum(int(count) for _, symbol, count in map(str.split, f) if symbol != "lines")

    def pages(self):
        return add(pages for _, pages, _ in self.buffers)

    def run(self):
        return max(run for _, _, run in self.buffers) / TOP_BLOCK

    def of_nodes(self, machine):
        """Of each buffer, the pages on the channels of its node, and all of its pages"""
        nodes = MACHINES[machine].nodes
        for thread, pages, _ in self.buffers:
            channels = nodes[thread * len(nodes) // 4]
            yield channels, [pages[channel] for channel in channels], sum(pages)

    def away(self, machine):
        """Pages that a buffer's share of a channel is from even"""
        return max(max(abs(page - total / len(channels)) for page in pages) for channels, pages, total in self.of_nodes(machine))

    def piled(self, machine):
        """Least share, in percent, that one channel has of a node's buffers"""
        nodes = collections.defaultdict(list)
        for channels, pages, total in self.of_nodes(machine):
            nodes[channels].append(pages + [total])
        return min(100 * max(summed[:-1]) / summed[-1] for summed in map(add, nodes.values()))

    def mixed(self, kernel, user):
        """Share of the busiest channel, when so many accesses of the kernel come to so many of the program"""
        theirs, ours = share(self.kernel), share(self.pages())
        return max((kernel * k + user * u) / (kernel + user) for k, u in zip(theirs, ours))


def numbers(text):
    return [int(number) for number in text.split(",")]


def add(rows):
    return [sum(column) for column in zip(*rows)]


def share(pages):
    return [page / sum(pages) for page in pages]


def shares(boots, machine):
    """boots: lists of pages on each channel; memory on none stands last, if there is any"""
    columns = [[100 * value for value in column] for column in zip(*map(share, boots))]
    named = sum(map(len, MACHINES[machine].nodes))
    columns = [column for number, column in enumerate(columns) if number < named or max(column) >= 0.05]
    return "  ".join(cell(column, 1 if len(boots) == 1 else 0) for column in columns)


class Figures:
    def __init__(self, directory):
        self.boots = collections.defaultdict(list)
        self.lost = []
        for path in sorted(os.listdir(directory)):
            found = re.fullmatch(r"(\w+)-(base|series)-([a-z+]+)-(\w+)-(\d+)\.log", path)
            if found:
                machine, kernel, lists, work, _ = found.groups()
                boot = Boot(os.path.join(directory, path))
                self.boots[machine, kernel, lists, work].append(boot)
                if work in ("copy", "together") and (len(boot.buffers) != 8 or boot.kernel is None):
                    self.lost.append(path)

    def of(self, work):
        """machine, kernel, list and boots with this work, in the order of the tables"""
        for machine in MACHINES:
            for kernel in ("base", "series"):
                for lists in LISTS:
                    boots = self.boots.get((machine, kernel, lists, work))
                    if boots:
                        yield machine, kernel, lists, boots


def name(kernel, lists):
    if kernel == "base":
        return "base, " + LISTS[lists] + (" *" if lists == "one" else "")
    return LISTS[lists]


def copy_tables(figures):
    for machine, about in MACHINES.items():
        yield f"{about.title}"
        yield (f"  {'':32}{'share of each channel, %':<52}{'run':<13}{'away, MiB':<13}{'time, s':<19}{'apart, s':<19}{'in step, s':<19}"
               "published, s")
        for work, suffix in (("copy", ""), ("together", ", side by side")):
            for of, kernel, lists, boots in figures.of(work):
                if of != machine:
                    continue
                comparable = machine == "published" and work == "copy" and (kernel, lists) != ("base", "one")
                told = PUBLISHED.get(lists) if comparable else None
                yield (f"  {name(kernel, lists) + suffix:32}{shares([boot.pages() for boot in boots], machine):<52}"
                       f"{cell((boot.run() for boot in boots), int(len(boots) == 1)):<13}"
                       f"{cell((boot.away(machine) / MIB for boot in boots), int(len(boots) == 1)):<13}"
                       f"{cell(ALONE * max(share(boot.pages())) for boot in boots):<19}{cell(ALONE * boot.apart for boot in boots):<19}"
                       f"{cell(ALONE * boot.lockstep for boot in boots):<19}{f'{told:.3f}' if told else ''}").rstrip()
        yield ""


def mix_table(figures):
    yield "Modelled time, s, with accesses kernel:user"
    yield f"  {'':32}{'kernel pages on each channel, %':<52}" + "".join(f"{f'{kernel}:{user}':<19}" for kernel, user in MIXES).rstrip()
    last = None
    for machine, kernel, lists, boots in figures.of("copy"):
        if kernel == "base":
            continue
        if machine != last:
            yield f"  {MACHINES[machine].title}"
            last = machine
        yield (f"    {name(kernel, lists):30}{shares([boot.kernel for boot in boots], machine):<52}" +
               "".join(f"{cell(ALONE * boot.mixed(*mix) for boot in boots):<19}" for mix in MIXES)).rstrip()
    yield ""


def fill_table(figures):
    yield "Shares of each channel, %, and longest run when this much of the movable zone is used, as published"
    yield "  " + " " * 32 + "".join(f"{f'{percent} %':<28}" for percent in (10, 50, 100)).rstrip()
    for machine, kernel, lists, boots in figures.of("fill"):
        cells = (f"{shares([boots[0].fill[percent][0]], machine)}, run {boots[0].fill[percent][1] / TOP_BLOCK:.1f}"
                 for percent in (10, 50, 100))
        yield f"  {name(kernel, lists):32}{''.join(f'{text:<28}' for text in cells)}".rstrip()
    yield ""


def churn_table(figures):
    yield "Churn, and then two buffers of 64 MiB"
    yield f"  {'':32}{'minutes':<10}{'share of each channel, %':<34}{'run':<13}away, MiB"
    last = None
    for machine, kernel, lists, boots in figures.of("churn"):
        if machine != last:
            yield f"  {MACHINES[machine].title}"
            last = machine
        channels = MACHINES[machine].nodes[0]
        for minute, buffers in sorted(boots[0].churn.items()):
            away = max(abs(pages[channel] - sum(pages) / len(channels)) for pages, _ in buffers for channel in channels)
            yield (f"    {name(kernel, lists) if minute == 0 else '':30}{minute:<10}"
                   f"{shares([add(pages for pages, _ in buffers)], machine):<34}"
                   f"{max(run for _, run in buffers) / TOP_BLOCK:<13.1f}{away / MIB:.1f}")
    yield ""


def compact_table(figures):
    yield "Compaction, as published"
    yield f"  {'':32}{'pages moved':>14}{'scanned':>14}{'instructions, millions':>26}{'a page moved':>16}"
    for _, kernel, lists, boots in figures.of("compact"):
        boot = boots[0]
        yield (f"  {name(kernel, lists):32}{boot.moved:>14}{boot.scanned:>14}{boot.instructions / 1e6:>26.1f}"
               f"{boot.instructions / max(boot.moved, 1):>16.0f}")
    yield ""


def promises(figures):
    """(holds, sentence) for what is promised"""
    boots = figures.boots
    for machine in MACHINES:
        least = min(boot.piled(machine) for kernel in ("base", "series") for boot in boots[machine, kernel, "plain", "copy"])
        yield least >= PILED, f"{machine}, plain: {least:.1f} % of a node's buffers are on one channel, at least {PILED}"
        for lists in ("plain", "general"):
            ours, theirs = (share(boots[machine, kernel, lists, "copy"][0].pages()) for kernel in ("series", "base"))
            apart = 100 * max(abs(a - b) for a, b in zip(ours, theirs))
            yield apart <= 1, f"{machine}, {LISTS[lists]}: shares are within 1 point of the base's ({apart:.1f})"
        for lists, machines in EVEN.items():
            if machine in machines:
                away = max(boot.away(machine) for boot in boots[machine, "series", lists, "copy"])
                yield (away <= TOP_BLOCK,
                       f"{machine}, {LISTS[lists]}: each buffer is {away / MIB:.1f} MiB from even, at most {TOP_BLOCK // MIB}")
        for lists in ("one", "blocks", "blocks+shuffle", "channels+blocks"):
            found = boots[machine, "series", lists, "copy"]
            movable = min(boot.movable for boot in found)
            yield movable >= MOVABLE, f"{machine}, {LISTS[lists]}: {movable // MIB} MiB are movable, at least 600"
            inside = max(boot.inside for boot in found)
            yield inside == 0, f"{machine}, {LISTS[lists]}: {inside} pages of slab and page tables are in the blocks"


COLUMNS = ("machine", "kernel", "list", "work", "boot", "of", "channel0", "channel1", "channel2", "channel3", "other", "run", "time",
           "apart", "in step", "moved", "scanned", "instructions")


def rows(figures):
    """What each boot said, as COLUMNS have it"""
    def row(what, pages, *rest):
        values = [f"{100 * value:.6g}" for value in share(pages)] if pages else [""]
        return [*key, number, what, *values[:-1], *[""] * (5 - len(values)), values[-1], *rest]

    for key, boots in figures.boots.items():
        for number, boot in enumerate(boots, 1):
            if boot.buffers:
                pages = boot.pages()
                yield row("buffers", pages, f"{boot.run():.6g}", f"{ALONE * max(share(pages)):.4g}", f"{ALONE * boot.apart:.4g}",
                          f"{ALONE * boot.lockstep:.4g}", "", "", "")
                yield row("kernel", boot.kernel, *[""] * 7)
            for percent, (pages, run) in boot.fill.items():
                yield row(f"{percent} percent", pages, f"{run / TOP_BLOCK:.6g}", *[""] * 6)
            for minute, buffers in boot.churn.items():
                yield row(f"minute {minute}", add(pages for pages, _ in buffers),
                          f"{max(run for _, run in buffers) / TOP_BLOCK:.6g}", *[""] * 6)
            if key[3] == "compact":
                yield row("compaction", None, *[""] * 4, boot.moved, boot.scanned, boot.instructions)


def main():
    directory, target = sys.argv[1:]
    figures = Figures(directory)
    if figures.lost:
        sys.exit(f"error: boots that have not said where all memory is: {' '.join(figures.lost)}")
    lines = [line for table in (copy_tables, mix_table, fill_table, churn_table, compact_table) for line in table(figures)]
    churned = [boot.allocated for _, _, _, boots in figures.of("churn") for boot in boots]
    drawn = {machine: len(figures.boots[machine, "series", "blocks+shuffle", "copy"]) for machine in MACHINES}
    lines += ["* The base takes 600M@BASE for 600M.", ""]
    lines += NOTES.format(shuffles=len(figures.boots["published", "series", "shuffle", "copy"]), sparse=drawn["published"],
                          fewer=drawn["two"], churn=max(churned), alone=ALONE).split("\n") + [""]
    judged = list(promises(figures))
    lines += [verdict(*promise) for promise in judged]
    write_text(os.path.join(target, "channels.txt"), lines)
    write_csv(os.path.join(target, "channels.csv"), COLUMNS, rows(figures))
    print("\n".join(lines))
    return status(judged)


if __name__ == "__main__":
    sys.exit(main())
