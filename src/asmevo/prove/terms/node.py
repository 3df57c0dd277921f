"""Shared terms over the state in which a window begins.

A `Node` is a bit vector that depends on the initial registers and memory and, where `varies` is
set, on the lane that looks at it. Equal nodes are one object (`Table`), so that two pieces of code
that compute the same in the same way are compared by identity. Simplifications keep the value for
every state and lane.

A lane-dependent node is one formula for all lanes, so nothing here multiplies with 64: lanes meet
only in `move` (a fixed permutation), `pull` (lane chosen at run time), `at` (one lane, as a
scalar), `mask` (a bit of each lane, as a scalar) and `bit` (the lane's bit of a scalar).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

LANES = 64
# Leaves and operations whose result depends on the lane whatever their arguments are.
_BY_LANE = frozenset({"vector", "lane", "bit", "move", "pull", "wave"})
_SCALAR = frozenset({"at", "mask"})
_DEEPEST = 24  # operations through which a part of a value is looked for
_MOST = 150_000
MEMORY = 0  # the width of a node that stands for contents of memory


class TooLarge(Exception):
    """More terms than are worth the while."""


class Node:
    """One term. Compare with `is`.

    Attributes:
        op: the operation, see `Table`.
        width: bits; 0 for a version of memory.
        args: operands.
        data: what else distinguishes it: a number, a name.
        varies: whether it depends on the lane.
        number: creation order, which is a topological order.
    """

    __slots__ = ("args", "data", "number", "op", "varies", "width")

    def __init__(
        self, op: str, width: int, args: tuple[Node, ...], data: Any, varies: bool, number: int
    ) -> None:
        self.op, self.width, self.args, self.data = op, width, args, data
        self.varies, self.number = varies, number

    def __repr__(self) -> str:
        inner = ", ".join(map(repr, self.args))
        data = "" if self.data is None else f"[{self.data}]"
        return f"{self.op}{data}({inner})" if self.args else f"{self.op}{data}"

    @property
    def constant(self) -> int | None:
        """The value of a constant."""
        return self.data if self.op == "const" else None


def cone(roots: list[Node]) -> Iterator[Node]:
    """All nodes below some roots, arguments first."""
    found: dict[int, Node] = {}
    todo = list(roots)
    while todo:
        node = todo.pop()
        if node.number not in found:
            found[node.number] = node
            todo += node.args
    for number in sorted(found):
        yield found[number]


def _has_factor(product: Node, factor: Node, depth: int = 3) -> bool:
    """Whether a node is a conjunction, not too deep, that another node is a part of."""
    if product.op != "and" or not depth:
        return False
    return any(part is factor or _has_factor(part, factor, depth - 1) for part in product.args)


class Table:
    """Makes nodes; equal ones are made once."""

    def __init__(self) -> None:
        self._nodes: dict[tuple[Hashable, ...], Node] = {}
        self._parts: dict[tuple[int, int, int], Node] = {}
        self._bits: dict[int, Node] = {}
        self._depth = 0
        self.true = self.const(1, 1)
        self.false = self.const(1, 0)

    def __len__(self) -> int:
        return len(self._nodes)

    def make(self, op: str, width: int, args: tuple[Node, ...] = (), data: Any = None) -> Node:
        """The node as it stands, not simplified."""
        key = (op, width, data, *[a.number for a in args])
        node = self._nodes.get(key)
        if node is None:
            if len(self._nodes) >= _MOST:
                raise TooLarge
            varies = op in _BY_LANE or (op not in _SCALAR and any(a.varies for a in args))
            node = Node(op, width, args, data, varies, len(self._nodes))
            self._nodes[key] = node
        return node

    def const(self, width: int, value: int) -> Node:
        """A constant."""
        return self.make("const", width, (), value & ((1 << width) - 1))

    # --- selection ------------------------------------------------------------------------
    def ite(self, c: Node, a: Node, b: Node) -> Node:
        """`a` where the boolean holds, else `b`."""
        if c.op == "const":
            return a if c.data else b
        if c.op == "not":
            c, a, b = c.args[0], b, a
        if a.op == "ite" and a.args[0] is c:
            a = a.args[1]
        if b.op == "ite" and b.args[0] is c:
            b = b.args[2]
        if a is b:
            return a
        if a.width == 1:
            if a is self.true and b is self.false:
                return c
            if a is self.false and b is self.true:
                return self.not_(c)
            if a is self.false:
                return self.and_(self.not_(c), b)
            if b is self.false:
                return self.and_(c, a)
            if a is self.true:
                return self.or_(c, b)
            if b is self.true:
                return self.or_(self.not_(c), a)
        return self.make("ite", a.width, (c, a, b))

    # --- bitwise --------------------------------------------------------------------------
    def not_(self, a: Node) -> Node:
        """Complement."""
        if a.op == "const":
            return self.const(a.width, ~a.data)
        if a.op == "not":
            return a.args[0]
        if a.op == "mask":
            return self.mask(self.not_(a.args[0]))
        return self.make("not", a.width, (a,))

    def _by_lane(self, name: str, a: Node, b: Node) -> Node | None:
        """A bitwise operation of masks, lane by lane."""
        if a.op == "mask" or b.op == "mask":
            one, other = self.bit(a), self.bit(b)
            return self.mask(getattr(self, name)(one, other))
        return None

    def and_(self, a: Node, b: Node) -> Node:
        """Bitwise and."""
        if a.number > b.number:
            a, b = b, a
        if a.op == "const" and b.op == "const":
            return self.const(a.width, a.data & b.data)
        for x, y in ((a, b), (b, a)):
            if x.op == "const":
                if x.data == 0:
                    return x
                if x.data == (1 << x.width) - 1:
                    return y
                if y.op == "and" and y.args[0].op == "const":
                    return self.and_(self.const(x.width, x.data & y.args[0].data), y.args[1])
                if x is b:
                    a, b = b, a
        if a is b:
            return a
        if (a.op == "not" and a.args[0] is b) or (b.op == "not" and b.args[0] is a):
            return self.const(a.width, 0)
        if a.width == 1:
            for x, y in ((a, b), (b, a)):
                if y.op == "and" and (y.args[0] is x or y.args[1] is x):
                    return y
        return self._by_lane("and_", a, b) or self.make("and", a.width, (a, b))

    def or_(self, a: Node, b: Node) -> Node:
        """Bitwise or."""
        joined = self._joined(a, b)
        if joined is not None:
            return joined
        if a.number > b.number:
            a, b = b, a
        if a.op == "const" and b.op == "const":
            return self.const(a.width, a.data | b.data)
        for x, y in ((a, b), (b, a)):
            if x.op == "const":
                if x.data == 0:
                    return y
                if x.data == (1 << x.width) - 1:
                    return x
                if y.op == "or" and y.args[0].op == "const":
                    return self.or_(self.const(x.width, x.data | y.args[0].data), y.args[1])
                if x is b:
                    a, b = b, a
        if a is b:
            return a
        if (a.op == "not" and a.args[0] is b) or (b.op == "not" and b.args[0] is a):
            return self.const(a.width, -1)
        for x, y in ((a, b), (b, a)):
            if _has_factor(y, x):  # lanes that come back: EXEC & c | EXEC
                return x
        return self._by_lane("or_", a, b) or self.make("or", a.width, (a, b))

    def _joined(self, a: Node, b: Node) -> Node | None:
        """`low | high << n` of two parts of n bits, as the algebra writes a concatenation."""
        for low, high in ((a, b), (b, a)):
            if low.op != "zext" or high.op != "shl" or high.args[1].op != "const":
                continue
            inner, half = high.args[0], low.args[0].width
            if high.args[1].data == half and inner.op == "zext":
                top = inner.args[0]
                if top.width + half == low.width:
                    return self.concat(top, low.args[0])
        return None

    def xor(self, a: Node, b: Node) -> Node:
        """Bitwise exclusive or."""
        if a.number > b.number:
            a, b = b, a
        if a.op == "const" and b.op == "const":
            return self.const(a.width, a.data ^ b.data)
        for x, y in ((a, b), (b, a)):
            if x.op == "const":
                if x.data == 0:
                    return y
                if x.data == (1 << x.width) - 1:
                    return self.not_(y)
                if y.op == "xor" and y.args[0].op == "const":
                    return self.xor(self.const(x.width, x.data ^ y.args[0].data), y.args[1])
                if x is b:
                    a, b = b, a
        if a is b:
            return self.const(a.width, 0)
        return self._by_lane("xor", a, b) or self.make("xor", a.width, (a, b))

    # --- parts ----------------------------------------------------------------------------
    def extract(self, a: Node, low: int, width: int) -> Node:
        """Bits [low + width - 1 : low]."""
        if width == a.width:
            return a
        if a.op == "const":
            return self.const(width, a.data >> low)
        key = (a.number, low, width)
        found = self._parts.get(key)
        if found is None:
            if self._depth >= _DEEPEST:
                return self.make("extract", width, (a,), low)
            self._depth += 1
            found = self._parts[key] = self._extracted(a, low, width)
            self._depth -= 1
        return found

    def _extracted(self, a: Node, low: int, width: int) -> Node:
        if a.op == "extract":
            return self.extract(a.args[0], a.data + low, width)
        if a.op == "concat":
            high_part, low_part = a.args
            if low + width <= low_part.width:
                return self.extract(low_part, low, width)
            if low >= low_part.width:
                return self.extract(high_part, low - low_part.width, width)
        if a.op in ("zext", "sext"):
            inner = a.args[0]
            if low + width <= inner.width:
                return self.extract(inner, low, width)
            if a.op == "zext" and low >= inner.width:
                return self.const(width, 0)
        if a.op in ("and", "or", "xor", "not", "ite"):
            if a.op == "not":
                return self.not_(self.extract(a.args[0], low, width))
            if a.op == "ite":
                c, x, y = a.args
                return self.ite(c, self.extract(x, low, width), self.extract(y, low, width))
            op = {"and": self.and_, "or": self.or_, "xor": self.xor}[a.op]
            return op(*(self.extract(x, low, width) for x in a.args))
        if a.op in ("add", "sub", "mul") and low == 0:
            parts = [self.extract(x, 0, width) for x in a.args]
            return getattr(self, a.op)(*parts)
        if a.op in ("shl", "lshr") and a.args[1].op == "const":
            by = a.args[1].data
            if a.op == "lshr" and low + by + width <= a.width:
                return self.extract(a.args[0], low + by, width)
            if a.op == "shl" and low >= by:
                return self.extract(a.args[0], low - by, width)
            if a.op == "shl" and low + width <= by:
                return self.const(width, 0)
        return self.make("extract", width, (a,), low)

    def concat(self, high: Node, low: Node) -> Node:
        """`high` above `low`."""
        if high.op == "const" and low.op == "const":
            return self.const(high.width + low.width, high.data << low.width | low.data)
        if high.op == "const" and high.data == 0:
            return self.zext(low, high.width + low.width)
        if high.op == low.op == "extract" and high.args[0] is low.args[0]:  # noqa: SIM102
            if high.data == low.data + low.width:
                return self.extract(low.args[0], low.data, high.width + low.width)
        if high.op == low.op == "ite" and high.args[0] is low.args[0]:
            c = high.args[0]
            return self.ite(
                c, self.concat(high.args[1], low.args[1]), self.concat(high.args[2], low.args[2])
            )
        # The low part of a sum in full width, when its high part is there.
        if high.op == "extract" and high.data == low.width:
            whole = high.args[0]
            if whole.width == high.width + low.width and self.extract(whole, 0, low.width) is low:
                return whole
        return self.make("concat", high.width + low.width, (high, low))

    def zext(self, a: Node, width: int) -> Node:
        """Zero extension."""
        if width == a.width:
            return a
        if a.op == "const":
            return self.const(width, a.data)
        if a.op == "zext":
            return self.make("zext", width, a.args)
        return self.make("zext", width, (a,))

    def sext(self, a: Node, width: int) -> Node:
        """Sign extension."""
        if width == a.width:
            return a
        if a.op == "const":
            sign = a.data >> (a.width - 1) & 1
            return self.const(width, a.data - (sign << a.width))
        if a.op == "sext":
            return self.make("sext", width, a.args)
        if a.op == "zext":
            return self.zext(a.args[0], width)
        return self.make("sext", width, (a,))

    # --- sums and shifts --------------------------------------------------------------------
    def add(self, a: Node, b: Node) -> Node:
        """Sum modulo 2**width."""
        if a.op == "const" and b.op == "const":
            return self.const(a.width, a.data + b.data)
        if b.op == "const" or (a.op != "const" and a.number > b.number):
            a, b = b, a
        if a.op == "const":
            if a.data == 0:
                return b
            if b.op == "add" and b.args[0].op == "const":
                return self.add(self.const(a.width, a.data + b.args[0].data), b.args[1])
            return self.make("add", a.width, (a, b))
        # Constants outside: (c + x) + y is c + (x + y).
        for x, y in ((a, b), (b, a)):
            if x.op == "add" and x.args[0].op == "const":
                return self.add(x.args[0], self.add(x.args[1], y))
        return self.make("add", a.width, (a, b))

    def sub(self, a: Node, b: Node) -> Node:
        """Difference modulo 2**width."""
        if b.op == "const":
            return self.add(a, self.const(a.width, -b.data))
        if a is b:
            return self.const(a.width, 0)
        return self.make("sub", a.width, (a, b))

    def mul(self, a: Node, b: Node) -> Node:
        """Product modulo 2**width."""
        if a.op == "const" and b.op == "const":
            return self.const(a.width, a.data * b.data)
        if b.op == "const" or (a.op != "const" and a.number > b.number):
            a, b = b, a
        if a.op == "const":
            if a.data == 0:
                return a
            if a.data & (a.data - 1) == 0:
                return self.shift("shl", b, self.const(a.width, a.data.bit_length() - 1))
        return self.make("mul", a.width, (a, b))

    def shift(self, op: str, a: Node, b: Node) -> Node:
        """`shl`, `lshr` or `ashr` by less than the width."""
        if b.op == "const":
            by = b.data
            if by == 0:
                return a
            if a.op == "const":
                value = a.data
                if op == "ashr" and value >> (a.width - 1) & 1:
                    value -= 1 << a.width
                return self.const(a.width, value << by if op == "shl" else value >> by)
            if a.op == op and a.args[1].op == "const" and by < a.width:
                total = by + a.args[1].data
                if total < a.width:
                    return self.shift(op, a.args[0], self.const(a.width, total))
        return self.make(op, a.width, (a, b))

    # --- comparisons ------------------------------------------------------------------------
    def eq(self, a: Node, b: Node) -> Node:
        """Equality of the bits."""
        if a is b:
            return self.true
        if a.number > b.number:
            a, b = b, a
        if a.op == "const" and b.op == "const":
            return self.false
        if a.width == 1:
            return self.not_(self.xor(a, b))
        for x, y in ((a, b), (b, a)):
            if x.op == "const" and y.op == "zext":
                inner = y.args[0]
                if x.data >> inner.width:
                    return self.false
                return self.eq(inner, self.const(inner.width, x.data))
            if x.op == "const" and x.data == 0 and y.op == "xor":
                return self.eq(*y.args)
        return self.make("eq", 1, (a, b))

    def less(self, op: str, a: Node, b: Node) -> Node:
        """`ult` or `slt`."""
        if a is b:
            return self.false
        if a.op == "const" and b.op == "const":
            x, y = a.data, b.data
            if op == "slt":
                sign = 1 << (a.width - 1)
                x, y = x ^ sign, y ^ sign
            return self.const(1, int(x < y))
        if op == "ult" and b.op == "const":
            if b.data == 0:
                return self.false
            if b.data == 1:
                return self.eq(a, self.const(a.width, 0))
        if op == "ult" and a.op == "const" and a.data == 0:
            return self.not_(self.eq(a, b))
        return self.make(op, 1, (a, b))

    # --- lanes ----------------------------------------------------------------------------
    def mask(self, a: Node) -> Node:
        """The scalar whose bit n is the boolean in lane n."""
        if not a.varies:
            return self.ite(a, self.const(LANES, -1), self.const(LANES, 0))
        if a.op == "bit":
            return a.args[0]
        return self.make("mask", LANES, (a,))

    def bit(self, a: Node) -> Node:
        """In lane n, bit n of a scalar."""
        found = self._bits.get(a.number)
        if found is None:
            found = self._bits[a.number] = self._bit(a)
        return found

    def _bit(self, a: Node) -> Node:
        if a.op == "const":
            if a.data == 0:
                return self.false
            if a.data == (1 << LANES) - 1:
                return self.true
        if a.op == "mask":
            return a.args[0]
        if a.op == "not":
            return self.not_(self.bit(a.args[0]))
        if a.op in ("and", "or", "xor"):
            op = {"and": self.and_, "or": self.or_, "xor": self.xor}[a.op]
            return op(*(self.bit(x) for x in a.args))
        if a.op == "ite" and any(x.op in ("mask", "const") for x in a.args[1:]):
            c, x, y = a.args
            return self.ite(c, self.bit(x), self.bit(y))
        return self.make("bit", 1, (a,))

    def move(self, a: Node, sources: tuple[int, ...]) -> Node:
        """In lane n the value of lane `sources[n]`."""
        if not a.varies or sources == tuple(range(LANES)):
            return a
        if a.op == "move":
            return self.move(a.args[0], tuple(a.data[s] for s in sources))
        return self.make("move", a.width, (a,), sources)

    def pull(self, a: Node, lane: Node) -> Node:
        """The value of `a` in the lane that `lane` (u32, below 64) names."""
        if not a.varies:
            return a
        if not lane.varies:
            return self.at(a, lane)
        return self.make("pull", a.width, (a, lane))

    def at(self, a: Node, lane: Node) -> Node:
        """The value of one lane as a scalar; `lane` is a scalar u32 below 64."""
        return self.make("at", a.width, (a, lane)) if a.varies else a
