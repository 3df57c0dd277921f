"""Sizes as polynomials of size names that are linear in each name, found from measured points.

The last byte that a kernel touches behind a pointer is a sum of products of its sizes and strides
almost always: `(rows - 1) * stride + columns`. Such a sum has one coefficient for each subset of
the names, and as many measured points give them all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

Term = tuple[str, ...]
Measure = Callable[[Mapping[str, int]], int | None]
MOST_NAMES = 6


@dataclass(frozen=True, slots=True)
class Polynomial:
    """A sum of integer multiples of products of distinct names.

    Attributes:
        terms: coefficient of each product (names in order); no zeros. `()` is the constant.
    """

    terms: Mapping[Term, int]

    @classmethod
    def of(cls, terms: Mapping[Term, int]) -> Polynomial:
        """The same sum without zero terms."""
        return cls({t: c for t, c in terms.items() if c})

    @property
    def names(self) -> frozenset[str]:
        """Names that it depends on."""
        return frozenset(n for t in self.terms for n in t)

    def value(self, names: Mapping[str, int]) -> int:
        """Its value."""
        return sum(c * prod(names[n] for n in t) for t, c in self.terms.items())

    def divided(self, by: int) -> Polynomial | None:
        """It divided by an integer, or None where that leaves a rest."""
        if any(c % by for c in self.terms.values()):
            return None
        return Polynomial({t: c // by for t, c in self.terms.items()})

    def replaced(self, by: Mapping[str, Polynomial]) -> Polynomial:
        """It with polynomials in the place of some names."""
        terms: dict[Term, int] = {}
        for term, coefficient in self.terms.items():
            product: dict[Term, int] = {(): coefficient}
            for name in term:
                factor = by[name].terms if name in by else {(name,): 1}
                grown: dict[Term, int] = {}
                for left, c in product.items():
                    for right, k in factor.items():
                        both = tuple(sorted((*left, *right)))
                        grown[both] = grown.get(both, 0) + c * k
                product = grown
            for part, c in product.items():
                terms[part] = terms.get(part, 0) + c
        return Polynomial.of(terms)

    @property
    def is_product(self) -> bool:
        """Whether it is a product of integers and of names less integers."""
        rest = self
        for name in sorted(self.names):
            while name in rest.names:
                split = _split(rest, name)
                if split is None:
                    return False
                rest = split[1]
        return True

    def text(self) -> str:
        """As an expression of a launch description."""
        parts: list[str] = []
        for term, c in sorted(self.terms.items(), key=lambda item: (-len(item[0]), item[0])):
            size = "*".join(term)
            words = str(abs(c)) if not term else size if abs(c) == 1 else f"{abs(c)}*{size}"
            sign = ("-" if c < 0 else "") if not parts else (" - " if c < 0 else " + ")
            parts.append(sign + words)
        return "".join(parts) or "0"

    def factors(self, order: Sequence[str] = ()) -> tuple[str, ...]:
        """Expressions whose product it is: one per name where it splits, else itself alone.

        Args:
            order: names in the order in which their factors shall come.
        """
        if not self.terms:
            return ("0",)
        rest, found = self, list[str]()
        names = [*(n for n in order if n in self.names), *sorted(self.names - set(order))]
        for name in [n for n in names for _ in range(2)]:  # a square has it twice
            split = _split(rest, name) if name in rest.names else None
            if split is None:
                continue
            offset, rest = split
            words = (
                name
                if not offset
                else f"{name} - {offset}"
                if offset > 0
                else f"{name} + {-offset}"
            )
            found.append(words)
        words = found
        if rest.terms != {(): 1} or not words:
            words.append(rest.text())
        return tuple(words)


def _split(poly: Polynomial, name: str) -> tuple[int, Polynomial] | None:
    """(k, rest) with poly = (name - k) * rest, or None."""
    if any(t.count(name) > 1 for t in poly.terms):
        return _power(poly, name)
    high = {tuple(n for n in t if n != name): c for t, c in poly.terms.items() if name in t}
    low = {t: c for t, c in poly.terms.items() if name not in t}
    if not high:
        return None
    if not low:
        return 0, Polynomial(high)
    if high.keys() != low.keys():
        return None
    ratios = {-low[t] / high[t] for t in high}
    if len(ratios) != 1:
        return None
    (ratio,) = ratios
    return (int(ratio), Polynomial(high)) if ratio == int(ratio) else None


def _power(poly: Polynomial, name: str) -> tuple[int, Polynomial] | None:
    """One factor `name` of a polynomial all of whose terms have it."""
    if any(name not in t for t in poly.terms):
        return None
    rest: dict[Term, int] = {}
    for term, c in poly.terms.items():
        at = term.index(name)
        rest[term[:at] + term[at + 1 :]] = c
    return 0, Polynomial(rest)


def depends_on(
    measure: Measure, base: Mapping[str, int], steps: Mapping[str, int]
) -> tuple[str, ...] | None:
    """Names whose change by their step changes the measured value; None without a value."""
    start = measure(base)
    if start is None:
        return None
    found: list[str] = []
    for name, step in steps.items():
        other = measure({**base, name: base[name] + step})
        if other is None:
            return None
        if other != start:
            found.append(name)
    return tuple(found)


def fit(measure: Measure, base: Mapping[str, int], steps: Mapping[str, int]) -> Polynomial | None:
    """The polynomial through the corners of the box from `base` to `base + steps`, if it is one.

    It is checked at points beyond the corners: further out on each axis, and on all of them.

    Args:
        measure: the value at a point; None where there is none.
        base: a value of each name.
        steps: the names that the value depends on, and how far to go.
    """
    names = tuple(steps)
    if len(names) > MOST_NAMES:
        return None
    values: dict[Term, int] = {}
    for chosen in _subsets(names):
        at = measure({**base, **{n: base[n] + steps[n] for n in chosen}})
        if at is None:
            return None
        values[chosen] = at
    terms: dict[Term, int] = {}
    for chosen in values:
        # Divided difference: the coefficient of the product of (name - base) over `chosen`.
        difference = sum(
            (-1) ** (len(chosen) - len(part)) * values[part] for part in _subsets(chosen)
        )
        slope, rest = divmod(difference, prod(steps[n] for n in chosen))
        if rest:
            return None
        for part in _subsets(chosen):
            constant = prod(-base[n] for n in chosen if n not in part)
            terms[part] = terms.get(part, 0) + slope * constant
    poly = Polynomial.of(terms)
    far = [{**base, n: base[n] + 3 * steps[n]} for n in names]
    far.append({**base, **{n: base[n] + (2 + i % 2) * steps[n] for i, n in enumerate(names)}})
    return poly if all(measure(point) == poly.value(point) for point in far) else None


def _subsets(names: Term) -> list[Term]:
    return [c for count in range(len(names) + 1) for c in combinations(names, count)]
