"""Sizes as polynomials of size names that are linear in each name, found from measured points.

The last byte that a kernel touches behind a pointer is a sum of products of its sizes and strides
almost always: `(rows - 1) * stride + columns`. Such a sum has one coefficient for each subset of
the names, and as many measured points give them all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import gcd, prod

Term = tuple[str, ...]
Measure = Callable[[Mapping[str, int]], int | None]
MOST_NAMES = 6


@dataclass(frozen=True, slots=True)
class Polynomial:
    """A sum of integer multiples of products of distinct names.

    Attributes:
        terms: coefficient of each product (names in order); no zeros. `()` is the constant.
        over: what the sum is divided by; the sizes that it holds for leave no rest.
    """

    terms: Mapping[Term, int]
    over: int = 1

    @classmethod
    def of(cls, terms: Mapping[Term, int], over: int = 1) -> Polynomial:
        """The same sum without zero terms, in lowest terms."""
        kept = {t: c for t, c in terms.items() if c}
        common = gcd(over, *kept.values())
        return cls({t: c // common for t, c in kept.items()}, over // common)

    @property
    def names(self) -> frozenset[str]:
        """Names that it depends on."""
        return frozenset(n for t in self.terms for n in t)

    def value(self, names: Mapping[str, int]) -> int:
        """Its value."""
        return sum(c * prod(names[n] for n in t) for t, c in self.terms.items()) // self.over

    def divided(self, by: int) -> Polynomial | None:
        """It divided by an integer, or None where that leaves a rest."""
        found = Polynomial.of(self.terms, self.over * by)
        return found if self.over > 1 or found.over == 1 else None

    def replaced(self, by: Mapping[str, Polynomial]) -> Polynomial:
        """It with polynomials in the place of some names."""
        terms: dict[Term, int] = {}
        # Everything over one common divisor.
        scale = prod(by[n].over for n in self.names & by.keys())
        for term, coefficient in self.terms.items():
            given = prod(by[n].over for n in set(term) & by.keys())
            product: dict[Term, int] = {(): coefficient * (scale // given)}
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
        return Polynomial.of(terms, self.over * scale)

    @property
    def is_product(self) -> bool:
        """Whether it is a product of integers and of names less integers."""
        rest = Polynomial(self.terms)
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
        text = "".join(parts) or "0"
        return text if self.over == 1 else f"({text}) // {self.over}"

    def factors(self, order: Sequence[str] = ()) -> tuple[str, ...]:
        """Expressions whose product it is: one per name where it splits, else itself alone.

        Args:
            order: names in the order in which their factors shall come.
        """
        if not self.terms:
            return ("0",)
        if self.over > 1:
            return (self.text(),)
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
    measure: Measure, base: Mapping[str, int], steps: Mapping[str, int], many: int = 1
) -> tuple[str, ...] | None:
    """Names whose change changes the measured value; None where there is no value.

    Each is changed by its step and by `many` of them: what counts tiles shows no small change.
    """
    start = measure(base)
    if start is None:
        return None
    found: list[str] = []
    for name, step in steps.items():
        other = measure({**base, name: base[name] + step})
        if other is None:
            return None
        far = measure({**base, name: base[name] + many * step})
        if other != start or far not in (None, start):
            found.append(name)
    return tuple(found)


def fit(
    measure: Measure, base: Mapping[str, int], steps: Mapping[str, int], many: int = 1
) -> Polynomial | None:
    """The polynomial through the corners of the box from `base` to `base + steps`, if it is one.

    It is checked at points beyond the corners: further out on each axis, and on all of them.

    Args:
        measure: the value at a point; None where there is none.
        base: a value of each name.
        steps: the names that the value depends on, and how far to go.
        many: it must hold, where it can be measured, so many steps away from `base`.
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
    whole = prod(steps.values())
    for chosen in values:
        # Divided difference: the coefficient of the product of (name - base) over `chosen`.
        difference = sum(
            (-1) ** (len(chosen) - len(part)) * values[part] for part in _subsets(chosen)
        )
        slope = difference * (whole // prod(steps[n] for n in chosen))
        for part in _subsets(chosen):
            constant = prod(-base[n] for n in chosen if n not in part)
            terms[part] = terms.get(part, 0) + slope * constant
    poly = Polynomial.of(terms, whole)
    far = [{**base, n: base[n] + 3 * steps[n]} for n in names]
    far.append({**base, **{n: base[n] + (2 + i % 2) * steps[n] for i, n in enumerate(names)}})
    if any(measure(point) != poly.value(point) for point in far):
        return None
    beyond = [{**base, n: base[n] + many * steps[n]} for n in names]
    return poly if all(measure(p) in (None, poly.value(p)) for p in beyond) else None


def _subsets(names: Term) -> list[Term]:
    return [c for count in range(len(names) + 1) for c in combinations(names, count)]
