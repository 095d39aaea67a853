import dataclasses
import gc
import io
import json
import os
import pathlib
import re

import jsonschema
import onnx
import onnx_broadcast as ob
import pytest
from conftest import ADD, TOP
from onnx_broadcast.testing import assert_broadcasts_clean


@pytest.mark.parametrize("form", ["path", "os.PathLike", "bytes", "bytearray", "file", "proto", "model"])
def test_models_come_in_every_form(models, form):
    path = models + "/slope.onnx"
    data = pathlib.Path(path).read_bytes()
    model = {"path": path, "os.PathLike": pathlib.Path(path), "bytes": data, "bytearray": bytearray(data),
             "file": io.BytesIO(data), "proto": onnx.load(path), "model": ob.Model(path)}[form]
    assert [(finding.id, finding.node, finding.axis) for finding in ob.check(model).findings] == [("OB0102", "PRelu_1", 3)]


def test_what_is_no_model_is_refused():
    with pytest.raises(TypeError, match="int is not a model"):
        ob.check(3)
    with pytest.raises(ob.OBError) as caught:
        ob.check("no/such.onnx")
    assert caught.value.code == "E_IO" and str(caught.value) == 'cannot open "no/such.onnx": No such file or directory'
    with pytest.raises(ob.OBError) as caught:
        ob.check(b"\x00\x01nonsense")
    assert caught.value.code == "E_FORMAT"
    with pytest.raises(ValueError, match="NUL"):
        ob.check("a\0b")


def test_every_field_of_the_schema_has_an_attribute(models):
    with open("docs/report.schema.json", encoding="utf-8") as file:
        schema = json.load(file)
    kinds = {"finding": ob.Finding, "broadcast": ob.Broadcast, "value": ob.Value, "place": ob.Place, "structure": ob.Relation,
             "rule": ob.TargetRule}
    for name, kind in kinds.items():
        assert set(schema["$defs"][name]["properties"]) == {field.name for field in dataclasses.fields(kind)}, name


def test_json_is_that_of_the_schema(models):
    with open("docs/report.schema.json", encoding="utf-8") as file:
        schema = json.load(file)
    report = ob.check(models + "/wrong.onnx")
    jsonschema.validate(json.loads(report.to_json()), schema)
    assert json.loads(report.to_json())["models"][0]["summary"] == report.summary
    assert [node["op_type"] for node in report.graph()["nodes"]] == ["Add", "PRelu", "Gemm"]


@pytest.mark.parametrize("format, words", [("sarif", '"version": "2.1.0"'), ("github", "::error"), ("markdown", "OB0102"),
                                           ("html", "<!DOCTYPE html>")])
def test_formats_of_the_library(models, format, words):
    assert words.lower().replace(" ", "") in ob.check(models + "/slope.onnx").to(format).lower().replace(" ", "")


def test_unknown_format(models):
    with pytest.raises(ValueError, match="no format 'pdf': json, sarif"):
        ob.check(models + "/slope.onnx").to("pdf")


def test_contract_tells_the_clause_that_fails():
    contract = ob.check(ADD).contract
    assert contract.status == "complete" and [str(clause) for clause in contract.clauses] == ["N = M or M = 1 or N = 1"]
    assert contract.admits(N=3, M=3) is True and contract.admits({"N": 1}, M=7) is True
    assert contract.admits(N=3, M=4) is False
    assert str(contract.broken_clause(N=3, M=4)) == "N = M or M = 1 or N = 1"
    assert contract.admits(N=3) is None and not contract.test(N=3)
    with pytest.raises(ob.OBError, match="no input size"):
        contract.admits(Q=3)
    with pytest.raises(ob.OBError):
        contract.admits(N=-1)


def test_raise_for_errors(models):
    report = ob.check(models + "/slope.onnx")
    with pytest.raises(ob.BroadcastError, match=r'error\[OB0102\]: node "PRelu_1" \(PRelu\): axis 3: 64 does not') as caught:
        report.raise_for_errors()
    assert caught.value.findings == report.errors
    accidental = ob.check(models + "/accidental.onnx")
    assert accidental.raise_for_errors() is accidental
    with pytest.raises(ob.BroadcastError):
        accidental.raise_for_errors("warning")


def test_options(models):
    path = models + "/accidental.onnx"
    one = ob.check(path, severities={"OB0401": "error"})
    assert one.findings[0].severity == "error"
    assert ob.check(path, severities={"OB04": "none"}).findings == ()
    assert ob.check(path, ignores=[("OB0401", "diff*")]).summary["findings_suppressed"] == 1
    assert ob.check(ADD, dims={"N": 3, "M": 4}).errors
    assert ob.check(ADD, shapes={"a": [3], "b": [None]}).contract.status == "complete"
    assert ob.check(ADD, assumptions=["N = M"]).contract.clauses == ()
    found = ob.check(path, targets=["tosa-8k"])
    assert found.json["targets"][0]["name"] == "tosa-8k"
    assert ob.check(path, rules="xla").json["rules"] == "xla"
    with pytest.raises(ob.OBError) as caught:
        ob.check(path, targets=["toaster"])
    assert caught.value.code == "E_NOT_FOUND"
    for wrong in ({"rules": "mine"}, {"severities": {"OB01": "bad"}}):
        with pytest.raises(ValueError):
            ob.check(path, **wrong)
    for wrong in ({"targets": "tosa-8k"}, {"unknown": 1}):
        with pytest.raises(TypeError):
            ob.check(path, **wrong)


def test_baseline(models):
    finding = ob.check(models + "/accidental.onnx").findings[0]
    baseline = {"onnx_broadcast_baseline": 1, "models": [{"model": "a.onnx", "findings": [
        {"id": finding.id, "node": finding.node, "operator": finding.op_type, "fingerprint": finding.fingerprint, "n": 1}]}]}
    report = ob.check(models + "/accidental.onnx", baseline=baseline, baseline_model="a.onnx")
    assert report.findings == () and report.summary["findings_in_baseline"] == 1
    with pytest.raises(ob.OBError):
        ob.check(models + "/accidental.onnx", baseline=b"[]")


def test_names_of_strangers_do_not_get_into_the_page():
    name = "</td><script>alert(1)</script>\u202e"
    nodes = [onnx.helper.make_node("Add", ["a", "b"], ["y"], name=name)]
    value = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(nodes, "g", [value("a", 1, [2]), value("b", 1, [3])], [value("y", 1, [3])])
    report = ob.check(onnx.helper.make_model(graph))
    page = report._repr_html_()
    assert report.findings[0].node == name and "&lt;script&gt;" in page
    assert "<script" not in page and "\u202e" not in page


def test_rewrite_fix_guard(models):
    done = ob.rewrite(models + "/digits.onnx", "broadcast")
    assert done.inserted == 5 and {"onnx_broadcast"} <= set(done.model.opsets)
    assert "onnx_broadcast" not in ob.Model(models + "/digits.onnx").opsets
    assert done.model.metadata("onnx_broadcast.contract").startswith("version: ")
    assert ob.rewrite(done.model, "implicit").removed == 5
    assert onnx.load_model_from_string(done.model.to_bytes()).graph.node
    assert ob.rewrite(models + "/digits.onnx", target="tosa-8k").model.node_count
    with pytest.raises(ob.OBError, match="PRelu_1") as caught:
        ob.rewrite(models + "/slope.onnx")
    assert (caught.value.code, caught.value.node, caught.value.axis) == ("E_SHAPE", "PRelu_1", 3)
    with pytest.raises(ValueError):
        ob.rewrite(models + "/digits.onnx", "flat")
    fixed = ob.fix(models + "/slope.onnx")
    assert [made.outcome for made in fixed.fixes] == ["applied"] and ob.check(fixed.model).errors == ()
    assert "int guard_add(const int64_t *sizes" in ob.guard(ADD, "guard_add")


def test_saving(models, tmp_path):
    ob.rewrite(models + "/digits.onnx").model.save(tmp_path / "a.onnx")
    assert ob.check(tmp_path / "a.onnx").errors == ()
    with pytest.raises(ob.OBError) as caught:
        ob.Model(models + "/digits.onnx").save(tmp_path / "none" / "a.onnx")
    assert caught.value.code == "E_IO"


def test_clean(models):
    assert assert_broadcasts_clean(models + "/digits.onnx").summary["errors"] == 0
    assert assert_broadcasts_clean(models + "/accidental.onnx", allow=["ob04"])
    with pytest.raises(AssertionError) as caught:
        assert_broadcasts_clean(models + "/slope.onnx")
    assert "PRelu_1" in str(caught.value) and "operands: " in str(caught.value) and "fix: " in str(caught.value)


def test_clean_in_pytest_shows_the_finding(pytester, models):
    pytester.makepyfile(f"""
        from onnx_broadcast.testing import assert_broadcasts_clean
        def test_model():
            assert_broadcasts_clean({models + "/slope.onnx"!r})
    """)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E*slope.onnx: 1 finding, warning or worse:*", "E*OB0102*PRelu_1*"])
    assert "__tracebackhide__" not in result.stdout.str()


def test_reports_live_longer_than_their_models_in_cycles(models):
    for _ in range(50):
        report = ob.check(models + "/wrong.onnx")
        cycle = [report, report.contract, report.model]
        cycle.append(cycle)
        del report, cycle
    assert gc.collect() > 0


def test_compare():
    wider = ADD.replace(b"float[M] b", b"float[1] b")
    found = ob.compare(ADD, wider, file="add.onnx")
    assert found.json["changes"] and any(change.breaking for change in found.changes) is not found.compatible
    assert ob.compare(ADD, ADD) and ob.compare(ADD, ADD).contract == "equal" and ob.compare(ADD, ADD).changes == ()
    report = ob.check(ADD)
    assert ob.compare(report, report).changes == ()
    narrower = ADD.replace(b"float[M] b", b"float[N] b")
    assert ob.compare(ADD, narrower).contract == "narrower" and not ob.compare(ADD, narrower)
    assert ob.compare(narrower, ADD).contract == "wider" and ob.compare(ADD, narrower).only_old["sizes"]


def test_the_build_is_identified():
    build = ob.build_info()
    assert re.fullmatch(r"[0-9a-f]{40}(-dirty)?", build["commit"]) or not os.path.exists(os.path.join(TOP, ".git"))
    assert build["level"] in build["levels"].split() and isinstance(build["dot_products"], bool)
    assert "protobuf-c" in build["libraries"].split() and build["type"] == "Release"
