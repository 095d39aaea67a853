"""Pairwise covering designs: few rows in which every two levels of every two factors meet."""
import itertools


def pairwise(random, factors, loose=(), tries=20):
    """Rows (dicts) over factors {name: levels}: greedy, each row the best of some candidates. Levels of two factors in `loose`
    need not meet."""
    names = list(factors)
    open_pairs = {}
    for a, b in itertools.combinations(range(len(names)), 2):
        if names[a] in loose and names[b] in loose:
            continue
        for pair in itertools.product(range(len(factors[names[a]])), range(len(factors[names[b]]))):
            open_pairs[(a, b) + pair] = None  # a dict keeps the order, a set would not
    rows = []
    while open_pairs:
        best, best_gain = None, -1
        for _ in range(tries):
            row = _candidate(random, names, factors, open_pairs)
            gain = sum(key in open_pairs for key in _pairs(row))
            if gain > best_gain:
                best, best_gain = row, gain
        for key in _pairs(best):
            open_pairs.pop(key, None)
        rows.append({name: factors[name][level] for name, level in zip(names, best)})
    return rows


def _pairs(row):
    return [(a, b, row[a], row[b]) for a, b in itertools.combinations(range(len(row)), 2)]


def _candidate(random, names, factors, open_pairs):
    """A row around a pair that is still open; the other factors at random."""
    a, b, i, j = next(iter(open_pairs))
    row = [int(random.random() * len(factors[name])) for name in names]
    row[a], row[b] = i, j
    return row
