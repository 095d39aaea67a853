#!/usr/bin/env python3
"""usage: trace_faults.py SOURCE BUILD. Each kind of fault in docs/trace.txt is found: one is planted, and one complaint more is
expected, about it."""
import os
import sys
import tempfile

SOURCE, BUILD = map(os.path.abspath, sys.argv[1:3])
sys.path.insert(0, os.path.join(SOURCE, "docs"))
import trace_check  # noqa: E402
import trace_page  # noqa: E402

SAFETY = "### C1: one\n\n### C2: two\n"
GOOD = """\
== A text | seeds/text.md

R-TEXT-1 C1
  words  the quoted
         words
  says   something
  code   core/dims/broadcast.c: ob_broadcast_shapes, infer_axis
  code   core/base/integers.h: ob__mul_overflows
  code   docs/trace_check.py: Project, problems
  code   tests/links.sh
  test   test_view: broadcast_stretches_with_stride_0
  test   test_numerics: integers_wrap_around
  test   test_graphs: size_zero
  test   docs_links
  run    prove: proofs/prove.py
  proof  Broadcast.commutative

== Of its own

R-OWN-1 C2
  says   something else
  proof  ArrayAPI.array_api
"""
# What is replaced, by what, and the complaint.
FAULTS = [
    ("core/dims/broadcast.c:", "core/dims/broadcasts.c:", "no file core/dims/broadcasts.c"),
    ("infer_axis", "infer_axle", "defines no infer_axle"),
    ("ob_broadcast_shapes", "ob__clash_sizes", "defines no ob__clash_sizes"),
    ("infer_axis", "ob_condition_decide", "defines no ob_condition_decide"),  # it is called there
    ("test_view:", "test_views:", "ctest knows no test test_views"),
    ("docs_links", "docs_link", "ctest knows no test docs_link"),
    ("broadcast_stretches_with_stride_0", "broadcast_stretches", "runs no broadcast_stretches"),
    ("integers_wrap_around", "integers_wrap", "runs no integers_wrap"),
    ("size_zero", "size_none", "test_graphs has no case size_none"),
    ("docs_links", "docs_links: cases", "is no program with cases"),
    ("prove:", "disprove:", "./dev has no command disprove"),
    ("prove:", "prove everything:", "./dev has no command prove everything"),
    ("proofs/prove.py", "proofs/prover.py", "no file proofs/prover.py"),
    ("Broadcast.commutative", "Broadcast.commutes", "no goal Broadcast.commutes"),
    ("Broadcast.commutative", "Nary.commutative", "no goal Nary.commutative"),
    ("R-TEXT-1 C1", "R-TEXT-1 C1 C3", "no claim C3"),
    ("R-OWN-1 C2", "R-OWN-1 C1", "no requirement supports claim C2"),
    ("R-OWN-1", "R-TEXT-1", "R-TEXT-1 is used twice"),
    ("quoted\n         words", "quoted\n         sentences", 'does not say "the quoted sentences"'),
    ("seeds/text.md", "seeds/texts.md", "no text seeds/texts.md"),
    ("  words  the quoted\n         words\n", "", "no words of the text are quoted"),
    ("the quoted", "the quoted " * 8, "more than 14 words"),
    ("  says   something else\n", "", "says nothing"),
    ("  run ", "  runs", "has no known form"),
    ("R-OWN-1 C2", "R-OWN-1", "has no known form"),
]


def complaints(text, project):
    sections, wrong = trace_page.read(text.splitlines())
    return wrong + trace_check.problems(sections, trace_check.claims_of(SAFETY), project)


def check_page(folder):
    """A page that was changed by hand is stale; written again it is not."""
    docs = os.path.join(folder, "docs")
    os.makedirs(docs)
    for name in ("core", "passes", "tests", "proofs", "dev"):
        os.symlink(os.path.join(SOURCE, name), os.path.join(folder, name))
    for name in ("trace.txt", "safety.md"):
        with open(os.path.join(docs, name), "w", encoding="utf-8") as file:
            file.write(GOOD.replace("  code   docs/trace_check.py: Project, problems\n", "") if name == "trace.txt" else SAFETY)
    answers = []
    for change in ("", "write", "by hand"):
        if change == "by hand":
            with open(os.path.join(docs, "trace.md"), "a", encoding="utf-8") as file:
                file.write("more\n")
        answers.append(trace_page.run(folder, BUILD, change == "write")[0])
    return answers


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "seeds"))
        with open(os.path.join(folder, "seeds", "text.md"), "w", encoding="utf-8") as file:
            file.write("- Here are **the\n  quoted** `words` of a text.\n")
        project = trace_check.Project(SOURCE, BUILD, folder)
        for line in complaints(GOOD, project):
            failed += 1
            print(f"without a fault: {line}")
        for old, new, complaint in FAULTS:
            found = complaints(GOOD.replace(old, new), project)
            if GOOD.count(old) < 1 or not any(complaint in line for line in found):
                failed += 1
                print(f"{old!r} replaced by {new!r}: not found: {found}")
        without = trace_check.Project(SOURCE, BUILD, os.path.join(folder, "nothing"))
        if not without.skipped or complaints(GOOD.replace("the quoted", "never said"), without):
            failed += 1
            print("without the texts quotations are not skipped")
        other = trace_check.Project(SOURCE, BUILD, folder)
        other.texts[trace_check.LEMMAS] = other.text(trace_check.LEMMAS).replace("expand_twice", "expand_once")
        if not any("no goal Tensor.expand_once" in line for line in complaints(GOOD, other)):
            failed += 1
            print("a lemma that certificates name, and that is not there, is not found")
        os.environ["OB_SHARED"] = folder
        answers = [sum("stale" in line for line in wrong) for wrong in check_page(os.path.join(folder, "project"))]
        if answers != [1, 0, 1]:
            failed += 1
            print(f"a page that is missing, new, changed: {answers} complaints")
    print(f"{len(FAULTS) + 3} faults planted, {failed} not found")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
