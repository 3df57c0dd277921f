"""A program that draws numbers with the vendor's rocRAND. Usage: rocrand.py LIBRARY COUNT [KINDS].

Prints, for each kind of generator, the status of its calls and the words that came.
"""

import ctypes
import json
import sys

hip = ctypes.CDLL("libamdhip64.so.5")
rand = ctypes.CDLL(sys.argv[1])
P, SIZE = ctypes.c_void_p, ctypes.c_size_t
KINDS = {
    "xorwow": 401, "mrg32k3a": 402, "mtgp32": 403, "philox": 404, "mrg31k3p": 405,
    "lfsr113": 406, "sobol32": 501, "scrambled_sobol32": 502, "sobol64": 504,
    "scrambled_sobol64": 505,
}  # fmt: skip
SEED = 0x1234_5678_9ABC_DEF0


def draw(kind, count):
    generator, out = P(), P()
    status = [rand.rocrand_create_generator(ctypes.byref(generator), KINDS[kind])]
    if status[0]:
        return {"status": status}
    if KINDS[kind] < 500:
        status.append(rand.rocrand_set_seed(generator, ctypes.c_ulonglong(SEED)))
    wide = kind.endswith("64")
    word = ctypes.c_ulonglong if wide else ctypes.c_uint
    size = SIZE(count * ctypes.sizeof(word))
    status.append(hip.hipMalloc(ctypes.byref(out), size))
    name = "rocrand_generate_long_long" if wide else "rocrand_generate"
    if not hasattr(rand, name):
        return {"status": [*status, "absent"]}
    status.append(getattr(rand, name)(generator, out, SIZE(count)))
    words = (word * count)()
    status.append(hip.hipMemcpy(words, out, size, 2))
    normals = (ctypes.c_float * count)()
    if kind == "philox":
        status.append(
            rand.rocrand_generate_normal(
                generator, out, SIZE(count), ctypes.c_float(1.0), ctypes.c_float(2.0)
            )
        )
        status.append(hip.hipMemcpy(normals, out, SIZE(4 * count), 2))
    status.append(rand.rocrand_destroy_generator(generator))
    status.append(hip.hipFree(out))
    return {"status": status, "words": list(words), "normals": list(normals)}


def main():
    kinds = sys.argv[3].split(",") if len(sys.argv) > 3 else KINDS
    print(json.dumps({kind: draw(kind, int(sys.argv[2])) for kind in kinds}))


main()
