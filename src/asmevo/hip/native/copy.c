/* Copies and fills. All memory is in reach of the host, so each is done at once. */
#include "runtime.h"
#include <string.h>

/* Whether [p, p + size) may be device memory: inside one allocation, or wherever a host may be. */
static hipError_t reach(const void *p, size_t size, bool must_be_device) {
    const Allocation *a = arena_find(p);
    if (!a || a->kind == STAGING)
        return must_be_device || arena_owns(p) ? hipErrorInvalidValue : hipSuccess;
    return (uint64_t)p + size <= a->base + a->size ? hipSuccess : hipErrorInvalidValue;
}

hipError_t copy(void *to, const void *from, size_t size, int kind) {
    if (kind < hipMemcpyHostToHost || kind > hipMemcpyDefault)
        return hipErrorInvalidMemcpyDirection;
    if (!size) return hipSuccess;
    if (!to || !from) return hipErrorInvalidValue;
    bool to_device = kind == hipMemcpyHostToDevice || kind == hipMemcpyDeviceToDevice;
    bool from_device = kind == hipMemcpyDeviceToHost || kind == hipMemcpyDeviceToDevice;
    hipError_t error = reach(to, size, to_device && !arena_registered(to));
    if (!error) error = reach(from, size, from_device && !arena_registered(from));
    if (!error) memmove(to, from, size);
    return error;
}

hipError_t fill(void *to, uint32_t value, size_t width, size_t count) {
    if (!count) return hipSuccess;
    if (!to || count > SIZE_MAX / width) return hipErrorInvalidValue;
    hipError_t error = reach(to, count * width, true);
    if (error) return error;
    if (width == 1) memset(to, (int)value, count);
    for (size_t n = 0; width > 1 && n < count; n++) memcpy((char *)to + n * width, &value, width);
    return hipSuccess;
}
