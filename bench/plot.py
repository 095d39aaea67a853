#!/usr/bin/env python3
"""Draws the plots of docs/benchmarks.md from its tables: docs/benchmarks-models.svg and docs/benchmarks-limit.svg.

    bench/plot.py [--check]

--check writes nothing; exit status 1 if a plot is not that of the tables.
"""
import html
import math
import os
import re
import sys

docs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs")
WIDTH, NAMES, ROW, TOP = 860, 330, 17, 48


def section(text, title):
    begin = text.index("\n## " + title)
    end = text.find("\n## ", begin + 1)
    return text[begin:end if end > 0 else len(text)]


def rows(text, column, least_columns):
    """Name and number of each row whose column holds a number."""
    found = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and len(cells) >= least_columns and re.fullmatch(r"[0-9.]+", cells[column]):
            found.append((cells[0], float(cells[column])))
    return found


def draw(title, below, above, found):
    """Bars from 1 to the left (smaller) and to the right (greater), on a logarithmic scale."""
    low = min(0.5, min(value for _, value in found)) * 0.95
    high = max(2, max(value for _, value in found)) * 1.05
    scale = (WIDTH - NAMES - 60) / (math.log(high) - math.log(low))

    def x(value):
        return NAMES + (math.log(value) - math.log(low)) * scale

    height = TOP + ROW * len(found) + 30
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">'
           % (WIDTH, height),
           '<rect width="%d" height="%d" fill="#fff"/>' % (WIDTH, height),
           '<text x="10" y="18" font-size="15">%s</text>' % html.escape(title),
           '<text x="%.1f" y="36" text-anchor="end" fill="#1b7f4b">%s</text>' % (x(1) - 6, html.escape(below)),
           '<text x="%.1f" y="36" fill="#b4530a">%s</text>' % (x(1) + 6, html.escape(above))]
    for tick in (0.125, 0.25, 0.5, 1, 2, 4, 8, 16):
        if low <= tick <= high:
            out.append('<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="%s"/>'
                       % (x(tick), x(tick), TOP - 6, height - 22, "#333" if tick == 1 else "#ddd"))
            out.append('<text x="%.1f" y="%d" text-anchor="middle" fill="#555">%g</text>' % (x(tick), height - 8, tick))
    for i, (name, value) in enumerate(found):
        y = TOP + ROW * i
        begin, end = sorted((x(1), x(value)))
        out.append('<text x="%d" y="%d" text-anchor="end">%s</text>' % (NAMES - 8, y + 12, html.escape(name)))
        out.append('<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>'
                   % (begin, y + 2, max(end - begin, 1), ROW - 5, "#4caf7d" if value <= 1 else "#e8894a"))
        out.append('<text x="%.1f" y="%d" fill="#333">%.2f</text>' % (max(end, x(1)) + 4, y + 12, value))
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    with open(os.path.join(docs, "benchmarks.md")) as file:
        text = file.read()
    models = section(text, "Whole models beside ONNX Runtime").split("Two threads")[0]
    limits = section(text, "Elementwise broadcasting")
    plots = {
        "benchmarks-models.svg": draw("Time of a run relative to ONNX Runtime, one thread, AVX-512", "faster", "slower",
                                      sorted(rows(models, 3, 8), key=lambda row: row[1])),
        "benchmarks-limit.svg": draw("Time of elementwise operators relative to the memory limit of one pass", "",
                                     "above the limit", rows(limits, 5, 8)),
    }
    same = True
    for name, drawn in plots.items():
        path = os.path.join(docs, name)
        old = open(path).read() if os.path.exists(path) else ""
        same &= old == drawn
        if old != drawn and "--check" in sys.argv:
            print("%s is not that of the tables: bench/plot.py draws it" % name)
        elif old != drawn:
            with open(path, "w") as file:
                file.write(drawn)
    return 1 if "--check" in sys.argv and not same else 0


if __name__ == "__main__":
    sys.exit(main())
