#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Plants faults into the kernel code of the series, one at a time, and says whether the tests that are nearest to it notice.

tests/mutants/ROOM has them, a line "NAME<tab>KIND<tab>FILE<tab>OLD<tab>NEW<tab>TESTS<tab>WHAT" each: in FILE the text OLD, which is in one
line of it and nowhere else, becomes NEW. TESTS are tried in their order until one fails: MACHINE:PROGRAM[,PROGRAM...] or MACHINE:kunit, with
debug/ before it on the kernel with KASAN, lockdep, kmemleak and fault injection. WHAT is what a user would see.
tests/mutants/survivors has those that nobody can see: "NAME<tab>REASON".

Each is planted in a copy of the checkout, build/mutants/1 or 2, so that this one stays as it is. Results are kept in build/mutants/results
for as long as the kernel, the fault and the programs that look for it are the same; a run that was interrupted goes on.
ONLY="word ..." in the environment: these names, kinds, and rooms. Exits with 0 when each fault was caught or is known to survive.

DRAW=number SEED=number in the environment plants faults that are drawn by lot in place of those of the lists, see draw.py; ONLY takes rooms
then. Whoever wrote the tests has not chosen them, so that they measure the tests and not the list. The tests that look for one are those
that the list has for its file, then for its room. What does not build, or is the same kernel, is drawn again. Exits with 0 when nine in ten
were caught.
"""

import collections
import contextlib
import hashlib
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True
from draw import RULES, Places, wilson  # noqa: E402 - leaves nothing beside the sources

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", TOP / "build"))
BASE = os.environ.get("BASE") or "6.1"
# The same in a copy
WHERE = BUILD.relative_to(TOP)
KINDS = ("arithmetic", "boundary", "charge", "counter", "demotion", "hotplug", "huge", "limit", "lock", "name", "rebind", "reference")
ROOMS = ("interleave", "mempolicy2", "tiering", "automigrate", "movable_blocks")
FIELDS = ("name", "kind", "file", "old", "new", "tests", "what")
JOBS = 2
# What a copy takes from the checkout when it is made, and what each time. It builds its own objects, and has its own tree: what was planted in
# an earlier run would not be newer than these.
ONCE = ("base", "base.stamp", "tree", "download")
EACH_TIME = ("selftests", "tools")
# A run on a kernel with a fault may never end. So many times what it took without is a hang, at least so many seconds.
PATIENCE, PATIENCE_SECONDS = 20, 900
# Of those that are drawn: tests without a checker at most, kinds that may leave nothing but memory or references behind, and the share that
# is to be caught
DRAWN_TESTS = 5
LEAVES = ("left-out", "error", "lock", "negated")
NINE_IN_TEN = 0.9

# What runs in the copies, each in a session of its own; and that it was killed, which is no result of anything
running = set()
interrupted = threading.Event()


class Refused(Exception):
    """What was asked for, or a list, makes no sense."""


def read_table(path, width):
    """The rows of a table, each with its line number."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith("#"):
            fields = line.split("\t")
            if len(fields) != width:
                raise Refused(f"{path}:{number}: {len(fields)} fields, not {width}")
            yield number, fields


def machines():
    """The names of the machines that there are."""
    lines = (TOP / "scenarios" / "list").read_text(encoding="utf-8").splitlines()
    return {line.split()[0] for line in lines if line and not line.startswith("#")}


def programs():
    """The names of the self tests that there are."""
    shell = ". scripts/lib/lib.sh; selftest_names"
    return set(subprocess.run(["sh", "-ec", shell], cwd=TOP, check=True, capture_output=True, text=True).stdout.split())


def check_fault(fault, where, known_machines, known_programs):
    """Ends with what is wrong about a row."""
    file = TOP / fault["file"]
    if fault["kind"] not in KINDS:
        raise Refused(f"{where}: the kind '{fault['kind']}' is none of: {' '.join(KINDS)}")
    if not file.is_file():
        raise Refused(f"{where}: there is no {fault['file']}")
    found = file.read_text(encoding="utf-8").count(fault["old"]) if fault["old"] else 0
    if found != 1:
        raise Refused(f"{where}: '{fault['old']}' is {found} times in {fault['file']}")
    if fault["old"] == fault["new"] or not fault["tests"].split():
        raise Refused(f"{where}: it changes nothing, or has no tests")
    for word in fault["tests"].split():
        parts = re.fullmatch(r"(?:debug/)?([^:/]+):([^:/]+)", word)
        if not parts or parts.group(1) not in known_machines:
            raise Refused(f"{where}: '{word}' names no machine of scenarios/list")
        for program in parts.group(2).split(","):
            if program != "kunit" and program not in known_programs:
                raise Refused(f"{where}: '{program}' is no self test")


def read_faults():
    """All faults, as dictionaries of FIELDS and room."""
    known_machines, known_programs = machines(), programs()
    faults = []
    for room in ROOMS:
        path = TOP / "tests" / "mutants" / room
        for number, fields in read_table(path, len(FIELDS)):
            fault = dict(zip(FIELDS, fields), room=room)
            check_fault(fault, f"{path}:{number}", known_machines, known_programs)
            if fault["name"] in {other["name"] for other in faults}:
                raise Refused(f"{path}:{number}: a second fault of the name {fault['name']}")
            faults.append(fault)
    return faults


def read_survivors(faults):
    """The reasons of those that nobody can see, by name."""
    path = TOP / "tests" / "mutants" / "survivors"
    reasons = dict(fields for _, fields in read_table(path, 2))
    for name in reasons:
        if name not in {fault["name"] for fault in faults}:
            raise Refused(f"{path}: there is no fault of the name {name}")
    return reasons


def is_built(file):
    """Whether it is not another base's own."""
    return not file.startswith("bases/") or file.startswith(f"bases/{BASE}/")


def chosen(faults, asked):
    """Those that the words of ONLY name, or all; of these, those that the base has."""
    known = {word for fault in faults for word in (fault["name"], fault["kind"], fault["room"])}
    for word in asked:
        if word not in known:
            names = "\n  ".join(fault["name"] for fault in faults)
            raise Refused(f"ONLY: '{word}' is none of: {' '.join(ROOMS)} {' '.join(KINDS)}, nor one of these:\n  {names}")
    named = [fault for fault in faults if not asked or set(asked) & {fault["name"], fault["kind"], fault["room"]}]
    built = [fault for fault in named if is_built(fault["file"])]
    if not built:
        raise Refused(f"ONLY: what it names is in no file of {BASE}")
    return built


def nearest(fault, listed):
    """The tests for a fault that was drawn: those that the lists have for its file most often, then for its room, a checked kernel last."""
    words = []
    for near in "file", "room":
        counted = collections.Counter(word for other in listed if other[near] == fault[near] for word in other["tests"].split())
        words += [word for word, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0])) if word not in words]
    plain = [word for word in words if not word.startswith("debug/") and not word.endswith(":kunit")][:DRAWN_TESTS]
    units = ["cxl2:kunit"] if (TOP / "mm" / fault["room"] / "tests").is_dir() else []
    checked = [word for word in words if word.startswith("debug/")][:1] if fault["kind"] in LEAVES else []
    return " ".join(units + plain + checked)


def digest(*parts):
    """One checksum over texts, and over the names and contents of the files below directories."""
    total = hashlib.sha256()
    for part in parts:
        if isinstance(part, str):
            total.update(part.encode() + b"\0")
            continue
        for file in sorted(path for path in part.rglob("*") if path.is_file()) if part.is_dir() else [part]:
            total.update(str(file.relative_to(TOP)).encode() + b"\0" + file.read_bytes() + b"\0")
    return total.hexdigest()


def split_word(word):
    """The configuration, the machine and the programs of a word of TESTS."""
    config, _, rest = word.rpartition("/")
    machine, _, names = rest.partition(":")
    return config or "default", machine, [name for name in names.split(",") if name != "kunit"]


def last_lines(path, count=3):
    """The end of a log, in one line."""
    return " / ".join(path.read_text(encoding="utf-8", errors="replace").splitlines()[-count:]) if path.exists() else ""


def end(process, number):
    """Ends a command and all that it began."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def run_logged(command, directory, log, limit=None):
    """The exit status of a command, or None after LIMIT seconds; what it prints goes to LOG."""
    with log.open("w", encoding="utf-8") as output:
        with subprocess.Popen(command, cwd=directory, stdout=output, stderr=output, stdin=subprocess.DEVNULL,
                              start_new_session=True) as process:
            running.add(process)
            try:
                status = process.wait(limit)
            except subprocess.TimeoutExpired:
                end(process, signal.SIGKILL)
                status = None
            running.discard(process)
    if interrupted.is_set():
        sys.exit()
    return status


class Results:
    """What is known, by the content that it depends on."""

    def __init__(self):
        self.directory = BUILD / "mutants" / "results"
        self.directory.mkdir(parents=True, exist_ok=True)
        self.kernel = digest(*(TOP / path for path in ("mm", "include", "bases", "scripts/kernel", "scripts/queue")))

    def key(self, fault, word):
        """What the result of the tests WORD depends on; fault: None is the kernel as it is."""
        planted = "\t".join(str(fault.get(field, "")) for field in ("file", "old", "new", "first")).rstrip("\t") if fault else ""
        config, machine, names = split_word(word)
        patterns = f"{machine}.*", f"configs/{config}.*", "configs/default.*"
        booted = [path for pattern in patterns for path in sorted((TOP / "scenarios").glob(pattern))]
        built = [BUILD / "selftests" / "mm" / name for name in names]
        return digest(self.kernel, planted, word, *booted, *built)

    def get(self, key):
        """The result that is kept, or None."""
        path = self.directory / key
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None

    def put(self, key, result):
        """Keeps a result; there is all of it or none."""
        path = self.directory / key
        new = path.with_suffix(f".{threading.get_ident()}")
        new.write_text(json.dumps(result), encoding="utf-8")
        new.rename(path)
        return result


class Copy:
    """A copy of the checkout, in which one fault at a time is planted."""

    def __init__(self, number, results):
        self.top = BUILD / "mutants" / str(number)
        self.results = results
        self.logs = BUILD / "mutants" / "log"
        self.logs.mkdir(parents=True, exist_ok=True)
        self.planted = None
        self.built = set()
        # the kernel without a fault
        self.sound = None

    def refresh(self):
        """Brings it up to date with the checkout, whatever an earlier run has left in it."""
        build = self.top / WHERE
        names = EACH_TIME if (build / "tree").is_dir() else EACH_TIME + ONCE
        build.mkdir(parents=True, exist_ok=True)
        subprocess.run(["rsync", "-a", "--delete", "--exclude=/build", "--exclude=/out", f"{TOP}/", f"{self.top}/"], check=True)
        subprocess.run(["rsync", "-a", "--delete", *(BUILD / name for name in names if (BUILD / name).exists()), build], check=True)

    def plant(self, fault):
        """Changes the source, and takes what was planted before out again."""
        if self.planted:
            shutil.copy2(TOP / self.planted["file"], self.top / self.planted["file"])
        self.planted = fault
        self.built = set()
        if fault:
            file = self.top / fault["file"]
            text = file.read_text(encoding="utf-8")
            if "first" in fault:
                lines = text.split("\n")
                lines[fault["first"] - 1:fault["first"] - 1 + fault["lines"]] = [fault["new"]]
                text = "\n".join(lines)
            else:
                text = text.replace(fault["old"], fault["new"])
            # not through a link to the checkout's
            file.unlink()
            file.write_text(text, encoding="utf-8")

    def log_name(self):
        """Of the fault, without what a file's name may not have: one that was drawn has the place in its name."""
        return self.planted["name"].replace("/", "-") if self.planted else "none"

    def build(self, config):
        """Builds the kernel; returns why it does not build."""
        if config in self.built:
            return None
        log = self.logs / f"{self.log_name()}.build"
        if run_logged(["scripts/kernel/kernel.sh", "-c", config], self.top, log):
            return last_lines(log, 8)
        self.built.add(config)
        return None

    def test(self, word, limit):
        """Runs the tests; returns the first failure, or None."""
        config, machine, names = split_word(word)
        name = f"{self.log_name()}.{word.replace('/', '-').replace(':', '.')}"
        directory = self.logs / name
        command = ["scripts/test/scenario.sh", "-k", f"{WHERE}/kernel/{config}", "-o", str(directory)]
        command += ["-u"] if names else ["-n"]
        if config == "debug":
            command += ["-x", "10", "-c", "kmemleak-scan"]
        status = run_logged([*command, machine, *names], self.top, self.logs / f"{name}.log", limit)
        if status is None:
            return f"no end after {limit} s"
        if not status:
            return None
        verdict = directory / "verdict"
        lines = verdict.read_text(encoding="utf-8", errors="replace").splitlines() if verdict.exists() else []
        return next((line[6:] for line in lines if line.startswith("FAIL: ")), "no verdict")

    def run(self, fault, word, limit=None):
        """The result of the tests on the kernel with the fault: what failed, why it does not build, how long it took."""
        key = self.results.key(fault, word)
        kept = self.results.get(key)
        if kept:
            return kept
        if self.planted is not fault:
            self.plant(fault)
        begin = time.monotonic()
        broken = self.build(split_word(word)[0])
        if broken:
            return self.results.put(key, {"broken": broken})
        begin = time.monotonic()
        failure = self.test(word, limit)
        return self.results.put(key, {"failure": failure, "seconds": round(time.monotonic() - begin)})

    def seconds_without(self, word):
        """How long the tests take on the kernel as it is, where they must pass."""
        result = self.run(None, word)
        if "broken" in result or result["failure"]:
            raise Refused(f"{word} fails with nothing planted: {result.get('broken') or result['failure']}")
        return result["seconds"]

    def kernel(self):
        """What the kernel is that is built without a checker."""
        if self.build("default"):
            return None
        return hashlib.sha256((self.top / WHERE / "kernel" / "default" / "vmlinux").read_bytes()).hexdigest()

    def is_other(self, fault):
        """Whether the kernel with it builds, and is another one."""
        key = self.results.key(fault, "kernel")
        kept = self.results.get(key)
        if kept is None:
            if self.sound is None:
                self.plant(None)
                self.sound = self.kernel()
            self.plant(fault)
            built = self.kernel()
            kept = self.results.put(key, {"other": built is not None and built != self.sound})
        return kept["other"]

    def judge(self, fault):
        """Caught, survived, or does not build; and by what, or why."""
        for word in fault["tests"].split():
            result = self.run(fault, word, max(PATIENCE_SECONDS, PATIENCE * self.seconds_without(word)))
            if "broken" in result:
                return "does not build", result["broken"]
            if result["failure"]:
                return "caught", f"{word}: {result['failure']}"
        return "survived", fault["what"]


def side_by_side(copies, tasks, work):
    """work(copy, task) for each of the tasks, one at a time in each copy; what the first one raises is raised."""
    waiting, errors = queue.SimpleQueue(), []
    for task in tasks:
        waiting.put(task)

    def worker(copy):
        while not errors and not interrupted.is_set():
            try:
                task = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                work(copy, task)
            except Exception as error:  # pylint: disable=broad-exception-caught
                errors.append(error)

    threads = [threading.Thread(target=worker, args=(copy,), daemon=True) for copy in copies]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except KeyboardInterrupt:
        interrupted.set()
        for process in list(running):
            end(process, signal.SIGTERM)
        raise
    if errors:
        raise errors[0]


def prepare(words):
    """The copies to plant in, with what these tests need built."""
    # The self tests are built with the headers of the default kernel.
    configs = sorted({"default", *(split_word(word)[0] for word in words)})
    for script, *arguments in [*(["kernel/kernel.sh", "-c", config] for config in configs), ["kernel/selftests.sh"]]:
        subprocess.run([TOP / "scripts" / script, *arguments], check=True, stdin=subprocess.DEVNULL)
    results = Results()
    copies = [Copy(number, results) for number in range(1, JOBS + 1)]
    for copy in copies:
        copy.refresh()
    return copies


def measure(faults):
    """Plants them all; returns what became of each, by name."""
    copies = prepare([word for fault in faults for word in fault["tests"].split()])
    verdicts, lock = {}, threading.Lock()

    def planted(copy, fault):
        verdict, reason = copy.judge(fault)
        with lock:
            verdicts[fault["name"]] = verdict, reason
            print(f"{len(verdicts)}/{len(faults)} {fault['name']}: {verdict}: {reason}", flush=True)

    # Those that are needed in any case; others where these do not notice
    side_by_side(copies, list(dict.fromkeys(fault["tests"].split()[0] for fault in faults)), Copy.seconds_without)
    side_by_side(copies, faults, planted)
    return verdicts


def drawn(places, seed, number, again, listed):
    """A fault with its tests."""
    fault = places.draw(seed, number, again)
    fault["tests"] = nearest(fault, listed)
    fault["what"] = f"{fault['function']}(): {fault['old'].strip()} -> {fault['new'].strip()}"
    return fault


def measure_drawn(places, seed, count, listed):
    """Plants so many; returns (fault, verdict, reason) of each."""
    firsts = [drawn(places, seed, number, 0, listed) for number in range(count)]
    copies = prepare([word for fault in firsts for word in fault["tests"].split()])
    outcomes, lock = {}, threading.Lock()

    def planted(copy, number):
        again, fault = 0, firsts[number]
        while not copy.is_other(fault):
            again += 1
            fault = drawn(places, seed, number, again, listed)
        verdict, reason = copy.judge(fault)
        with lock:
            outcomes[number] = fault, verdict, reason
            print(f"{len(outcomes)}/{count} {fault['name']}: {verdict}: {reason}".replace("\n", " "), flush=True)

    words = [word for fault in firsts for word in fault["tests"].split()[:2]]
    side_by_side(copies, list(dict.fromkeys(words)), Copy.seconds_without)
    side_by_side(copies, range(count), planted)
    return [outcomes[number] for number in range(count)]


def report_drawn(outcomes):
    """Prints the shares that were caught, and what was not; returns the exit status."""
    def line(name, mine):
        caught = sum(verdict == "caught" for _, verdict, _ in mine)
        least, most = wilson(caught, len(mine))
        return f"{name:<16}{len(mine):>10}{caught:>10}{100 * caught / len(mine):>9.1f}{least:>9.1f} to {most:.1f}"

    for column, names in (("room", ROOMS), ("kind", RULES)):
        print(f"\n{column:<16}{'planted':>10}{'caught':>10}{'%':>9}{'95 %':>9}")
        for name in names:
            mine = [outcome for outcome in outcomes if outcome[0][column] == name]
            if mine:
                print(line(name, mine))
    print("\n" + line("all", outcomes) + "\n")
    for fault, verdict, reason in outcomes:
        if verdict != "caught":
            print(f"survived: {fault['name']}: {reason}".replace("\n", " "))
    return 0 if sum(verdict == "caught" for _, verdict, _ in outcomes) >= NINE_IN_TEN * len(outcomes) else 1


def number_of(name, text, least):
    """A variable of the environment that is a number."""
    if not re.fullmatch(r"[0-9]{1,6}", text) or int(text) < least:
        raise Refused(f"{name} is '{text}': it is a number, from {least}")
    return int(text)


def draw(asked, listed):
    """Draws, plants, reports."""
    count, seed = number_of("DRAW", os.environ["DRAW"], 1), number_of("SEED", os.environ.get("SEED") or "1", 0)
    for word in asked:
        if word not in ROOMS:
            raise Refused(f"ONLY: '{word}' is none of these, from which faults are drawn: {' '.join(ROOMS)}")
    places = Places(TOP, [room for room in ROOMS if not asked or room in asked], BASE)
    if "-l" in sys.argv[1:]:
        for number in range(count):
            fault = drawn(places, seed, number, 0, listed)
            print(f"{fault['name']}\t{fault['what']}\t{fault['tests']}".replace("\n", " "))
        return 0
    return report_drawn(measure_drawn(places, seed, count, listed))


def report(faults, verdicts, reasons):
    """Prints the tables and the verdict; returns the exit status."""
    for column, names in (("room", ROOMS), ("kind", KINDS)):
        print(f"\n{column:<16}{'planted':>10}{'caught':>10}{'survived':>10}")
        for name in names:
            mine = [verdicts[fault["name"]][0] for fault in faults if fault[column] == name]
            if mine:
                print(f"{name:<16}{len(mine):>10}{mine.count('caught'):>10}{mine.count('survived'):>10}")
    failures = []
    for name, (verdict, reason) in verdicts.items():
        if verdict == "survived" and name not in reasons:
            failures.append(f"{name} survived: {reason}")
        elif verdict == "caught" and name in reasons:
            failures.append(f"{name} was caught, and stands among the survivors: {reason}")
        elif verdict == "does not build":
            failures.append(f"{name} does not build: {reason}")
    print()
    for line in failures:
        print(f"FAIL: {line}")
    count = [verdict for verdict, _ in verdicts.values()]
    print(f"{len(count)} planted, {count.count('caught')} caught, {count.count('survived')} survived, "
          f"{count.count('does not build')} do not build")
    return 1 if failures else 0


def main():
    """Reads the lists, plants, reports."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        faults = read_faults()
        reasons = read_survivors(faults)
        asked = os.environ.get("ONLY", "").split()
        if os.environ.get("DRAW"):
            return draw(asked, faults)
        if os.environ.get("SEED"):
            raise Refused("SEED is for DRAW=number, which is not given")
        if "-l" in sys.argv[1:]:
            print("\n".join(fault["name"] for fault in chosen(faults, asked)))
            return 0
        faults = chosen(faults, asked)
        return report(faults, measure(faults), reasons)
    except Refused as error:
        print(f"error: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("interrupted; what is known is kept", file=sys.stderr)
        return 130
    except subprocess.CalledProcessError as error:
        print(f"error: {' '.join(map(str, error.cmd))}: status {error.returncode}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
