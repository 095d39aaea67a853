"""Tests of the kit itself: its results against numbers written by hand, its judgement of planted answers."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx

import operators as ops
import score
import write
from covering import pairwise
from elements import NUMBERS, decode, encode, from_proto, make, proto, read
from families import seeded
from families_legacy import aligned
from runners import Command, Server
from shapes import broadcast, one_way, pair

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# A runtime that answers as its first argument says, whatever it is asked.
SERVER = """
import json, os, sys, time
for line in sys.stdin:
    way = sys.argv[1]
    if way == "crash": os.kill(os.getpid(), 11)
    if way == "exit": sys.exit(3)
    if way == "hang": time.sleep(60)
    print({"refuse": '{"refused": "sizes 2 and 3"}', "lack": '{"refused": "operator is not implemented"}',
           "nonsense": '{"outputs": [{"type": "float", "dims": [7], "data": "AAAA"}]}',
           "echo": json.dumps({"outputs": json.loads(line)["inputs"]})}[way], flush=True)
"""


class Results(unittest.TestCase):
    def test_bfloat16_rounds_to_even(self):
        values = np.array([1, 1 + 2 ** -8, 1 + 3 * 2 ** -8, -3.5, float("inf"), float("nan")], np.float32)
        bits = encode("bfloat16", values)
        self.assertEqual([hex(b) for b in bits[:5]], ["0x3f80", "0x3f80", "0x3f82", "0xc060", "0x7f80"])
        self.assertTrue(np.isnan(decode("bfloat16", bits)[5]))

    def test_every_type_goes_through_a_file(self):
        for name in NUMBERS:
            for shape in ((), (0,), (2, 3)):
                array = make(seeded(1, name, shape), name, shape)
                back_name, back = from_proto(proto(name, array))
                self.assertEqual((back_name, back.shape, back.tolist()), (name, shape, array.tolist()))

    def test_results_by_hand(self):
        a, b = np.array([[-7, 7], [5, -5]], np.int32), np.array([2, -2], np.int32)
        self.assertEqual(ops.binary("Div", "int32", a, b)[1].tolist(), [[-3, -3], [2, 2]])
        self.assertEqual(ops.binary("Mod", "int32", a, b)[1].tolist(), [[1, -1], [1, -1]])
        self.assertEqual(ops.binary("Mod", "int32", a, b, {"fmod": 1})[1].tolist(), [[-1, 1], [1, -1]])
        self.assertEqual(ops.variadic("Mean", "float", [np.float32([1, 2]), np.float32(4)])[1].tolist(), [2.5, 3.0])
        slope = np.float32([[2], [3]])
        self.assertEqual(ops.prelu("float", np.float32([[-1, 1], [-1, 1]]), slope)[1].tolist(), [[-2, 1], [-3, 1]])
        row = ops.gemm("float", np.zeros((2, 0), np.float32), np.zeros((0, 2), np.float32), np.float32([1, 2]), {"beta": 2.0})
        self.assertEqual(row[1].tolist(), [[2, 4], [2, 4]])

    def test_legacy_axis(self):
        """The middle axis that onnx's converter aligns wrongly."""
        a, b = np.zeros((3, 3, 4, 5)), np.array([1, 2, 3])
        self.assertEqual((a + aligned(a, b, 1))[:, 2].min(), 3)
        self.assertEqual((a + aligned(a, b, 0))[2].min(), 3)
        self.assertEqual((a + aligned(a, b, -3))[:, 2].min(), 3)

    def test_shapes(self):
        self.assertEqual(broadcast([(0,), (1,)]), (0,))
        self.assertIsNone(broadcast([(0,), (2,)]))
        self.assertEqual(broadcast([(), (2, 1), (3,)]), (2, 3))
        self.assertTrue(one_way((2, 3), (3,)))
        self.assertFalse(one_way((3,), (1, 3)))
        for seed in range(300):
            random = seeded(seed)
            rank = seed % 9
            shapes = pair(random, rank, ("equal rank", "left shorter", "right scalar")[seed % 3],
                          ("none", "left", "right", "both")[seed % 4], ("n", "1", "0")[seed % 3])
            self.assertEqual(len(broadcast(shapes)), rank)

    def test_all_pairs_meet(self):
        factors = {"a": range(4), "b": "xyz", "c": (True, False), "d": range(5)}
        rows = pairwise(seeded(3), factors)
        for first in factors:
            for second in factors:
                if first < second:
                    met = {(row[first], row[second]) for row in rows}
                    self.assertEqual(len(met), len(factors[first]) * len(factors[second]))
        self.assertLess(len(rows), 40)


class Content(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cases = list(write.cases(1))

    def test_every_operator_that_broadcasts_is_there(self):
        """The table of this project names the operators; com.microsoft has none of ONNX's."""
        there = {case.operator for case in self.cases}
        with open(os.path.join(TOP, "docs", "operators.md"), encoding="utf-8") as file:
            rows = re.findall(r"^\| (\w+) \| [^|]*\| ([^|]+?) \|", file.read(), re.M)
        ways = ("all operands", "one way", "to a shape", "batch axes")
        wanted = {name for name, way in rows if way.startswith(ways)} - {"SimplifiedLayerNormalization"}
        self.assertGreater(len(wanted), 30)
        self.assertEqual(wanted - there, set())

    def test_the_factors_are_covered(self):
        seen = set()
        for case in self.cases:
            for one in case.sets:
                seen.update(one.tags)
        wanted = {f"rank {rank}" for rank in range(9)} | {f"{n} operands" for n in range(1, 9)}
        wanted |= {"size 0", "size 1", "1 stretched to 0", "left operand stretched", "right operand stretched",
                   "every operand stretched", "constant operand", "symbolic sizes", "one model, several sizes", "negative axis"}
        self.assertEqual(wanted - seen, set())
        self.assertEqual({name for case in self.cases for name in case.types}, set(NUMBERS))

    def test_the_page_has_the_scores_of_this_kit(self):
        """./dev kit all writes them again."""
        with open(os.path.join(TOP, "docs", "kit.md"), encoding="utf-8") as file:
            row = re.search(r"^\| onnx-broadcast \| [^|]+ \| 100 % \| 100 % \| (\d+) \|", file.read(), re.M)
        self.assertIsNotNone(row)
        self.assertEqual(int(row[1]), sum(len(case.sets) for case in self.cases if case.settled))

    def test_onnx_accepts_the_models(self):
        """onnx's checker knows opsets up to 17; shapes are not its business here."""
        checked = 0
        for case in self.cases[::7]:
            if case.opset <= 17 and case.declared_result() is not None:
                onnx.checker.check_model(onnx.load_from_string(case.model()))
                checked += 1
        self.assertGreater(checked, 500)

    def test_the_same_bytes_again(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        hashes = set()
        for seed in ("0", "77"):  # of Python's hashes of strings
            words = [sys.executable, os.path.join(TOP, "kit", "write.py"), os.path.join(folder, "kit"), "--only", "^(add|max)"]
            subprocess.run(words, env=dict(os.environ, PYTHONHASHSEED=seed), check=True, capture_output=True)
            with open(os.path.join(folder, "kit", "kit.json"), "rb") as file:
                hashes.add(file.read())
        self.assertEqual(len(hashes), 1)

    def test_other_folders_are_left_alone(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        open(os.path.join(folder, "mine"), "w").close()
        with self.assertRaises(SystemExit):
            write.write(folder, 1)
        self.assertEqual(os.listdir(folder), ["mine"])


class Judgement(unittest.TestCase):
    case = {"id": "x", "inputs": ["a"], "rtol": 0, "atol": 0}
    computed = {"folder": "s", "inputs": [[2]], "outputs": [[2]]}
    refused = {"folder": "s", "inputs": [[2]], "refused": "why"}
    want = [("float", np.float32([0.0, float("nan")]))]

    def verdict(self, kind, outputs=None, one=None, rtol=0):
        return score.judge(dict(self.case, rtol=rtol), one or self.computed, self.want, (kind, "", outputs))[0]

    def test_answers(self):
        def of(values, dtype=np.float32, name="float"):
            return [(name, np.array(values, dtype))]
        nan = float("nan")
        self.assertEqual(self.verdict("ran", of([0.0, nan])), "passed")
        self.assertEqual(self.verdict("ran", of([-0.0, nan])), "wrong result")
        self.assertEqual(self.verdict("ran", of([-0.0, nan]), rtol=1e-6), "passed")
        self.assertEqual(self.verdict("ran", of([0.0, 1])), "wrong result")
        self.assertEqual(self.verdict("ran", of([0.0, float("inf")])), "wrong result")
        self.assertEqual(self.verdict("ran", of([[0.0, nan]])), "wrong result")
        self.assertEqual(self.verdict("ran", of([0.0, nan], np.float64, "double")), "wrong result")
        self.assertEqual(self.verdict("ran", []), "wrong result")
        self.assertEqual(self.verdict("refused"), "refused wrongly")
        self.assertEqual(self.verdict("unsupported"), "not supported")
        self.assertEqual(self.verdict("time"), "crash")
        self.assertEqual(self.verdict("refused", one=self.refused), "passed")
        self.assertEqual(self.verdict("ran", of([0.0, nan]), one=self.refused), "accepted wrongly")
        self.assertEqual(self.verdict("unsupported", one=self.refused), "not supported")

    def test_percent_is_never_rounded_up(self):
        counter = score.collections.Counter({"passed": 9999, "crash": 1})
        self.assertEqual(score.percent(counter), "99.9 %")

    def test_names_are_escaped_on_the_page(self):
        row = {"runtime": "<script>", "version": "1", "rows": {"all": {"": {"passed": 1}}}, "unsettled": {},
               "failures": [{"case": "c", "verdict": "crash", "detail": "<b>&"}]}
        page = score.page([row])
        self.assertNotIn("<script>", page)
        self.assertIn("&lt;b&gt;&amp;", page)


class Running(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        os.mkdir(os.path.join(self.folder, "s"))
        self.input = os.path.join(self.folder, "s", "input_0.pb")
        with open(self.input, "wb") as file:
            file.write(proto("float", np.float32([1, 2])).SerializeToString())
        self.one = {"folder": "s", "inputs": [[2]], "outputs": [[2]]}

    def serve(self, *ways):
        for way in ways:
            server = Server([sys.executable, "-c", SERVER, way], 1.0 if way == "hang" else 20)
            self.addCleanup(server.close)
            yield server.run({"inputs": ["a"]}, self.folder, self.one)

    def test_servers(self):
        kinds = [answer[0] for answer in self.serve("crash", "exit", "hang", "refuse", "lack", "nonsense", "echo")]
        self.assertEqual(kinds, ["crash", "crash", "time", "refused", "unsupported", "ran", "ran"])

    def test_a_server_is_started_again(self):
        server = Server([sys.executable, "-c", SERVER, "crash"], 20)
        self.addCleanup(server.close)
        details = [server.run({"inputs": ["a"]}, self.folder, self.one)[1] for _ in range(2)]
        self.assertEqual(details, ["SIGSEGV", "SIGSEGV"])

    def run_command(self, template, status=None):
        command = Command(template, 2, status)
        self.addCleanup(command.close)
        return command.run({"inputs": ["a"]}, self.folder, self.one)

    def test_commands(self):
        self.assertEqual(self.run_command("sh -c 'kill -6 $$'")[0], "crash")
        self.assertEqual(self.run_command("sleep 30")[0], "time")
        self.assertEqual(self.run_command("sh -c 'exit 1'")[0], "refused")
        self.assertEqual(self.run_command("sh -c 'exit 3'", 3)[0], "unsupported")
        self.assertEqual(self.run_command("sh -c 'echo not supported >&2; exit 1'")[0], "unsupported")
        self.assertEqual(self.run_command("true")[1][:11], "output_0.pb")
        kind, _, outputs = self.run_command("sh -c 'cp $2 $3/output_0.pb' -- --input {input} {output}")
        self.assertEqual((kind, outputs[0][1].tolist()), ("ran", read(self.input)[1].tolist()))


if __name__ == "__main__":
    unittest.main()
