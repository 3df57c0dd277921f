"""A program on the vendor's rocSPARSE. Usage: rocsparse.py LIBRARY. Prints which routines agree.

Every answer is NumPy's, in double precision; inputs are seeded.
"""

import ctypes
import json
import sys

import numpy as np

hip = ctypes.CDLL("libamdhip64.so.5")
sparse = ctypes.CDLL(sys.argv[1])
P, I32, F, D, SIZE = (
    ctypes.c_void_p, ctypes.c_int, ctypes.c_float, ctypes.c_double, ctypes.c_size_t,
)  # fmt: skip
rng = np.random.default_rng(7)


class Array:
    """Device memory with a NumPy view: the emulated runtime shares it."""

    def __init__(self, values):
        values = np.ascontiguousarray(values)
        p = P()
        assert hip.hipMalloc(ctypes.byref(p), SIZE(max(8, values.nbytes))) == 0
        self.p = p
        raw = (ctypes.c_char * values.nbytes).from_address(p.value)
        self.numpy = np.frombuffer(raw, values.dtype).reshape(values.shape)
        self.numpy[...] = values


def must(name, *arguments):
    status = getattr(sparse, name)(*arguments)
    if status:
        raise RuntimeError(f"{name} gave {status}")


def created(name):
    p = P()
    must(name, ctypes.byref(p))
    return p


def close(got, wanted, tolerance=1e-5):
    assert hip.hipDeviceSynchronize() == 0
    got, wanted = np.asarray(got, np.float64), np.asarray(wanted, np.float64)
    return bool(np.abs(got - wanted).max() <= tolerance * max(1.0, np.abs(wanted).max()))


handle = created("rocsparse_create_handle")
description = created("rocsparse_create_mat_descr")
N, M, NNZ = 500, 64, 120
index = np.sort(rng.choice(N, NNZ, replace=False)).astype(np.int32)
values = rng.normal(size=NNZ).astype(np.float32)
dense = rng.normal(size=N).astype(np.float32)
matrix = (rng.normal(size=(M, M)) * (rng.random((M, M)) < 0.1)).astype(np.float32)
rows, columns = np.nonzero(matrix)
pointer = np.concatenate([[0], np.bincount(rows, minlength=M).cumsum()]).astype(np.int32)
ind, val = Array(index), Array(values)
mp, mc, mv = Array(pointer), Array(columns.astype(np.int32)), Array(matrix[rows, columns])
one, two = F(1.0), F(2.0)


def axpyi():
    y = Array(dense)
    must("rocsparse_saxpyi", handle, I32(NNZ), ctypes.byref(two), val.p, ind.p, y.p, I32(0))
    wanted = dense.copy()
    wanted[index] += 2 * values
    return close(y.numpy, wanted)


def doti():
    y, out = Array(dense), F()
    must("rocsparse_sdoti", handle, I32(NNZ), val.p, ind.p, y.p, ctypes.byref(out), I32(0))
    return close(out.value, np.dot(values.astype(float), dense[index]))


def gthr():
    y, x = Array(dense), Array(np.zeros(NNZ, np.float32))
    must("rocsparse_sgthr", handle, I32(NNZ), y.p, x.p, ind.p, I32(0))
    return close(x.numpy, dense[index])


def gthrz():
    y, x = Array(dense), Array(np.zeros(NNZ, np.float32))
    must("rocsparse_sgthrz", handle, I32(NNZ), y.p, x.p, ind.p, I32(0))
    wanted = dense.copy()
    wanted[index] = 0
    return close(x.numpy, dense[index]) and close(y.numpy, wanted)


def sctr():
    y = Array(dense)
    must("rocsparse_ssctr", handle, I32(NNZ), val.p, ind.p, y.p, I32(0))
    wanted = dense.copy()
    wanted[index] = values
    return close(y.numpy, wanted)


def roti():
    x, y, c, s = Array(values), Array(dense), F(0.8), F(0.6)
    must("rocsparse_sroti", handle, I32(NNZ), x.p, ind.p, y.p, ctypes.byref(c), ctypes.byref(s),
         I32(0))  # fmt: skip
    wanted = dense.copy()
    wanted[index] = 0.8 * dense[index] - 0.6 * values
    return close(x.numpy, 0.8 * values + 0.6 * dense[index]) and close(y.numpy, wanted)


def csrmv():
    x, y = Array(dense[:M]), Array(np.zeros(M, np.float32))
    must("rocsparse_scsrmv", handle, I32(111), I32(M), I32(M), I32(len(rows)), ctypes.byref(one),
         description, mv.p, mp.p, mc.p, None, x.p, ctypes.byref(F(0.0)), y.p)  # fmt: skip
    return close(y.numpy, matrix.astype(float) @ dense[:M])


def csrmm():
    b, c = Array(rng.normal(size=(8, M)).astype(np.float32)), Array(np.zeros((8, M), np.float32))
    must("rocsparse_scsrmm", handle, I32(111), I32(111), I32(M), I32(8), I32(M), I32(len(rows)),
         ctypes.byref(one), description, mv.p, mp.p, mc.p, b.p, I32(M), ctypes.byref(F(0.0)),
         c.p, I32(M))  # fmt: skip
    return close(c.numpy.T, matrix.astype(float) @ b.numpy.T)


def csr2coo():
    out = Array(np.zeros(len(rows), np.int32))
    must("rocsparse_csr2coo", handle, mp.p, I32(len(rows)), I32(M), out.p, I32(0))
    return close(out.numpy, rows)


def coo2csr():
    given, out = Array(rows.astype(np.int32)), Array(np.zeros(M + 1, np.int32))
    must("rocsparse_coo2csr", handle, given.p, I32(len(rows)), I32(M), out.p, I32(0))
    return close(out.numpy, pointer)


def csr2dense():
    out = Array(np.zeros((M, M), np.float32))
    must("rocsparse_scsr2dense", handle, I32(M), I32(M), description, mv.p, mp.p, mc.p, out.p,
         I32(M))  # fmt: skip
    return close(out.numpy.T, matrix)


seen = {}
for routine in (axpyi, doti, gthr, gthrz, sctr, roti, csrmv, csrmm, csr2coo, coo2csr, csr2dense):
    try:
        seen[routine.__name__] = routine()
    except RuntimeError as err:
        seen[routine.__name__] = str(err)
print(json.dumps(seen))
