#!/usr/bin/env python3
"""The trace from claims to requirements, code, tests and proofs: reads docs/trace.txt and writes docs/trace.md.

usage: trace_page.py SOURCE BUILD [--write]

Without --write it says what is wrong: rows that point to nothing (trace_check.py), and a page that is stale. Exit status 1
if anything is.
"""
import collections
import os
import re
import sys
import textwrap

import trace_check

Section = collections.namedtuple("Section", "title text rows")
ROW = re.compile(r"(R-[A-Z]+-[A-Za-z0-9.]+)((?: C\d+)+)$")
FIELD = re.compile(r"  ([a-z]+) +(\S.*)$")
FIELDS = ("words", "in", "says", "code", "test", "run", "proof", "open")
INTRODUCTION = """\
# The trace

Generated from `docs/trace.txt` by `./dev docs`. Do not edit. The test `docs_trace` fails when a row points to nothing, and when
this page is stale.

A claim of [safety.md](safety.md) rests on requirements. Most are sentences of the texts that define broadcasting, in our words,
with a few of the text's own so that the sentence can be found. Each row names the code that fulfils the requirement, the tests
that look at it, and the proofs. A proof is a goal of [broadcast.mlw](../proofs/broadcast.mlw). It is about the
definition, and not about the C code, which R-DEF-1 to R-DEF-3 and R-DEF-6 compare with it. **none** is a gap. What each
operator requires of its operands is on a page of its own, [requirements.md](requirements.md).
"""


class Row:
    """A requirement: id, claims, and the values of each field, in order."""

    def __init__(self, name, claims, line):
        self.name, self.claims, self.line = name, claims, line
        self.fields = collections.defaultdict(list)

    def one(self, field):
        return " ".join(self.fields[field])


def read(lines):
    """The sections, and complaints about lines that have no known form. A line that is indented further continues a field."""
    sections, wrong, row, field = [], [], None, None
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\n")
        if not line.strip() or line.startswith("#"):
            continue
        start, entry = ROW.match(line), FIELD.match(line)
        if line.startswith("== "):
            title, _, text = line[3:].partition(" | ")
            sections.append(Section(title, text, []))
            row = None
        elif start and sections:
            row = Row(start[1], start[2].split(), number)
            sections[-1].rows.append(row)
        elif entry and row and entry[1] in FIELDS:
            field = row.fields[entry[1]]
            field.append(entry[2].strip())
        elif line.startswith("    ") and row and field:
            field[-1] += " " + line.strip()
        else:
            wrong.append(f"line {number} has no known form: {line}")
    return sections, wrong


def file_link(path):
    return f"[{path}](../{path})"


def names_of(reference):
    """"PLACE: a, b" as the place and its names."""
    place, _, names = reference.partition(": ")
    return place, [name.strip() for name in names.split(",") if name.strip()]


def shown(reference, link):
    place, names = names_of(reference)
    return " ".join([link(place)] + [f"`{name}`" for name in names])


def cell(parts):
    return "<br>".join(parts) or "**none**"


def tests_of(row, files):
    """Tests as links to their programs, then what a command of ./dev runs."""
    def program(name):
        return f"[{name}](../{files[name]})" if name in files else f"`{name}`"

    def command(name):
        return f"`./dev {name}`"

    return [shown(test, program) for test in row.fields["test"]] + [shown(run, command) for run in row.fields["run"]]


def proof_link(proof):
    return f"`{proof}`"


def row_of_table(row, files):
    says = row.one("says").replace("|", "\\|")
    if row.fields["words"]:
        says += ' ("' + row.one("words").replace("|", "\\|") + '")'
    cells = [row.name, " ".join(row.claims), says, cell([shown(code, file_link) for code in row.fields["code"]]),
             cell(tests_of(row, files)), cell([proof_link(proof) for proof in row.fields["proof"]])]
    return "| " + " | ".join(cells) + " |\n"


def wrapped(text):
    return textwrap.fill(text, 125, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False) + "\n"


def without(rows, *fields):
    return [row for row in rows if not any(row.fields[field] for field in fields)]


def counts(rows):
    """The gaps, at the top of the page."""
    lines = [f"{len(rows)} requirements.\n\n| Gap | Rows | |\n|---|---|---|\n"]
    for title, fields in (("no code", ["code"]), ("no test", ["test", "run"]), ("no proof", ["proof"])):
        missing = without(rows, *fields)
        lines.append(f"| {title} | {len(missing)} | {' '.join(row.name for row in missing) or 'none'} |\n")
    open_rows = [row for row in rows if row.fields["open"]]
    lines.append(f"| something else is open | {len(open_rows)} | {' '.join(row.name for row in open_rows) or 'none'} |\n")
    return "".join(lines)


def claims_table(rows, claims):
    lines = ["| Claim | Requirements |\n|---|---|\n"]
    for claim, title in claims.items():
        named = [row.name for row in rows if claim in row.claims]
        lines.append(f"| {claim}: {title} | {' '.join(named) or '**none**'} |\n")
    return "".join(lines)


def page(sections, claims, files):
    rows = [row for section in sections for row in section.rows]
    parts = [INTRODUCTION, "\n", counts(rows), "\n## Claims\n\n", claims_table(rows, claims)]
    for section in sections:
        parts.append(f"\n## {section.title}\n\n")
        if section.text:
            parts.append(f"Text: `{section.text}`.\n\n")
        parts.append("| Requirement | Claims | Says | Code | Tests | Proofs |\n|---|---|---|---|---|---|\n")
        parts.extend(row_of_table(row, files) for row in section.rows)
    open_rows = [row for row in rows if row.fields["open"]]
    if open_rows:
        parts.append("\n## Open\n\n")
        parts.extend(wrapped(f"- {row.name}: {text}") for row in open_rows for text in row.fields["open"])
    return "".join(parts)


def read_file(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def run(source, build, write):
    """What is wrong, a line each, and a summary; with `write` the page is made first."""
    sections, wrong = read(read_file(os.path.join(source, "docs", "trace.txt")).splitlines())
    project = trace_check.Project(source, build)
    claims = trace_check.claims_of(read_file(os.path.join(source, "docs", "safety.md")))
    path = os.path.join(source, "docs", "trace.md")
    fresh = page(sections, claims, project.test_files)
    if write:
        with open(path, "w", encoding="utf-8") as file:
            file.write(fresh)
    wrong += trace_check.problems(sections, claims, project)
    if not os.path.exists(path) or read_file(path) != fresh:
        wrong.append("docs/trace.md is stale: ./dev docs")
    n_rows = sum(len(section.rows) for section in sections)
    if n_rows == 0:
        wrong.append("docs/trace.txt has no row")
    compared = project.skipped or "quoted words compared"
    return wrong, f"{n_rows} requirements, {len(claims)} claims, {len(wrong)} problems; {compared}"


def main():
    wrong, summary = run(sys.argv[1], sys.argv[2], "--write" in sys.argv[3:])
    print("\n".join(wrong + [summary]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
