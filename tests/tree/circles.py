#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Prints a line for each circle of C files that use each other's functions and variables; without one there is nothing to print.

usage: circles.py DIRECTORY ...
A file uses another one when it names what only that one defines for others. Each directory is looked at by itself, and what headers define
belongs to nobody.
"""
import pathlib
import re
import sys

# A definition begins in the first column; what is static is nobody else's.
FUNCTION = re.compile(r'^(?!static\b|typedef\b|extern\b)[A-Za-z_][\w \t\n*]*?\b(\w+)\s*\([^;{}]*\)\s*\{', re.M)
VARIABLE = re.compile(r'^(?!static\b|typedef\b|extern\b|return\b)(?:[A-Za-z_]\w*[ \t*]+)+(\w+)(?:\[[^\]]*\])*\s*(?:=|;)', re.M)
BY_MACRO = re.compile(r'^DEFINE_\w+\((?:[^,()]*,\s*)?(\w+)\)\s*;', re.M)


def plain(text):
    """Without comments and strings."""
    text = re.sub(r'/\*.*?\*/', ' ', text, flags=re.S)
    text = re.sub(r'//[^\n]*', ' ', text)
    return re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)


def uses(directory):
    """Of each file, those that it uses, with a name for which it does."""
    sources = {path.name: plain(path.read_text(encoding='utf-8')) for path in sorted(directory.glob('*.c'))}
    owners = {}
    for name, text in sources.items():
        for pattern in (FUNCTION, VARIABLE, BY_MACRO):
            for found in pattern.findall(text):
                owners.setdefault(found, set()).add(name)
    graph = {}
    for name, text in sources.items():
        graph[name] = {}
        for word in sorted(set(re.findall(r'\w+', text))):
            owner = owners.get(word, set())
            if len(owner) == 1 and name not in owner:
                graph[name].setdefault(next(iter(owner)), word)
    return graph


def way(graph, begin, end):
    """The shortest way from one file to another, as a list of files; None without one."""
    ways = [[begin]]
    seen = {begin}
    for path in ways:
        for following in graph[path[-1]]:
            if following == end:
                return path + [end]
            if following not in seen:
                seen.add(following)
                ways.append(path + [following])
    return None


def main():
    told = set()
    for directory in map(pathlib.Path, sys.argv[1:]):
        graph = uses(directory)
        for name in graph:
            circle = way(graph, name, name)
            if circle and (directory, frozenset(circle)) not in told:
                told.add((directory, frozenset(circle)))
                print(f'{directory}: ' + ', '.join(f'{user} uses {graph[user][used]} of {used}'
                                                   for user, used in zip(circle, circle[1:])))


if __name__ == '__main__':
    main()
