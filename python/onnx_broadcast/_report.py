"""Reports: what a check found, as objects."""
from __future__ import annotations

import dataclasses
import html
import json
import os
import threading
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Sequence, TypeVar, Union

from . import _native
from ._calls import Sink, Watch, collect, own
from ._errors import OBError, c_text, check as check_status, new_error
from ._model import Model, ModelLike, as_model
from ._options import CheckOptions

ffi, lib = _native.ffi, _native.lib

#: A size: a number, a term over named sizes ("2*N + 1"), or None when nothing is known.
Dim = Union[int, str, None]
#: Sizes from the first axis on; None: the rank is not known.
Shape = Optional[tuple[Dim, ...]]

_T = TypeVar("_T")


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


def _make(kind: type[_T], data: Mapping[str, Any], **converted: Any) -> _T:
    """An object of the dataclass from its JSON. Fields that this version does not know are left out."""
    names = {field.name for field in dataclasses.fields(kind)}
    values = {name: _tuples(value) for name, value in data.items() if name in names}
    return kind(**{**values, **converted})


def _all(kind: type[_T], items: Optional[Sequence[Mapping[str, Any]]]) -> tuple[_T, ...]:
    return tuple(_make(kind, item) for item in items or ())


@dataclass(frozen=True)
class Operand:
    """An operand of a finding or of a broadcast."""

    name: str
    shape: Shape
    #: index of the input of the node, or None (findings)
    input: Optional[int] = None
    #: axes of the result along which it is stretched, or may be (broadcasts)
    stretched_axes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Relation:
    """A relation between two sizes: "equal", "broadcast", "broadcast to", "at least" or "multiple"."""

    text: str
    kind: str
    a: Dim
    b: Dim


@dataclass(frozen=True)
class TargetRule:
    """The rule of a deployment target that a finding is about."""

    name: str
    question: str
    answer: str
    operators: str
    effect: str
    confidence: str
    source: str


@dataclass(frozen=True)
class Finding:
    """One finding; docs/findings.md explains each id."""

    id: str
    severity: str
    title: str
    message: str
    node: str
    op_type: str
    domain: str
    path: str
    value: str
    operand: Optional[int]
    axis: Optional[int]
    operands: tuple[Operand, ...]
    origins: tuple[str, ...]
    fingerprint: str
    calls: int
    condition: Optional[Relation] = None
    clause: Optional[int] = None
    causes_clauses: tuple[int, ...] = ()
    target: Optional[TargetRule] = None
    source: str = ""
    fix: str = ""

    def __str__(self) -> str:
        node = f'node "{self.path}{self.node}"' + (f" ({self.op_type})" if self.op_type else "") + ": " if self.node else ""
        return f"{self.severity}[{self.id}]: {node}{self.message}"

    @classmethod
    def _from_json(cls, data: Mapping[str, Any]) -> "Finding":
        condition, rule = data.get("condition"), data.get("target")
        return _make(cls, data, operands=_all(Operand, data["operands"]), condition=condition and _make(Relation, condition),
                     target=rule and _make(TargetRule, rule))


@dataclass(frozen=True)
class Broadcast:
    """A node whose operands have different shapes, or may have."""

    node: str
    op_type: str
    domain: str
    path: str
    rule: str
    operands: tuple[Operand, ...]
    result: Shape
    fits: bool
    copied_bytes: Dim
    calls: int


@dataclass(frozen=True)
class Value:
    """A value of the model."""

    name: str
    path: str
    #: "input", "initializer", "output" or "inner"
    kind: str
    type: str
    dtype: Optional[str]
    shape: Shape
    why_unknown: str = ""


@dataclass(frozen=True)
class Place:
    """A node that requires something."""

    node: str
    op_type: str
    path: str
    operand: Optional[int]
    axis: Optional[int]


@dataclass(frozen=True)
class Clause:
    """A requirement of the model on the sizes of its inputs."""

    index: int
    kind: str
    text: str
    symbols: tuple[Dim, ...]
    #: sizes that the whole contract admits, and sizes that break this clause; None: none was found
    holds: Optional[Mapping[str, int]]
    fails: Optional[Mapping[str, int]]
    decides: Optional[Mapping[str, int]]
    #: the node to change so that the model admits more sizes
    repair: Optional[Place]
    nodes: tuple[Place, ...]
    n_nodes: int

    def __str__(self) -> str:
        return self.text

    @classmethod
    def _from_json(cls, index: int, data: Mapping[str, Any]) -> "Clause":
        repair = data.get("repair")
        return _make(cls, data, index=index, repair=repair and _make(Place, repair), nodes=_all(Place, data["nodes"]))


@dataclass(frozen=True)
class Answer:
    """The answer of a contract about sizes: admitted is None when it is not decided; clause is the first that they break."""

    admitted: Optional[bool]
    clause: Optional[Clause]

    def __bool__(self) -> bool:
        return self.admitted is True


class Contract:
    """The sizes with which the model runs: all clauses must hold.

    >>> contract = check("models/attention.onnx").contract
    >>> contract.status
    'complete'
    """

    def __init__(self, report: "Report", data: Mapping[str, Any]) -> None:
        self._report = report
        #: "complete": necessary and sufficient; "partial": necessary; "contradictory": no sizes work
        self.status: str = data["status"]
        self.clauses = tuple(Clause._from_json(index, item) for index, item in enumerate(data["clauses"]))
        #: clauses that only sizes of 10^9 and more along one axis break
        self.limits = tuple(Clause._from_json(len(self.clauses) + k, item) for k, item in enumerate(data["limits"]))
        #: sizes that a complete contract admits
        self.examples: tuple[Mapping[str, int], ...] = tuple(data["examples"])
        #: texts of conditions on the elements of inputs
        self.values: tuple[str, ...] = tuple(item["text"] for item in data["values"])
        self.assumptions: tuple[str, ...] = tuple(item["text"] for item in data["assumptions"])
        #: reasons why requirements could not be stated
        self.unverified: tuple[str, ...] = tuple(item["reason"] for item in data["unverified"])
        self.json = data

    def test(self, sizes: Optional[Mapping[str, int]] = None, **more: int) -> Answer:
        """Tests sizes by symbol: test(batch=3), test({"x[0]": 3}). The answer is true when the contract admits them."""
        return self._report._test_sizes({**(sizes or {}), **more})

    def admits(self, sizes: Optional[Mapping[str, int]] = None, **more: int) -> Optional[bool]:
        """True, False, or None when it is not decided (a partial contract, a symbol without a size)."""
        return self.test(sizes, **more).admitted

    def broken_clause(self, sizes: Optional[Mapping[str, int]] = None, **more: int) -> Optional[Clause]:
        """The first clause that the sizes break."""
        return self.test(sizes, **more).clause

    def __str__(self) -> str:
        return "\n".join([f"contract: {self.status}", *(f"  {clause}" for clause in self.clauses),
                          *(f"  values: {text}" for text in self.values)])


class BroadcastError(Exception):
    """A model has findings that raise_for_errors() does not accept; `report` has them, `findings` are those."""

    def __init__(self, report: "Report", findings: Sequence[Finding]) -> None:
        self.report = report
        self.findings = tuple(findings)
        super().__init__(report, self.findings)

    def __str__(self) -> str:
        shown = [str(finding) for finding in self.findings[:20]]
        if len(self.findings) > len(shown):
            shown.append(f"... {len(self.findings) - len(shown)} more")
        return "\n".join([f"{self.report.file}: {len(self.findings)} findings", *shown])


class Report:
    """What a check found. Made by check()."""

    def __init__(self, model: Model, c: Any, file: str) -> None:
        self.model = model
        self.file = file
        self._c = own(self, lib.ob_report_close, "ob_report", c, model)
        self._lock = threading.Lock()
        self._name = ffi.new("char[]", c_text(file))
        options = ffi.new("ob_report_options *", {"file": self._name})
        self._json_text = collect(lib.ob_report_to_json, c, options).decode()
        data = json.loads(self._json_text)
        #: the report as in docs/report.schema.json, an element of `models`
        self.json: Mapping[str, Any] = data
        self.findings = tuple(Finding._from_json(item) for item in data["findings"])
        self.broadcasts = tuple(_make(Broadcast, item, operands=_all(Operand, item["operands"])) for item in data["broadcasts"])
        self.values = _all(Value, data["values"])
        self.contract = Contract(self, data["contract"])
        #: counts: "nodes", "errors", "warnings", "notes", "copied_bytes" ...
        self.summary: Mapping[str, Any] = data["summary"]

    def select(self, severity: str) -> tuple[Finding, ...]:
        """The findings of this severity or a worse one."""
        order = ("note", "warning", "error")
        return tuple(finding for finding in self.findings if finding.severity in order[order.index(severity):])

    @property
    def errors(self) -> tuple[Finding, ...]:
        return self.select("error")

    def raise_for_errors(self, severity: str = "error") -> "Report":
        """Raises BroadcastError when there are findings of this severity or a worse one; returns the report otherwise."""
        found = self.select(severity)
        if found:
            raise BroadcastError(self, found)
        return self

    def to_json(self) -> str:
        """A file in the form of docs/report.schema.json."""
        return self.to("json")

    def to(self, format: str, *, source_root: Optional[str] = None) -> str:
        """The report in a format of the library: "json", "sarif", "github", "markdown" or "html" (one page that loads nothing).

        - source_root: folder of the exporter's sources, for SARIF and GitHub.
        """
        number = lib.ob_report_format_from_name(c_text(format))
        if number == lib.OB_REPORT_FORMAT_COUNT:
            known = ", ".join(ffi.string(lib.ob_report_format_name(k)).decode() for k in range(lib.OB_REPORT_FORMAT_COUNT))
            raise ValueError(f"there is no format {format!r}: {known}")
        sink, error, out = Sink(), new_error(), ffi.new("ob_report_writer **")
        root = ffi.NULL if source_root is None else ffi.new("char[]", os.fsencode(source_root))
        options = ffi.new("ob_report_writer_options *", {"source_root": root})
        one = ffi.new("ob_report_options *", {"file": self._name})
        sink.check(lib.ob_report_writer_create(number, options, lib.ob_python_write, sink.handle, out, error), error)
        try:
            with self._lock:
                sink.check(lib.ob_report_writer_add(out[0], self._c, one, error), error)
            sink.check(lib.ob_report_writer_finish(out[0], error), error)
        finally:
            lib.ob_report_writer_close(out)
        return sink.bytes().decode()

    def graph(self) -> Mapping[str, Any]:
        """The model as a graph: "graph" of docs/report.schema.json."""
        options = ffi.new("ob_report_options *", {"file": self._name, "graph": True})
        with self._lock:
            found: Mapping[str, Any] = json.loads(collect(lib.ob_report_to_json, self._c, options))["graph"]
        return found

    def cost(self) -> Mapping[str, Any]:
        """Memory at the sizes of the check, and what explicit copies of operands add: "cost" of docs/report.schema.json.

        >>> check("models/attention.onnx", dims={"batch": 2, "length": 8}).cost()["peak_bytes"]
        10368
        """
        out, error = ffi.new("ob_cost **"), new_error()
        with self._lock:
            check_status(lib.ob_cost_create(self._c, out, error), error)
            try:
                options = ffi.new("ob_report_options *", {"file": self._name, "cost": out[0]})
                found: Mapping[str, Any] = json.loads(collect(lib.ob_report_to_json, self._c, options))["cost"]
            finally:
                lib.ob_cost_close(out)
        return found

    def guard(self, name: str = "guard") -> str:
        """The contract as C functions: ob_report_guard_write()."""
        with self._lock:
            return collect(lib.ob_report_guard_write, self._c, c_text(name)).decode()

    def _test_sizes(self, sizes: Mapping[str, int]) -> Answer:
        names = [ffi.new("char[]", c_text(name)) for name in sizes]
        array = ffi.new("ob_named_size[]", list(zip(names, sizes.values())))
        truth, clause = ffi.new("ob_truth *"), ffi.new("size_t *")
        with self._lock:
            status = lib.ob_report_contract_holds(self._c, array, len(names), truth, clause)
        if status == lib.OB_E_NOT_FOUND:
            raise OBError("E_NOT_FOUND", f"the model has no input size with one of the names {', '.join(map(repr, sizes))}")
        check_status(status)
        all_clauses = self.contract.clauses + self.contract.limits
        broken = all_clauses[clause[0]] if clause[0] < len(all_clauses) else None
        return Answer({lib.OB_TRUE: True, lib.OB_FALSE: False}.get(truth[0]), broken)

    def _last_line(self) -> str:
        counts = []
        for key, word in (("errors", "error"), ("warnings", "warning"), ("notes", "note")):
            counts.append(f"{self.summary[key]} {word}{'' if self.summary[key] == 1 else 's'}")
        n = self.summary["broadcasts"]
        return f"{self.file}: {', '.join(counts)}; {n} broadcast{'' if n == 1 else 's'}; contract {self.contract.status}"

    def __str__(self) -> str:
        """The findings, one in a line, and the counts."""
        return "\n".join([*(f"{self.file}: {finding}" for finding in self.findings), self._last_line()])

    def __repr__(self) -> str:
        return f"<onnx_broadcast.Report {self._last_line()}>"

    def _repr_html_(self) -> str:
        """A table for notebooks: static, every text of the model is escaped."""
        rows = []
        for finding in self.findings[:200]:
            cells = [f"{finding.severity} {finding.id}", finding.path + finding.node, finding.op_type, finding.message,
                     finding.fix]
            rows.append("<tr>" + "".join(f"<td style='text-align:left'>{_visible(cell)}</td>" for cell in cells) + "</tr>")
        if len(self.findings) > len(rows):
            rows.append(f"<tr><td colspan='5'>{len(self.findings) - len(rows)} more</td></tr>")
        head = "<tr><th>finding</th><th>node</th><th>operator</th><th>message</th><th>fix</th></tr>"
        table = f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>" if rows else ""
        clauses = "".join(f"<li><code>{_visible(clause.text)}</code></li>" for clause in self.contract.clauses[:100])
        return f"<div><p>{_visible(self._last_line())}</p>{table}{f'<ul>{clauses}</ul>' if clauses else ''}</div>"


def _visible(text: str) -> str:
    """For HTML: escaped, and characters that would not show, or would change the direction of text, by their number."""
    shown = "".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in text[:1000])
    return html.escape(shown + ("..." if len(text) > 1000 else ""))


def check(model: ModelLike, *, file: Optional[str] = None, **options: Any) -> Report:
    """Checks every broadcast of a model.

    - model: a path, bytes, a ModelProto, an open binary file or a Model.
    - file: name of the model in the report; its path without one.
    - options: see CheckOptions: rules, dims, shapes, assumptions, severities, ignores, baseline, baseline_model, targets,
      max_nodes, max_finding_bytes.

    Problems of the model are findings. Raises OBError when the model cannot be read, or an option does not fit it.

    >>> report = check("models/slope.onnx")
    >>> report.findings[0].id, report.findings[0].severity
    ('OB0102', 'error')
    """
    taken = as_model(model).clone() if isinstance(model, Model) else as_model(model)  # a report and its model belong together
    name = taken.name if file is None else file
    watch = Watch()
    checked = CheckOptions(watch, file=name, **options)
    out, error = ffi.new("ob_report **"), new_error()
    with watch.during():
        check_status(lib.ob_check(taken._c, checked.c, out, error), error)
    return Report(taken, out[0], name)


def guard(model: ModelLike, name: str = "guard", **options: Any) -> str:
    """The contract of a model as C functions that test sizes; options as for check()."""
    return check(model, **options).raise_for_errors().guard(name)
