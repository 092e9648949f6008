# SPDX-License-Identifier: GPL-2.0
"""What is measured, in words: promises that hold or do not, and tables as text and as CSV."""
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
