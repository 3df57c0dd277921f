/* What compiled programs register before main: fat binaries, kernels, variables.
 *
 * A fat binary is loaded when something of it is first used; what no device can run is an error
 * then, and not before. */
#define _GNU_SOURCE
#include "runtime.h"
#include <stdlib.h>
#include <string.h>

#define WRAPPER_MAGIC 0x48495046u /* "HIPF" */
typedef struct { uint32_t magic, version; const void *binary; void *unused; } Wrapper;
typedef struct { const void *binary; Module *module; hipError_t error; } FatBinary;
typedef struct { const void *host; FatBinary *from; char *name; Function *found; } Kernel;
typedef struct Variable {
    struct Variable *next;
    const void *host;
    FatBinary *from;
    char *name;
    size_t size;
    void *managed; /* memory that the device's variable of this name points to */
} Variable;

static Kernel *kernels; /* open addressing by host address */
static size_t kernel_slots, kernel_count;
static Variable *variables;

static size_t slot_of(const Kernel *table, size_t slots, const void *host) {
    size_t n = ((uint64_t)host >> 4) * 0x9E3779B97F4A7C15ull >> 20 & (slots - 1);
    while (table[n].host && table[n].host != host) n = (n + 1) & (slots - 1);
    return n;
}

static bool grow(void) {
    size_t slots = kernel_slots ? 2 * kernel_slots : 256;
    Kernel *table = calloc(slots, sizeof *table);
    if (!table) return false;
    for (size_t n = 0; n < kernel_slots; n++)
        if (kernels[n].host) table[slot_of(table, slots, kernels[n].host)] = kernels[n];
    free(kernels);
    kernels = table;
    kernel_slots = slots;
    return true;
}

EXPORT void **__hipRegisterFatBinary(const void *data) {
    const Wrapper *wrapper = data;
    enter(__func__, "%p", data);
    FatBinary *fat = calloc(1, sizeof *fat);
    if (fat && wrapper->magic == WRAPPER_MAGIC) fat->binary = wrapper->binary;
    else if (fat) fat->error = hipErrorInvalidImage;
    leave_quietly(0);
    return (void **)fat;
}

EXPORT void __hipUnregisterFatBinary(void **handle) {
    FatBinary *fat = (FatBinary *)handle;
    hipError_t error = enter(__func__, "%p", (void *)handle);
    if (fat && fat->module && !error) {
        module_unload(fat->module);
        for (size_t n = 0; n < kernel_slots; n++)
            if (kernels[n].from == fat) kernels[n].found = NULL;
    }
    if (fat) {
        fat->module = NULL;
        fat->error = hipErrorInvalidImage;
    }
    leave_quietly(0);
}

EXPORT void __hipRegisterFunction(void **handle, const void *host, char *shown, const char *name,
                                  unsigned limit, void *tid, void *bid, void *block, void *grid,
                                  int *warp) {
    (void)shown, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    enter(__func__, "%p %s", host, name);
    if (2 * (kernel_count + 1) <= kernel_slots || grow()) {
        size_t n = slot_of(kernels, kernel_slots, host);
        if (!kernels[n].host) kernel_count++;
        else free(kernels[n].name);
        kernels[n] = (Kernel){host, (FatBinary *)handle, strdup(name), NULL};
    }
    leave_quietly(0);
}

static Variable *add_variable(void **handle, const void *host, const char *name, size_t size) {
    Variable *v = calloc(1, sizeof *v);
    if (!v) return NULL;
    *v = (Variable){variables, host, (FatBinary *)handle, strdup(name), size, NULL};
    variables = v;
    return v;
}

EXPORT void __hipRegisterVar(void **handle, void *host, char *shown, char *name, int external,
                             size_t size, int constant, int global) {
    (void)shown, (void)external, (void)constant, (void)global;
    enter(__func__, "%p %s %zu", host, name, size);
    add_variable(handle, host, name, size);
    leave_quietly(0);
}

EXPORT void __hipRegisterManagedVar(void **handle, void **pointer, void *initial,
                                    const char *name, size_t size, unsigned align) {
    (void)align;
    hipError_t error = enter(__func__, "%p %s %zu", (void *)pointer, name, size);
    Variable *v = error ? NULL : add_variable(handle, pointer, name, size);
    if (v && (v->managed = arena_allocate(size, MANAGED, 0))) {
        memcpy(v->managed, initial, size);
        *pointer = v->managed;
    }
    leave_quietly(0);
}

EXPORT void __hipRegisterTexture(void **handle, void *host, char *shown, char *name, int type,
                                 int normalized, int external) {
    (void)handle, (void)shown, (void)type, (void)normalized, (void)external;
    enter(__func__, "%p %s", host, name);
    leave_quietly(0); /* an error when it is used: nothing that uses textures is supported */
}

EXPORT void __hipRegisterSurface(void **handle, void *host, char *shown, char *name, int type,
                                 int external) {
    (void)handle, (void)shown, (void)type, (void)external;
    enter(__func__, "%p %s", host, name);
    leave_quietly(0);
}

static hipError_t load(FatBinary *fat) {
    if (!fat) return hipErrorInvalidDeviceFunction;
    if (fat->error || fat->module) return fat->error;
    fat->error = module_load(fat->binary, &fat->module);
    for (Variable *v = variables; v && !fat->error; v = v->next) {
        const Symbol *s = v->from == fat && v->managed ? module_symbol(fat->module, v->name) : NULL;
        if (s && s->size >= sizeof v->managed)
            memcpy((char *)fat->module->base + s->offset, &v->managed, sizeof v->managed);
    }
    return fat->error;
}

hipError_t registered_function(const void *host, Function **out) {
    size_t n = kernel_slots ? slot_of(kernels, kernel_slots, host) : 0;
    if (!host || !kernel_slots || !kernels[n].host) return hipErrorInvalidDeviceFunction;
    Kernel *k = &kernels[n];
    if (!k->found) {
        hipError_t error = load(k->from);
        if (error) return error;
        k->found = module_function(k->from->module, k->name);
    }
    *out = k->found;
    return k->found ? hipSuccess : hipErrorInvalidDeviceFunction;
}

hipError_t registered_variable(const void *host, void **address, size_t *size) {
    for (Variable *v = variables; v; v = v->next) {
        if (v->host != host) continue;
        hipError_t error = load(v->from);
        if (error) return error;
        if (v->managed) {
            *address = v->managed;
            *size = v->size;
            return hipSuccess;
        }
        const Symbol *s = module_symbol(v->from->module, v->name);
        if (!s) return hipErrorInvalidSymbol;
        *address = (char *)v->from->module->base + s->offset;
        *size = v->size;
        return hipSuccess;
    }
    return hipErrorInvalidSymbol;
}
