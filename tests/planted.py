"""Programs with a fault in one file of the library: the file is changed in a copy, and linked in front of the library."""
import os
import re
import subprocess


def tell(results):
    """Prints each (name, whether the fault is found, what was told) and their number. The exit status; 1 if there is none."""
    planted = missed = 0
    for name, found, told in results:
        planted += 1
        missed += not found
        print(f"{'found' if found else 'NOT FOUND'}: {name}: {' '.join(str(told).split())[:200]}", flush=True)
    print(f"{planted} faults planted, {missed} not found")
    return 1 if missed or not planted else 0


class Planter:
    """Makes such programs of one target of a build folder (Ninja)."""

    def __init__(self, source, build, target, folder):
        self.source, self.build, self.folder = os.path.abspath(source), os.path.abspath(build), os.path.abspath(folder)
        os.makedirs(self.folder, exist_ok=True)
        listed = subprocess.run(["ninja", "-C", self.build, "-t", "commands", target], check=True, capture_output=True, text=True)
        self.commands = [line for line in listed.stdout.splitlines() if not line.startswith("ninja: ")]

    def changed(self, file, old, new):
        """The path of a copy of the file in which the one place `old` became `new`."""
        with open(os.path.join(self.source, file), encoding="utf-8") as opened:
            text = opened.read()
        if text.count(old) != 1:
            raise ValueError(f"{file} has {text.count(old)} places with: {old}")
        path = os.path.join(self.folder, os.path.basename(file))
        with open(path, "w", encoding="utf-8") as opened:
            opened.write(text.replace(old, new))
        return path

    def program(self, file, old, new):
        """The path of the program with the fault. Warnings that the fault causes are none of ours."""
        made, program = os.path.join(self.folder, "planted.o"), os.path.join(self.folder, "planted")
        compiled = next(line for line in self.commands if line.endswith("-c " + os.path.join(self.source, file)))
        compiled = re.sub(r" (-Werror|-MD|-M[TF] \S+|-[oc] \S+)(?= |$)", "", compiled)
        compiled += f" -w -o {made} -c {self.changed(file, old, new)}"
        linked = re.sub(r"-o \S+", f"-o {program} {made}", self.commands[-1])
        for command in (compiled, linked):
            subprocess.run(command, shell=True, cwd=self.build, check=True)
        return program
