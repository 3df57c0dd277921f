/* Devices, contexts, properties, errors, versions. */
#define _GNU_SOURCE
#include "runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION (HIP_MAJOR * 10000000 + (HIP_MAJOR == 7 ? 1 : HIP_MAJOR == 6 ? 4 : 2) * 100000)

static bool known(int number) { return number >= 0 && number < device.count; }

EXPORT hipError_t hipInit(unsigned flags) {
    ENTER("%u", flags);
    return leave(flags ? hipErrorInvalidValue : hipSuccess);
}

static hipError_t version(const char *name, int *out) {
    enter(name, "%p", (void *)out); /* answers without a device, too */
    if (out) *out = VERSION;
    return leave_quietly(out ? hipSuccess : hipErrorInvalidValue);
}
EXPORT hipError_t hipDriverGetVersion(int *out) { return version(__func__, out); }
EXPORT hipError_t hipRuntimeGetVersion(int *out) { return version(__func__, out); }

EXPORT hipError_t hipGetDeviceCount(int *count) {
    hipError_t error = enter(__func__, "%p", (void *)count);
    if (!count) return leave(hipErrorInvalidValue);
    *count = error ? 0 : device.count;
    return leave(error);
}
EXPORT hipError_t hipGetDevice(int *number) {
    ENTER("%p", (void *)number);
    REQUIRE(number, hipErrorInvalidValue);
    *number = *current_device();
    return leave(hipSuccess);
}
EXPORT hipError_t hipSetDevice(int number) {
    ENTER("%d", number);
    REQUIRE(known(number), hipErrorInvalidDevice);
    *current_device() = number;
    return leave(hipSuccess);
}
EXPORT hipError_t hipDeviceGet(hipDevice_t *out, int number) {
    ENTER("%d", number);
    REQUIRE(out, hipErrorInvalidValue);
    REQUIRE(known(number), hipErrorInvalidDevice);
    *out = number;
    return leave(hipSuccess);
}
EXPORT hipError_t hipDeviceGetName(char *name, int size, hipDevice_t number) {
    ENTER("%d", number);
    REQUIRE(name && size > 0, hipErrorInvalidValue);
    REQUIRE(known(number), hipErrorInvalidDevice);
    snprintf(name, (size_t)size, "%s", device.name);
    return leave(hipSuccess);
}
EXPORT hipError_t hipDeviceGetUuid(void *uuid, hipDevice_t number) {
    ENTER("%d", number);
    REQUIRE(uuid && known(number), hipErrorInvalidValue);
    memset(uuid, 0, 16);
    memcpy(uuid, "asmevo-emulated", 15);
    ((char *)uuid)[15] = (char)number;
    return leave(hipSuccess);
}
EXPORT hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t number) {
    ENTER("%d", number);
    REQUIRE(major && minor && known(number), hipErrorInvalidValue);
    *major = device.major;
    *minor = device.minor;
    return leave(hipSuccess);
}
EXPORT hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t number) {
    ENTER("%d", number);
    REQUIRE(bytes && known(number), hipErrorInvalidValue);
    *bytes = device.memory;
    return leave(hipSuccess);
}

/* hipDeviceAttribute_t, whose numbers are the same since HIP 5.2. */
EXPORT hipError_t hipDeviceGetAttribute(int *out, int attribute, int number) {
    ENTER("%d %d", attribute, number);
    REQUIRE(out, hipErrorInvalidValue);
    REQUIRE(known(number), hipErrorInvalidDevice);
    static const struct { int attribute, value; } fixed[] = {
        {0, 0}, {2, 2}, {3, 1}, {6, 0}, {8, 1}, {9, 1}, {10, 1}, {16, 0}, {17, 0}, {18, 0},
        {24, 1}, {29, INT32_MAX}, {30, 65535}, {31, 65535}, {58, INT32_MAX}, {65, 0}, {67, 1},
        {68, 0}, {69, 0}, {78, 0}, {81, 256}, {83, INT32_MAX}, {85, 1}, {88, 1}, {89, 0}, {90, 1},
        {10012, 0}, {10017, 100000}, {10020, 0},
    };
    const struct { int attribute, value; } here[] = {
        {5, device.clock_khz}, {19, device.l2}, {23, device.major}, {61, device.minor},
        {25, device.threads_per_cu / device.warp}, {26, device.max_threads},
        {27, device.max_threads}, {28, device.max_threads}, {56, device.max_threads},
        {57, device.threads_per_cu}, {59, device.bus_bits}, {60, device.memory_khz},
        {63, device.cus}, {10015, device.cus}, {71, device.regs}, {72, device.regs},
        {74, device.lds}, {75, device.lds}, {76, device.lds}, {10002, device.lds},
        {87, device.warp}, {84, device.memory > INT32_MAX ? INT32_MAX : (int)device.memory},
    };
    for (size_t n = 0; n < COUNT_OF(fixed); n++)
        if (fixed[n].attribute == attribute) {
            *out = fixed[n].value;
            return leave(hipSuccess);
        }
    for (size_t n = 0; n < COUNT_OF(here); n++)
        if (here[n].attribute == attribute) {
            *out = here[n].value;
            return leave(hipSuccess);
        }
    return leave(hipErrorInvalidValue);
}

/* --- hipDeviceProp_t: two layouts, by offset --------------------------------------------- */
typedef struct { char *at; } Prop;
static void put(Prop p, size_t offset, int value) { memcpy(p.at + offset, &value, 4); }
static void put64(Prop p, size_t offset, uint64_t value) { memcpy(p.at + offset, &value, 8); }

static void properties_r0600(Prop p, int number) {
    memset(p.at, 0, 1472);
    snprintf(p.at, 256, "%s", device.name);
    snprintf(p.at + 1160, 256, "%s", device.arch);
    const struct { size_t offset; int value; } rows[] = {
        {304, device.regs}, {308, device.warp}, {320, device.max_threads},
        {324, device.max_threads}, {328, device.max_threads}, {332, device.max_threads},
        {336, INT32_MAX}, {340, 65535}, {344, 65535}, {348, device.clock_khz},
        {360, device.major}, {364, device.minor}, {388, device.cus}, {400, 1}, {576, 1},
        {584, number + 1}, {600, 2}, {604, 1}, {608, device.memory_khz}, {612, device.bus_bits},
        {616, device.l2}, {624, device.threads_per_cu}, {648, device.regs}, {652, 1}, {676, 1},
        {688, 1}, {712, device.threads_per_cu / device.warp}, {744, 1}, {1424, 100000},
    };
    for (size_t n = 0; n < COUNT_OF(rows); n++) put(p, rows[n].offset, rows[n].value);
    put64(p, 288, device.memory);
    put64(p, 296, (uint64_t)device.lds);
    put64(p, 312, INT32_MAX);
    put64(p, 352, INT32_MAX);
    put64(p, 368, 256);
    put64(p, 640, (uint64_t)device.lds);
    put64(p, 696, (uint64_t)device.lds);
    put64(p, 1416, (uint64_t)device.lds);
}

static void properties_r0000(Prop p) {
    memset(p.at, 0, 792);
    snprintf(p.at, 256, "%s", device.name);
    snprintf(p.at + 396, 256, "%s", device.arch);
    const struct { size_t offset; int value; } rows[] = {
        {272, device.regs}, {276, device.warp}, {280, device.max_threads},
        {284, device.max_threads}, {288, device.max_threads}, {292, device.max_threads},
        {296, INT32_MAX}, {300, 65535}, {304, 65535}, {308, device.clock_khz},
        {312, device.memory_khz}, {316, device.bus_bits}, {328, device.major},
        {332, device.minor}, {336, device.cus}, {340, device.l2}, {344, device.threads_per_cu},
        {656, 1},
    };
    for (size_t n = 0; n < COUNT_OF(rows); n++) put(p, rows[n].offset, rows[n].value);
    put64(p, 256, device.memory);
    put64(p, 264, (uint64_t)device.lds);
}

EXPORT hipError_t hipGetDevicePropertiesR0600(void *out, int number) {
    ENTER("%d", number);
    REQUIRE(out, hipErrorInvalidValue);
    REQUIRE(known(number), hipErrorInvalidDevice);
    properties_r0600((Prop){out}, number);
    return leave(hipSuccess);
}
EXPORT hipError_t hipGetDevicePropertiesR0000(void *out, int number) {
    ENTER("%d", number);
    REQUIRE(out, hipErrorInvalidValue);
    REQUIRE(known(number), hipErrorInvalidDevice);
    properties_r0000((Prop){out});
    return leave(hipSuccess);
}
/* Under its plain name the function keeps the old layout, in AMD's runtimes as well. */
EXPORT hipError_t hipGetDeviceProperties(void *out, int number) {
    return hipGetDevicePropertiesR0000(out, number);
}

/* --- settings that change nothing here ---------------------------------------------------- */
#define ACCEPT(name, ...)                                                                       \
    EXPORT hipError_t name(__VA_ARGS__) {                                                       \
        ENTER("%s", "");                                                                        \
        return leave(hipSuccess);                                                               \
    }
ACCEPT(hipSetDeviceFlags, void)
ACCEPT(hipDeviceSetCacheConfig, void)
ACCEPT(hipDeviceSetSharedMemConfig, void)
ACCEPT(hipFuncSetCacheConfig, void)
ACCEPT(hipFuncSetSharedMemConfig, void)
ACCEPT(hipDeviceEnablePeerAccess, void)
ACCEPT(hipDeviceDisablePeerAccess, void)
ACCEPT(hipDevicePrimaryCtxRelease, void)
ACCEPT(hipCtxSetCurrent, void)
ACCEPT(hipCtxDestroy, void)
ACCEPT(hipMemAdvise, void)
ACCEPT(hipMemPrefetchAsync, void)
ACCEPT(hipDeviceSetMemPool, void)
ACCEPT(hipMemPoolTrimTo, void)
ACCEPT(hipMemPoolSetAttribute, void)
ACCEPT(hipThreadExchangeStreamCaptureMode, void)

static hipError_t zero(const char *name, int *out) {
    hipError_t error = enter(name, "%p", (void *)out);
    if (!error && !out) error = hipErrorInvalidValue;
    if (!error) *out = 0;
    return leave(error);
}
EXPORT hipError_t hipGetDeviceFlags(int *flags) { return zero(__func__, flags); }
EXPORT hipError_t hipDeviceGetCacheConfig(int *out) { return zero(__func__, out); }
EXPORT hipError_t hipDeviceGetSharedMemConfig(int *out) { return zero(__func__, out); }

EXPORT hipError_t hipDeviceCanAccessPeer(int *out, int number, int peer) {
    ENTER("%d %d", number, peer);
    REQUIRE(out && known(number) && known(peer), hipErrorInvalidValue);
    *out = number != peer;
    return leave(hipSuccess);
}
EXPORT hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest) {
    ENTER("%p %p", (void *)least, (void *)greatest);
    if (least) *least = 0;
    if (greatest) *greatest = 0;
    return leave(hipSuccess);
}
EXPORT hipError_t hipDeviceGetLimit(size_t *value, int limit) {
    static const size_t limits[] = {1024, 1 << 20, 8 << 20}; /* stack, printf, heap */
    ENTER("%d", limit);
    REQUIRE(value && limit >= 0 && limit < 3, hipErrorUnsupportedLimit);
    *value = limits[limit];
    return leave(hipSuccess);
}
EXPORT hipError_t hipDeviceSetLimit(int limit, size_t value) {
    ENTER("%d %zu", limit, value);
    return leave(limit >= 0 && limit < 3 ? hipSuccess : hipErrorUnsupportedLimit);
}
EXPORT hipError_t hipDeviceGetPCIBusId(char *text, int size, int number) {
    ENTER("%d", number);
    REQUIRE(text && size > 0 && known(number), hipErrorInvalidValue);
    snprintf(text, (size_t)size, "0000:%02x:00.0", number + 1);
    return leave(hipSuccess);
}
EXPORT hipError_t hipDeviceGetByPCIBusId(int *out, const char *text) {
    unsigned domain, bus;
    ENTER("%s", text ? text : "");
    REQUIRE(out && text && sscanf(text, "%x:%x", &domain, &bus) == 2, hipErrorInvalidValue);
    REQUIRE(known((int)bus - 1), hipErrorInvalidDevice);
    *out = (int)bus - 1;
    return leave(hipSuccess);
}

static hipError_t context(const char *name, hipCtx_t *out) {
    hipError_t error = enter(name, "%p", (void *)out);
    if (!error && !out) error = hipErrorInvalidValue;
    if (!error) *out = &device;
    return leave(error);
}
EXPORT hipError_t hipCtxGetCurrent(hipCtx_t *out) { return context(__func__, out); }
EXPORT hipError_t hipCtxCreate(hipCtx_t *out, unsigned flags, hipDevice_t number) {
    (void)flags, (void)number;
    return context(__func__, out);
}
EXPORT hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *out, hipDevice_t number) {
    (void)number;
    return context(__func__, out);
}
EXPORT hipError_t hipDevicePrimaryCtxGetState(hipDevice_t number, unsigned *flags, int *active) {
    ENTER("%d", number);
    REQUIRE(flags && active, hipErrorInvalidValue);
    *flags = 0;
    *active = 1;
    return leave(hipSuccess);
}
EXPORT hipError_t hipCtxGetDevice(int *out) { return hipGetDevice(out); }

EXPORT hipError_t hipDeviceSynchronize(void) {
    ENTER("%s", "");
    return leave(synchronize());
}
EXPORT hipError_t hipCtxSynchronize(void) { return hipDeviceSynchronize(); }
EXPORT hipError_t hipDeviceReset(void) {
    ENTER("%s", "");
    clear_errors(); /* a worker that was lost has been replaced already */
    return leave(hipSuccess);
}

/* --- errors ------------------------------------------------------------------------------- */
EXPORT hipError_t hipGetLastError(void) {
    enter(__func__, "%s", "");
    return leave_quietly(take_error());
}
EXPORT hipError_t hipExtGetLastError(void) { return hipGetLastError(); }
EXPORT hipError_t hipPeekAtLastError(void) {
    enter(__func__, "%s", "");
    return leave_quietly(peek_error());
}
EXPORT const char *hipGetErrorName(hipError_t error) { return error_name(error); }
EXPORT const char *hipGetErrorString(hipError_t error) { return error_name(error); }
EXPORT hipError_t hipDrvGetErrorName(hipError_t error, const char **out) {
    if (!out) return hipErrorInvalidValue;
    *out = error_name(error);
    return hipSuccess;
}
EXPORT hipError_t hipDrvGetErrorString(hipError_t error, const char **out) {
    return hipDrvGetErrorName(error, out);
}

EXPORT hipError_t hipGetProcAddress(const char *name, void **out, int version, uint64_t flags,
                                    int *status) {
    (void)flags;
    enter(__func__, "%s %d", name ? name : "", version);
    if (!name || !out) return leave_quietly(hipErrorInvalidValue);
    if (!strcmp(name, "hipGetDeviceProperties") && version >= 600)
        name = "hipGetDevicePropertiesR0600";
    *out = function_address(name);
    if (status) *status = *out ? 0 : 1;
    return leave_quietly(*out ? hipSuccess : hipErrorNotFound);
}
