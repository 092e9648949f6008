# SPDX-License-Identifier: GPL-2.0
"""
Faults that are made by rules from our kernel files, and drawn by lot: evenly over rooms, then their files, then functions, then the rules
that find a place there, then places. The same seed draws the same ones from the same sources.

A rule changes one line, or two that follow each other, and keeps their number, so that what tells line numbers stays as it is.
"""

import hashlib
import re

# Where a statement begins that is none, or whose loss does not compile or says nothing
DECLARES = re.compile(r"(?:static |const |struct |enum |union |unsigned |signed |int |long |short |char |bool |void |size_t |"
                      r"[us](?:8|16|32|64) |\w+_t |DEFINE_|DECLARE_|LIST_HEAD|return\b|case |default:|NODEMASK_)")
KEYWORDS = {"if", "while", "for", "switch", "return", "sizeof", "do", "else"}
BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
TURNED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
UNLOCK = re.compile(r"^\s*\w*unlock\w*\(.*\);$")


def masked(text):
    """The same text with blanks for comments and for what strings say, so that rules see code alone."""
    pattern = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
    return pattern.sub(lambda found: re.sub(r"[^\n\"']", " ", found.group()) if found.group()[0] in "\"'" else
                       re.sub(r"[^\n]", " ", found.group()), text)


def functions(code):
    """(name, first line, line behind the last one) of the bodies of functions, lines counted from 0."""
    found, begin = [], None
    for number, line in enumerate(code):
        if line.rstrip() == "{":
            # What stands before, up to the end of something else
            head, above = "", number - 1
            while above >= 0 and code[above].strip() and not re.search(r"[;}]\s*$", code[above]) and not code[above].startswith("#"):
                head = code[above] + " " + head
                above -= 1
            name = re.search(r"(\w+)\s*\(", head)
            begin = (name.group(1), number + 1) if name else None
        elif line.rstrip() in ("}", "};") and begin:
            found.append((*begin, number))
            begin = None
    return found


def spans(pattern, line):
    """Where the pattern is in a line, from left to right."""
    return list(re.finditer(pattern, line))


def put(line, match, new, group=0):
    """The line with something else there."""
    return line[:match.start(group)] + new + line[match.end(group):]


def comparisons(table):
    """A rule that has other comparisons for those of a table."""
    def rule(code, text, number):
        for match in spans(r"(?<= )(<=|>=|<|>|==|!=)(?= |$)", code[number]):
            if match.group() in table:
                yield 1, put(text[number], match, table[match.group()])
    return rule


def constants(code, text, number):
    """One more, or twice as much."""
    for match in spans(r"(?<![\w.])(0x[0-9a-fA-F]+|[1-9]\d*|0)([uUlL]*)(?![\w.])", code[number]):
        value = int(match.group(1), 0)
        for other in [value + 1] + [2 * value] * (value > 1):
            yield 1, put(text[number], match, f"{other}", 1)


def connectives(code, text, number):
    """All for any, and any for all."""
    for match in spans(r"(?<= )(&&|\|\|)(?= |$)", code[number]):
        yield 1, put(text[number], match, "||" if match.group() == "&&" else "&&")


def condition(code, number):
    """Where the condition of an if or while is that begins and ends in this line, or None."""
    match = re.match(r"\s*(?:\} )?(?:else )?(?:if|while) \(", code[number])
    if not match:
        return None
    depth = 1
    for index in range(match.end(), len(code[number])):
        depth += {"(": 1, ")": -1}.get(code[number][index], 0)
        if not depth:
            return match.end(), index
    return None


def negated(code, text, number):
    """The other way round."""
    place = condition(code, number)
    if place:
        begin, finish = place
        yield 1, f"{text[number][:begin]}!({text[number][begin:finish]}){text[number][finish:]}"


def is_statement(code, number):
    """A whole statement in one line, which may be left out."""
    line = code[number].strip()
    return (line.endswith(";") and line != ";" and line.count("(") == line.count(")") and not DECLARES.match(line) and
            not re.match(r"\} while|else\b|if \(|for \(|while \(", line) and re.match(r"[\w*(+-]", line) and
            re.search(r"(?:[;{})]|\belse|\bdo|^\s*(?:case .*|default|\w+):)$", code[number - 1].rstrip() or ";") is not None)


def left_out(code, text, number):
    """Nothing in place of a statement."""
    if is_statement(code, number):
        yield 1, re.match(r"\s*", text[number]).group() + ";"


def flags(code, text, number):
    """One of two flags."""
    for match in spans(r"\b[A-Z_][A-Z0-9_]{2,}( \| )[A-Z_][A-Z0-9_]{2,}\b", code[number]):
        first, second = text[number][match.start():match.start(1)], text[number][match.end(1):match.end()]
        yield 1, put(text[number], match, first)
        yield 1, put(text[number], match, second)


def arguments(code, text, number):
    """Two that follow each other, the other way round."""
    for match in spans(r"\b(\w+)\((?=[^()])", code[number]):
        if match.group(1) in KEYWORDS:
            continue
        rest = re.match(r"([^(),]+), ([^(),]+)(?=[,)])", code[number][match.end():])
        if rest and rest.group(1) != rest.group(2):
            begin = match.end()
            first, second = (text[number][begin + rest.start(group):begin + rest.end(group)] for group in (1, 2))
            yield 1, f"{text[number][:begin]}{second}, {first}{text[number][begin + rest.end():]}"


def errors(code, text, number):
    """What ends a function early does not."""
    place = condition(code, number)
    if place and number + 1 < len(code) and re.match(r"\s*(return|goto)\b", code[number + 1]):
        begin, finish = place
        if re.search(r"\b(err|ret|error)\b|IS_ERR|^!", code[number][begin:finish]):
            yield 1, f"{text[number][:begin]}0 && ({text[number][begin:finish]}){text[number][finish:]}"


def locks(code, text, number):
    """A lock is given back one statement earlier."""
    if number + 1 < len(code) and UNLOCK.match(code[number + 1]) and is_statement(code, number) and not UNLOCK.match(code[number]):
        if re.match(r"\s*", text[number]).group() == re.match(r"\s*", text[number + 1]).group():
            yield 2, f"{text[number + 1]}\n{text[number]}"


RULES = {"boundary": comparisons(BOUNDARY), "turned": comparisons(TURNED), "constant": constants, "connective": connectives,
         "negated": negated, "left-out": left_out, "flag": flags, "arguments": arguments, "error": errors, "lock": locks}


class Places:
    """What the rules find in the files of the rooms."""

    def __init__(self, top, rooms, base):
        self.rooms = {}
        for room in rooms:
            files = {}
            for path in sorted([*(top / "mm" / room).glob("*.[ch]"), *(top / "bases" / base / "files/mm" / room).glob("*.[ch]")]):
                found = self.of_file(path.read_text(encoding="utf-8"))
                if found:
                    files[str(path.relative_to(top))] = found
            if files:
                self.rooms[room] = files

    @staticmethod
    def of_file(content):
        """FUNCTION -> RULE -> [(first line, lines, old, new)], lines counted from 1."""
        text, code = content.split("\n"), masked(content).split("\n")
        found = {}
        for name, begin, finish in functions(code):
            for number in range(begin, finish):
                for rule, find in RULES.items():
                    for lines, new in find(code[:finish], text, number):
                        old = "\n".join(text[number:number + lines])
                        if new != old:
                            found.setdefault(name, {}).setdefault(rule, []).append((number + 1, lines, old, new))
        return found

    def draw(self, seed, number, again):
        """The fault of that number, or the one that is drawn when it was no good so many times."""
        def pick(level, choices):
            choices = sorted(choices)
            drawn = int.from_bytes(hashlib.sha256(f"{seed} {number} {again} {level}".encode()).digest(), "big")
            return choices[drawn % len(choices)]

        room = pick("room", self.rooms)
        file = pick("file", self.rooms[room])
        function = pick("function", self.rooms[room][file])
        rule = pick("rule", self.rooms[room][file][function])
        first, lines, old, new = pick("place", self.rooms[room][file][function][rule])
        return {"name": f"{file}:{first}:{rule}", "kind": rule, "room": room, "file": file, "function": function,
                "first": first, "lines": lines, "old": old, "new": new}


def wilson(caught, planted):
    """The interval that has the true share of those that would be caught with 95 %, percent (E. B. Wilson, 1927)."""
    if not planted:
        return 0.0, 100.0
    z, share = 1.96, caught / planted
    middle = share + z * z / (2 * planted)
    half = z * (share * (1 - share) / planted + z * z / (4 * planted * planted)) ** 0.5
    return tuple(100 * (middle + sign * half) / (1 + z * z / planted) for sign in (-1, 1))
