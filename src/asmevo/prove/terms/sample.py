"""Terms under one random interpretation: numbers for inputs, hashes for unknown functions.

Terms that differ under one interpretation are not equal for all, which spares the solver the
question. Nothing is ever concluded from equal numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from asmevo.prove.terms.node import LANES, Node

_MIX = 0x9E3779B97F4A7C15
_M64 = (1 << 64) - 1


def _hash(*parts: int) -> int:
    value = 0x243F6A8885A308D3
    for part in parts:
        value = (value ^ part) * _MIX & _M64
        value ^= value >> 29
    return value * _MIX & _M64


class Sample:
    """One interpretation.

    Args:
        seed: which.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._known: dict[tuple[int, int], int] = {}
        self._first: dict[int, Node] = {}

    def alike(self, a: Node, b: Node) -> None:
        """Give two opaque nodes that are known to be equal the same numbers."""
        self._first[b.number] = self._first.get(a.number, a)
        self._known.clear()

    def differ(self, pairs: Sequence[tuple[Node, Node]], given: Node | None, lane: int) -> bool:
        """Whether one of some pairs differs in a lane, where `given` holds."""
        try:
            if given is not None and not self.value(given, lane):
                return False
            return any(self.value(a, lane) != self.value(b, lane) for a, b in pairs)
        except RecursionError:  # a very long chain: not known
            return False

    def value(self, node: Node, lane: int) -> int:
        """A node's number in a lane."""
        node = self._first.get(node.number, node)
        key = (node.number, lane if node.varies else -1)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._value(node, lane) & (1 << (node.width or 64)) - 1
        return known

    def _value(self, n: Node, lane: int) -> int:
        op = n.op
        if op == "const":
            return n.data
        if op == "move":
            return self.value(n.args[0], n.data[lane])
        if op in ("pull", "at"):
            return self.value(n.args[0], self.value(n.args[1], lane) % LANES)
        if op == "mask":
            return sum(self.value(n.args[0], at) << at for at in range(LANES))
        if op == "lane":
            return lane
        if op in ("scalar", "vector", "initial"):
            where = lane if op == "vector" else -1
            return _hash(self._seed, hash((op, n.data)), where) >> 7
        args = [self.value(a, lane) for a in n.args]
        made = _computed(n, args)
        if made is not None:
            return made
        if op == "bit":
            return args[0] >> lane
        where = lane if n.varies and op == "wave" else -1
        # Which NaN or rounding an opcode gives is not known here: any function will do.
        return _hash(self._seed, hash((op, n.data, n.width)), where, *args) >> 3


def _signed(value: int, width: int) -> int:
    return value - ((value >> (width - 1)) << width)


def _computed(n: Node, v: list[int]) -> int | None:
    """What arguments give, not yet cut to its width; None for unknown functions."""
    match n.op:
        case "add":
            return v[0] + v[1]
        case "sub":
            return v[0] - v[1]
        case "mul":
            return v[0] * v[1]
        case "and":
            return v[0] & v[1]
        case "or":
            return v[0] | v[1]
        case "xor":
            return v[0] ^ v[1]
        case "not":
            return ~v[0]
        case "shl":
            return v[0] << min(v[1], 64)
        case "lshr":
            return v[0] >> v[1]
        case "ashr":
            return _signed(v[0], n.width) >> v[1]
        case "eq":
            return int(v[0] == v[1])
        case "ult":
            return int(v[0] < v[1])
        case "slt":
            width = n.args[0].width
            return int(_signed(v[0], width) < _signed(v[1], width))
        case "ite":
            return v[1] if v[0] else v[2]
        case "zext":
            return v[0]
        case "sext":
            return _signed(v[0], n.args[0].width)
        case "extract":
            return v[0] >> n.data
        case "concat":
            return v[0] << n.args[1].width | v[1]
        case _:
            return _counted(n, v)


def _counted(n: Node, v: list[int]) -> int | None:
    match n.op:
        case "popcount":
            return v[0].bit_count()
        case "ctlz":
            return n.width - v[0].bit_length()
        case "cttz":
            return (v[0] & -v[0]).bit_length() - 1 if v[0] else n.width
        case "bitreverse":
            return int(f"{v[0]:0{n.width}b}"[::-1], 2)
        case _:
            return None
