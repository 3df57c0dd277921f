"""Terms in bitwuzla: whether two of them can differ, and in which state they do.

A lane-dependent term is asked about in one lane that may be any. Initial vector registers are
functions of the lane; loads, float opcodes and matrix results are functions of what they depend
on. A lane mask that is used as a number is a 64-bit variable which has the mask's value in every
lane that a question looks at; that is less than is known of it, so what is found to be equal is.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from asmevo.prove.backend import Bitwuzla, Kind, Option, Options, Result, TermManager
from asmevo.prove.ieee import Ieee
from asmevo.prove.terms.node import LANES, MEMORY, Node

Term = Any
_LANE_BITS = 6
_BINARY = {
    "add": Kind.BV_ADD, "sub": Kind.BV_SUB, "mul": Kind.BV_MUL, "and": Kind.BV_AND,
    "or": Kind.BV_OR, "xor": Kind.BV_XOR, "shl": Kind.BV_SHL, "lshr": Kind.BV_SHR,
    "ashr": Kind.BV_ASHR, "concat": Kind.BV_CONCAT, "eq": Kind.BV_COMP,
}  # fmt: skip
_NAMED = frozenset({"named", "float", "load"})
_OPAQUE = frozenset({"initial", "store", "stored", "event", "after"})
_MOST_TERMS = 400_000


def _resident_mb() -> int:
    """Memory of this process, MB; bitwuzla counts all of it, not only what it takes itself."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") >> 20


class OutOfTime(Exception):
    """The limit was reached before an answer."""


@dataclass(slots=True)
class Model:
    """A state in which two terms differ, as far as the question named it.

    Attributes:
        lane: the lane that was asked about.
        scalars: by unit.
        vectors: by unit, by lane.
    """

    lane: int
    scalars: dict[int, int] = field(default_factory=dict[int, int])
    vectors: dict[int, dict[int, int]] = field(default_factory=dict[int, dict[int, int]])


class Solver:
    """Questions about one window's terms.

    Args:
        deadline: of `time.monotonic`.
        memory_mb: limit of one question.
        ieee: floats are IEEE 754's rather than functions of which only the name is known.
    """

    def __init__(self, deadline: float, memory_mb: int, ieee: bool = False) -> None:
        self._deadline, self._memory = deadline, memory_mb
        self._tm = TermManager()
        self._done: dict[tuple[int, int], Term] = {}
        self._symbols: dict[object, Term] = {}
        self._masks: dict[int, tuple[Node, Term]] = {}
        self._lanes: dict[int, Term] = {}
        self._bound: set[tuple[int, int]] = set()
        self._facts: list[Term] = []
        self._same: dict[int, int] = {}
        self._inputs: dict[tuple[int, int], Term] = {}
        self._fresh = 0
        self._ieee = Ieee(self._tm, self._facts) if ieee else None
        self.questions = 0

    # --- what is known to be the same -------------------------------------------------------
    def alike(self, a: Node, b: Node) -> None:
        """Note that two opaque nodes are equal."""
        first, second = sorted((self.representative(a), self.representative(b)))
        self._same[second] = first

    def representative(self, node: Node) -> int:
        """The number of the first node that is known to equal an opaque one."""
        number = node.number
        while number in self._same:
            number = self._same[number]
        return number

    # --- questions --------------------------------------------------------------------------
    def equal(self, pairs: Sequence[tuple[Node, Node]], given: Node | None = None) -> bool:
        """Whether no state and lane makes one of some pairs differ; `differ` without a model."""
        return self.differ(pairs, given, modelled=False) is None

    def differ(
        self, pairs: Sequence[tuple[Node, Node]], given: Node | None = None, modelled: bool = True
    ) -> Model | None:
        """A state and lane in which one of some pairs differs, or None if there is none.

        Args:
            pairs: terms of equal width, none of memory.
            given: a boolean that holds in that state and lane.
            modelled: the model is wanted, and not just that there is one.

        Raises:
            OutOfTime: the limit of time, memory or size was reached.
        """
        lane = self._new_lane()
        asked = [
            self._term(Kind.DISTINCT, self.emit(a, lane), self.emit(b, lane)) for a, b in pairs
        ]
        question = asked[0] if len(asked) == 1 else self._term(Kind.OR, *asked)
        clauses = [question]
        if given is not None:
            one = self._tm.mk_bv_one(self._tm.mk_bv_sort(1))
            clauses.append(self._term(Kind.EQUAL, self.emit(given, lane), one))
        self._bind_masks()
        return self._ask(lane, clauses, modelled)

    def _ask(self, lane: Term, clauses: list[Term], modelled: bool) -> Model | None:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise OutOfTime
        self.questions += 1
        options = Options()
        options.set(Option.PRODUCE_MODELS, modelled)
        options.set(Option.TIME_LIMIT_PER, max(1, int(1000 * left)))
        options.set(Option.MEMORY_LIMIT, _resident_mb() + self._memory)
        solver = Bitwuzla(self._tm, options)
        for clause in (*self._facts, *clauses):
            solver.assert_formula(clause)
        result = solver.check_sat()
        if result == Result.UNSAT:
            return None
        if result != Result.SAT:
            raise OutOfTime
        return self._model(solver, lane) if modelled else Model(0)

    def _model(self, solver: Any, lane: Term) -> Model:
        def number(term: Term) -> int:
            return int(solver.get_value(term).value(10))

        model = Model(number(lane))
        for (unit, at), term in self._inputs.items():
            if at < 0:
                model.scalars[unit] = number(term)
            else:
                where = number(self._lanes[at])
                model.vectors.setdefault(unit, {})[where] = number(term)
        return model

    # --- emission ---------------------------------------------------------------------------
    def _new_lane(self) -> Term:
        self._fresh += 1
        lane = self._tm.mk_const(self._tm.mk_bv_sort(_LANE_BITS), f"lane{self._fresh}")
        return self._known_lane(lane)

    def _known_lane(self, lane: Term) -> Term:
        self._lanes.setdefault(lane.id(), lane)
        return lane

    def _term(self, kind: Any, *args: Term, at: tuple[int, ...] = ()) -> Term:
        return self._tm.mk_term(kind, list(args), list(at))

    def _number(self, width: int, value: int) -> Term:
        return self._tm.mk_bv_value(self._tm.mk_bv_sort(width), value)

    def emit(self, node: Node, lane: Term) -> Term:
        """A node as a term; a lane-dependent one as `lane` (6 bits) sees it."""
        todo = [(node, lane)]
        while todo:
            n, where = todo[-1]
            key = (n.number, where.id() if n.varies else -1)
            if key in self._done:
                todo.pop()
                continue
            missing = [
                (a, w)
                for a, w in self._needs(n, where)
                if (a.number, w.id() if a.varies else -1) not in self._done
            ]
            if missing:
                todo += missing
                continue
            self._done[key] = self._build(n, where)
            if len(self._done) > _MOST_TERMS:
                raise OutOfTime
            todo.pop()
        return self._get(node, lane)

    def _get(self, node: Node, lane: Term) -> Term:
        return self._done[node.number, lane.id() if node.varies else -1]

    def _needs(self, n: Node, lane: Term) -> Iterator[tuple[Node, Term]]:
        if n.op in ("mask", "wave", "result") or n.op in _OPAQUE:
            return
        if n.op == "move":
            yield n.args[0], self._moved(lane, n.data)
        elif n.op in ("pull", "at"):
            value, which = n.args
            yield which, lane
            if (which.number, lane.id() if which.varies else -1) in self._done:
                yield value, self._lane_of(self._get(which, lane))
        else:
            for a in n.args:
                if a.width != MEMORY:
                    yield a, lane

    def _lane_of(self, number: Term) -> Term:
        return self._known_lane(self._term(Kind.BV_EXTRACT, number, at=(_LANE_BITS - 1, 0)))

    def _moved(self, lane: Term, sources: tuple[int, ...]) -> Term:
        """A fixed permutation of the lane's number, bit by bit from six tables."""
        key = ("moved", lane.id(), sources)
        known = self._symbols.get(key)
        if known is not None:
            return known
        wide = self._term(Kind.BV_ZERO_EXTEND, lane, at=(LANES - _LANE_BITS,))
        bits: list[Term] = []
        for bit in reversed(range(_LANE_BITS)):
            table = sum(1 << n for n, s in enumerate(sources) if s >> bit & 1)
            shifted = self._term(Kind.BV_SHR, self._number(LANES, table), wide)
            bits.append(self._term(Kind.BV_EXTRACT, shifted, at=(0, 0)))
        made = self._known_lane(self._term(Kind.BV_CONCAT, *bits))
        self._symbols[key] = made
        return made

    def _symbol(self, key: object, domain: Sequence[int], width: int) -> Term:
        known = self._symbols.get(key)
        if known is None:
            tm = self._tm
            sort = tm.mk_bv_sort(width)
            if domain:
                sort = tm.mk_fun_sort([tm.mk_bv_sort(w) for w in domain], sort)
            known = tm.mk_const(sort, f"f{len(self._symbols)}")
            self._symbols[key] = known
        return known

    def _call(self, key: object, args: Sequence[Term], widths: Sequence[int], width: int) -> Term:
        symbol = self._symbol(key, widths, width)
        return self._term(Kind.APPLY, symbol, *args) if args else symbol

    def _build(self, n: Node, lane: Term) -> Term:
        op = n.op
        if op in _BINARY:
            return self._term(_BINARY[op], *(self._get(a, lane) for a in n.args))
        if op == "const":
            return self._number(n.width, n.data)
        if op == "ite":
            c, a, b = (self._get(x, lane) for x in n.args)
            one = self._number(1, 1)
            return self._term(Kind.ITE, self._term(Kind.EQUAL, c, one), a, b)
        if op in ("ult", "slt"):
            kind = Kind.BV_ULT if op == "ult" else Kind.BV_SLT
            held = self._term(kind, *(self._get(a, lane) for a in n.args))
            return self._term(Kind.ITE, held, self._number(1, 1), self._number(1, 0))
        if op in ("not", "extract", "zext", "sext"):
            return self._part(n, self._get(n.args[0], lane))
        if op in ("scalar", "vector", "lane"):
            return self._input(n, lane)
        if op == "bit":
            wide = self._term(Kind.BV_ZERO_EXTEND, lane, at=(LANES - _LANE_BITS,))
            shifted = self._term(Kind.BV_SHR, self._get(n.args[0], lane), wide)
            return self._term(Kind.BV_EXTRACT, shifted, at=(0, 0))
        if op == "move":
            return self._get(n.args[0], self._moved(lane, n.data))
        if op in ("pull", "at"):
            return self._get(n.args[0], self._lane_of(self._get(n.args[1], lane)))
        if op == "mask":
            return self._mask(n)
        if op == "wave":
            return self._call(("wave", self.representative(n)), [lane], [_LANE_BITS], n.width)
        if op == "result":
            return self._call(("result", self.representative(n)), [], [], n.width)
        if op in _NAMED:
            return self._function(n, lane)
        return self._counted(n, self._get(n.args[0], lane))

    def _part(self, n: Node, a: Term) -> Term:
        if n.op == "not":
            return self._term(Kind.BV_NOT, a)
        if n.op == "extract":
            return self._term(Kind.BV_EXTRACT, a, at=(n.data + n.width - 1, n.data))
        kind = Kind.BV_ZERO_EXTEND if n.op == "zext" else Kind.BV_SIGN_EXTEND
        return self._term(kind, a, at=(n.width - n.args[0].width,))

    def _input(self, n: Node, lane: Term) -> Term:
        if n.op == "lane":
            return self._term(Kind.BV_ZERO_EXTEND, lane, at=(32 - _LANE_BITS,))
        if n.op == "scalar":
            term = self._call(("scalar", n.data), [], [], n.width)
            self._inputs[n.data, -1] = term
            return term
        term = self._call(("vector", n.data), [lane], [_LANE_BITS], n.width)
        self._inputs[n.data, lane.id()] = term
        return term

    def _function(self, n: Node, lane: Term) -> Term:
        args = [a for a in n.args if a.width != MEMORY]
        versions = tuple(self.representative(a) for a in n.args if a.width == MEMORY)
        terms = [self._get(a, lane) for a in args]
        if n.op == "float" and self._ieee is not None:
            exact = self._ieee.term(n, terms)
            if exact is not None:
                return exact
        widths = [a.width for a in args]
        return self._call((n.op, n.data, versions, tuple(widths), n.width), terms, widths, n.width)

    def _counted(self, n: Node, a: Term) -> Term:
        """Counts of bits and their reversal."""
        w = n.width
        bits = [self._term(Kind.BV_EXTRACT, a, at=(i, i)) for i in range(w)]
        if n.op == "bitreverse":
            return self._term(Kind.BV_CONCAT, *bits)
        if n.op == "popcount":
            total = self._number(w, 0)
            for bit in bits:
                wide = self._term(Kind.BV_ZERO_EXTEND, bit, at=(w - 1,))
                total = self._term(Kind.BV_ADD, total, wide)
            return total
        assert n.op in ("ctlz", "cttz"), n.op
        order = range(w) if n.op == "ctlz" else reversed(range(w))
        one, found = self._number(1, 1), self._number(w, w)
        for i in order:  # the bit that decides is looked at last
            count = w - 1 - i if n.op == "ctlz" else i
            is_set = self._term(Kind.EQUAL, bits[i], one)
            found = self._term(Kind.ITE, is_set, self._number(w, count), found)
        return found

    # --- lane masks as numbers ----------------------------------------------------------------
    def _mask(self, n: Node) -> Term:
        term = self._call(("mask", n.number), [], [], LANES)
        self._masks[n.number] = (n.args[0], term)
        return term

    def _at(self, number: Term, lane: Term) -> Term:
        wide = self._term(Kind.BV_ZERO_EXTEND, lane, at=(LANES - _LANE_BITS,))
        return self._term(Kind.BV_EXTRACT, self._term(Kind.BV_SHR, number, wide), at=(0, 0))

    def _bind_masks(self) -> None:
        """State each mask's bits in the lanes looked at, and where masks differ or are not all."""
        witnessed: set[int | tuple[int, int]] = set()
        key = "witnessed"
        known: Any = self._symbols.setdefault(key, witnessed)
        while True:
            size = len(self._facts)
            for number, (_, term) in list(self._masks.items()):
                if number not in known:
                    known.add(number)
                    self._witness(term, self._number(LANES, 0))
                    self._witness(term, self._number(LANES, (1 << LANES) - 1))
            for first, (_, a) in list(self._masks.items()):
                for second, (_, b) in list(self._masks.items()):
                    if first < second and (first, second) not in known:
                        known.add((first, second))
                        self._witness(a, b)
            for number, (node, term) in list(self._masks.items()):
                for identity, lane in list(self._lanes.items()):
                    if (number, identity) not in self._bound:
                        self._bound.add((number, identity))
                        bit = self.emit(node, lane)
                        self._facts.append(self._term(Kind.EQUAL, self._at(term, lane), bit))
            if len(self._bound) > 2000:
                raise OutOfTime
            if len(self._facts) == size:
                return

    def _witness(self, a: Term, b: Term) -> None:
        """If two numbers differ, then in the bit of some lane."""
        lane = self._new_lane()
        same = self._term(Kind.EQUAL, a, b)
        apart = self._term(Kind.DISTINCT, self._at(a, lane), self._at(b, lane))
        self._facts.append(self._term(Kind.OR, same, apart))
