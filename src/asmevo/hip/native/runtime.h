/* An emulator-backed HIP runtime: what its parts share. No AMD header is needed to build it.
 *
 * Device memory is one arena at a fixed address, shared with a worker process that runs kernels.
 * One lock guards everything; a launch returns when the kernel is done. */
#ifndef ASMEVO_HIP_RUNTIME_H
#define ASMEVO_HIP_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef HIP_MAJOR
#define HIP_MAJOR 6 /* personality: the SONAME's number, 5 to 7 */
#endif
#define EXPORT __attribute__((visibility("default")))
#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

/* --- the public interface, as far as it is used here ------------------------------------- */
typedef int hipError_t;
enum {
    hipSuccess = 0, hipErrorInvalidValue = 1, hipErrorOutOfMemory = 2, hipErrorNotInitialized = 3,
    hipErrorInvalidConfiguration = 9, hipErrorInvalidPitchValue = 12, hipErrorInvalidSymbol = 13,
    hipErrorInvalidDevicePointer = 17, hipErrorInvalidMemcpyDirection = 21,
    hipErrorMissingConfiguration = 52, hipErrorInvalidDeviceFunction = 98, hipErrorNoDevice = 100,
    hipErrorInvalidDevice = 101, hipErrorInvalidImage = 200, hipErrorInvalidContext = 201,
    hipErrorNoBinaryForGpu = 209, hipErrorUnsupportedLimit = 215,
    hipErrorFileNotFound = 301, hipErrorOperatingSystem = 304, hipErrorInvalidHandle = 400,
    hipErrorNotFound = 500, hipErrorNotReady = 600, hipErrorIllegalAddress = 700,
    hipErrorLaunchOutOfResources = 701, hipErrorLaunchTimeOut = 702,
    hipErrorHostMemoryAlreadyRegistered = 712, hipErrorHostMemoryNotRegistered = 713,
    hipErrorLaunchFailure = 719, hipErrorCooperativeLaunchTooLarge = 720,
    hipErrorNotSupported = 801, hipErrorUnknown = 999
};
enum { hipMemcpyHostToHost, hipMemcpyHostToDevice, hipMemcpyDeviceToHost, hipMemcpyDeviceToDevice,
       hipMemcpyDefault };
typedef struct { uint32_t x, y, z; } dim3;
typedef struct Stream *hipStream_t;
typedef struct Event *hipEvent_t;
typedef struct Function *hipFunction_t;
typedef struct Module *hipModule_t;
typedef int hipDevice_t;
typedef void *hipDeviceptr_t;
typedef void *hipCtx_t;
typedef void (*hipStreamCallback_t)(hipStream_t, hipError_t, void *);
typedef void (*hipHostFn_t)(void *);

/* --- arena.c ------------------------------------------------------------------------------ */
#define ARENA_BASE 0x200000000000ull /* also free under AddressSanitizer */
#define ARENA_TABLE (64ull << 20)    /* bytes of the allocation table at its start */
#define ALLOCATION_ALIGN 4096ull

enum Kind { FREE, DEVICE, HOST, MANAGED, IMAGE, STAGING, REGISTERED };
typedef struct {
    uint64_t base, size, host; /* host: of REGISTERED memory, the program's own address */
    uint32_t kind, flags;
} Allocation;
/* At ARENA_BASE, read by the worker (hip/arena.py): sorted by base. */
typedef struct {
    char magic[8];
    uint64_t generation, count, used, limit;
    uint64_t reserved[3];
    Allocation table[];
} Shared;

extern int arena_fd;
bool arena_open(void);
void *arena_allocate(uint64_t size, enum Kind kind, uint32_t flags);
bool arena_free(const void *p);
Allocation *arena_find(const void *p);
bool arena_owns(const void *p);
bool arena_copy_in(void *to, const void *from, size_t size);
void arena_numbers(uint64_t *free_bytes, uint64_t *total);
hipError_t arena_register(void *host, size_t size);
hipError_t arena_unregister(void *host);
Allocation *arena_registered(const void *host);

/* --- state.c ------------------------------------------------------------------------------ */
typedef struct {
    char arch[64], name[96];
    int warp, cus, lds, max_threads, threads_per_cu, clock_khz, memory_khz, bus_bits, l2, regs;
    int major, minor, count;
    uint64_t memory;
} Device;
extern Device device;
hipError_t enter(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
hipError_t leave(hipError_t error);
hipError_t leave_quietly(hipError_t error);
hipError_t take_error(void);
hipError_t peek_error(void);
hipError_t synchronize(void);
void set_pending(hipError_t error);
void clear_errors(void);
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *error_name(hipError_t error);
uint64_t now_ns(void);
extern uint64_t device_clock_ns; /* modelled time of all launches so far */
extern bool modelled_time;
int *current_device(void);

/* Take the lock and check that the runtime is usable; otherwise return its error. */
#define ENTER(...)                                                                              \
    do {                                                                                        \
        hipError_t entered_ = enter(__func__, __VA_ARGS__);                                     \
        if (entered_) return leave(entered_);                                                   \
    } while (0)
#define REQUIRE(condition, error)                                                               \
    do {                                                                                        \
        if (!(condition)) return leave(error);                                                  \
    } while (0)

/* --- worker.c ----------------------------------------------------------------------------- */
enum Op { OP_LOAD = 1, OP_PLACE, OP_LAUNCH, OP_UNLOAD };
typedef struct { uint32_t op, size; } Head;
enum { REPLY_RUNNING = -1 }; /* a status before the answer: the kernel has started */
typedef struct { int32_t status; uint32_t size; uint64_t ns; } Reply;
/* Send a message of two parts and wait for the answer, whose payload the caller frees. */
hipError_t worker_call(enum Op op, const void *head, size_t head_size, const void *body,
                       size_t body_size, Reply *reply, unsigned char **payload);
uint32_t worker_epoch(void);

/* --- module.c ----------------------------------------------------------------------------- */
typedef struct { uint32_t offset, size; } Argument;
typedef struct Function {
    uint32_t magic;
    struct Module *module;
    uint32_t index;
    char *name;
    uint32_t kernarg, lds, scratch, registers, max_threads, waves_per_cu, argument_count;
    uint32_t dynamic_lds_limit;
    Argument *arguments;
} Function;
typedef struct { char *name; uint64_t offset, size; } Symbol;
typedef struct Module {
    uint32_t magic, handle, epoch;
    void *staging;
    uint64_t staging_size, span, base;
    uint32_t function_count, symbol_count;
    Function *functions;
    Symbol *symbols;
} Module;
hipError_t module_load(const void *image, Module **out);
void module_unload(Module *m);
bool module_valid(const Module *m);
hipError_t module_ready(Module *m);
Function *module_function(Module *m, const char *name);
const Symbol *module_symbol(const Module *m, const char *name);
bool function_valid(const Function *f);

/* --- registry.c --------------------------------------------------------------------------- */
hipError_t registered_function(const void *host, Function **out);
hipError_t registered_variable(const void *host, void **address, size_t *size);

/* --- launch.c ----------------------------------------------------------------------------- */
hipError_t launch(Function *f, const uint32_t grid[3], const uint32_t block[3], uint32_t lds,
                  void **params, void **extra, bool cooperative);
int blocks_per_cu(const Function *f, int block, size_t lds);

/* --- copy.c ------------------------------------------------------------------------------- */
hipError_t copy(void *to, const void *from, size_t size, int kind);
hipError_t fill(void *to, uint32_t value, size_t width, size_t count);

/* --- table.c, generated ------------------------------------------------------------------- */
void *function_address(const char *name);
hipError_t not_supported(const char *name);
#endif
