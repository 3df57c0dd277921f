/* Streams and events. Work is done when its call returns, so there is nothing to order. */
#define _GNU_SOURCE
#include "runtime.h"
#include <stdlib.h>

#define STREAM_MAGIC 0x5374726du
#define EVENT_MAGIC 0x4576656eu
struct Stream { uint32_t magic; unsigned flags; int priority, device; };
struct Event { uint32_t magic; unsigned flags; bool recorded; uint64_t ns; };
enum { DISABLE_TIMING = 2 };

/* 0, 1 and 2 stand for the default, legacy and per-thread streams. */
static bool plain(hipStream_t s) { return (uintptr_t)s <= 2; }
static bool good(hipStream_t s) { return plain(s) || s->magic == STREAM_MAGIC; }
static bool event_good(hipEvent_t e) { return e && e->magic == EVENT_MAGIC; }

static hipError_t create(const char *name, hipStream_t *out, unsigned flags, int priority) {
    hipError_t error = enter(name, "0x%x %d", flags, priority);
    if (error) return leave(error);
    REQUIRE(out && flags <= 1, hipErrorInvalidValue);
    *out = malloc(sizeof **out);
    REQUIRE(*out, hipErrorOutOfMemory);
    **out = (struct Stream){STREAM_MAGIC, flags, priority, *current_device()};
    return leave(hipSuccess);
}
EXPORT hipError_t hipStreamCreate(hipStream_t *out) { return create(__func__, out, 0, 0); }
EXPORT hipError_t hipStreamCreateWithFlags(hipStream_t *out, unsigned flags) {
    return create(__func__, out, flags, 0);
}
EXPORT hipError_t hipStreamCreateWithPriority(hipStream_t *out, unsigned flags, int priority) {
    return create(__func__, out, flags, priority);
}
EXPORT hipError_t hipStreamDestroy(hipStream_t s) {
    ENTER("%p", (void *)s);
    REQUIRE(!plain(s) && good(s), hipErrorInvalidHandle);
    s->magic = 0;
    free(s);
    return leave(hipSuccess);
}
EXPORT hipError_t hipStreamSynchronize(hipStream_t s) {
    ENTER("%p", (void *)s);
    REQUIRE(good(s), hipErrorInvalidHandle);
    return leave(synchronize());
}
EXPORT hipError_t hipStreamQuery(hipStream_t s) {
    ENTER("%p", (void *)s);
    REQUIRE(good(s), hipErrorInvalidHandle);
    return leave(synchronize());
}
EXPORT hipError_t hipStreamWaitEvent(hipStream_t s, hipEvent_t e, unsigned flags) {
    ENTER("%p %p 0x%x", (void *)s, (void *)e, flags);
    REQUIRE(good(s) && event_good(e), hipErrorInvalidHandle);
    return leave(hipSuccess);
}
EXPORT hipError_t hipStreamGetFlags(hipStream_t s, unsigned *flags) {
    ENTER("%p", (void *)s);
    REQUIRE(flags && good(s), hipErrorInvalidHandle);
    *flags = plain(s) ? 0 : s->flags;
    return leave(hipSuccess);
}
EXPORT hipError_t hipStreamGetPriority(hipStream_t s, int *priority) {
    ENTER("%p", (void *)s);
    REQUIRE(priority && good(s), hipErrorInvalidHandle);
    *priority = plain(s) ? 0 : s->priority;
    return leave(hipSuccess);
}
EXPORT hipError_t hipStreamGetDevice(hipStream_t s, hipDevice_t *out) {
    ENTER("%p", (void *)s);
    REQUIRE(out && good(s), hipErrorInvalidHandle);
    *out = plain(s) ? *current_device() : s->device;
    return leave(hipSuccess);
}
EXPORT int hipGetStreamDeviceId(hipStream_t s) {
    return plain(s) || !good(s) ? *current_device() : s->device;
}
EXPORT hipError_t hipStreamIsCapturing(hipStream_t s, int *status) {
    ENTER("%p", (void *)s);
    REQUIRE(status && good(s), hipErrorInvalidHandle);
    *status = 0;
    return leave(hipSuccess);
}
EXPORT hipError_t hipStreamAddCallback(hipStream_t s, hipStreamCallback_t callback, void *data,
                                       unsigned flags) {
    ENTER("%p 0x%x", (void *)s, flags);
    REQUIRE(callback && good(s), hipErrorInvalidValue);
    hipError_t error = synchronize();
    leave(error);
    callback(s, error, data);
    return hipSuccess;
}
EXPORT hipError_t hipLaunchHostFunc(hipStream_t s, hipHostFn_t function, void *data) {
    ENTER("%p", (void *)s);
    REQUIRE(function && good(s), hipErrorInvalidValue);
    leave(hipSuccess);
    function(data);
    return hipSuccess;
}

/* --- events ------------------------------------------------------------------------------- */
EXPORT hipError_t hipEventCreateWithFlags(hipEvent_t *out, unsigned flags) {
    ENTER("0x%x", flags);
    REQUIRE(out, hipErrorInvalidValue);
    *out = malloc(sizeof **out);
    REQUIRE(*out, hipErrorOutOfMemory);
    **out = (struct Event){EVENT_MAGIC, flags, false, 0};
    return leave(hipSuccess);
}
EXPORT hipError_t hipEventCreate(hipEvent_t *out) { return hipEventCreateWithFlags(out, 0); }
EXPORT hipError_t hipEventDestroy(hipEvent_t e) {
    ENTER("%p", (void *)e);
    REQUIRE(event_good(e), hipErrorInvalidHandle);
    e->magic = 0;
    free(e);
    return leave(hipSuccess);
}
EXPORT hipError_t hipEventRecord(hipEvent_t e, hipStream_t s) {
    ENTER("%p %p", (void *)e, (void *)s);
    REQUIRE(event_good(e) && good(s), hipErrorInvalidHandle);
    e->recorded = true;
    e->ns = modelled_time ? device_clock_ns : now_ns();
    return leave(hipSuccess);
}
EXPORT hipError_t hipEventRecordWithFlags(hipEvent_t e, hipStream_t s, unsigned flags) {
    (void)flags;
    return hipEventRecord(e, s);
}
EXPORT hipError_t hipEventSynchronize(hipEvent_t e) {
    ENTER("%p", (void *)e);
    REQUIRE(event_good(e), hipErrorInvalidHandle);
    return leave(synchronize());
}
EXPORT hipError_t hipEventQuery(hipEvent_t e) {
    ENTER("%p", (void *)e);
    REQUIRE(event_good(e), hipErrorInvalidHandle);
    return leave(synchronize());
}
EXPORT hipError_t hipEventElapsedTime(float *ms, hipEvent_t start, hipEvent_t stop) {
    ENTER("%p %p", (void *)start, (void *)stop);
    REQUIRE(ms, hipErrorInvalidValue);
    REQUIRE(event_good(start) && event_good(stop), hipErrorInvalidHandle);
    REQUIRE(start->recorded && stop->recorded, hipErrorInvalidHandle);
    REQUIRE(!((start->flags | stop->flags) & DISABLE_TIMING), hipErrorInvalidHandle);
    *ms = (float)((double)(int64_t)(stop->ns - start->ns) * 1e-6);
    return leave(hipSuccess);
}

#define SPT(name, ...) EXPORT hipError_t name##_spt(__VA_ARGS__) __attribute__((alias(#name)))
SPT(hipStreamSynchronize, hipStream_t);
SPT(hipStreamQuery, hipStream_t);
SPT(hipStreamWaitEvent, hipStream_t, hipEvent_t, unsigned);
SPT(hipStreamGetFlags, hipStream_t, unsigned *);
SPT(hipStreamGetPriority, hipStream_t, int *);
SPT(hipStreamIsCapturing, hipStream_t, int *);
SPT(hipEventRecord, hipEvent_t, hipStream_t);
SPT(hipLaunchHostFunc, hipStream_t, hipHostFn_t, void *);
