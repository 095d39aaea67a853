"""What a solution says that needs no search: its fates, origins and inputs."""
import terms


def of_solution(record):
    """What is wrong with it, in sentences."""
    return [*of_fates(record), *of_origins(record)] if record["kind"] == "solve" else []


def of_fates(record):
    """The origins of refuted clauses are the core; only a contradiction has any."""
    refuted = {clause["origin"] for clause, fate in zip(record["given"], record["fates"]) if fate == "refuted"}
    if sorted(refuted) != record["core"] or bool(refuted) != record["contradictory"]:
        yield f"clauses of the origins {sorted(refuted)} are refuted, and the core is {record['core']}"


def of_origins(record):
    known = {clause["origin"] for clause in record["given"]}
    lists = [record["core"], *(clause["origins"] for clause in record["clauses"])]
    for origins in lists:
        if origins != sorted(set(origins)) or not known.issuperset(origins):
            yield f"the origins {origins} are not ascending numbers of given clauses"
    for i, clause in enumerate(record["clauses"]):
        names = {name for literal in clause["literals"] for term in literal[1:] for name in terms.symbols([term])}
        if clause["of_inputs"] != names.issubset(record["inputs"]):
            yield f"clause {i} is of {names}, inputs are {record['inputs']}, and of_inputs is {clause['of_inputs']}"
