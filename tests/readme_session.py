#!/usr/bin/env python3
"""The sessions in README.md print what they show. A line "..." stands for any number of lines.

    readme_session.py BUILD_DIR SOURCE_DIR
"""
import os
import re
import subprocess
import sys
import tempfile


def sessions(text):
    """The blocks with commands, as lists of (command, expected lines)."""
    for block in re.findall(r"^```\n(.*?)^```$", text, re.M | re.S):
        steps = []
        for line in block.splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], []))
            elif steps:
                steps[-1][1].append(line)
        if steps:
            yield steps


def matches(expected, printed):
    """Whether the lines agree; each "..." is as short as possible."""
    parts = [[]]
    for line in expected:
        if line == "...":
            parts.append([])
        else:
            parts[-1].append(line)
    if len(parts) == 1:
        return expected == printed
    if printed[: len(parts[0])] != parts[0]:
        return False
    at = len(parts[0])
    for part in parts[1:]:
        while at <= len(printed) - len(part) and printed[at : at + len(part)] != part:
            at += 1
        if at > len(printed) - len(part):
            return False
        at += len(part)
    return at == len(printed) or not parts[-1]


def main():
    build, source = (os.path.abspath(path) for path in sys.argv[1:3])
    with open(os.path.join(source, "README.md"), encoding="utf-8") as file:
        text = file.read()
    n_commands = n_failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(build, os.path.join(folder, "build"))
        os.symlink(os.path.join(source, "models"), os.path.join(folder, "models"))
        for steps in sessions(text):
            script = "".join(f"{command}\nprintf '\\n%s\\n' --next--\n" for command, _ in steps)
            script = script.replace("\nprintf", "\nstatus=$?; printf").replace("--next--\n", "--next--; (exit $status)\n")
            done = subprocess.run(["bash"], input=script, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  encoding="utf-8", check=False)
            for (command, expected), output in zip(steps, done.stdout.split("\n--next--\n")):
                n_commands += 1
                printed = output.rstrip("\n").split("\n") if output.strip() else []
                if matches(expected, printed):
                    continue
                n_failed += 1
                print(f"$ {command}\n--- README.md\n" + "\n".join(expected) + "\n+++ printed\n" + "\n".join(printed))
    print(f"{n_commands} commands, {n_failed} differ")
    return 1 if n_failed or n_commands < 5 else 0


if __name__ == "__main__":
    sys.exit(main())
