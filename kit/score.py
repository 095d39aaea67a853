"""Verdicts on single answers, scores of a runtime, and tables of scores."""
import collections
import html

import numpy as np

from elements import FLOATS, decode

VERDICTS = ("passed", "wrong result", "refused wrongly", "accepted wrongly", "crash", "not supported")


def differences(want, got, rtol, atol):
    """None when equal, else (a text, the largest error)."""
    (want_type, want_array), (got_type, got_array) = want, got
    if want_type != got_type:
        return f"type {got_type} instead of {want_type}", None
    if want_array.shape != got_array.shape:
        return f"shape {list(got_array.shape)} instead of {list(want_array.shape)}", None
    a, b = decode(want_type, want_array).reshape(-1), decode(got_type, got_array).reshape(-1)
    if want_type in FLOATS:
        with np.errstate(all="ignore"):
            a, b = a.astype(np.float64), b.astype(np.float64)
            same = (a == b) & (np.signbit(a) == np.signbit(b) if rtol == atol == 0 else True)
            same |= (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= atol + rtol * np.abs(a))
            same &= np.isfinite(a) == np.isfinite(b)
            if rtol == atol == 0:  # the sign of zero counts where elements are compared exactly
                same &= (np.signbit(a) == np.signbit(b)) | np.isnan(a)
    elif want_type in ("complex64", "complex128"):
        same = (a == b) | (np.isnan(a) & np.isnan(b))
    else:
        same = np.asarray(a == b, bool)
    if same.all():
        return None
    at = int(np.argmin(same))
    error = float(np.max(np.abs(a[~same] - b[~same]))) if want_type in FLOATS else None
    return f"element {at}: {b[at]} instead of {a[at]}, {int((~same).sum())} of {len(a)} elements differ", error


def judge(case, one, wanted, answer):
    """(verdict, detail, largest error)."""
    kind, detail, outputs = answer
    if kind in ("crash", "time"):
        return "crash", detail, None
    if kind == "unsupported":
        return "not supported", detail, None
    if "refused" in one:
        return ("passed", "", None) if kind == "refused" else ("accepted wrongly", one["refused"], None)
    if kind == "refused":
        return "refused wrongly", detail, None
    if len(outputs) != len(wanted):
        return "wrong result", detail or f"{len(outputs)} outputs", None
    for want, got in zip(wanted, outputs):
        found = differences(want, got, case["rtol"], case["atol"])
        if found:
            return "wrong result", found[0], found[1]
    return "passed", "", None


def features(case, one):
    """The rows of the table in which a set counts."""
    yield "all", ""
    yield "rule", case["family"]
    yield "operator", case["operator"]
    for of_type in case["types"]:
        yield "element type", of_type
    for tag in one["tags"]:
        yield "feature", tag
    yield "feature", "to be refused" if "refused" in one else "to be computed"


def summarize(results):
    """{(group, name): Counter of verdicts}; results: [(case, set, verdict, ...)] of settled cases."""
    rows = collections.defaultdict(collections.Counter)
    for case, one, verdict in results:
        for feature in features(case, one):
            rows[feature][verdict] += 1
    return rows


def percent(counter):
    total = sum(counter.values())
    value = 100.0 * counter["passed"] / total if total else 0.0
    return f"{int(value * 10) / 10:.1f} %" if counter["passed"] != total else "100 %"  # rounded down: 100 % means all


GROUPS = ("rule", "operator", "element type", "feature")


def natural(text):
    return [int(word) if word.isdigit() else word for word in text.split()]


def ordered(rows, group):
    names = [name for other, name in rows if other == group]
    if group != "feature":
        return sorted(names)
    return sorted(names, key=lambda name: (not name[0].isalpha(), [str(w).zfill(3) for w in natural(name)]))


def tables(scores):
    """Markdown: the runtimes beside each other, then a row for each feature."""
    lines = ["| Runtime | Version | Score | Of what it has | " + " | ".join(v.capitalize() for v in VERDICTS) +
             " | Not settled: passed |",
             "|---|---|--:|--:|" + "--:|" * (len(VERDICTS) + 1)]
    for score in scores:
        every = collections.Counter(score["rows"]["all"][""])
        supported = collections.Counter({verdict: n for verdict, n in every.items() if verdict != "not supported"})
        unsettled = collections.Counter(score["unsettled"])
        lines.append(f"| {score['runtime']} | {score['version']} | {percent(every)} | {percent(supported)} | " +
                     " | ".join(str(every[v]) for v in VERDICTS) + f" | {unsettled['passed']} of {sum(unsettled.values())} |")
    for group in GROUPS:
        title = group.capitalize()
        lines += ["", f"| {title} | Cases | " + " | ".join(score["runtime"] for score in scores) + " |",
                  "|---|--:|" + "--:|" * len(scores)]
        known = {(group, name): 1 for score in scores for name in score["rows"].get(group, {})}
        for name in ordered(known, group):
            counters = [collections.Counter(score["rows"].get(group, {}).get(name, {})) for score in scores]
            total = max(sum(counter.values()) for counter in counters)
            lines.append(f"| {name} | {total} | " + " | ".join(percent(c) for c in counters) + " |")
    return "\n".join(lines) + "\n"


def page(scores):
    """One HTML page: the tables, and the first failures of each runtime."""
    parts = ["<!doctype html><html lang=en><meta charset=utf-8><title>Broadcasting test kit</title>",
             "<style>body{font:15px/1.4 sans-serif;margin:2em;max-width:90em}table{border-collapse:collapse;margin:1em 0}"
             "td,th{border:1px solid #8888;padding:.2em .6em;text-align:right}td:first-child,th:first-child{text-align:left}"
             "@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}}</style><h1>Broadcasting test kit</h1>"]
    inside = False
    for line in tables(scores).splitlines():
        if not line.startswith("|"):
            parts.append("</table>" if inside else "")
            inside = False
        elif not line.startswith("|--"):
            cells = [html.escape(cell.strip()) for cell in line.strip("|").split("|")]
            tag = "td" if inside else "th"
            parts.append(("" if inside else "<table>") + "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>")
            inside = True
    parts.append("</table>" if inside else "")
    for score in scores:
        parts.append(f"<h2>{html.escape(score['runtime'])}: failures</h2><table>"
                     "<tr><th>Case</th><th>Verdict</th><th>Detail</th></tr>")
        for failure in score["failures"][:200]:
            cells = (html.escape(str(failure[key])) for key in ("case", "verdict", "detail"))
            parts.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
        parts.append("</table>")
    return "\n".join(part for part in parts if part) + "\n"
