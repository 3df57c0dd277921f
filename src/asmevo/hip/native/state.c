/* The device's numbers, the lock, errors, and the log. */
#define _GNU_SOURCE
#include "runtime.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

Device device;
uint64_t device_clock_ns;
bool modelled_time;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool present, forked;
static hipError_t pending, sticky;
static FILE *call_log;
static _Thread_local hipError_t last;
static _Thread_local bool inside;
static _Thread_local int selected;
static _Thread_local const char *current;
static _Thread_local char arguments[256];

uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void note(const char *format, ...) {
    va_list list;
    va_start(list, format);
    fputs("asmevo: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
}

static long long number(const char *text, const char *key, long long otherwise) {
    size_t length = strlen(key);
    for (const char *at = text; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (!strncmp(at, key, length) && at[length] == '=') return atoll(at + length + 1);
    return otherwise;
}

static void child_of_fork(void) {
    /* The arena is shared memory: a child that wrote there would write into its parent's. */
    forked = true;
    pthread_mutex_init(&lock, NULL);
}

static void start(void) {
    const char *arch = getenv("ASMEVO_HIP_ARCH"), *text = getenv("ASMEVO_HIP_DEVICE");
    const char *log = getenv("ASMEVO_HIP_LOG"), *clock = getenv("ASMEVO_HIP_TIME");
    pthread_atfork(NULL, NULL, child_of_fork);
    if (log && *log) call_log = fopen(log, "ae");
    modelled_time = clock && !strcmp(clock, "modelled");
    if (!arch || !text) {
        note("the emulated HIP runtime has no device: start the program with `asmevo exec`");
        return;
    }
    snprintf(device.arch, sizeof device.arch, "%s", arch);
    snprintf(device.name, sizeof device.name, "AsmEvo emulated %.60s", arch);
    device.warp = (int)number(text, "warp", 64);
    device.cus = (int)number(text, "cus", 1);
    device.lds = (int)number(text, "lds", 65536);
    device.max_threads = (int)number(text, "max_threads", 1024);
    device.threads_per_cu = (int)number(text, "threads_per_cu", 2048);
    device.clock_khz = (int)number(text, "clock_khz", 2000000);
    device.memory_khz = (int)number(text, "memory_khz", 1000000);
    device.bus_bits = (int)number(text, "bus_bits", 4096);
    device.l2 = (int)number(text, "l2", 4 << 20);
    device.regs = (int)number(text, "regs", 65536);
    device.major = (int)number(text, "major", 9);
    device.minor = (int)number(text, "minor", 0);
    device.count = (int)number(text, "count", 1);
    device.memory = (uint64_t)number(text, "memory", 64ll << 30);
    present = arena_open();
}

int *current_device(void) { return &selected; }

/* Every API function begins here: lock, log, and the errors that all of them give. */
hipError_t enter(const char *name, const char *format, ...) {
    pthread_once(&once, start);
    pthread_mutex_lock(&lock);
    inside = true;
    current = name;
    if (call_log) {
        va_list list;
        va_start(list, format);
        vsnprintf(arguments, sizeof arguments, format, list);
        va_end(list);
    }
    if (forked) return hipErrorNotInitialized;
    if (!present) return hipErrorNoDevice;
    return hipSuccess;
}

hipError_t leave_quietly(hipError_t error) {
    if (call_log) {
        fprintf(call_log, "%d %s(%s) -> %d\n", (int)getpid(), current, arguments, error);
        fflush(call_log);
    }
    if (inside) {
        inside = false;
        pthread_mutex_unlock(&lock);
    }
    return error;
}

hipError_t leave(hipError_t error) {
    if (!error && sticky) error = sticky;
    if (error && error != hipErrorNotReady) last = error;
    return leave_quietly(error);
}

/* A failed kernel shows where a GPU would show it: when somebody waits for it, then always. */
hipError_t synchronize(void) {
    if (pending) {
        sticky = sticky ? sticky : pending;
        pending = 0;
    }
    return sticky;
}

void set_pending(hipError_t error) {
    if (!pending) pending = error;
}

void clear_errors(void) { pending = sticky = last = 0; }

hipError_t take_error(void) {
    hipError_t error = last;
    last = 0;
    return error ? error : sticky;
}

hipError_t peek_error(void) { return last ? last : sticky; }

hipError_t not_supported(const char *name) {
    static const char *told[64];
    hipError_t error = enter(name, "%s", "");
    for (size_t n = 0; n < COUNT_OF(told); n++) {
        if (told[n] == name) break;
        if (told[n]) continue;
        told[n] = name;
        note("%s is not supported by the emulated runtime (hipErrorNotSupported)", name);
        break;
    }
    return leave(error ? error : hipErrorNotSupported);
}

static const struct { hipError_t error; const char *name; } NAMES[] = {
#define NAME(n) {n, #n}
    NAME(hipSuccess), NAME(hipErrorInvalidValue), NAME(hipErrorOutOfMemory),
    NAME(hipErrorNotInitialized), NAME(hipErrorInvalidConfiguration),
    NAME(hipErrorInvalidPitchValue), NAME(hipErrorInvalidSymbol),
    NAME(hipErrorInvalidDevicePointer), NAME(hipErrorInvalidMemcpyDirection),
    NAME(hipErrorMissingConfiguration), NAME(hipErrorInvalidDeviceFunction),
    NAME(hipErrorNoDevice), NAME(hipErrorInvalidDevice), NAME(hipErrorInvalidImage),
    NAME(hipErrorInvalidContext), NAME(hipErrorNoBinaryForGpu), NAME(hipErrorUnsupportedLimit),
    NAME(hipErrorFileNotFound), NAME(hipErrorOperatingSystem), NAME(hipErrorInvalidHandle),
    NAME(hipErrorNotFound), NAME(hipErrorNotReady), NAME(hipErrorIllegalAddress),
    NAME(hipErrorLaunchOutOfResources), NAME(hipErrorLaunchTimeOut),
    NAME(hipErrorHostMemoryAlreadyRegistered), NAME(hipErrorHostMemoryNotRegistered),
    NAME(hipErrorLaunchFailure), NAME(hipErrorCooperativeLaunchTooLarge),
    NAME(hipErrorNotSupported),
};

const char *error_name(hipError_t error) {
    for (size_t n = 0; n < COUNT_OF(NAMES); n++)
        if (NAMES[n].error == error) return NAMES[n].name;
    return "hipErrorUnknown";
}
