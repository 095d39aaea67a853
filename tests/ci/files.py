"""usage: files.py BUILD_FOLDER SOURCE_FOLDER

The files for continuous integration: action.yml, .pre-commit-hooks.yaml, the examples and the Dockerfile. The steps of the action
run here as a runner runs them, with models of hostile names. Without python3-yaml or pre-commit the parts that need them are
skipped.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

build, source = (os.path.abspath(path) for path in sys.argv[1:3])
failures = []


def must(condition, text):
    if not condition:
        failures.append(text)


def yaml_of(path):
    try:
        import yaml
    except ImportError:
        return None
    with open(os.path.join(source, path)) as file:
        return yaml.safe_load(file)


# ---- The action ----


def expand(text, inputs):
    """The expressions of an action, as far as this one uses them."""
    return re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda match: inputs[match[1]], str(text))


def run_step(step, folder, inputs):
    runner = os.path.join(folder, ".runner")
    os.makedirs(runner, exist_ok=True)
    env = {"PATH": build + os.pathsep + os.environ["PATH"], "HOME": folder, "LC_ALL": "C.UTF-8",
           "GITHUB_ACTION_PATH": source}
    for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH"):
        env[name] = os.path.join(runner, name)
        open(env[name], "w").close()
    for name, value in step.get("env", {}).items():
        env[name] = expand(value, inputs)
    must("${{" not in step["run"], "an expression inside a command")
    script = os.path.join(runner, "step.sh")
    with open(script, "w") as file:
        file.write(step["run"])
    result = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", script], cwd=folder, env=env,
                            capture_output=True, text=True, timeout=300)
    files = {name: open(env[name]).read() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH")}
    return result, files


def look_at_action(action, folder):
    inputs = {name: str(item.get("default", "")) for name, item in action["inputs"].items()}
    install, check = action["runs"]["steps"]
    must(action["runs"]["using"] == "composite" and check["id"] == "check", "a composite action")
    for item in action["inputs"].values():
        must(item["description"], "each input has a description")

    result, files = run_step(install, folder, inputs)
    must(result.returncode == 0 and files["GITHUB_PATH"] == "", f"install: {result.stderr[-300:]}")

    result, files = run_step(check, folder, inputs)
    must(result.returncode == 2 and "::error title=onnx-broadcast::no file matches" in result.stdout, "no models")

    names = ["plain.onnx", "two words.onnx", "-leading.onnx", "$(touch pwned).onnx", "`touch pwned`.onnx", "new\nline.onnx",
             "a;touch pwned.onnx", "100%25.onnx", "star*.onnx", "in/a folder/deep.onnx", "'quote\".onnx"]
    for name in names:
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copy(os.path.join(source, "models/wrong.onnx" if name == "plain.onnx" else "models/digits.onnx"), path)
    result, files = run_step(check, folder, inputs)
    must(result.returncode == 1, f"errors remain: {result.returncode} {result.stderr[-300:]}")
    must(files["GITHUB_OUTPUT"] == f"models={len(names)}\nstatus=1\n", f"outputs: {files['GITHUB_OUTPUT']}")
    lines = [line for line in result.stdout.splitlines() if line]
    must(len(lines) == 3 and all(line.startswith("::error file=plain.onnx,") for line in lines), f"annotations: {lines[:3]}")
    must(files["GITHUB_STEP_SUMMARY"].count("\n### ") + 1 == len(names), "a summary of each model")
    must(not os.path.exists(os.path.join(folder, "pwned")), "a file name was run")

    chosen = dict(inputs, models="in/**/*.onnx\nstar[*].onnx\nin/**/*.onnx\n\n", options="--rules=onnx\n--select=OB01\n",
                  sarif="out file.sarif", summary="false")
    result, files = run_step(check, folder, chosen)
    must(result.returncode == 0 and files["GITHUB_OUTPUT"] == "models=2\nstatus=0\n", f"patterns: {files} {result.stderr[-300:]}")
    must(files["GITHUB_STEP_SUMMARY"] == "" and os.path.getsize(os.path.join(folder, "out file.sarif")) > 1000, "SARIF")

    result, files = run_step(check, folder, dict(inputs, options="--no-such-option; touch pwned"))
    must(result.returncode == 2 and not os.path.exists(os.path.join(folder, "pwned")), "a wrong option")

    with open(os.path.join(folder, "broken.onnx"), "wb") as file:
        file.write(b"no model")
    result, files = run_step(check, folder, dict(inputs, models="broken.onnx"))
    must(result.returncode == 2 and files["GITHUB_OUTPUT"] == "models=1\nstatus=2\n", "a file that cannot be read")
    must(result.stdout.startswith("::error file=broken.onnx,"), f"its annotation: {result.stdout}")


# ---- pre-commit ----


def git(folder, *arguments):
    subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-C", folder, *arguments], check=True,
                   capture_output=True)


def look_at_hooks(hooks, folder):
    hook = next(item for item in hooks if item["language"] == "system")
    options = re.findall(r" (--[a-z-]+)", hook["entry"])
    help_text = subprocess.run([os.path.join(build, "onnx-broadcast-check"), "--help"], capture_output=True, text=True).stdout
    must(hook["entry"].split()[0] == "onnx-broadcast-check" and all(option in help_text for option in options), "the entry")
    for item in hooks:
        must(re.search(item["files"], "a/b.onnx") and not re.search(item["files"], "onnx.py"), "the pattern of files")
    if not shutil.which("pre-commit"):
        print("skipped: pre-commit is not installed")
        return
    hook_folder, work = os.path.join(folder, "hooks"), os.path.join(folder, "work")
    for path in (hook_folder, work):
        os.mkdir(path)
        git(path, "init", "-q")
    shutil.copy(os.path.join(source, ".pre-commit-hooks.yaml"), hook_folder)
    git(hook_folder, "add", ".pre-commit-hooks.yaml")
    git(hook_folder, "commit", "-qm", "hooks")
    shutil.copy(os.path.join(source, "models/digits.onnx"), os.path.join(work, "good model.onnx"))
    env = dict(os.environ, PATH=build + os.pathsep + os.environ["PATH"], HOME=folder,
               PRE_COMMIT_HOME=os.path.join(folder, "cache"))

    def commit_check():
        git(work, "add", "-A")
        return subprocess.run(["pre-commit", "try-repo", hook_folder, hook["id"], "--all-files"], cwd=work, env=env,
                              capture_output=True, text=True, timeout=300)

    result = commit_check()
    must(result.returncode == 0 and "Passed" in result.stdout, f"pre-commit: {result.stdout} {result.stderr}")
    shutil.copy(os.path.join(source, "models/wrong.onnx"), os.path.join(work, "wrong.onnx"))
    result = commit_check()
    must(result.returncode == 1 and "OB0101" in result.stdout, f"pre-commit with errors: {result.stdout}")


# ---- Examples and the Dockerfile ----


def look_at_examples(folder):
    steps = yaml_of("examples/ci/github.yml")["jobs"]["check"]["steps"]
    inputs = set(yaml_of("action.yml")["inputs"])
    ours = next(step for step in steps if "onnx-broadcast@" in step.get("uses", ""))
    must(set(ours["with"]) <= inputs, f"inputs of the example: {set(ours['with']) - inputs}")
    job = yaml_of("examples/ci/gitlab-ci.yml")["check-models"]
    os.makedirs(os.path.join(folder, "models/a b"))
    shutil.copy(os.path.join(source, "models/wrong.onnx"), os.path.join(folder, "models/a b"))
    script = "set -eo pipefail\n" + "\n".join(job["script"])
    env = dict(os.environ, PATH=build + os.pathsep + os.environ["PATH"])
    result = subprocess.run(["bash", "-c", script], cwd=folder, env=env, capture_output=True, text=True, timeout=300)
    must(result.returncode == 1 and "OB0101" in result.stdout, f"GitLab: {result.returncode} {result.stderr[-300:]}")
    for name in ("models.json", "models.sarif"):
        must(os.path.getsize(os.path.join(folder, "report", name)) > 1000, f"GitLab: {name}")


def look_at_dockerfile():
    with open(os.path.join(source, "Dockerfile")) as file:
        text = file.read().replace("\\\n", " ")
    with open(os.path.join(source, "cmake/package.cmake")) as file:
        made = set(re.findall(r"^ *ob_package\(\s*\w+\s+(\S+)", file.read(), re.M))
    packages = set(re.findall(r"packages/([a-z0-9-]+)_", text))
    must(packages and all(name in made or re.sub("[0-9]+$", "", name) == "libonnx-broadcast" for name in packages),
         f"packages of the Dockerfile: {packages} of {made}")
    must("USER 65534" in text and "ENTRYPOINT" in text, "a user without rights")
    usage = subprocess.run([os.path.join(source, "dev"), "help"], capture_output=True, text=True, timeout=60).stdout
    commands = re.findall(r"\./dev ([a-z]+)", text)
    must(commands and all(f"  {command} " in usage for command in commands), f"commands of ./dev: {commands}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        action = yaml_of("action.yml")
        if action is None:
            print("skipped: action, hooks and examples need python3-yaml")
        else:
            os.mkdir(os.path.join(folder, "action"))
            look_at_action(action, os.path.join(folder, "action"))
            look_at_hooks(yaml_of(".pre-commit-hooks.yaml"), folder)
            os.mkdir(os.path.join(folder, "examples"))
            look_at_examples(os.path.join(folder, "examples"))
        look_at_dockerfile()
    for failure in failures[:20]:
        print(failure)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
