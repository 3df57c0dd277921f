"""Contents of buffers before the dispatch, drawn from one seeded generator in buffer order.

Words: `normal(mean, sd)`, `uniform(lo, hi)`, `randint(lo, hi)` (hi excluded), `zeros`, `fill(v)`,
`arange` or `arange(start, step)`, `permutation(n)` (first elements of a random permutation of
0..n-1), `indptr(L)` = 0, L, 2L, ..., `codes(lo, hi)` (8-bit floats: random sign, magnitude bits
from lo to hi-1), and the expert routing words of `capsule.routing`. A drawn word may be scaled:
`uniform(-1, 1) / sqrt(K)`. `file:name.npy` takes an array from beside the description.
"""

from __future__ import annotations

import ast
import errno
import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from asmevo.capsule import routing
from asmevo.capsule.dtypes import DType
from asmevo.capsule.expressions import Number, evaluate_node, parse
from asmevo.errors import InputError

FILE = "file:"
"""How an initializer begins that takes an array from a file beside the description."""
_LARGEST_NPY_HEADER = 1 << 16
_CHUNK = 1 << 20  # elements drawn at a time: bounds the float64 scratch of a large buffer
_Words = Callable[[int, int, tuple[Number, ...]], NDArray[Any]]


class Initializer:
    """Draws the buffers of one capsule.

    The same seed, names and sequence of `fill` calls give the same bytes.
    """

    def __init__(self, seed: int | list[int], names: Mapping[str, int], directory: Path) -> None:
        """Start drawing.

        Args:
            seed: seed of NumPy's default generator (PCG64).
            names: size names for the words' parameters.
            directory: where `file:` paths start.
        """
        self._rng = np.random.default_rng(seed)
        self._names = names
        self._directory = directory
        self._routing: dict[tuple[int, ...], routing.Routing] = {}

    def fill(self, text: str, element: DType, shape: tuple[int, ...], what: str) -> bytes:
        """Contents of the next buffer, little endian, row major.

        Args:
            text: the initializer.
            element: element type.
            shape: elements per dimension.
            what: name of the buffer, for errors.

        Raises:
            InputError: unknown word, wrong parameters, or a file that does not fit.
        """
        where = f"init of {what}"
        count = int(np.prod(shape, dtype=np.int64)) if shape else 1
        if text.startswith(FILE):
            return self._file(text[len(FILE) :], element, shape, where)
        word, parameters, scale = self._split(text, where)
        if word == "zeros" and not parameters:
            return bytes(count * element.size)
        if word == "codes":
            return self._codes(parameters, element, count, where)
        draw = self._drawer(word, parameters, count, where)
        out = np.empty(count, dtype=element.numpy)
        for first in range(0, count, _CHUNK):
            last = min(count, first + _CHUNK)
            values = draw(first, last, parameters)
            if scale is not None:
                values = scale(values)
            _check_range(values, element, where)
            with np.errstate(over="ignore"):
                out[first:last] = values.astype(element.numpy)
        return out.tobytes()

    def _split(
        self, text: str, where: str
    ) -> tuple[str, tuple[Number, ...], Callable[[NDArray[Any]], NDArray[Any]] | None]:
        """Word, parameters and scaling of `word(parameters) [*|/ number]`."""
        tree = parse(text, where)
        scale: Callable[[NDArray[Any]], NDArray[Any]] | None = None
        if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Mult | ast.Div):
            factor = evaluate_node(tree.right, self._names, where)
            if isinstance(tree.op, ast.Div):
                if factor == 0:
                    raise InputError(f"{where}: {text!r} divides by zero")
                factor = 1 / factor
            scale = lambda values, f=factor: values * f  # noqa: E731
            tree = tree.left
        if isinstance(tree, ast.Name):
            return tree.id, (), scale
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and not tree.keywords:
            parameters = tuple(evaluate_node(a, self._names, where) for a in tree.args)
            return tree.func.id, parameters, scale
        raise InputError(f"{where}: {text!r} is not understood", _remedy())

    def _drawer(self, word: str, parameters: tuple[Number, ...], count: int, where: str) -> _Words:
        """A function that gives elements [first, last) of the buffer."""
        if word in routing.WORDS:
            values = self._routed(word, parameters, count, where)
            return lambda first, last, _: values[first:last]
        table: dict[str, tuple[tuple[int, ...], _Words]] = {
            "normal": ((2,), lambda a, b, p: self._rng.normal(p[0], p[1], b - a)),
            "uniform": ((2,), lambda a, b, p: self._rng.uniform(p[0], p[1], b - a)),
            "randint": ((2,), lambda a, b, p: self._rng.integers(int(p[0]), int(p[1]), b - a)),
            "fill": ((1,), lambda a, b, p: np.full(b - a, p[0])),
            "arange": ((0, 2), _arange),
            "indptr": ((1,), lambda a, b, p: np.arange(a, b) * p[0]),
            "permutation": ((1,), lambda a, b, p: np.empty(0)),
        }
        if word not in table:
            raise InputError(f"{where}: unknown initializer {word!r}", _remedy())
        arities, draw = table[word]
        if len(parameters) not in arities:
            wanted = " or ".join(map(str, arities))
            raise InputError(
                f"{where}: {word} takes {wanted} parameter(s), {len(parameters)} given"
            )
        whole = word in ("randint", "permutation", "indptr")
        if whole and not all(isinstance(p, int) for p in parameters):
            raise InputError(f"{where}: {word} takes integers")
        _check_parameters(word, parameters, where)
        if word == "permutation":
            if count > parameters[0]:
                raise InputError(
                    f"{where}: permutation({parameters[0]}) is shorter than the {count} elements"
                )
            drawn = self._rng.permutation(int(parameters[0]))[:count]
            return lambda first, last, _: drawn[first:last]
        return draw

    def _codes(
        self, parameters: tuple[Number, ...], element: DType, count: int, where: str
    ) -> bytes:
        if element.size != 1 or len(parameters) != 2:
            raise InputError(f"{where}: codes(lo, hi) is for 8-bit elements")
        low, high = int(parameters[0]), int(parameters[1])
        if not 0 <= low < high <= 128:
            raise InputError(f"{where}: codes({low}, {high}) needs 0 <= lo < hi <= 128")
        magnitude = self._rng.integers(low, high, count, dtype=np.uint8)
        sign = self._rng.integers(0, 2, count, dtype=np.uint8)
        return (magnitude | sign << np.uint8(7)).astype(np.uint8).tobytes()

    def _routed(
        self, word: str, parameters: tuple[Number, ...], count: int, where: str
    ) -> NDArray[Any]:
        if len(parameters) != 4 or not all(isinstance(p, int) for p in parameters):
            raise InputError(f"{where}: {word} takes (T, TOPK, E, BM) as integers")
        tokens, topk, experts, block = (int(p) for p in parameters)
        key = (tokens, topk, experts, block)
        if key not in self._routing:
            # All words with the same parameters describe one routing, drawn once.
            drawn = routing.Routing.draw(self._rng, tokens, topk, experts, block, where)
            self._routing[key] = drawn
        return self._routing[key].buffer(word, count, where)

    def _file(self, name: str, element: DType, shape: tuple[int, ...], where: str) -> bytes:
        relative = PurePosixPath(name)
        if relative.is_absolute() or ".." in relative.parts or relative.suffix != ".npy":
            raise InputError(
                f"{where}: file {name!r} is refused",
                "give an .npy file beside or below the launch description",
            )
        path = self._directory / relative
        try:
            with open_below(self._directory, relative) as stream:
                _affordable(stream, element, shape)
                # Pickled arrays run code on loading.
                array: NDArray[Any] = np.load(stream, allow_pickle=False)
        except (OSError, ValueError, EOFError, MemoryError) as error:
            raise InputError(f"{where}: cannot read {path}: {error}") from None
        if array.shape != shape:
            raise InputError(f"{where}: {name} has shape {list(array.shape)}, wanted {list(shape)}")
        # .npy has no bfloat16 or 8-bit floats: raw integers of that width carry their bits.
        raw = array.dtype.kind in "uiV" and array.dtype.itemsize == element.size
        if array.dtype == element.numpy:
            return np.ascontiguousarray(array).tobytes()
        if element.kind == "float" and element.name not in ("f16", "f32", "f64") and raw:
            return np.ascontiguousarray(array).tobytes()
        raise InputError(f"{where}: {name} holds {array.dtype}, wanted {element.name}")


def open_below(folder: Path, relative: PurePosixPath) -> BinaryIO:
    """A regular file below a folder, opened without following a link out of it.

    Every step is opened relative to the one before and without links, so that neither a link nor
    a rename in between leads elsewhere; and without waiting, so that a FIFO does not hang.

    Raises:
        OSError: it is not there, a link, or no regular file.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    # The folder itself may be a link: it is the one that the user named.
    at = os.open(folder, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
    try:
        for part in relative.parts[:-1]:
            inner = os.open(part, flags | os.O_DIRECTORY, dir_fd=at)
            os.close(at)
            at = inner
        handle = os.open(relative.parts[-1], flags, dir_fd=at)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise OSError(error.errno, "symbolic links are not followed") from None
        raise
    finally:
        os.close(at)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "is no regular file")
    return os.fdopen(handle, "rb")


def _affordable(stream: BinaryIO, element: DType, shape: tuple[int, ...]) -> None:
    """Refuse a file that is much larger than the array that is wanted, before it is read."""
    size = os.fstat(stream.fileno()).st_size
    most = int(np.prod(shape, dtype=np.int64)) * max(element.size, 1) + _LARGEST_NPY_HEADER
    if size > most:
        raise ValueError(f"{size} bytes, wanted are at most {most}")


def _arange(first: int, last: int, parameters: tuple[Number, ...]) -> NDArray[Any]:
    start, step = parameters if parameters else (0, 1)
    return start + np.arange(first, last) * step


def _check_parameters(word: str, p: tuple[Number, ...], where: str) -> None:
    if word == "normal" and p[1] < 0:
        raise InputError(f"{where}: normal with negative deviation {p[1]}")
    if word == "uniform" and p[1] < p[0]:
        raise InputError(f"{where}: uniform({p[0]}, {p[1]}) is empty")
    if word == "randint" and (p[1] <= p[0] or p[0] < -(1 << 63) or p[1] > (1 << 63) - 1):
        raise InputError(f"{where}: randint({p[0]}, {p[1]}) is empty or beyond 64 bits")


def _check_range(values: NDArray[Any], element: DType, where: str) -> None:
    """Integers must hold every value: a silent wrap would be an input nobody asked for."""
    if element.kind == "float" or not values.size:
        return
    info = np.iinfo(element.numpy)
    if values.dtype.kind == "f" and not np.array_equal(values, np.trunc(values)):
        raise InputError(
            f"{where}: fractions do not fit into {element.name}", "use randint or arange"
        )
    low, high = values.min(), values.max()
    if int(low) < info.min or int(high) > info.max:
        raise InputError(f"{where}: values {low}..{high} do not fit into {element.name}")


def _remedy() -> str:
    return (
        "use normal, uniform, randint, zeros, fill, arange, permutation, indptr, codes, "
        + ", ".join(routing.WORDS)
        + " or file:NAME.npy"
    )
