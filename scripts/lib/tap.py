# SPDX-License-Identifier: GPL-2.0
"""Results of a program's tests as TAP, printed as they come; tap.sh is the same for shell."""


class Tap:
    """The results of one program: as many as are planned, whose number is printed first.

    planned: the number; dash: whether a dash stands between the number of a result and its name
    """
    def __init__(self, planned, dash=True):
        self.joint = " - " if dash else " "
        self.count = self.failed = 0
        print(f"TAP version 13\n1..{planned}")

    def result(self, good, name):
        """Prints the result of the test NAME; good: whether it passed."""
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count}{self.joint}{name}")

    def skip(self, name, reason):
        """Prints that the test NAME was not run, and why."""
        self.count += 1
        print(f"ok {self.count}{self.joint}{name} # SKIP {reason}")

    @staticmethod
    def comment(text):
        """Prints a line that is no result."""
        print(f"# {text}" if text else "#")

    def status(self):
        """The exit status of the program: 1 when a test failed, or there was none."""
        return 0 if self.count and not self.failed else 1


def print_results(results):
    """Prints results that are all known, each a name and whether the test passed; returns the exit status."""
    results = list(results)
    tap = Tap(len(results))
    for name, good in results:
        tap.result(good, name)
    return tap.status()
