"""Records as text, for readers of a difference."""


def term(t):
    if not isinstance(t, list):
        return "unknown" if t is None else str(t)
    if t[0] == "+":
        products = ["*".join(([str(m[0])] if m[0] != 1 else []) + [term(factor) for factor in m[1:]]) for m in t[2:]]
        return "(" + " + ".join(([str(t[1])] if t[1] else []) + products) + ")"
    if t[0] == "/":
        return f"floor({term(t[1])}/{term(t[2])})"
    return t[0] + "(" + ", ".join(map(term, t[1:])) + ")"


LITERALS = {"zero": "{} = 0", "nonzero": "{} != 0", "nonnegative": "{} >= 0", "divides": "{} % {} = 0",
            "not_divides": "{} % {} != 0"}


def clause(c):
    """The literals; guards, which are negated there, in brackets."""
    texts = [LITERALS[kind].format(*map(term, terms)) for kind, *terms in c["literals"]]
    texts[:c["n_guard"]] = [f"[{text}]" for text in texts[:c["n_guard"]]]
    rest = [f"{name} {part}" for name, part in c.items() if name not in ("literals", "n_guard")]
    return " or ".join(texts) + (f"   ({', '.join(rest)})" if rest else "")


def record(r):
    """Lines."""
    for name, part in r.items():
        if name == "condition":
            yield f"{name}: {part[0]} {term(part[1])}, {term(part[2])}"
        elif isinstance(part, list) and part and isinstance(part[0], dict):
            yield f"{name}:"
            for i, one in enumerate(part):
                yield f"    {i}: {clause(one)}"
        elif name in ("guards", "inputs"):
            yield f"{name}: {', '.join(map(term, part))}"
        else:
            yield f"{name}: {part}"
