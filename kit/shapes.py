"""Shapes of operands that broadcast together, and shapes that do not.

Shapes come from wishes (rank of the result, direction, sizes). A wish that cannot be fulfilled, for instance "both are
stretched" at rank 1, gives the nearest shapes; the tags of a case are read from its shapes and not from the wish.
"""
import numpy as np

from elements import pick

RANKS = tuple(range(9))
SIZES = ("n", "1", "0")
GAPS = ("equal rank", "left shorter", "right shorter", "left scalar", "right scalar")
STRETCHES = ("none", "left", "right", "both")


def result_dims(random, rank, sizes):
    """Sizes of a result: all above 1, or one of them 1 or 0."""
    dims = [pick(random, (2, 3)) if rank <= 4 else 2 for _ in range(rank)]
    if 2 <= rank <= 5:
        dims[int(random.random() * rank)] = 3 if rank > 3 else 4
    if rank and sizes in ("1", "0"):
        dims[int(random.random() * rank)] = int(sizes)
    return dims


def stretched(random, dims, axes, share=0.5):
    """The shape with 1 at some of the axes, at least one."""
    axes = [axis for axis in axes if dims[axis] != 1]
    if not axes:
        return list(dims)
    chosen = {pick(random, axes)} | {axis for axis in axes if random.random() < share * 0.5}
    return [1 if axis in chosen else size for axis, size in enumerate(dims)]


def pair(random, rank, gap, stretch, sizes):
    """Two shapes that broadcast to a result of the rank."""
    dims = result_dims(random, rank, sizes)
    left, right = list(dims), list(dims)
    missing = {"equal rank": 0, "left scalar": rank, "right scalar": rank}.get(gap)
    if missing is None:
        missing = 1 + int(random.random() * max(rank - 1, 1)) if rank else 0
    common = list(range(missing, rank))  # the axes that both have
    if sizes == "0" and random.random() < 0.5 and stretch != "none":
        common = [axis for axis in common if dims[axis] == 0] or common  # stretch 1 to 0
    if stretch == "both" and len(common) < 2:
        common = list(range(missing, rank))
    if stretch == "both" and len(common) >= 2:
        cut = 1 + int(random.random() * (len(common) - 1))
        left, right = stretched(random, dims, common[:cut]), stretched(random, dims, common[cut:])
    elif stretch in ("left", "both"):
        left = stretched(random, dims, common)
    elif stretch == "right":
        right = stretched(random, dims, common)
    if gap.startswith("left"):
        left = left[missing:]
    elif gap.startswith("right"):
        right = right[missing:]
    return [tuple(left), tuple(right)]


def many(random, rank, count, sizes, plain=None):
    """`count` shapes that broadcast to a result of the rank; `plain`: none of them is stretched."""
    dims = result_dims(random, rank, sizes)
    shapes = []
    for _ in range(count):
        shape = list(dims) if plain or random.random() < 0.3 else stretched(random, dims, range(rank), 1.0)
        drop = 0 if plain or random.random() < 0.5 else int(random.random() * (rank + 1))
        shapes.append(tuple(shape[drop:]))
    return shapes


def broadcast(shapes):
    """The result by ONNX's text on multidirectional broadcasting, or None."""
    rank = max((len(shape) for shape in shapes), default=0)
    dims = []
    for axis in range(-rank, 0):
        sizes = {shape[axis] for shape in shapes if len(shape) >= -axis} - {1}
        if len(sizes) > 1:
            return None
        dims.append(sizes.pop() if sizes else 1)
    return tuple(dims)


def one_way(target, shape):
    """The shape may be stretched to the target, and the target stays as it is."""
    return broadcast([target, shape]) == tuple(target)


def tags(shapes, result):
    """What happens in this broadcast, as words."""
    found = set()
    ranks = {len(shape) for shape in shapes}
    if 0 in ranks:
        found.add("scalar of rank 0")
    if len(ranks) > 1:
        found.add("ranks differ")
    if any(0 in shape for shape in shapes):
        found.add("size 0")
    if any(1 in shape for shape in shapes):
        found.add("size 1")
    if len(shapes) == 1 and result is not None:
        found.add("one operand")
    if result is None:
        return sorted(found)
    found.add(f"rank {len(result)}")
    moved = [tuple(shape) != tuple(result) for shape in shapes]
    if not any(moved):
        found.add("no operand stretched")
    elif all(moved):
        found.add("every operand stretched")
    elif len(shapes) == 2:
        found.add("left operand stretched" if moved[0] else "right operand stretched")
    else:
        found.add("some operands stretched")
    for shape in shapes:
        for back in range(1, len(shape) + 1):
            if shape[-back] == 1 and result[-back] == 0:
                found.add("1 stretched to 0")
    return sorted(found)


def count(shape):
    return int(np.prod(shape, dtype=np.int64))


# ---- Shapes to refuse ----------------------------------------------------------------------------------------------

MISMATCHES = (  # (reason, shapes)
    ("sizes 2 and 3 on the last axis", [(2,), (3,)]),
    ("sizes 2 and 3 on the first axis", [(2, 3), (3, 3)]),
    ("sizes 3 and 4 on a middle axis", [(2, 3, 2), (2, 4, 2)]),
    ("a prefix instead of a suffix", [(2, 3), (2,)]),
    ("a prefix instead of a suffix, on the left", [(3,), (3, 4)]),
    ("sizes 0 and 2", [(0,), (2,)]),
    ("sizes 2 and 0", [(3, 2), (3, 0)]),
    ("sizes 0 and 3 below a stretched axis", [(1, 0), (2, 3)]),
    ("a multiple of the other size", [(4,), (2,)]),
    ("the same sizes in another order", [(2, 3), (3, 2)]),
    ("rank 8 with one wrong size", [(1, 2, 1, 2, 1, 2, 1, 2), (2, 1, 2, 1, 2, 1, 2, 3)]),
    ("a middle axis against rank 4", [(2, 3, 4, 5), (3,)]),
)
