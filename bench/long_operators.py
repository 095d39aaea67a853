#!/usr/bin/python3
"""Models with long attributes, as lines for ort_models --text.

    build/ort_models LIBRARY --text <(bench/long_operators.py)

They are trees, linear models, support vectors, scalers, encoders and n-grams. The values of the attributes are made up, the
same in every run.
"""
import random

random.seed(1)
ML = '17, "ai.onnx.ml" : 3'
ML5 = '17, "ai.onnx.ml" : 5'
TREES, DEPTH, FEATURES, ROWS = 500, 6, 20, 100000


def line(name, opsets, inputs, outputs, operator, attributes, operands):
    """One operator, its first result y."""
    attributes = ", ".join(f"{k} = {text(v)}" for k, v in attributes.items())
    results = ", ".join(output.split()[-1] for output in outputs.split(", "))
    print(f"{name} | {opsets} | ({inputs}) => ({outputs}) {{ {results} = {operator}<{attributes}>({operands}) }}")


def text(value):
    if isinstance(value, list):
        return "[" + ", ".join(map(text, value)) + "]"
    if isinstance(value, float):
        return f"{value:.6f}"
    return value[1:] if isinstance(value, str) and value[0] == "@" else f'"{value}"' if isinstance(value, str) else str(value)


def numbers(n):
    return [random.random() for _ in range(n)]


def trees():
    """Complete trees of one depth, as one list of nodes (tree, node, feature, threshold; a leaf has no feature)."""
    inner = 2**DEPTH - 1
    return [(t, n, random.randrange(FEATURES) if n < inner else None, random.random())
            for t in range(TREES) for n in range(2 * inner + 1)]


def old_trees(nodes, classes):
    inner = 2**DEPTH - 1
    leaves = [(t, n, value) for t, n, feature, value in nodes if feature is None]
    kind = "class" if classes else "target"
    attributes = {
        "nodes_treeids": [t for t, *_ in nodes],
        "nodes_nodeids": [n for _, n, *_ in nodes],
        "nodes_featureids": [feature or 0 for _, _, feature, _ in nodes],
        "nodes_modes": ["LEAF" if feature is None else "BRANCH_LEQ" for _, _, feature, _ in nodes],
        "nodes_values": [0.0 if feature is None else value for _, _, feature, value in nodes],
        "nodes_truenodeids": [2 * n + 1 if n < inner else 0 for _, n, *_ in nodes],
        "nodes_falsenodeids": [2 * n + 2 if n < inner else 0 for _, n, *_ in nodes],
        f"{kind}_treeids": [t for t, _, _ in leaves],
        f"{kind}_nodeids": [n for _, n, _ in leaves],
        f"{kind}_ids": [(t * 7 + n) % classes if classes else 0 for t, n, _ in leaves],
        f"{kind}_weights": [value for _, _, value in leaves],
    }
    if classes:
        attributes["classlabels_int64s"] = list(range(classes))
    else:
        attributes["n_targets"] = 1
    return attributes


def new_trees(nodes):
    inner = 2**DEPTH - 1
    branches = [(t, n, feature, value) for t, n, feature, value in nodes if feature is not None]
    leaves = [value for _, _, feature, value in nodes if feature is None]
    def child(t, n):  # inner nodes and leaves are numbered each for themselves, tree by tree
        return t * inner + n if n < inner else t * (inner + 1) + n - inner
    floats = lambda values: f"@float[{len(values)}] {{{', '.join(map(text, values))}}}"
    return {
        "tree_roots": [t * inner for t in range(TREES)],
        "nodes_modes": f"@uint8[{len(branches)}] {{{', '.join('0' for _ in branches)}}}",
        "nodes_featureids": [feature for _, _, feature, _ in branches],
        "nodes_splits": floats([value for *_, value in branches]),
        "nodes_truenodeids": [child(t, 2 * n + 1) for t, n, *_ in branches],
        "nodes_trueleafs": [int(2 * n + 1 >= inner) for _, n, *_ in branches],
        "nodes_falsenodeids": [child(t, 2 * n + 2) for t, n, *_ in branches],
        "nodes_falseleafs": [int(2 * n + 2 >= inner) for _, n, *_ in branches],
        "leaf_targetids": [0 for _ in leaves],
        "leaf_weights": floats(leaves),
        "n_targets": 1,
    }


def main():
    nodes = trees()
    x = f"float[{ROWS},{FEATURES}] x"
    line(f"TreeEnsemble, {TREES} trees of depth {DEPTH} on {ROWS} rows", ML5, x, f"float[{ROWS},1] y", "ai.onnx.ml.TreeEnsemble",
         new_trees(nodes), "x")
    line("TreeEnsembleRegressor, the same", ML, x, f"float[{ROWS},1] y", "ai.onnx.ml.TreeEnsembleRegressor",
         old_trees(nodes, 0), "x")
    line("TreeEnsembleClassifier, the same, 3 classes", ML, x, f"int64[{ROWS}] l, float[{ROWS},3] y",
         "ai.onnx.ml.TreeEnsembleClassifier", old_trees(nodes, 3), "x")
    x, labels = "float[10000,20] x", list(range(10))
    line("LinearClassifier [10000,20] to 10", ML, x, "int64[10000] l, float[10000,10] y", "ai.onnx.ml.LinearClassifier",
         {"coefficients": numbers(200), "intercepts": numbers(10), "classlabels_ints": labels, "post_transform": "SOFTMAX"}, "x")
    line("LinearRegressor [10000,20] to 10", ML, x, "float[10000,10] y", "ai.onnx.ml.LinearRegressor",
         {"coefficients": numbers(200), "intercepts": numbers(10), "targets": 10}, "x")
    support = {"kernel_type": "RBF", "kernel_params": [0.5, 0.0, 3.0], "support_vectors": numbers(100 * 20)}
    line("SVMClassifier, 100 vectors [1000,20] to 4", ML, "float[1000,20] x", "int64[1000] l, float[1000,6] y",
         "ai.onnx.ml.SVMClassifier",
         {**support, "coefficients": numbers(300), "vectors_per_class": [25] * 4, "rho": numbers(6),
          "classlabels_ints": labels[:4]}, "x")
    line("SVMRegressor, 100 vectors [1000,20]", ML, "float[1000,20] x", "float[1000,1] y", "ai.onnx.ml.SVMRegressor",
         {**support, "coefficients": numbers(100), "n_supports": 100, "rho": [0.5]}, "x")
    line("Scaler [10000,20]", ML, x, "float[10000,20] y", "ai.onnx.ml.Scaler", {"offset": numbers(20), "scale": numbers(20)}, "x")
    for norm in "L2", "L1", "MAX":
        line(f"Normalizer {norm} [10000,20]", ML, x, "float[10000,20] y", "ai.onnx.ml.Normalizer", {"norm": norm}, "x")
    line("Binarizer [10000,20]", ML, x, "float[10000,20] y", "ai.onnx.ml.Binarizer", {"threshold": 0.5}, "x")
    line("Imputer [10000,20]", ML, x, "float[10000,20] y", "ai.onnx.ml.Imputer",
         {"imputed_value_floats": numbers(20), "replaced_value_float": 0.5}, "x")
    line("OneHotEncoder [10000] to 20", ML, "int64[10000] x", "float[10000,20] y", "ai.onnx.ml.OneHotEncoder",
         {"cats_int64s": list(range(20))}, "x")
    line("LabelEncoder, numbers [10000]", ML, "int64[10000] x", "float[10000] y", "ai.onnx.ml.LabelEncoder",
         {"keys_int64s": list(range(100)), "values_floats": numbers(100)}, "x")
    words = ["the", "Quick", "BROWN", "fox jumps", "over"]
    line("LabelEncoder, strings [10000]", ML, "string[10000] x", "int64[10000] y", "ai.onnx.ml.LabelEncoder",
         {"keys_strings": words + [f"w{i}" for i in range(100)], "values_int64s": list(range(105))}, "x")
    line("FeatureVectorizer [10000,20] twice", ML, x + ", float[10000,20] z", "float[10000,40] y", "ai.onnx.ml.FeatureVectorizer",
         {"inputdimensions": [20, 20]}, "x, z")
    print(f"ArrayFeatureExtractor [10000,20] by 5 | {ML} | ({x}) => (float[10000,5] y) {{ i = Constant<value = int64[5] "
          "{0, 3, 7, 11, 19}>() y = ai.onnx.ml.ArrayFeatureExtractor(x, i) }")
    pairs = [number for pair in random.sample(range(10000), 1000) for number in (pair // 100, pair % 100)]
    grams = {"mode": "TF", "min_gram_length": 1, "max_gram_length": 2, "max_skip_count": 1, "ngram_counts": [0, 100],
             "ngram_indexes": list(range(1100)), "pool_int64s": list(range(100)) + pairs}
    line("TfIdfVectorizer, 1100 n-grams [100,200]", "9", "int64[100,200] x", "float[100,1100] y", "TfIdfVectorizer", grams, "x")
    grams = {"mode": "TFIDF", "min_gram_length": 1, "max_gram_length": 1, "max_skip_count": 0, "ngram_counts": [0],
             "ngram_indexes": list(range(105)), "weights": numbers(105), "pool_strings": words + [f"w{i}" for i in range(100)]}
    line("TfIdfVectorizer, 105 words [100,200]", "9", "string[100,200] x", "float[100,105] y", "TfIdfVectorizer", grams, "x")


main()
