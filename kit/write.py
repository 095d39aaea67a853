#!/usr/bin/env python3
"""Writes the kit: a folder for each model, with inputs, expected results and a description. docs/kit.md describes them."""
import argparse
import collections
import hashlib
import json
import os
import re
import shutil
import sys

import families
import families_legacy
import families_matrix
from elements import proto

FAMILIES = (families.multidirectional, families.variadic, families.where, families.prelu, families.gemm,
            families.normalizations, families.clip,
            families.expand, families_matrix.matmul, families_matrix.integers, families_matrix.einsum, families_legacy.binary,
            families_legacy.variadic, families_legacy.gemm, families_legacy.prelu)
VERSION = 1  # raised when the same seed gives other cases


def cases(seed):
    for family in FAMILIES:
        yield from family(seed)


class Writer:
    """Writes files, and a hash over all of them in order."""

    def __init__(self):
        self.hash = hashlib.sha256()

    def put(self, path, data):
        self.hash.update(hashlib.sha256(data).digest())
        with open(path, "wb") as file:
            file.write(data)

    def tensor(self, path, of_type, array, label):
        self.put(path, proto(of_type, array, label).SerializeToString(deterministic=True))


def describe(case, name, sets):
    """The description of a case; `sets` are those of its sets."""
    return {"id": name, "family": case.family, "operator": case.operator, "opset": case.opset, "types": case.types,
            "attributes": case.attributes, "inputs": [label for label, _, _ in case.inputs],
            "constants": {label: list(array.shape) for label, _, array in case.constants},
            "rule": case.rule, "settled": case.settled, "rtol": case.tolerance[0], "atol": case.tolerance[1], "sets": sets}


def write_case(case, name, folder, writer):
    """The files of a case. Returns its description."""
    place = os.path.join(folder, name)
    os.makedirs(place)
    writer.put(os.path.join(place, "model.onnx"), case.model())
    sets = []
    for k, one in enumerate(case.sets):
        inside = f"test_data_set_{k}"
        data = os.path.join(place, inside)
        os.mkdir(data)
        for i, (of_type, array) in enumerate(one.inputs):
            writer.tensor(os.path.join(data, f"input_{i}.pb"), of_type, array, case.inputs[i][0])
        entry = {"folder": inside, "inputs": [list(array.shape) for _, array in one.inputs], "tags": one.tags}
        if one.refused:
            entry["refused"] = one.expected
        else:
            entry["outputs"] = [list(array.shape) for _, array in one.expected]
            for i, (of_type, array) in enumerate(one.expected):
                writer.tensor(os.path.join(data, f"output_{i}.pb"), of_type, array, "y")
        sets.append(entry)
    entry = describe(case, name, sets)
    writer.put(os.path.join(place, "manifest.json"), (json.dumps(entry, indent=1) + "\n").encode())
    return entry


def write(folder, seed, only=None):
    """Writes all cases; returns their list. A folder that holds anything other than a kit is left alone."""
    if os.path.exists(folder):
        if os.listdir(folder) and not os.path.isfile(os.path.join(folder, "kit.json")):
            raise SystemExit(f"write.py: {folder} is there and is not a kit")
        shutil.rmtree(folder)
    part = folder.rstrip("/") + ".part"  # renamed at the end: a kit is whole or not there
    shutil.rmtree(part, ignore_errors=True)
    os.makedirs(part)
    numbers, entries, writer = collections.Counter(), [], Writer()
    for case in cases(seed):
        stem = f"{case.operator}_{case.opset}".lower()
        name = f"{stem}_{numbers[stem]:03d}"
        numbers[stem] += 1
        if not only or re.search(only, name):
            entries.append(write_case(case, name, part, writer))
    kit = {"kit": VERSION, "seed": seed, "sha256": writer.hash.hexdigest(), "cases": entries}
    writer.put(os.path.join(part, "kit.json"), json.dumps(kit, separators=(",", ":")).encode())
    os.rename(part, folder)
    return entries


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", metavar="REGEX", help="only the cases whose names match")
    options = parser.parse_args()
    entries = write(options.folder, options.seed, options.only)
    sets = [one for entry in entries for one in entry["sets"]]
    refused = sum("refused" in one for one in sets)
    print(f"{len(entries)} models, {len(sets)} sets of inputs: {len(sets) - refused} with results, {refused} to be refused")
    return 0


if __name__ == "__main__":
    sys.exit(main())
