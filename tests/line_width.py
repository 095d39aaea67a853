#!/usr/bin/env python3
"""usage: line_width.py SOURCE_DIR. No line of a tracked file is longer than max_line_length of .editorconfig.

Exempt are lines that cannot be broken, or whose text is data; `checked` lists them all. Exit status 77: SOURCE_DIR is no git
repository.
"""
import re
import subprocess
import sys

# Expected output, input files with one value in a line, and JSON, whose strings cannot be broken.
DATA = (".stdout", ".stderr", ".json", ".onnxtxt", "expected.txt")
# Tables with one row in a line: only their comments are checked.
TABLES = (".def", ".txt", ".cmd")
COMMENT = re.compile(r"# |\s*/\*|\s+\* ")
HERE_DOCUMENT = re.compile(r"<<-?\s*['\"]?(\w+)")


def checked(path, lines):
    """The lines that must fit, as pairs of number and text."""
    table = path.endswith(TABLES) and not path.endswith("CMakeLists.txt")
    shell = path.endswith(".sh") or lines[0].startswith("#!") and "sh" in lines[0]
    markdown = path.endswith(".md")
    end = None  # of a here-document or a code block
    for number, line in enumerate(lines, 1):
        if end is not None:
            if line.strip() == end:
                end = None
            continue
        if shell and (found := HERE_DOCUMENT.search(line)):
            end = found[1]
        if markdown and line.startswith(("|", "    ")):  # rows of tables, and code
            continue
        if markdown and line.startswith("```"):
            end = "```"
        if table and not COMMENT.match(line):
            continue
        if "://" in line:
            continue
        yield number, line


def main():
    source = sys.argv[1]
    with open(f"{source}/.editorconfig", encoding="utf-8") as file:
        width = int(re.search(r"^max_line_length = (\d+)$", file.read(), re.M)[1])
    listed = subprocess.run(["git", "-C", source, "ls-files", "-z"], capture_output=True, text=True)
    if listed.returncode != 0:
        print(f"skipped: {listed.stderr.strip()}")
        return 77
    n = failed = 0
    for path in listed.stdout.split("\0"):
        if not path or path.endswith(DATA):
            continue
        try:
            with open(f"{source}/{path}", encoding="utf-8") as file:
                lines = file.read().split("\n")
        except (FileNotFoundError, UnicodeDecodeError):  # removed and not yet committed; binary
            continue
        for number, line in checked(path, lines):
            n += 1
            if len(line) > width:
                print(f"{path}:{number}: {len(line)} columns")
                failed = 1
    print(f"{n} lines")
    return failed or n == 0


sys.exit(main())
