"""Sizes to try, where Z3 gives no answer: small ones, those around the numbers of a claim, and random ones."""
import itertools
import random

import terms

MOST = 1 << 20
ALL, ALL_OF_ONE, DRAWN = 1500, 16384, 2500


def numbers(term, found):
    """The numbers in a term, and the divisors, which also count as multiples."""
    if isinstance(term, int):
        found.add(abs(term))
    elif isinstance(term, list):
        for part in term[1:] if isinstance(term[0], str) else term:
            numbers(part, found)


def candidates(facts):
    """Sizes for every symbol: around each number of the claim, around multiples, and a few large ones."""
    found = set()
    for fact in facts:
        for term in fact.terms():
            numbers(term, found)
    near = {0, 1, 2, 3, 4, 5, 7, 8, 12, 16}
    for number in sorted(found)[:40]:
        for times in (1, 2, 3):
            near.update(number * times + shift for shift in (-1, 0, 1))
    products = {a * b + shift for a in sorted(found)[:8] for b in sorted(found)[:8] for shift in (-1, 0, 1)}
    return sorted(size for size in near | products | {1000, 4096, MOST - 1} if 0 <= size < MOST)


def symbols(facts):
    found = {}
    for fact in facts:
        for term in fact.terms():
            terms.symbols([term], found)
    return list(found)


def points(facts, known):
    """Assignments to the symbols of these statements, the same at every run: small sizes, sizes that differ from `known`
    in one or two symbols, and random ones."""
    names, near = symbols(facts), candidates(facts)
    side = max(2, int((ALL_OF_ONE if len(names) == 1 else ALL) ** (1 / max(1, len(names)))))
    draw = random.Random(len(names) * 7919 + len(near))
    for sizes in itertools.islice(itertools.product(range(side), repeat=len(names)), ALL_OF_ONE):
        yield dict(zip(names, sizes))
    for _ in range(DRAWN if names else 0):
        few = [draw.choice(near) for _ in range(3)]  # sizes are often equal
        yield {name: draw.choice((draw.choice(near), draw.choice(few), draw.choice(few), draw.randrange(64),
                                  draw.randrange(MOST))) for name in names}
    for _ in range(DRAWN if names and known else 0):
        changed = draw.choices(names, k=draw.randrange(3))
        yield {name: draw.choice(near) if name in changed else known.get(name, 2) for name in names}
