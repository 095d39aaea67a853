"""Cases and the models that they are written to."""
from onnx import ModelProto, TypeProto, helper

from elements import onnx_type, proto
from operators import ir_version


class Case:
    """One model with one or more sets of inputs and results.

    inputs      [(name, type, shape or None)]; a shape may hold symbols (text)
    constants   [(name, type, array)], written as initializers
    sets        [Set]
    rule        the text that decides the results
    settled     False: the specification leaves the results open, and the case does not count
    """

    def __init__(self, family, operator, opset, since, rule, settled=True):
        self.family, self.operator, self.opset, self.since = family, operator, opset, since
        self.rule, self.settled = rule, settled
        self.inputs, self.constants, self.sets = [], [], []
        self.attributes, self.operands, self.result = {}, [], None
        self.domain = ""
        self.tolerance = (0, 0)
        self.types = []

    def model(self):
        results = self.result if isinstance(self.result, list) else [self.result]
        outputs = ["y"] if len(results) == 1 else [f"y{k}" for k in range(len(results))]
        node = helper.make_node(self.operator, self.operands, outputs, domain=self.domain)
        for name in sorted(self.attributes):
            node.attribute.append(helper.make_attribute(name, self.attributes[name]))
        model = ModelProto()
        model.ir_version = ir_version(self.opset)
        model.producer_name = "onnx-broadcast-kit"
        opset = model.opset_import.add()
        opset.version, opset.domain = self.opset, self.domain
        model.graph.name = "case"
        model.graph.node.append(node)
        for name, of_type, shape in self.inputs:
            _declare(model.graph.input.add(), name, of_type, shape)
        for name, of_type, array in self.constants:
            model.graph.initializer.append(proto(of_type, array, name))
            if model.ir_version < 4:  # there every initializer is an input with a default
                _declare(model.graph.input.add(), name, of_type, array.shape)
        for name, of_type in zip(outputs, results):
            _declare(model.graph.output.add(), name, of_type, self.declared_result())
        return model.SerializeToString(deterministic=True)


    def declared_result(self):
        """The shape of the result if it is the same for all sizes that the inputs may have, else one symbol for each axis."""
        if all(one.refused for one in self.sets):
            if self.family == "batch axes":
                return None  # with vectors there is no rank to declare
            ranks = [len(dims) for _, _, dims in self.inputs] + [array.ndim for _, _, array in self.constants]
            return [f"y{axis}" for axis in range(max(ranks))]
        shape = next(one.expected[0][1].shape for one in self.sets if not one.refused)
        static = not any(isinstance(size, str) for _, _, dims in self.inputs for size in dims or ())
        return shape if static and len(self.sets) == 1 else [f"y{axis}" for axis in range(len(shape))]


class Set:
    """Inputs, and the results: a list of (type, array), or a text, the reason to refuse them."""

    def __init__(self, inputs, expected, tags):
        self.inputs, self.expected, self.tags = inputs, expected, tags

    @property
    def refused(self):
        return isinstance(self.expected, str)


def _declare(info, name, of_type, shape):
    info.name = name
    info.type.CopyFrom(TypeProto())
    info.type.tensor_type.elem_type = onnx_type(of_type)
    if shape is None:
        return
    info.type.tensor_type.shape.SetInParent()  # rank 0 is a shape without dimensions, not a missing shape
    for size in shape:
        dim = info.type.tensor_type.shape.dim.add()
        if isinstance(size, str):
            dim.dim_param = size
        elif size is not None:
            dim.dim_value = int(size)
