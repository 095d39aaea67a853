"""Runs functions of C on symbols: the subset in which guards are written (c_reader.py).

Integers are numbers or expressions of Z3 over whole numbers. Each addition, product and division of int64_t leaves an obligation
that it neither overflows nor divides by 0; where all hold, the machine's number is the whole number. Branches on a symbol are
both run, and what they change is joined. Loops must be decided by numbers. Values never change: an assignment to a part of a
struct or an array makes a new one.
"""
import operator

import z3
from pycparser import c_ast

LEAST, MOST = -2**63, 2**63 - 1


class Unreadable(Exception):
    """C that this file does not know, or that no guard should have."""


class Struct(dict):
    """A value of obg_value: v and bad."""


class Address:
    """The address of a variable; also a parameter that is one. What it points to is the variable `name`."""

    def __init__(self, name):
        self.name = name


class Unset:
    """A variable without a value."""


UNSET = Unset()

# ---- Numbers ----


def is_number(x):
    return isinstance(x, (int, bool))


def truth(x):
    """As a condition."""
    if is_number(x):
        return bool(x)
    if isinstance(x, Address):
        return True
    if isinstance(x, z3.BoolRef):
        return x
    if isinstance(x, z3.ArithRef):
        return x != 0
    raise Unreadable(f"a condition of {type(x).__name__}")


def whole(x):
    """As an integer."""
    if is_number(x):
        return int(x)
    return z3.If(x, z3.IntVal(1), z3.IntVal(0)) if isinstance(x, z3.BoolRef) else x


def both(a, b):
    if a is False or b is False:
        return False
    return b if a is True else a if b is True else z3.And(a, b)


def either(a, b):
    if a is True or b is True:
        return True
    return b if a is False else a if b is False else z3.Or(a, b)


def negated(a):
    return not a if isinstance(a, bool) else z3.Not(a)


def all_of(conditions):
    made = True
    for condition in conditions:
        made = both(made, condition)
    return made


def joined(condition, a, b):
    """a where the condition holds, elsewhere b."""
    if isinstance(condition, bool):
        return a if condition else b
    if a is b:
        return a
    if a is UNSET or b is UNSET:
        return UNSET
    if isinstance(a, Struct) and isinstance(b, Struct):
        return Struct({key: joined(condition, a[key], b[key]) for key in a})
    if isinstance(a, list) and isinstance(b, list):
        return [joined(condition, x, y) for x, y in zip(a, b)]
    if not all(is_number(x) or isinstance(x, z3.ExprRef) for x in (a, b)):
        return UNSET  # whoever reads it complains
    if isinstance(a, (bool, z3.BoolRef)) and isinstance(b, (bool, z3.BoolRef)):
        return z3.If(condition, as_bool(a), as_bool(b))
    a, b = whole(a), whole(b)
    if is_number(a) and is_number(b) and a == b:
        return a
    return z3.If(condition, as_int(a), as_int(b))


def as_bool(x):
    return z3.BoolVal(x) if isinstance(x, bool) else x


def as_int(x):
    return z3.IntVal(x) if is_number(x) else x


def truncated(a, b):
    """a / b of C, for b other than 0. Z3 rounds so that the remainder is never below 0."""
    if is_number(a) and is_number(b):
        return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return z3.If(as_int(a) >= 0, as_int(a) / b, -((-as_int(a)) / b))


def remainder(a, b):
    """a % b of C, with the sign of a."""
    if is_number(a) and is_number(b):
        return a - b * truncated(a, b)
    return z3.If(as_int(a) >= 0, as_int(a) % b, -((-as_int(a)) % b))


ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul}
COMPARISONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne}

# ---- Statements and expressions ----


class Frame:
    """The variables of a call, and the conditions under which the run is at this point (None: nowhere)."""

    def __init__(self, variables, live):
        self.variables, self.live = variables, live

    def fork(self, condition):
        more = () if condition is True else (condition,)
        return Frame(dict(self.variables), None if condition is False else self.live + more)


class Machine:
    """calls: {name: function of (machine, frame, arguments)} for functions that are not run from their text."""

    def __init__(self, file, calls):
        self.file, self.calls = file, calls
        self.obligations = []  # (conditions under which it is asked, what must hold)
        self.cuts = []  # values of the caller's own kind that were compared

    def returns(self, name, arguments):
        """[(conditions, value, variables)] of a function, one for each return, in order."""
        tree = self.file.tree(name)
        names = [parameter.name for parameter in tree.decl.type.args.params]
        if len(names) != len(arguments):
            raise Unreadable(f"{name} takes {len(names)} arguments")
        frame, found = Frame(dict(zip(names, arguments)), ()), []
        self.run(tree.body, frame, found)
        if frame.live is not None:
            raise Unreadable(f"{name} can end without a return")
        return found

    def call(self, name, frame, arguments):
        if name in self.calls:
            return self.calls[name](self, frame, arguments)
        if name not in self.file.functions:
            raise Unreadable(f"there is no function {name}")
        found = self.returns(name, arguments)
        result = found[-1][1]
        for conditions, value, _ in reversed(found[:-1]):
            result = joined(all_of(conditions), value, result)
        return result

    # -- Statements --

    def run(self, statement, frame, found):
        if frame.live is None or statement is None:
            return
        method = getattr(self, "run_" + type(statement).__name__, None)
        if method:
            method(statement, frame, found)
        else:
            self.value(statement, frame)

    def run_Compound(self, statement, frame, found):
        outer = set(frame.variables)
        for item in statement.block_items or []:
            self.run(item, frame, found)
        frame.variables = {name: value for name, value in frame.variables.items() if name in outer or name.startswith("*")}

    def run_Decl(self, statement, frame, _):
        if statement.name in frame.variables:
            raise Unreadable(f"{statement.name} is declared twice")
        is_struct = isinstance(statement.type, c_ast.TypeDecl) and statement.type.type.names == ["obg_value"]
        frame.variables[statement.name] = Struct(v=UNSET, bad=UNSET) if is_struct else UNSET
        if statement.init is not None:
            frame.variables[statement.name] = self.value(statement.init, frame)
        elif isinstance(statement.type, c_ast.ArrayDecl):
            frame.variables[statement.name] = [UNSET] * self.value(statement.type.dim, frame)

    def run_Return(self, statement, frame, found):
        found.append((frame.live, self.value(statement.expr, frame), frame.variables))
        frame.live = None

    def run_If(self, statement, frame, found):
        condition = truth(self.value(statement.cond, frame))
        yes, no = frame.fork(condition), frame.fork(negated(condition))
        self.run(statement.iftrue, yes, found)
        self.run(statement.iffalse, no, found)
        self.join(condition, yes, no, frame)

    @staticmethod
    def join(condition, yes, no, frame):
        if yes.live is None or no.live is None:
            one = no if yes.live is None else yes
            frame.variables, frame.live = one.variables, one.live
            return
        frame.variables = {name: joined(condition, value, no.variables.get(name, UNSET)) for name, value in yes.variables.items()}
        n = len(frame.live) + 1
        if len(yes.live) > n or len(no.live) > n:  # a branch returned in part
            frame.live += (either(all_of(yes.live[n - 1:]), all_of(no.live[n - 1:])),)

    def run_For(self, statement, frame, found):
        if statement.init is not None:
            self.value(statement.init, frame)
        while frame.live is not None:
            go_on = True if statement.cond is None else truth(self.value(statement.cond, frame))
            if not isinstance(go_on, bool):
                raise Unreadable("a loop that a symbol decides")
            if not go_on:
                return
            self.run(statement.stmt, frame, found)
            if statement.next is not None and frame.live is not None:
                self.value(statement.next, frame)

    # -- Expressions --

    def value(self, tree, frame):
        method = getattr(self, "value_" + type(tree).__name__, None)
        if not method:
            raise Unreadable(f"{type(tree).__name__} at {tree.coord}")
        return method(tree, frame)

    def value_Constant(self, tree, _):
        return tree.value if tree.type == "string" else int(tree.value)

    def value_ID(self, tree, frame):
        known = {"INT64_MAX": MOST, "INT64_MIN": LEAST, **self.file.numbers}
        if tree.name in known:
            return known[tree.name]
        return self.known(frame.variables.get(tree.name, UNSET), tree.name)

    def value_InitList(self, tree, frame):
        return [self.value(part, frame) for part in tree.exprs]

    def value_StructRef(self, tree, frame):
        return self.known(self.value(tree.name, frame)[tree.field.name], tree.field.name)

    @staticmethod
    def known(value, name):
        if value is UNSET:
            raise Unreadable(f"{name} is read and has no value")
        return value

    def value_ArrayRef(self, tree, frame):
        items, at = self.value(tree.name, frame), self.value(tree.subscript, frame)
        if not is_number(at) or not 0 <= at < len(items):
            raise Unreadable(f"element {at} of {len(items)}")
        return self.known(items[at], f"element {at}")

    def value_Cast(self, tree, frame):
        if tree.to_type.type.type.names != ["void"]:
            raise Unreadable("a cast")
        return self.value(tree.expr, frame)

    def value_TernaryOp(self, tree, frame):
        condition = truth(self.value(tree.cond, frame))
        if isinstance(condition, bool):
            return self.value(tree.iftrue if condition else tree.iffalse, frame)
        return joined(condition, self.aside(tree.iftrue, condition, frame), self.aside(tree.iffalse, negated(condition), frame))

    def aside(self, tree, condition, frame):
        """The value of an expression that is evaluated under a condition only."""
        if condition is True:
            return self.value(tree, frame)
        fork = frame.fork(condition)
        value = self.value(tree, fork)
        if any(fork.variables[name] is not frame.variables.get(name) for name in fork.variables):
            raise Unreadable("an assignment inside a condition")
        return value

    def value_FuncCall(self, tree, frame):
        arguments = [self.value(argument, frame) for argument in tree.args.exprs] if tree.args else []
        return arguments[0] if tree.name.name == "INT64_C" else self.call(tree.name.name, frame, arguments)

    def value_UnaryOp(self, tree, frame):
        if tree.op == "&":
            return Address(tree.expr.name)
        if tree.op in ("++", "p++", "--", "p--"):
            old = self.value(tree.expr, frame)
            new = self.arithmetic(tree.op[-1], old, 1, frame)
            self.store(tree.expr, new, frame)
            return old if tree.op[0] == "p" else new
        operand = self.value(tree.expr, frame)
        if tree.op == "!":
            return negated(truth(operand))
        if tree.op == "-":
            return self.arithmetic("-", 0, operand, frame)
        raise Unreadable(f"operator {tree.op}")

    def value_BinaryOp(self, tree, frame):
        left = self.value(tree.left, frame)
        if tree.op in ("&&", "||"):
            return self.shortcut(tree, truth(left), frame)
        right = self.value(tree.right, frame)
        if tree.op in COMPARISONS:
            own = getattr(left, "compared", None)  # values of the caller's own kind
            return own(tree.op, right, self) if own else COMPARISONS[tree.op](whole(left), whole(right))
        return self.arithmetic(tree.op, whole(left), whole(right), frame)

    def shortcut(self, tree, left, frame):
        on = left if tree.op == "&&" else negated(left)
        if on is False:
            return left
        right = truth(self.aside(tree.right, on, frame))
        return both(left, right) if tree.op == "&&" else either(left, right)

    def arithmetic(self, op, a, b, frame):
        if op in "/%":
            self.oblige(frame, both(b != 0, negated(both(a == LEAST, b == -1))))
            return truncated(a, b) if op == "/" else remainder(a, b)
        if op not in ARITHMETIC:
            raise Unreadable(f"operator {op}")
        result = ARITHMETIC[op](a, b)
        self.oblige(frame, both(result >= LEAST, result <= MOST))
        return result

    def oblige(self, frame, condition):
        if condition is False:
            raise Unreadable("an overflow or a division by 0")
        if condition is not True:
            self.obligations.append((frame.live, condition))

    def value_Assignment(self, tree, frame):
        value = self.value(tree.rvalue, frame)
        if tree.op != "=":
            value = self.arithmetic(tree.op[:-1], whole(self.value(tree.lvalue, frame)), whole(value), frame)
        self.store(tree.lvalue, value, frame)
        return value

    def store(self, place, value, frame):
        """A struct and an array are replaced: other variables may share them."""
        if isinstance(place, c_ast.ID):
            if place.name not in frame.variables:
                raise Unreadable(f"{place.name} is not declared")
            frame.variables[place.name] = value
        elif isinstance(place, c_ast.StructRef):
            self.store(place.name, Struct(self.value(place.name, frame), **{place.field.name: value}), frame)
        elif isinstance(place, c_ast.ArrayRef):
            items, at = list(self.value(place.name, frame)), self.value(place.subscript, frame)
            if not is_number(at) or not 0 <= at < len(items):
                raise Unreadable(f"element {at} of {len(items)}")
            items[at] = value
            self.store(place.name, items, frame)
        elif isinstance(place, c_ast.UnaryOp) and place.op == "*":
            frame.variables["*" + self.value(place.expr, frame).name] = value
        else:
            raise Unreadable("an assignment to something else")
