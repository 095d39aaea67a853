import json
import os
import shutil
import subprocess
import sys

import onnx
import onnx_broadcast as ob
import pytest
from conftest import TOP

sys.path.insert(0, os.path.join(TOP, "examples", "python"))
check_corpus = pytest.importorskip("check_corpus")
export_and_check = pytest.importorskip("export_and_check")


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True) as cluster:
        with distributed.Client(cluster) as client:
            # Workers find the functions of this process where it found them.
            client.run(sys.path.insert, 0, os.path.join(TOP, "examples", "python"))
            client.run(sys.path.insert, 0, os.path.join(TOP, "python", "tests"))
            yield client


@pytest.fixture
def corpus(tmp_path, models):
    folder = tmp_path / "corpus" / "deep"
    folder.mkdir(parents=True)
    for name in ("slope", "digits", "accidental", "attention"):
        shutil.copy(f"{models}/{name}.onnx", folder)
    (folder / "broken.onnx").write_bytes(b"\0\1nonsense")
    return tmp_path / "corpus"


def rows_of(out):
    with open(out / "results.jsonl", encoding="utf-8") as file:
        return {os.path.basename(row["file"]): row for row in map(json.loads, file)}


def test_corpus_is_checked_and_resumed(client, corpus, tmp_path):
    out = tmp_path / "out"
    n, rows = check_corpus.check_corpus(str(corpus), str(out), client)
    assert n == 5 and len(rows) == 5
    found = rows_of(out)
    assert found["slope.onnx"]["findings"] == {"OB0102": 1} and found["accidental.onnx"]["warnings"] == 1
    assert "failure" in found["broken.onnx"] and found["digits.onnx"]["errors"] == 0
    page = (out / "summary.html").read_text()
    assert "2 clean, 1 warnings, 1 errors, 1 failed" in page and "slope.onnx" in page
    # A torn last line: its model is checked again, the others are not.
    data = (out / "results.jsonl").read_bytes()
    (out / "results.jsonl").write_bytes(data[:-20])
    n, rows = check_corpus.check_corpus(str(corpus), str(out), client)
    assert n == 1 and len(rows) == 5 and len((out / "results.jsonl").read_bytes().splitlines()) == 5
    # Another content is another model.
    shutil.copy(corpus / "deep" / "digits.onnx", corpus / "deep" / "slope.onnx")
    n, rows = check_corpus.check_corpus(str(corpus), str(out), client)
    assert n == 1 and sum("errors" in row and row["errors"] for row in rows) == 0


def deadly(chunk):
    """What a chunk with a model that kills the whole worker does."""
    if any("deadly" in path for _, path in chunk):
        os._exit(1)
    return [{"key": key, "file": path, "errors": 0, "warnings": 0} for key, path in chunk]


def test_a_chunk_that_kills_workers_is_divided(client):
    import distributed

    rows, chunk = [], [(str(k), "deadly" if k == 2 else f"m{k}") for k in range(4)]
    with distributed.Client(client.scheduler.address) as own:
        own.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 0))
        check_corpus.run_on_dask(own, [chunk], rows.extend, deadly)
    assert sorted(row["key"] for row in rows) == ["0", "1", "2", "3"]
    assert [row["file"] for row in rows if "failure" in row] == ["deadly"]
    assert [row["failure"] for row in rows if "failure" in row] == ["KilledWorker"]


def test_listing(tmp_path):
    (tmp_path / "list.txt").write_text("a.onnx\n\nb.onnx\n")
    assert check_corpus.paths_of(str(tmp_path / "list.txt")) == ["a.onnx", "b.onnx"]


def test_a_model_that_takes_too_long(tmp_path, monkeypatch):
    program = tmp_path / "slow.py"
    program.write_text("import time\ntime.sleep(60)\n")
    monkeypatch.setattr(check_corpus, "SECONDS", 1)
    assert check_corpus.check_one("k", "m.onnx", str(program)) == {"key": "k", "file": "m.onnx", "failure": "took more than 1 s"}
    program.write_text("import os\nos.kill(os.getpid(), 11)\n")
    assert check_corpus.check_one("k", "m.onnx", str(program))["failure"] == "ended by signal 11"


def model(shape):
    value = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph([onnx.helper.make_node("Mul", ["x", "factor"], ["y"])], "main_graph",
                                   [value("x", 1, ["batch", 64, 8, 8])], [value("y", 1, ["batch", 64, 8, 8])],
                                   [onnx.helper.make_tensor("factor", 1, shape, [1.0] * 64)])
    return onnx.helper.make_model(graph)


def test_export(tmp_path):
    """The place of torch.onnx.export takes a function that writes what it would write."""
    good, bad = model([64, 1, 1]).SerializeToString(), model([64]).SerializeToString()
    report = export_and_check.export_checked(lambda file: file.write(good), str(tmp_path / "good.onnx"))
    assert report.contract.admits(batch=3) is True and (tmp_path / "good.onnx").read_bytes() == good
    with pytest.raises(ob.BroadcastError, match="bad.onnx: 1 findings"):
        export_and_check.export_checked(lambda file: file.write(bad), str(tmp_path / "bad.onnx"))
    assert not (tmp_path / "bad.onnx").exists()


def test_notebook(models):
    done = subprocess.run([sys.executable, os.path.join(TOP, "examples/python/notebook.py"), models], check=True,
                          stdout=subprocess.PIPE, text=True)
    assert "(2, 3, 8, 8)" in done.stdout and "True False N = M or M = 1 or N = 1" in done.stdout
    assert "no difference" in done.stdout
