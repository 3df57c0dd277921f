/* Modules, functions, launches. */
#define _GNU_SOURCE
#include "runtime.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIPLE(d) (const uint32_t[3]){(d).x, (d).y, (d).z}

/* --- modules ------------------------------------------------------------------------------ */
static hipError_t loaded(const char *name, hipModule_t *out, const void *image) {
    hipError_t error = enter(name, "%p", image);
    if (error) return leave(error);
    REQUIRE(out && image, hipErrorInvalidValue);
    return leave(module_load(image, out));
}
EXPORT hipError_t hipModuleLoadData(hipModule_t *out, const void *image) {
    return loaded(__func__, out, image);
}
EXPORT hipError_t hipModuleLoadDataEx(hipModule_t *out, const void *image, unsigned count,
                                      void *options, void **values) {
    (void)count, (void)options, (void)values;
    return loaded(__func__, out, image);
}
EXPORT hipError_t hipModuleLoad(hipModule_t *out, const char *path) {
    ENTER("%s", path ? path : "");
    REQUIRE(out && path, hipErrorInvalidValue);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    REQUIRE(fd >= 0, hipErrorFileNotFound);
    struct stat status;
    void *image = MAP_FAILED;
    size_t size = fstat(fd, &status) || status.st_size <= 0 ? 0 : (size_t)status.st_size;
    if (size) image = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    REQUIRE(image != MAP_FAILED, hipErrorInvalidImage);
    hipError_t error = module_load(image, out);
    munmap(image, size);
    return leave(error);
}
EXPORT hipError_t hipModuleUnload(hipModule_t m) {
    ENTER("%p", (void *)m);
    REQUIRE(module_valid(m), hipErrorInvalidHandle);
    module_unload(m);
    return leave(hipSuccess);
}
EXPORT hipError_t hipModuleGetFunction(hipFunction_t *out, hipModule_t m, const char *name) {
    ENTER("%p %s", (void *)m, name ? name : "");
    REQUIRE(out && name, hipErrorInvalidValue);
    REQUIRE(module_valid(m), hipErrorInvalidHandle);
    *out = module_function(m, name);
    return leave(*out ? hipSuccess : hipErrorNotFound);
}
EXPORT hipError_t hipModuleGetGlobal(hipDeviceptr_t *address, size_t *size, hipModule_t m,
                                     const char *name) {
    ENTER("%p %s", (void *)m, name ? name : "");
    REQUIRE(name && (address || size), hipErrorInvalidValue);
    REQUIRE(module_valid(m), hipErrorInvalidHandle);
    const Symbol *s = module_symbol(m, name);
    REQUIRE(s, hipErrorNotFound);
    if (address) *address = (void *)(m->base + s->offset);
    if (size) *size = s->size;
    return leave(hipSuccess);
}
EXPORT hipError_t hipGetFuncBySymbol(hipFunction_t *out, const void *host) {
    ENTER("%p", host);
    REQUIRE(out, hipErrorInvalidValue);
    return leave(registered_function(host, out));
}

/* Runtime functions take a host address, module functions a handle; either may come. */
static hipError_t resolve(const void *f, Function **out) {
    *out = (Function *)f;
    return function_valid(*out) ? hipSuccess : registered_function(f, out);
}
EXPORT hipError_t hipFuncGetAttribute(int *out, int attribute, hipFunction_t f) {
    ENTER("%d", attribute);
    REQUIRE(out, hipErrorInvalidValue);
    REQUIRE(function_valid(f), hipErrorInvalidDeviceFunction);
    const int values[] = {(int)f->max_threads, (int)f->lds, 0, (int)f->scratch,
                          (int)f->registers, 30, 30, 0, device.lds - (int)f->lds, 0};
    REQUIRE(attribute >= 0 && attribute < (int)COUNT_OF(values), hipErrorInvalidValue);
    *out = values[attribute];
    return leave(hipSuccess);
}
EXPORT hipError_t hipFuncGetAttributes(void *out, const void *host) {
    struct {
        int binary, cache;
        size_t constant, local;
        int dynamic, threads, registers, carveout, ptx;
        size_t shared;
    } found = {30, 0, 0, 0, 0, 0, 0, 0, 30, 0};
    Function *f;
    ENTER("%p", host);
    REQUIRE(out, hipErrorInvalidValue);
    hipError_t error = resolve(host, &f);
    if (error) return leave(error);
    found.local = f->scratch;
    found.dynamic = device.lds - (int)f->lds;
    found.threads = (int)f->max_threads;
    found.registers = (int)f->registers;
    found.shared = f->lds;
    memcpy(out, &found, sizeof found);
    return leave(hipSuccess);
}
EXPORT hipError_t hipFuncSetAttribute(const void *host, int attribute, int value) {
    Function *f;
    ENTER("%p %d %d", host, attribute, value);
    hipError_t error = resolve(host, &f);
    if (!error && attribute == 8 && value > device.lds - (int)f->lds)
        error = hipErrorInvalidValue;
    return leave(error);
}

/* --- occupancy ---------------------------------------------------------------------------- */
static hipError_t active(const char *name, int *out, const void *host, int block, size_t lds) {
    Function *f;
    hipError_t error = enter(name, "%p %d %zu", host, block, lds);
    if (!error && !out) error = hipErrorInvalidValue;
    if (!error) error = resolve(host, &f);
    if (!error) *out = blocks_per_cu(f, block, lds);
    return leave(error);
}
static hipError_t potential(const char *name, int *grid, int *size, const void *host, size_t lds,
                            int limit) {
    Function *f;
    hipError_t error = enter(name, "%p %zu", host, lds);
    if (!error && !(grid && size)) error = hipErrorInvalidValue;
    if (!error) error = resolve(host, &f);
    if (error) return leave(error);
    *size = (int)f->max_threads;
    if (limit > 0 && limit < *size) *size = limit;
    *grid = blocks_per_cu(f, *size, lds) * device.cus;
    return leave(hipSuccess);
}
EXPORT hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *out, const void *f, int block,
                                                               size_t lds) {
    return active(__func__, out, f, block, lds);
}
EXPORT hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *out, const void *f, int block, size_t lds, unsigned flags) {
    (void)flags;
    return active(__func__, out, f, block, lds);
}
EXPORT hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *out, hipFunction_t f,
                                                                     int block, size_t lds) {
    return active(__func__, out, f, block, lds);
}
EXPORT hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *out, hipFunction_t f, int block, size_t lds, unsigned flags) {
    (void)flags;
    return active(__func__, out, f, block, lds);
}
EXPORT hipError_t hipOccupancyMaxPotentialBlockSize(int *grid, int *size, const void *f,
                                                    size_t lds, int limit) {
    return potential(__func__, grid, size, f, lds, limit);
}
EXPORT hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *grid, int *size, hipFunction_t f,
                                                          size_t lds, int limit) {
    return potential(__func__, grid, size, f, lds, limit);
}
EXPORT hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(
    int *grid, int *size, hipFunction_t f, size_t lds, int limit, unsigned flags) {
    (void)flags;
    return potential(__func__, grid, size, f, lds, limit);
}

/* --- launches ----------------------------------------------------------------------------- */
static hipError_t launch_host(const char *name, const void *host, dim3 grid, dim3 block,
                              void **params, size_t lds, bool cooperative) {
    Function *f;
    hipError_t error = enter(name, "%p (%u,%u,%u) (%u,%u,%u) %zu", host, grid.x, grid.y, grid.z,
                             block.x, block.y, block.z, lds);
    if (!error && lds > UINT32_MAX) error = hipErrorInvalidValue;
    if (!error) error = resolve(host, &f);
    if (!error)
        error = launch(f, TRIPLE(grid), TRIPLE(block), (uint32_t)lds, params, NULL, cooperative);
    return leave(error);
}
static hipError_t launch_module(const char *name, hipFunction_t f, dim3 grid, dim3 block,
                                unsigned lds, void **params, void **extra, bool cooperative) {
    hipError_t error = enter(name, "%p (%u,%u,%u) (%u,%u,%u) %u", (void *)f, grid.x, grid.y,
                             grid.z, block.x, block.y, block.z, lds);
    if (!error && !function_valid(f)) error = hipErrorInvalidHandle;
    if (!error) error = launch(f, TRIPLE(grid), TRIPLE(block), lds, params, extra, cooperative);
    return leave(error);
}

EXPORT hipError_t hipLaunchKernel(const void *host, dim3 grid, dim3 block, void **params,
                                  size_t lds, hipStream_t s) {
    (void)s;
    return launch_host(__func__, host, grid, block, params, lds, false);
}
EXPORT hipError_t hipLaunchKernel_spt(const void *host, dim3 grid, dim3 block, void **params,
                                      size_t lds, hipStream_t s) {
    (void)s;
    return launch_host(__func__, host, grid, block, params, lds, false);
}
EXPORT hipError_t hipLaunchCooperativeKernel(const void *host, dim3 grid, dim3 block,
                                             void **params, unsigned lds, hipStream_t s) {
    (void)s;
    return launch_host(__func__, host, grid, block, params, lds, true);
}
EXPORT hipError_t hipLaunchCooperativeKernel_spt(const void *host, dim3 grid, dim3 block,
                                                 void **params, unsigned lds, hipStream_t s) {
    (void)s;
    return launch_host(__func__, host, grid, block, params, lds, true);
}
static void record_both(hipEvent_t start, hipEvent_t stop, hipStream_t s, bool before) {
    extern hipError_t hipEventRecord(hipEvent_t, hipStream_t);
    hipEvent_t which = before ? start : stop;
    if (which) hipEventRecord(which, s);
}
EXPORT hipError_t hipExtLaunchKernel(const void *host, dim3 grid, dim3 block, void **params,
                                     size_t lds, hipStream_t s, hipEvent_t start, hipEvent_t stop,
                                     int flags) {
    (void)flags;
    record_both(start, stop, s, true);
    hipError_t error = launch_host(__func__, host, grid, block, params, lds, false);
    record_both(start, stop, s, false);
    return error;
}
typedef struct {
    dim3 grid, block;
    size_t lds;
    hipStream_t stream;
    void *attributes;
    unsigned count;
} LaunchConfig;
EXPORT hipError_t hipLaunchKernelExC(const LaunchConfig *config, const void *host,
                                     void **params) {
    if (!config) return hipErrorInvalidValue;
    return launch_host(__func__, host, config->grid, config->block, params, config->lds, false);
}

EXPORT hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned gx, unsigned gy, unsigned gz,
                                        unsigned bx, unsigned by, unsigned bz, unsigned lds,
                                        hipStream_t s, void **params, void **extra) {
    (void)s;
    return launch_module(__func__, f, (dim3){gx, gy, gz}, (dim3){bx, by, bz}, lds, params, extra,
                         false);
}
EXPORT hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned gx, unsigned gy,
                                                   unsigned gz, unsigned bx, unsigned by,
                                                   unsigned bz, unsigned lds, hipStream_t s,
                                                   void **params) {
    (void)s;
    return launch_module(__func__, f, (dim3){gx, gy, gz}, (dim3){bx, by, bz}, lds, params, NULL,
                         true);
}
/* Its grid is in work-items. */
EXPORT hipError_t hipExtModuleLaunchKernel(hipFunction_t f, uint32_t gx, uint32_t gy, uint32_t gz,
                                           uint32_t bx, uint32_t by, uint32_t bz, size_t lds,
                                           hipStream_t s, void **params, void **extra,
                                           hipEvent_t start, hipEvent_t stop, uint32_t flags) {
    (void)flags;
    if (!bx || !by || !bz || lds > UINT32_MAX) return hipErrorInvalidConfiguration;
    if (gx % bx || gy % by || gz % bz) {
        note("hipExtModuleLaunchKernel: a grid of part workgroups is not supported");
        return hipErrorNotSupported;
    }
    record_both(start, stop, s, true);
    hipError_t error = launch_module(__func__, f, (dim3){gx / bx, gy / by, gz / bz},
                                     (dim3){bx, by, bz}, (unsigned)lds, params, extra, false);
    record_both(start, stop, s, false);
    return error;
}
typedef struct {
    unsigned grid[3], block[3], lds;
    hipStream_t stream;
    void *attributes;
    unsigned count;
} DriverConfig;
EXPORT hipError_t hipDrvLaunchKernelEx(const DriverConfig *c, hipFunction_t f, void **params,
                                       void **extra) {
    if (!c) return hipErrorInvalidValue;
    return launch_module(__func__, f, (dim3){c->grid[0], c->grid[1], c->grid[2]},
                         (dim3){c->block[0], c->block[1], c->block[2]}, c->lds, params, extra,
                         false);
}

/* --- what <<<>>> becomes ------------------------------------------------------------------ */
typedef struct { dim3 grid, block; size_t lds; hipStream_t stream; } Configuration;
static _Thread_local Configuration pushed[16];
static _Thread_local unsigned depth;

EXPORT hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t lds, hipStream_t s) {
    if (depth == COUNT_OF(pushed)) return hipErrorOutOfMemory;
    pushed[depth++] = (Configuration){grid, block, lds, s};
    return hipSuccess;
}
EXPORT hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *lds,
                                            hipStream_t *s) {
    if (!depth) return hipErrorMissingConfiguration;
    Configuration c = pushed[--depth];
    *grid = c.grid;
    *block = c.block;
    *lds = c.lds;
    *s = c.stream;
    return hipSuccess;
}
