#!/usr/bin/env python3
"""usage: console.py BUILD SOURCE PAGE: the commands in the console blocks of a page print what the page shows."""
import re
import subprocess
import sys

build, source, page = sys.argv[1:4]


def main():
    with open(f"{source}/{page}", encoding="utf-8") as file:
        blocks = re.findall(r"^```console\n(.*?)^```$", file.read(), re.M | re.S)
    n = failed = 0
    for block in blocks:
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, wanted = part.split("\n", 1)
            got = subprocess.run(["bash", "-c", f'PATH="{build}:$PATH"; {command}'], cwd=source, capture_output=True, text=True)
            n += 1
            if got.stdout + got.stderr != wanted:
                failed += 1
                print(f"{page}: $ {command}\n{got.stdout}{got.stderr}instead of\n{wanted}")
    print(f"{n} commands, {failed} wrong")
    return 0 if n and not failed else 1


sys.exit(main())
