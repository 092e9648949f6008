# SPDX-License-Identifier: GPL-2.0
"""What is measured, in words: promises that hold or do not, tables as text and as CSV, and what others have published."""
import csv
import statistics


def verdict(holds, promise):
    """The line of a promise, as text. holds: whether it does, None where that is not judged; promise: its words"""
    return promise if holds is None else f"{promise} - {'holds' if holds else 'DOES NOT HOLD'}"


def status(promises):
    """The exit status of a program, 1 when a promise does not hold. promises: of each (holds, words), as for verdict()"""
    return 1 if any(holds is not None and not holds for holds, _ in promises) else 0


def cell(values, digits=2):
    """The median of numbers, as text with so many digits, and (least..most) where these differ"""
    values = list(values)
    low, middle, high = (f"{value:.{digits}f}" for value in (min(values), statistics.median(values), max(values)))
    return middle if low == high else f"{middle} ({low}..{high})"


class Published:
    """What others have published. path: a table with KEY, VALUE or LOW-HIGH, UNIT, WHAT and SOURCE in each line, separated by tabs"""
    def __init__(self, path):
        self.values = {}
        with open(path, encoding="ascii") as file:
            for line in file:
                if not line.startswith("#"):
                    key, value, _, _, _ = line.rstrip("\n").split("\t")
                    self.values[key] = [float(number) if "." in number else int(number) for number in value.split("-")]

    def number(self, key):
        """The one number that was published of KEY"""
        number, = self.values[key]
        return number

    def span(self, key):
        """What was published of KEY as (lowest, highest), which are the same where it is one number"""
        return self.values[key][0], self.values[key][-1]

    def below(self, prefix):
        """The rest of each KEY that begins so -> the one number that was published of it"""
        return {key[len(prefix):]: self.number(key) for key in self.values if key.startswith(prefix)}


def write_text(path, lines):
    """Writes a table for people: its lines, without their ends"""
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def write_csv(path, columns, rows):
    """Writes a table for programs. columns: what the first line calls the cells of each of the rows"""
    with open(path, "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(columns)
        out.writerows(rows)
