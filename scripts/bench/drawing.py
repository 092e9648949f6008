# SPDX-License-Identifier: GPL-2.0
"""Plots as SVG, readable in light and dark: for the page of the benchmarks, and for the pictures of the documentation."""
import html
import math

# By number, so that a picture and its legend agree; light, dark
COLOURS = [("#1f5fa8", "#6fb1ff"), ("#c2571a", "#ff9c5a"), ("#3a7d34", "#7fd077"),
           ("#7a3f98", "#cf9cec"), ("#555555", "#b5b5b5"), ("#8a6d00", "#e6c84b")]
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 720, 310, 60, 46, 42


def style():
    """Colours go by classes, so that whoever shows the picture may prefer it dark."""
    both = ["", ""]
    for dark in (0, 1):
        both[dark] = (f".text {{ fill: {('#333', '#ddd')[dark]} }} .grid {{ stroke: {('#ddd', '#444')[dark]} }}"
                      f" .box {{ fill: {('#eef3fa', '#1d2733')[dark]}; stroke: {('#8aa4c4', '#5f7d9e')[dark]} }} ")
        both[dark] += " ".join(f".fill{n} {{ fill: {pair[dark]} }} .line{n} {{ stroke: {pair[dark]} }}" for n, pair in enumerate(COLOURS))
    return f"<style>.text {{ font: 12px sans-serif }} {both[0]} @media (prefers-color-scheme: dark) {{ {both[1]} }}</style>"


def text(x, y, words, anchor="start", size=None):
    """Some words"""
    return (f'<text class="text" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"' + (f' style="font-size: {size}px"' if size else "") +
            f">{html.escape(words)}</text>")


def picture(parts, title, width=WIDTH, height=HEIGHT):
    """TITLE is what those are told who do not see it."""
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">'
            f'<title>{html.escape(title)}</title>{style()}{"".join(parts)}</svg>')


def steps(top):
    """About five round steps up to and beyond top"""
    size = 10 ** math.floor(math.log10(top)) if top > 0 else 1
    size = next(size * factor for factor in (0.2, 0.5, 1, 2) if top / (size * factor) <= 6)
    return [size * n for n in range(math.ceil(top / size) + 1)]


class Drawing:
    """Axes, to be drawn into"""
    def __init__(self, top, labels, unit):
        self.parts, self.ticks = [], steps(top)
        self.labels = labels
        for tick in self.ticks:
            y = self.y(tick)
            self.parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - 10}" y1="{y:.1f}" y2="{y:.1f}"/>' +
                              text(LEFT - 6, y + 4, f"{tick:g}", "end"))
        self.parts.append(text(6, 16, unit))

    def y(self, value):
        """Where a value is"""
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * value / self.ticks[-1]

    def x(self, position, count):
        """Where one of COUNT is"""
        return LEFT + (WIDTH - 10 - LEFT) * (position + 0.5) / count

    def legend(self, names):
        """A line or two above the plot"""
        x, y = LEFT + 90, 16
        for number, name in enumerate(names):
            width = 28 + 6.5 * len(name)
            if x + width > WIDTH:
                x, y = LEFT + 90, y + 15
            self.parts.append(f'<rect class="fill{number}" x="{x}" y="{y - 9}" width="10" height="10"/>' + text(x + 14, y, name))
            x += width

    def below(self, every=1):
        """The labels"""
        for position, label in enumerate(self.labels):
            if position % every == 0:
                self.parts.append(text(self.x(position, len(self.labels)), HEIGHT - BOTTOM + 16, label, "middle"))

    def line(self, number, points):
        """POINTS are pairs, x and y."""
        drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline class="line{number}" fill="none" stroke-width="2" points="{drawn}"/>')

    def svg(self, below, title):
        """The whole"""
        self.parts.append(text((WIDTH + LEFT) / 2, HEIGHT - 8, below, "middle"))
        return picture(self.parts, title)


def line_plot(series, labels, unit, below, every=1):
    """series: name -> values, None where there is none"""
    drawing = Drawing(max(v for values in series.values() for v in values if v is not None), labels, unit)
    for number, values in enumerate(series.values()):
        drawing.line(number, [(drawing.x(i, len(labels)), drawing.y(v)) for i, v in enumerate(values) if v is not None])
    drawing.legend(series)
    drawing.below(every)
    return drawing.svg(below, f"{unit} over {below}: {', '.join(series)}")


def bar_plot(series, labels, unit, below):
    """As line_plot()"""
    drawing = Drawing(max(v for values in series.values() for v in values if v is not None), labels, unit)
    width = 0.8 * (WIDTH - 10 - LEFT) / len(labels) / len(series)
    for number, values in enumerate(series.values()):
        for i, value in enumerate(values):
            if value is not None:
                x = drawing.x(i, len(labels)) + width * (number - len(series) / 2)
                drawing.parts.append(f'<rect class="fill{number}" x="{x:.1f}" y="{drawing.y(value):.1f}" width="{width:.1f}" '
                                     f'height="{HEIGHT - BOTTOM - drawing.y(value):.1f}"/>')
    drawing.legend(series)
    drawing.below()
    return drawing.svg(below, f"{unit} over {below}: {', '.join(series)}")


def curve_plot(series, unit, below, title, marks=()):
    """series: name -> pairs of numbers; marks: (x, y, words) of points that are named"""
    right = steps(max(x for points in series.values() for x, _ in points))
    drawing = Drawing(max(y for points in series.values() for _, y in points), [], unit)

    def at(x):
        return LEFT + (WIDTH - 10 - LEFT) * x / right[-1]

    for tick in right:
        drawing.parts.append(text(at(tick), HEIGHT - BOTTOM + 16, f"{tick:g}", "end" if tick == right[-1] else "middle"))
    for number, points in enumerate(series.values()):
        drawing.line(number, [(at(x), drawing.y(y)) for x, y in points])
    for x, y, words in marks:
        drawing.parts.append(f'<circle class="fill1" cx="{at(x):.1f}" cy="{drawing.y(y):.1f}" r="4"/>' +
                             text(at(x) + 8, drawing.y(y) + 18, words))
    drawing.legend(series)
    return drawing.svg(below, title)


def figure(svg, caption):
    """For a page"""
    return f"<figure>{svg}<figcaption>{html.escape(caption)}</figcaption></figure>"
