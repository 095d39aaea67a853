#!/usr/bin/env python3
"""Runs the programs whose calls of the solver are recorded (record.c), and leaves one file of records for each.

usage: recording.py BUILD FOLDER [NAME...]

NAME: of these programs; without any: every unit test in build/recorded/, 2000 random models, the cases of tests/cli,
and the check of the models of tests/soundness/cases, models/ and $OB_SHARED (../shared), these also with an assumption
on each of their first symbols.
"""
import glob
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
SHARED = os.environ.get("OB_SHARED", os.path.join(SOURCE, "..", "shared"))
RANDOM_MODELS = 2000
ASSUMED = ("{} >= 2", "{} % 32 = 0", "{} != 1", "{} <= 100")


def run(command, record, where):
    """(exit status, output) of one recorded program"""
    made = subprocess.run(command, cwd=where, env=dict(os.environ, OB_RECORD=record), text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return made.returncode, made.stdout


class Recording:
    def __init__(self, build, folder):
        self.build, self.folder = os.path.abspath(build), os.path.abspath(folder)
        self.programs = os.path.join(self.build, "recorded")
        self.check = os.path.join(self.programs, "onnx-broadcast-check")

    def record(self, name):
        """Where the records of this program go; an older file is removed."""
        path = os.path.join(self.folder, name + ".jsonl")
        if os.path.exists(path):
            os.remove(path)
        return path

    def test(self, name, *arguments):
        """A sentence about a program that must succeed."""
        status, output = run([os.path.join(self.programs, name), *arguments], self.record(name), self.build)
        if status:
            raise ChildProcessError(f"{name} fails with status {status}:\n{output[-2000:]}")
        return f"{name}: passes"

    def random(self):
        return self.test("random_contracts", str(RANDOM_MODELS))

    def cases(self):
        """The cases of tests/cli by the recorded check; their expectations are check_cli's concern."""
        for link in ("onnx-broadcast-run", "tests"):
            path = os.path.join(self.programs, link)
            if not os.path.islink(path):
                os.symlink(os.path.join(self.build, link), path)
        _, output = run([os.path.join(SOURCE, "tests", "cli", "run.sh"), self.programs], self.record("cli"), self.build)
        return "tests/cli: " + output.splitlines()[-1]

    def models(self):
        """Real models, the project's models, and small models that once were wrong."""
        record, n_assumed = self.record("models"), 0
        real = sorted(glob.glob(os.path.join(SHARED, "models", "*", "model.onnx")))
        others = sorted(glob.glob(os.path.join(SOURCE, "models", "*.onnx"))
                        + glob.glob(os.path.join(SOURCE, "tests", "soundness", "*", "*.txt")))
        for at, model in enumerate([*real, *others]):
            _, report = run([self.check, "--format", "json", model], record, self.build)
            for symbol in symbols_of(report)[:2] if model in real else []:
                assumed = ASSUMED[(at + n_assumed) % len(ASSUMED)].format(symbol)
                n_assumed += run([self.check, "--quiet", "--assume", assumed, model], record, self.build)[0] in (0, 1)
        skipped = "" if real else f" (skipped: no models in {SHARED}/models)"
        return f"models: {len(real)} real ones, {n_assumed} checks of them with an assumption, {len(others)} others{skipped}"


def symbols_of(report):
    """The symbols of the inputs, by the report as JSON."""
    try:
        values = json.loads(report)["models"][0]["values"]
    except (ValueError, KeyError):
        return []
    sizes = [size for value in values if value.get("kind") == "input" for size in value.get("shape") or []]
    return list(dict.fromkeys(size for size in sizes if isinstance(size, str) and re.fullmatch(r"[A-Za-z]\w*", size)))


def jobs(recording, names):
    """What to run, the longest first."""
    tests = sorted(os.path.basename(path) for path in glob.glob(os.path.join(recording.programs, "test_*")))
    made = {"random_contracts": recording.random, "cli": recording.cases, "models": recording.models}
    made.update({name: lambda name=name: recording.test(name) for name in tests})
    slow = ["test_guard", "test_target_rewrite", "cli", "test_rewrite_random"]
    order = [name for name in slow if name in made] + [name for name in made if name not in slow]
    return [made[name] for name in order if not names or name in names]


def main():
    build, folder, *names = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(job) for job in jobs(Recording(build, folder), names)]:
            print(done.result(), flush=True)


if __name__ == "__main__":
    main()
