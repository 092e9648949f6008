# SPDX-License-Identifier: GPL-2.0
"""Plots as SVG, for the page of the benchmarks."""
import html
import math

COLOURS = ["#1f5fa8", "#c2571a", "#3a7d34", "#7a3f98", "#555555", "#b08a00"]
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 720, 310, 60, 46, 42


def steps(top):
    """About five round steps up to and beyond top"""
    size = 10 ** math.floor(math.log10(top)) if top > 0 else 1
    size = next(size * factor for factor in (0.2, 0.5, 1, 2) if top / (size * factor) <= 6)
    return [size * n for n in range(math.ceil(top / size) + 1)]


class Drawing:
    def __init__(self, top, labels, unit):
        self.parts, self.ticks = [], steps(top)
        self.labels = labels
        for tick in self.ticks:
            y = self.y(tick)
            self.parts.append(f'<line x1="{LEFT}" x2="{WIDTH - 10}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
                              f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>')
        self.parts.append(f'<text x="6" y="16">{html.escape(unit)}</text>')

    def y(self, value):
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * value / self.ticks[-1]

    def x(self, position, count):
        return LEFT + (WIDTH - 10 - LEFT) * (position + 0.5) / count

    def legend(self, names):
        x, y = LEFT + 90, 16
        for colour, name in zip(COLOURS, names):
            width = 28 + 6.5 * len(name)
            if x + width > WIDTH:
                x, y = LEFT + 90, y + 15
            self.parts.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{colour}"/>'
                              f'<text x="{x + 14}" y="{y}">{html.escape(name)}</text>')
            x += width

    def below(self, every=1):
        for position, label in enumerate(self.labels):
            if position % every == 0:
                self.parts.append(f'<text x="{self.x(position, len(self.labels)):.1f}" y="{HEIGHT - BOTTOM + 16}" '
                                  f'text-anchor="middle">{html.escape(label)}</text>')

    def svg(self, below):
        self.parts.append(f'<text x="{(WIDTH + LEFT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{html.escape(below)}</text>')
        return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img">{"".join(self.parts)}</svg>'


def line_plot(series, labels, unit, below, every=1):
    """series: name -> values, None where there is none"""
    drawing = Drawing(max(v for values in series.values() for v in values if v is not None), labels, unit)
    for colour, values in zip(COLOURS, series.values()):
        points = [f"{drawing.x(i, len(labels)):.1f},{drawing.y(v):.1f}" for i, v in enumerate(values) if v is not None]
        drawing.parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{" ".join(points)}"/>')
    drawing.legend(series)
    drawing.below(every)
    return drawing.svg(below)


def bar_plot(series, labels, unit, below):
    drawing = Drawing(max(v for values in series.values() for v in values if v is not None), labels, unit)
    width = 0.8 * (WIDTH - 10 - LEFT) / len(labels) / len(series)
    for number, (colour, values) in enumerate(zip(COLOURS, series.values())):
        for i, value in enumerate(values):
            if value is not None:
                x = drawing.x(i, len(labels)) + width * (number - len(series) / 2)
                drawing.parts.append(f'<rect x="{x:.1f}" y="{drawing.y(value):.1f}" width="{width:.1f}" '
                                     f'height="{HEIGHT - BOTTOM - drawing.y(value):.1f}" fill="{colour}"/>')
    drawing.legend(series)
    drawing.below()
    return drawing.svg(below)


def figure(svg, caption):
    return f"<figure>{svg}<figcaption>{html.escape(caption)}</figcaption></figure>"
