"""Every malloc of the two commands fails in turn, alone and with all after it: they end with a documented status, say on standard
error what is wrong, or print what they print with memory.

tools_allocation.py BUILD SOURCE PRELOAD"""
import os
import subprocess
import sys
import tempfile

build, source, preload = sys.argv[1:4]
attention = f"{source}/models/attention.onnx"
legacy = f"{source}/models/legacy_axis.onnx"
legacy_data = f"{source}/models/legacy_axis_test/test_data_set_0"
STRIDE_AFTER = 60


def cases(folder):
    check, run = f"{build}/onnx-broadcast-check", f"{build}/onnx-broadcast-run"
    yield [check, attention]
    yield [check, f"{source}/models/wrong.onnx", "--format", "json", "--verbose"]
    yield [check, attention, "--emit", "function", "-o", f"{folder}/function.onnxtxt"]
    yield [check, attention, "--emit", "expand", "-o", "-"]
    yield [check, f"{source}/models/wrong.onnx", "--write-baseline", f"{folder}/known.json"]
    with open(f"{folder}/accepted.json", "w", encoding="utf-8") as file:
        file.write('{"onnx_broadcast_baseline":1,"models":[]}')
    yield [check, f"{source}/models/accidental.onnx", "--baseline", f"{folder}/accepted.json", "--ignore", "OB0401:*"]
    yield [run, attention, "--random"]
    yield [run, attention, "--random", "--output-dir", f"{folder}/outputs", "--npy", "--verbose"]
    yield [run, legacy, "--input", f"{legacy_data}/input_0.pb", "--expect", legacy_data]
    yield [run, attention, "--random", f"--profile={folder}/profile.json", "--quiet"]


def run(command, environment):
    return subprocess.run(command, capture_output=True, env=environment, timeout=60)


def fail_each(command, folder):
    """Sentences about what went wrong, and how many failures there were."""
    right = run(command, dict(os.environ))
    wrong, n, said_in = [], 0, f"{folder}/failed"
    timed = any(word.startswith("--profile") for word in command)
    for from_then_on in (False, True):
        at = 0
        while True:
            environment = dict(os.environ, LD_PRELOAD=preload, OB_FAIL_AT=str(at), OB_FAIL_FILE=said_in)
            if from_then_on:
                environment["OB_FAIL_FROM"] = "1"
            got = run(command, environment)
            if not os.path.exists(said_in):
                break
            os.remove(said_in)
            n += 1
            same = got.returncode == right.returncode and (timed or got.stdout == right.stdout)
            if not same and (got.returncode not in (1, 2, 3) or not got.stderr):
                words = " ".join(os.path.basename(word) for word in command)
                later = " and all after it" if from_then_on else ""
                wrong.append(f"{words}: malloc {at}{later} fails: "
                             f"status {got.returncode}, {len(got.stderr)} bytes on standard error")
            at += 1 if at < STRIDE_AFTER else 7
    return wrong, n


def main():
    wrong, total = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for command in cases(folder):
            found, n = fail_each(command, folder)
            wrong += found
            total += n
    print(*wrong, sep="\n")
    print(f"{total} failures, {len(wrong)} wrong")
    return 1 if wrong or total < 100 else 0


sys.exit(main())
