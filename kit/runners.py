"""Ways to run one set of inputs in a runtime: a command for each, or a process that serves many.

An answer is (kind, detail, outputs): kind is "ran", "refused", "unsupported", "crash" or "time". Outputs are a list of
(type, array), for "ran" only. docs/kit.md describes the protocol of serving processes.
"""
import base64
import json
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import tempfile
import time

import numpy as np

from elements import NUMBERS, little_endian, read, storage

# What messages say when a runtime has no code for an operator or a type. Everything else is a refusal.
UNSUPPORTED = re.compile(r"not.implemented|could not find an implementation|unsupported|not supported|registered or supported"
                         r"|not a registered function|can't create layer|no kernel|unknown (layer|operator)", re.IGNORECASE)
LONGEST = 300  # characters of a message that are kept


def short(text):
    """One line of a message, without control characters."""
    line = " ".join(part for part in text.split() if part)
    return "".join(c if c.isprintable() else "?" for c in line)[:LONGEST]


def input_files(folder, one):
    return [os.path.join(folder, one["folder"], f"input_{k}.pb") for k in range(len(one["inputs"]))]


class Command:
    """A process for each set of inputs."""

    def __init__(self, template, limit, unsupported_status=None):
        self.words, self.limit, self.unsupported_status = shlex.split(template), limit, unsupported_status
        self.output = tempfile.mkdtemp(prefix="kit-")

    def close(self):
        shutil.rmtree(self.output, ignore_errors=True)

    def fill(self, model, inputs):
        """The words of the command: {input} repeats its word for every input, together with an option before it."""
        words = []
        for k, word in enumerate(self.words):
            if "{input}" in word:
                option = [words.pop()] if k and self.words[k - 1].startswith("-") and word == "{input}" else []
                for path in inputs:
                    words += option + [word.replace("{input}", path)]
            else:
                words.append(word.replace("{model}", model).replace("{output}", self.output))
        return words

    def run(self, case, folder, one):
        for name in os.listdir(self.output):
            os.unlink(os.path.join(self.output, name))
        words = self.fill(os.path.join(folder, "model.onnx"), input_files(folder, one))
        try:
            done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  timeout=self.limit, check=False)
        except subprocess.TimeoutExpired:
            return "time", f"no answer in {self.limit} s", None
        message = short(done.stderr.decode(errors="replace"))
        if done.returncode < 0:
            return "crash", f"{signal.Signals(-done.returncode).name}: {message}", None
        if done.returncode:
            told = UNSUPPORTED.search(message) if self.unsupported_status is None else done.returncode == self.unsupported_status
            return ("unsupported" if told else "refused"), message, None
        return self.results(one)

    def results(self, one):
        outputs = []
        for k in range(len(one.get("outputs", [None]))):
            try:
                outputs.append(read(os.path.join(self.output, f"output_{k}.pb")))
            except Exception as error:  # whatever a runtime wrote there: the case fails, the run goes on
                return "ran", f"output_{k}.pb cannot be read: {short(str(error))}", []
        return "ran", "", outputs


class Server:
    """A process that reads a request as a line of JSON and answers with a line of JSON. After a crash another is started."""

    def __init__(self, words, limit, environment=None):
        self.words, self.limit, self.process, self.rest = words, limit, None, b""
        self.environment = dict(os.environ, **(environment or {}))

    def close(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
            self.process = None
            self.rest = b""

    def start(self):
        if not self.process:
            self.process = subprocess.Popen(self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, env=self.environment)

    def ask(self, request):
        """The answer, or a text: why there is none."""
        self.start()
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return "the process ended"
        end = time.monotonic() + self.limit
        while b"\n" not in self.rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                return "time"
            data = os.read(self.process.stdout.fileno(), 1 << 20)
            if not data:
                return "the process ended"
            self.rest += data
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def run(self, case, folder, one):
        inputs = []
        for name, path in zip(case["inputs"], input_files(folder, one)):
            of_type, array = read(path)
            inputs.append(dict(packed(of_type, array), name=name))
        answer = self.ask({"model": os.path.join(folder, "model.onnx"), "inputs": inputs})
        if answer == "time":
            self.close()
            return "time", f"no answer in {self.limit} s", None
        if isinstance(answer, str):
            status = self.process.wait()
            self.close()
            return "crash", signal.Signals(-status).name if status < 0 else f"status {status}", None
        if "outputs" in answer:
            try:
                return "ran", "", [unpacked(output) for output in answer["outputs"]]
            except (ValueError, KeyError, TypeError) as error:
                return "ran", f"the answer cannot be read: {short(str(error))}", []
        message = short(answer.get("unsupported") or answer.get("refused") or "")
        return ("unsupported" if "unsupported" in answer or UNSUPPORTED.search(message) else "refused"), message, None


def packed(of_type, array):
    if of_type == "string":
        return {"type": of_type, "dims": list(array.shape), "strings": [text.decode() for text in array.reshape(-1)]}
    return {"type": of_type, "dims": list(array.shape), "data": base64.b64encode(little_endian(array)).decode()}


def unpacked(value):
    of_type, dims = value["type"], tuple(value["dims"])
    if of_type not in NUMBERS:
        raise ValueError(f"type {of_type}")
    if of_type == "string":
        array = np.empty(len(value["strings"]), object)
        array[:] = [text.encode() for text in value["strings"]]
        return of_type, array.reshape(dims)
    array = np.frombuffer(base64.b64decode(value["data"]), storage(of_type).newbyteorder("<")).astype(storage(of_type))
    return of_type, array.reshape(dims)
