/* Allocation, copies, fills, pointers. */
#define _GNU_SOURCE
#include "runtime.h"
#include <string.h>

static hipError_t allocate(const char *name, void **out, size_t size, enum Kind kind,
                           uint32_t flags) {
    hipError_t error = enter(name, "%zu 0x%x", size, flags);
    if (error) return leave(error);
    REQUIRE(out, hipErrorInvalidValue);
    *out = NULL;
    if (!size) return leave(hipSuccess);
    *out = arena_allocate(size, kind, flags);
    return leave(*out ? hipSuccess : hipErrorOutOfMemory);
}

EXPORT hipError_t hipMalloc(void **out, size_t size) {
    return allocate(__func__, out, size, DEVICE, 0);
}
EXPORT hipError_t hipMallocAsync(void **out, size_t size, hipStream_t stream) {
    (void)stream;
    return allocate(__func__, out, size, DEVICE, 0);
}
EXPORT hipError_t hipMallocFromPoolAsync(void **out, size_t size, void *pool, hipStream_t s) {
    (void)pool, (void)s;
    return allocate(__func__, out, size, DEVICE, 0);
}
EXPORT hipError_t hipExtMallocWithFlags(void **out, size_t size, unsigned flags) {
    return allocate(__func__, out, size, DEVICE, flags);
}
EXPORT hipError_t hipMallocManaged(void **out, size_t size, unsigned flags) {
    return allocate(__func__, out, size, MANAGED, flags);
}
EXPORT hipError_t hipHostMalloc(void **out, size_t size, unsigned flags) {
    return allocate(__func__, out, size, HOST, flags);
}
EXPORT hipError_t hipHostAlloc(void **out, size_t size, unsigned flags) {
    return allocate(__func__, out, size, HOST, flags);
}
EXPORT hipError_t hipMallocHost(void **out, size_t size) {
    return allocate(__func__, out, size, HOST, 0);
}
EXPORT hipError_t hipMemAllocHost(void **out, size_t size) {
    return allocate(__func__, out, size, HOST, 0);
}
EXPORT hipError_t hipMallocPitch(void **out, size_t *pitch, size_t width, size_t height) {
    if (!pitch || !out) return hipErrorInvalidValue;
    *pitch = (width + 255) / 256 * 256;
    return allocate(__func__, out, *pitch * height, DEVICE, 0);
}
EXPORT hipError_t hipMemAllocPitch(void **out, size_t *pitch, size_t width, size_t height,
                                   unsigned element) {
    (void)element;
    return hipMallocPitch(out, pitch, width, height);
}

static hipError_t release(const char *name, void *p, bool host) {
    hipError_t error = enter(name, "%p", p);
    if (error) return leave(error);
    if (!p) return leave(synchronize());
    Allocation *a = arena_find(p);
    bool right = a && a->base == (uint64_t)p &&
                 (host ? a->kind == HOST : a->kind == DEVICE || a->kind == MANAGED);
    REQUIRE(right, hipErrorInvalidValue);
    arena_free(p);
    return leave(synchronize());
}
EXPORT hipError_t hipFree(void *p) { return release(__func__, p, false); }
EXPORT hipError_t hipFreeAsync(void *p, hipStream_t stream) {
    (void)stream;
    return release(__func__, p, false);
}
EXPORT hipError_t hipHostFree(void *p) { return release(__func__, p, true); }
EXPORT hipError_t hipFreeHost(void *p) { return release(__func__, p, true); }

EXPORT hipError_t hipHostGetDevicePointer(void **out, void *host, unsigned flags) {
    (void)flags;
    ENTER("%p", host);
    REQUIRE(out && host, hipErrorInvalidValue);
    Allocation *a = arena_find(host), *r = a ? NULL : arena_registered(host);
    REQUIRE((a && a->kind == HOST) || r, hipErrorInvalidValue);
    *out = r ? (void *)(r->base + ((uint64_t)host - r->host)) : host;
    return leave(hipSuccess);
}
EXPORT hipError_t hipHostGetFlags(unsigned *flags, void *host) {
    ENTER("%p", host);
    Allocation *a = arena_find(host);
    REQUIRE(flags && a && a->kind == HOST, hipErrorInvalidValue);
    *flags = a->flags;
    return leave(hipSuccess);
}
EXPORT hipError_t hipHostRegister(void *host, size_t size, unsigned flags) {
    ENTER("%p %zu 0x%x", host, size, flags);
    REQUIRE(host && size, hipErrorInvalidValue);
    return leave(arena_register(host, size));
}
EXPORT hipError_t hipHostUnregister(void *host) {
    ENTER("%p", host);
    return leave(arena_unregister(host));
}

/* --- copies ------------------------------------------------------------------------------- */
static hipError_t copied(const char *name, void *to, const void *from, size_t size, int kind,
                         bool waits) {
    hipError_t error = enter(name, "%p %p %zu %d", to, from, size, kind);
    if (error) return leave(error);
    if (waits && (error = synchronize())) return leave(error);
    return leave(copy(to, from, size, kind));
}
EXPORT hipError_t hipMemcpy(void *to, const void *from, size_t size, int kind) {
    return copied(__func__, to, from, size, kind, true);
}
EXPORT hipError_t hipMemcpyAsync(void *to, const void *from, size_t size, int kind,
                                 hipStream_t stream) {
    (void)stream;
    return copied(__func__, to, from, size, kind, false);
}
EXPORT hipError_t hipMemcpyWithStream(void *to, const void *from, size_t size, int kind,
                                      hipStream_t stream) {
    (void)stream;
    return copied(__func__, to, from, size, kind, true);
}
EXPORT hipError_t hipMemcpyHtoD(hipDeviceptr_t to, const void *from, size_t size) {
    return copied(__func__, to, from, size, hipMemcpyHostToDevice, true);
}
EXPORT hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, const void *from, size_t size,
                                     hipStream_t s) {
    (void)s;
    return copied(__func__, to, from, size, hipMemcpyHostToDevice, false);
}
EXPORT hipError_t hipMemcpyDtoH(void *to, hipDeviceptr_t from, size_t size) {
    return copied(__func__, to, from, size, hipMemcpyDeviceToHost, true);
}
EXPORT hipError_t hipMemcpyDtoHAsync(void *to, hipDeviceptr_t from, size_t size, hipStream_t s) {
    (void)s;
    return copied(__func__, to, from, size, hipMemcpyDeviceToHost, false);
}
EXPORT hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t size) {
    return copied(__func__, to, from, size, hipMemcpyDeviceToDevice, true);
}
EXPORT hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t size,
                                     hipStream_t s) {
    (void)s;
    return copied(__func__, to, from, size, hipMemcpyDeviceToDevice, false);
}
EXPORT hipError_t hipMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                                size_t size) {
    (void)to_device, (void)from_device;
    return copied(__func__, to, from, size, hipMemcpyDeviceToDevice, true);
}
EXPORT hipError_t hipMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                     size_t size, hipStream_t s) {
    (void)to_device, (void)from_device, (void)s;
    return copied(__func__, to, from, size, hipMemcpyDeviceToDevice, false);
}

static hipError_t copied_2d(const char *name, void *to, size_t to_pitch, const void *from,
                            size_t from_pitch, size_t width, size_t height, int kind,
                            bool waits) {
    hipError_t error = enter(name, "%p %p %zux%zu %d", to, from, width, height, kind);
    if (!error && waits) error = synchronize();
    if (error) return leave(error);
    REQUIRE(width <= to_pitch && width <= from_pitch, hipErrorInvalidPitchValue);
    for (size_t row = 0; row < height && !error; row++)
        error = copy((char *)to + row * to_pitch, (const char *)from + row * from_pitch, width,
                     kind);
    return leave(error);
}
EXPORT hipError_t hipMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, int kind) {
    return copied_2d(__func__, to, to_pitch, from, from_pitch, width, height, kind, true);
}
EXPORT hipError_t hipMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                                   size_t from_pitch, size_t width, size_t height, int kind,
                                   hipStream_t s) {
    (void)s;
    return copied_2d(__func__, to, to_pitch, from, from_pitch, width, height, kind, false);
}

/* --- variables ---------------------------------------------------------------------------- */
static hipError_t symbol_copy(const char *name, const void *symbol, void *host, size_t size,
                              size_t offset, int kind, bool to_symbol) {
    void *address = NULL;
    size_t whole = 0;
    hipError_t error = enter(name, "%p %zu+%zu %d", symbol, offset, size, kind);
    if (!error) error = registered_variable(symbol, &address, &whole);
    if (error) return leave(error);
    REQUIRE(offset <= whole && size <= whole - offset, hipErrorInvalidValue);
    char *at = (char *)address + offset;
    return leave(to_symbol ? copy(at, host, size, kind) : copy(host, at, size, kind));
}
EXPORT hipError_t hipMemcpyToSymbol(const void *symbol, const void *from, size_t size,
                                    size_t offset, int kind) {
    return symbol_copy(__func__, symbol, (void *)from, size, offset, kind, true);
}
EXPORT hipError_t hipMemcpyToSymbolAsync(const void *symbol, const void *from, size_t size,
                                         size_t offset, int kind, hipStream_t s) {
    (void)s;
    return symbol_copy(__func__, symbol, (void *)from, size, offset, kind, true);
}
EXPORT hipError_t hipMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset,
                                      int kind) {
    return symbol_copy(__func__, symbol, to, size, offset, kind, false);
}
EXPORT hipError_t hipMemcpyFromSymbolAsync(void *to, const void *symbol, size_t size,
                                           size_t offset, int kind, hipStream_t s) {
    (void)s;
    return symbol_copy(__func__, symbol, to, size, offset, kind, false);
}
EXPORT hipError_t hipGetSymbolAddress(void **out, const void *symbol) {
    size_t size;
    ENTER("%p", symbol);
    REQUIRE(out, hipErrorInvalidValue);
    return leave(registered_variable(symbol, out, &size));
}
EXPORT hipError_t hipGetSymbolSize(size_t *out, const void *symbol) {
    void *address;
    ENTER("%p", symbol);
    REQUIRE(out, hipErrorInvalidValue);
    return leave(registered_variable(symbol, &address, out));
}

/* --- fills -------------------------------------------------------------------------------- */
static hipError_t filled(const char *name, void *to, uint32_t value, size_t width, size_t count) {
    hipError_t error = enter(name, "%p 0x%x %zux%zu", to, value, width, count);
    return leave(error ? error : fill(to, value, width, count));
}
#define FILL(name, type, value_type, width)                                                     \
    EXPORT hipError_t name(type to, value_type value, size_t count) {                           \
        return filled(__func__, to, (uint32_t)value, width, count);                             \
    }                                                                                           \
    EXPORT hipError_t name##Async(type to, value_type value, size_t count, hipStream_t s) {     \
        (void)s;                                                                                \
        return filled(__func__, to, (uint32_t)value, width, count);                             \
    }
FILL(hipMemset, void *, int, 1)
FILL(hipMemsetD8, hipDeviceptr_t, unsigned char, 1)
FILL(hipMemsetD16, hipDeviceptr_t, unsigned short, 2)
FILL(hipMemsetD32, hipDeviceptr_t, int, 4)

EXPORT hipError_t hipMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
    ENTER("%p %zux%zu", to, width, height);
    hipError_t error = width <= pitch ? hipSuccess : hipErrorInvalidPitchValue;
    for (size_t row = 0; row < height && !error; row++)
        error = fill((char *)to + row * pitch, (uint32_t)value, 1, width);
    return leave(error);
}
EXPORT hipError_t hipMemset2DAsync(void *to, size_t pitch, int value, size_t width,
                                   size_t height, hipStream_t s) {
    (void)s;
    return hipMemset2D(to, pitch, value, width, height);
}

/* --- questions ---------------------------------------------------------------------------- */
EXPORT hipError_t hipMemGetInfo(size_t *unused, size_t *total) {
    uint64_t a, b;
    ENTER("%s", "");
    REQUIRE(unused && total, hipErrorInvalidValue);
    arena_numbers(&a, &b);
    *unused = a;
    *total = b;
    return leave(hipSuccess);
}
static Allocation *visible(const void *p) {
    Allocation *a = arena_find(p);
    return a && a->kind != STAGING ? a : NULL;
}
EXPORT hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *size, hipDeviceptr_t p) {
    ENTER("%p", p);
    Allocation *a = visible(p);
    REQUIRE(a, hipErrorNotFound);
    if (base) *base = (void *)a->base;
    if (size) *size = a->size;
    return leave(hipSuccess);
}
EXPORT hipError_t hipMemPtrGetInfo(void *p, size_t *size) {
    ENTER("%p", p);
    Allocation *a = visible(p);
    REQUIRE(a && size, hipErrorInvalidValue);
    *size = a->size;
    return leave(hipSuccess);
}

static int memory_type(const Allocation *a) {
    static const int before_6[] = {0, 1, 0, 1, 1, 0, 0}, since_6[] = {0, 2, 1, 3, 2, 0, 1};
    return (HIP_MAJOR < 6 ? before_6 : since_6)[a->kind];
}
EXPORT hipError_t hipPointerGetAttributes(void *out, const void *p) {
    struct { int type, device; void *device_pointer, *host_pointer; int managed; unsigned flags; }
    found = {0, 0, NULL, NULL, 0, 0};
    ENTER("%p", p);
    REQUIRE(out && p, hipErrorInvalidValue);
    Allocation *a = visible(p), *r = a ? NULL : arena_registered(p);
    if (!a && !r && HIP_MAJOR < 6) return leave(hipErrorInvalidValue);
    if (a || r) {
        found.type = memory_type(a ? a : r);
        found.device = *current_device();
        found.device_pointer = a ? (void *)p : (void *)(r->base + ((uint64_t)p - r->host));
        found.host_pointer = r || a->kind == HOST || a->kind == MANAGED ? (void *)p : NULL;
        found.managed = a && a->kind == MANAGED;
        found.flags = a ? a->flags : 0;
    }
    memcpy(out, &found, sizeof found);
    return leave(hipSuccess);
}
EXPORT hipError_t hipPointerGetAttribute(void *out, int attribute, hipDeviceptr_t p) {
    ENTER("%d %p", attribute, p);
    Allocation *a = visible(p), *r = a ? NULL : arena_registered(p);
    REQUIRE(out && (a || r), hipErrorInvalidValue);
    uint64_t base = a ? a->base : r->base, at = a ? (uint64_t)p : base + ((uint64_t)p - r->host);
    bool host = r || a->kind == HOST || a->kind == MANAGED;
    switch (attribute) {
    case 1: *(void **)out = &device; break;                   /* CONTEXT */
    case 2: *(int *)out = memory_type(a ? a : r); break;       /* MEMORY_TYPE */
    case 3: *(uint64_t *)out = at; break;                      /* DEVICE_POINTER */
    case 4:                                                    /* HOST_POINTER */
        REQUIRE(host, hipErrorInvalidValue);
        *(void **)out = p;
        break;
    case 8: *(bool *)out = a && a->kind == MANAGED; break;     /* IS_MANAGED */
    case 9: *(int *)out = *current_device(); break;            /* DEVICE_ORDINAL */
    case 11: *(uint64_t *)out = base; break;                   /* RANGE_START_ADDR */
    case 12: *(size_t *)out = a ? a->size : r->size; break;    /* RANGE_SIZE */
    case 13: *(bool *)out = true; break;                       /* MAPPED */
    default: return leave(hipErrorNotSupported);
    }
    return leave(hipSuccess);
}

static hipError_t pool(const char *name, void **out) {
    hipError_t error = enter(name, "%p", (void *)out);
    if (!error && !out) error = hipErrorInvalidValue;
    if (!error) *out = &device;
    return leave(error);
}
EXPORT hipError_t hipDeviceGetDefaultMemPool(void **out, int number) {
    (void)number;
    return pool(__func__, out);
}
EXPORT hipError_t hipDeviceGetMemPool(void **out, int number) {
    (void)number;
    return pool(__func__, out);
}

/* --- the same on the per-thread stream ---------------------------------------------------- */
#define SPT(name, ...) EXPORT hipError_t name##_spt(__VA_ARGS__) __attribute__((alias(#name)))
SPT(hipMemcpy, void *, const void *, size_t, int);
SPT(hipMemcpyAsync, void *, const void *, size_t, int, hipStream_t);
SPT(hipMemcpy2D, void *, size_t, const void *, size_t, size_t, size_t, int);
SPT(hipMemcpy2DAsync, void *, size_t, const void *, size_t, size_t, size_t, int, hipStream_t);
SPT(hipMemcpyToSymbol, const void *, const void *, size_t, size_t, int);
SPT(hipMemcpyToSymbolAsync, const void *, const void *, size_t, size_t, int, hipStream_t);
SPT(hipMemcpyFromSymbol, void *, const void *, size_t, size_t, int);
SPT(hipMemcpyFromSymbolAsync, void *, const void *, size_t, size_t, int, hipStream_t);
SPT(hipMemset, void *, int, size_t);
SPT(hipMemsetAsync, void *, int, size_t, hipStream_t);
SPT(hipMemset2D, void *, size_t, int, size_t, size_t);
SPT(hipMemset2DAsync, void *, size_t, int, size_t, size_t, hipStream_t);
