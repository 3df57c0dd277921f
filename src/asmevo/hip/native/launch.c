/* From a launch call to a launch record: checks, the explicit kernel arguments, errors. */
#define _GNU_SOURCE
#include "runtime.h"
#include <stdlib.h>
#include <string.h>

#define LARGEST_KERNARG 65536
enum { PARAM_END = 3, PARAM_POINTER = 1, PARAM_SIZE = 2 }; /* HIP_LAUNCH_PARAM_* */

typedef struct {
    uint32_t module, function, grid[3], block[3], lds, bytes;
} Record;

int blocks_per_cu(const Function *f, int block, size_t lds) {
    if (block < 1 || (uint32_t)block > f->max_threads) return 0;
    int waves = (block + device.warp - 1) / device.warp;
    int by_waves = (int)f->waves_per_cu / waves;
    size_t used = f->lds + lds;
    int by_lds = used ? (int)((size_t)device.lds / used) : by_waves;
    return by_lds < by_waves ? by_lds : by_waves;
}

/* Arguments by pointers to each: sizes come from the code object's metadata. */
static hipError_t gather(const Function *f, void **params, char *bytes) {
    for (uint32_t n = 0; n < f->argument_count; n++) {
        const Argument *a = &f->arguments[n];
        if (!params[n]) return hipErrorInvalidValue;
        if ((uint64_t)a->offset + a->size > f->kernarg) return hipErrorInvalidImage;
        memcpy(bytes + a->offset, params[n], a->size);
    }
    return hipSuccess;
}

static hipError_t packed(void **extra, char *bytes, size_t limit, size_t *used) {
    const void *buffer = NULL;
    size_t size = 0;
    for (int n = 0; (uintptr_t)extra[n] != PARAM_END; n += 2) {
        if ((uintptr_t)extra[n] == PARAM_POINTER) buffer = extra[n + 1];
        else if ((uintptr_t)extra[n] == PARAM_SIZE) size = *(const size_t *)extra[n + 1];
        else return hipErrorInvalidValue;
        if (n > 16) return hipErrorInvalidValue;
    }
    if (size && !buffer) return hipErrorInvalidValue;
    if (size > limit) size = limit;
    memcpy(bytes, buffer ? buffer : bytes, size);
    *used = size;
    return hipSuccess;
}

static hipError_t check(const Function *f, const uint32_t grid[3], const uint32_t block[3],
                        uint32_t lds, bool cooperative) {
    uint64_t threads = 1, groups = 1;
    for (int n = 0; n < 3; n++) {
        if (!grid[n] || !block[n]) return hipErrorInvalidConfiguration;
        if (block[n] > 1024) return hipErrorInvalidConfiguration;
        if ((uint64_t)grid[n] * block[n] > UINT32_MAX) return hipErrorInvalidConfiguration;
        threads *= block[n];
        groups *= grid[n];
    }
    if (threads > (uint64_t)device.max_threads) return hipErrorInvalidConfiguration;
    if (threads > f->max_threads) return hipErrorInvalidConfiguration;
    if ((uint64_t)f->lds + lds > (uint64_t)device.lds) return hipErrorInvalidValue;
    uint64_t most = (uint64_t)blocks_per_cu(f, (int)threads, lds) * (uint64_t)device.cus;
    return cooperative && groups > most ? hipErrorCooperativeLaunchTooLarge : hipSuccess;
}

hipError_t launch(Function *f, const uint32_t grid[3], const uint32_t block[3], uint32_t lds,
                  void **params, void **extra, bool cooperative) {
    static char bytes[LARGEST_KERNARG];
    size_t used = f->kernarg;
    hipError_t error = synchronize();
    if (error) return error;
    if ((error = check(f, grid, block, lds, cooperative))) return error;
    if (f->kernarg > sizeof bytes) return hipErrorInvalidImage;
    memset(bytes, 0, f->kernarg);
    if (extra) error = packed(extra, bytes, sizeof bytes, &used);
    else if (f->argument_count && !params) error = hipErrorInvalidValue;
    else error = gather(f, params, bytes);
    if (error || (error = module_ready(f->module))) return error;
    Record record = {f->module->handle, f->index, {grid[0], grid[1], grid[2]},
                     {block[0], block[1], block[2]}, lds, (uint32_t)used};
    Reply reply;
    unsigned char *payload;
    error = worker_call(OP_LAUNCH, &record, sizeof record, bytes, used, &reply, &payload);
    free(payload);
    if (!error) {
        device_clock_ns += reply.ns;
        error = reply.status;
    }
    /* What the kernel did wrong shows at the next synchronization; a refusal shows at once. */
    if (error == hipErrorNotSupported || error == hipErrorNoDevice) return error;
    if (error) set_pending(error);
    return hipSuccess;
}
