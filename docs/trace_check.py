"""What a row of docs/trace.txt points to: claims, quoted words, code, tests, commands, proofs."""
import glob
import os
import re

MOST_WORDS = 14  # of a text that is quoted: the texts are not ours
LEMMAS = "passes/compare/classes.h"  # certificates name them
CASES = {"test_graphs": "tests/graphs/{}.txt", "check_cli": "tests/cli/{}.cmd", "test_values": "tests/values/{}.txt"}


def claims_of(text):
    """{id: title} of the headings "### C1: title" of docs/safety.md."""
    return dict(re.findall(r"^### (C\d+): (.+)$", text, re.M))


def squeezed(text):
    """The text without line breaks, list marks and emphasis, so that a quotation may cross them."""
    return " ".join(text.replace("**", "").replace("`", "").split())


class Project:
    """The files that rows point to, each read once."""

    def __init__(self, source, build, shared=None):
        self.source = source
        self.shared = shared or os.environ.get("OB_SHARED") or os.path.join(source, "..", "shared")
        self.skipped = "" if os.path.isdir(self.shared) else f"quoted words not compared: no folder {self.shared}"
        self.texts = {}
        self.test_files = {os.path.basename(path)[:-2]: os.path.relpath(path, source)
                           for path in sorted(glob.glob(os.path.join(source, "tests", "**", "test_*.c"), recursive=True))}
        self.tests = self.known_tests(build)
        self.goals = self.known_goals()

    def text(self, path):
        if path not in self.texts:
            try:
                with open(os.path.join(self.source, path), encoding="utf-8") as file:
                    self.texts[path] = file.read()
            except (OSError, UnicodeDecodeError):
                self.texts[path] = None
        return self.texts[path]

    def known_tests(self, build):
        """Names of the build's tests, and of those that the source names: some need what a machine may not have."""
        known = set()
        with open(os.path.join(build, "tests", "needs.txt"), encoding="utf-8") as file:
            known.update(line.split(":")[0] for line in file)
        for path in glob.glob(os.path.join(self.source, "tests", "fuzz", "target_*.c")):
            known.add("fuzz_" + os.path.basename(path)[len("target_"):-2])
        for path in glob.glob(os.path.join(self.source, "tests", "**", "CMakeLists.txt"), recursive=True):
            known.update(re.findall(r"ob_test\(NAME (\w+)", self.text(os.path.relpath(path, self.source))))
        return known

    def known_goals(self):
        """"Module.name" of every lemma, goal and program of the proofs."""
        goals = set()
        for path in glob.glob(os.path.join(self.source, "proofs", "*.mlw")):
            for module in re.split(r"^module ", self.text(os.path.relpath(path, self.source)), flags=re.M)[1:]:
                name = re.match(r"\w+", module)[0]
                proved = r"^  (?:let (?:rec )?(?:ghost )?(?:lemma |function )?|lemma |goal )(\w+)"
                goals.update(f"{name}.{goal}" for goal in re.findall(proved, module, re.M))
        return goals


def split(reference):
    place, _, names = reference.partition(": ")
    return place, [name.strip() for name in names.split(",") if name.strip()]


def defines(text, path, name):
    """True if the file defines the function, and not only declares it; a name with other characters must begin a line."""
    if not re.fullmatch(r"\w+", name):
        return re.search("^" + re.escape(name), text, re.M) is not None
    if path.endswith(".py"):
        return re.search(rf"^(?:class|    def|def) {name}\b", text, re.M) is not None
    if path.endswith((".sh", "dev")):
        return re.search(rf"^{name}\(\)", text, re.M) is not None
    if path.endswith((".c", ".h")):
        return re.search(rf"^(?:#define {name}\b|[A-Za-z_][^\n;=]*\b{name}\([^;{{}}]*\)\s*\{{)", text, re.M) is not None
    return re.search(rf"\b{name}\b", text) is not None


def code_problems(project, reference):
    path, names = split(reference)
    text = project.text(path)
    if text is None:
        return [f"no file {path}"]
    return [f"{path} defines no {name}" for name in names if not defines(text, path, name)]


def is_registered(text, name):
    """True if main() runs the function, or if it is a named row of the program's own table."""
    table = text.find("struct CMUnitTest")
    if re.search(rf"^static void {name}\(void \*\*", text, re.M):
        return table >= 0 and re.search(rf"\b{name}\b", text[table:]) is not None
    return re.search(rf'\{{"{name}"', text) is not None


def test_problems(project, reference):
    test, names = split(reference)
    if test not in project.tests:
        return [f"ctest knows no test {test}"]
    if test in CASES:
        return [f"{test} has no case {name}" for name in names if project.text(CASES[test].format(name)) is None]
    if not names:
        return []
    if test not in project.test_files:
        return [f"{test} is no program with cases"]
    text = project.text(project.test_files[test])
    return [f"{project.test_files[test]} runs no {name}" for name in names if not is_registered(text, name)]


def run_problems(project, reference):
    command, paths = split(reference)
    first, *parts = command.split()
    functions = [f"cmd_{first}"] + [f"{first}_{part}" for part in parts]
    known = all(defines(project.text("dev"), "dev", function) for function in functions)
    wrong = [] if known else [f"./dev has no command {command}"]
    return wrong + [f"no file {path}" for path in paths if not os.path.exists(os.path.join(project.source, path))]


def proof_problems(project, reference):
    return [] if reference in project.goals else [f"no goal {reference} in proofs/"]


def lemma_problems(project):
    named = re.findall(r'\bX\(\w+, "([^"]+)"\)', project.text(LEMMAS) or "")
    wrong = [problem for lemma in named for problem in proof_problems(project, lemma)]
    return [f"{LEMMAS}: {text}" for text in wrong or ([] if named else ["names no lemma"])]


def words_problems(project, section, row):
    words, text = row.one("words"), row.one("in") or section.text
    if not words:
        return ["no words of the text are quoted"] if section.text else []
    if len(words.split()) > MOST_WORDS:
        return [f"more than {MOST_WORDS} words are quoted"]
    if project.skipped:
        return []
    found = project.text(os.path.join(project.shared, text))
    if found is None:
        return [f"no text {text}"]
    return [] if squeezed(words) in squeezed(found) else [f'{text} does not say "{words}"']


CHECKS = {"code": code_problems, "test": test_problems, "run": run_problems, "proof": proof_problems}


def row_problems(project, section, row, claims):
    wrong = [f"no claim {claim} in docs/safety.md" for claim in row.claims if claim not in claims]
    if not row.one("says"):
        wrong.append("says nothing")
    wrong += words_problems(project, section, row)
    for field, check in CHECKS.items():
        for reference in row.fields[field]:
            wrong += check(project, reference)
    return [f"docs/trace.txt:{row.line}: {row.name}: {text}" for text in wrong]


def problems(sections, claims, project):
    """What is wrong with the rows, a line each."""
    wrong, seen, used = lemma_problems(project), set(), set()
    for section in sections:
        for row in section.rows:
            if row.name in seen:
                wrong.append(f"docs/trace.txt:{row.line}: {row.name} is used twice")
            seen.add(row.name)
            used.update(row.claims)
            wrong += row_problems(project, section, row, claims)
    return wrong + [f"no requirement supports claim {claim}" for claim in claims if claim not in used]
