/* Code objects: how many bytes an image has, loading through the worker, functions and symbols.
 *
 * An image comes as a bare pointer and may be hostile. Here only sizes are read, through
 * `arena_copy_in`, which cannot fault; everything else is parsed in the worker. */
#define _GNU_SOURCE
#include "runtime.h"
#include <stdlib.h>
#include <string.h>

#define MODULE_MAGIC 0x4d6f6475u
#define FUNCTION_MAGIC 0x46756e63u
#define LARGEST_IMAGE (4ull << 30)
#define MOST_ENTRIES 4096

static Module *modules[4096];

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

static bool peek(char *scratch, const void *image, uint64_t offset, size_t size) {
    return offset < LARGEST_IMAGE && arena_copy_in(scratch, (const char *)image + offset, size);
}

static uint64_t u64(const char *p) {
    uint64_t value;
    memcpy(&value, p, 8);
    return value;
}

static uint64_t u16(const char *p) {
    uint16_t value;
    memcpy(&value, p, 2);
    return value;
}

/* The end of a table of `count` entries, and of what each says of [offset, offset + size). */
static uint64_t table_end(char *scratch, const void *image, uint64_t at, uint64_t count,
                          uint64_t stride, size_t offset, size_t size, bool sections) {
    uint64_t end = at + count * stride;
    for (uint64_t n = 0; n < count && n < 65536; n++) {
        if (!peek(scratch, image, at + n * stride, (size_t)stride)) return 0;
        uint32_t type;
        memcpy(&type, scratch + 4, 4);
        if (sections && type == 8) continue; /* SHT_NOBITS */
        end = larger(end, u64(scratch + offset) + u64(scratch + size));
    }
    return end;
}

static uint64_t elf_size(char *scratch, const void *image) {
    if (!peek(scratch, image, 0, 64) || scratch[4] != 2) return 0;
    uint64_t phoff = u64(scratch + 32), shoff = u64(scratch + 40);
    uint64_t phsize = u16(scratch + 54), phnum = u16(scratch + 56);
    uint64_t shsize = u16(scratch + 58), shnum = u16(scratch + 60), end = 64;
    if (phnum && phsize >= 56)
        end = larger(end, table_end(scratch, image, phoff, phnum, phsize, 8, 32, false));
    if (shnum && shsize >= 64)
        end = larger(end, table_end(scratch, image, shoff, shnum, shsize, 24, 32, true));
    return end;
}

static uint64_t bundle_size(char *scratch, const void *image) {
    if (!peek(scratch, image, 0, 32)) return 0;
    uint64_t count = u64(scratch + 24), at = 32, end = 32;
    if (count > MOST_ENTRIES) return 0;
    for (uint64_t n = 0; n < count; n++) {
        if (!peek(scratch, image, at, 24)) return 0;
        end = larger(end, u64(scratch) + u64(scratch + 8));
        uint64_t length = u64(scratch + 16);
        if (length > MOST_ENTRIES) return 0;
        at += 24 + length;
    }
    return larger(end, at);
}

/* Bytes of an image by its own headers. */
static hipError_t image_size(const void *image, uint64_t *out) {
    char *scratch = arena_allocate(65536 + 64, STAGING, 0); /* a header's entry at most */
    uint64_t size = 0;
    if (!scratch) return hipErrorOutOfMemory;
    if (peek(scratch, image, 0, 4)) {
        if (!memcmp(scratch, "\177ELF", 4)) size = elf_size(scratch, image);
        else if (!memcmp(scratch, "CCOB", 4) && peek(scratch, image, 0, 24)) {
            uint32_t small; /* v2 has 32-bit sizes, v3 64-bit ones; v1 has none */
            memcpy(&small, scratch + 8, 4);
            size = u16(scratch + 4) == 2 ? small : u16(scratch + 4) > 2 ? u64(scratch + 8) : 0;
        } else if (peek(scratch, image, 0, 24) &&
                   !memcmp(scratch, "__CLANG_OFFLOAD_BUNDLE__", 24))
            size = bundle_size(scratch, image);
    }
    arena_free(scratch);
    *out = size;
    return size && size <= LARGEST_IMAGE ? hipSuccess : hipErrorInvalidImage;
}

/* --- what the worker answers -------------------------------------------------------------- */
typedef struct { const unsigned char *at, *end; bool bad; } Reader;

static const unsigned char *take(Reader *r, size_t size) {
    if (r->bad || (size_t)(r->end - r->at) < size) {
        r->bad = true;
        return NULL;
    }
    r->at += size;
    return r->at - size;
}

static uint32_t take32(Reader *r) {
    uint32_t value = 0;
    const unsigned char *p = take(r, 4);
    if (p) memcpy(&value, p, 4);
    return value;
}

static uint64_t take64(Reader *r) {
    uint64_t low = take32(r);
    return low | (uint64_t)take32(r) << 32;
}

static char *take_name(Reader *r) {
    uint32_t length = take32(r);
    const unsigned char *p = take(r, length);
    return p ? strndup((const char *)p, length) : NULL;
}

static void read_function(Reader *r, Module *m, uint32_t index) {
    Function *f = &m->functions[index];
    f->magic = FUNCTION_MAGIC;
    f->module = m;
    f->index = index;
    f->kernarg = take32(r);
    f->lds = take32(r);
    f->scratch = take32(r);
    f->registers = take32(r);
    f->max_threads = take32(r);
    f->waves_per_cu = take32(r);
    f->argument_count = take32(r);
    const unsigned char *list = take(r, (size_t)f->argument_count * sizeof(Argument));
    if (list && f->argument_count) {
        f->arguments = malloc(f->argument_count * sizeof(Argument));
        if (!f->arguments) r->bad = true;
        else memcpy(f->arguments, list, f->argument_count * sizeof(Argument));
    }
    f->name = take_name(r);
}

static bool read_module(Module *m, const unsigned char *payload, size_t size) {
    Reader r = {payload, payload + size, false};
    m->handle = take32(&r);
    m->span = take64(&r);
    m->function_count = take32(&r);
    m->symbol_count = take32(&r);
    if (r.bad || m->function_count > size || m->symbol_count > size) return false;
    m->functions = calloc(m->function_count + 1, sizeof(Function));
    m->symbols = calloc(m->symbol_count + 1, sizeof(Symbol));
    if (!m->functions || !m->symbols) return false;
    for (uint32_t n = 0; n < m->function_count; n++) read_function(&r, m, n);
    for (uint32_t n = 0; n < m->symbol_count; n++) {
        m->symbols[n].offset = take64(&r);
        m->symbols[n].size = take64(&r);
        m->symbols[n].name = take_name(&r);
    }
    return !r.bad;
}

static void release(Module *m) {
    for (uint32_t n = 0; m->functions && n < m->function_count; n++) {
        free(m->functions[n].name);
        free(m->functions[n].arguments);
        m->functions[n].magic = 0;
    }
    for (uint32_t n = 0; m->symbols && n < m->symbol_count; n++) free(m->symbols[n].name);
    if (m->base) arena_free((void *)m->base);
    if (m->staging) arena_free(m->staging);
    free(m->functions);
    free(m->symbols);
    m->magic = 0;
    free(m);
}

/* Tell the worker of a module, and where it lies; `keep`: its memory is as the program left it. */
static hipError_t announce(Module *m, bool keep) {
    struct { uint64_t address, size; } load = {(uint64_t)m->staging, m->staging_size};
    struct { uint32_t handle, keep; uint64_t base; } place;
    Reply reply;
    unsigned char *payload;
    hipError_t error = worker_call(OP_LOAD, &load, sizeof load, NULL, 0, &reply, &payload);
    if (!error) error = reply.status;
    if (!error && keep && reply.size >= 4) memcpy(&m->handle, payload, 4);
    else if (!error && !read_module(m, payload, reply.size)) error = hipErrorInvalidImage;
    free(payload);
    if (error) return error;
    if (!m->base) m->base = (uint64_t)arena_allocate(m->span, IMAGE, 0);
    if (!m->base) return hipErrorOutOfMemory;
    place.handle = m->handle;
    place.keep = keep;
    place.base = m->base;
    error = worker_call(OP_PLACE, &place, sizeof place, NULL, 0, &reply, &payload);
    free(payload);
    m->epoch = worker_epoch();
    return error ? error : reply.status;
}

hipError_t module_load(const void *image, Module **out) {
    size_t slot = 0;
    while (slot < COUNT_OF(modules) && modules[slot]) slot++;
    if (slot == COUNT_OF(modules)) return hipErrorOutOfMemory;
    uint64_t size;
    hipError_t error = image_size(image, &size);
    if (error) return error;
    Module *m = calloc(1, sizeof *m);
    if (!m) return hipErrorOutOfMemory;
    m->magic = MODULE_MAGIC;
    m->staging_size = size;
    m->staging = arena_allocate(size, STAGING, 0);
    error = hipErrorOutOfMemory;
    if (m->staging)
        error = arena_copy_in(m->staging, image, size) ? announce(m, false) : hipErrorInvalidImage;
    if (error) {
        release(m);
        return error;
    }
    modules[slot] = m;
    *out = m;
    return hipSuccess;
}

/* After the loss of a worker the next one has to learn of the module. */
hipError_t module_ready(Module *m) {
    return m->epoch == worker_epoch() ? hipSuccess : announce(m, true);
}

void module_unload(Module *m) {
    uint32_t handle = m->handle;
    Reply reply;
    unsigned char *payload = NULL;
    for (size_t n = 0; n < COUNT_OF(modules); n++)
        if (modules[n] == m) modules[n] = NULL;
    if (m->epoch == worker_epoch())
        worker_call(OP_UNLOAD, &handle, sizeof handle, NULL, 0, &reply, &payload);
    free(payload);
    release(m);
}

bool module_valid(const Module *m) {
    for (size_t n = 0; m && n < COUNT_OF(modules); n++)
        if (modules[n] == m) return true;
    return false;
}

bool function_valid(const Function *f) {
    for (size_t n = 0; f && n < COUNT_OF(modules); n++) {
        const Module *m = modules[n];
        if (m && f >= m->functions && f < m->functions + m->function_count)
            return ((const char *)f - (const char *)m->functions) % sizeof(Function) == 0;
    }
    return false;
}

Function *module_function(Module *m, const char *name) {
    for (uint32_t n = 0; n < m->function_count; n++)
        if (m->functions[n].name && !strcmp(m->functions[n].name, name)) return &m->functions[n];
    return NULL;
}

const Symbol *module_symbol(const Module *m, const char *name) {
    for (uint32_t n = 0; n < m->symbol_count; n++)
        if (m->symbols[n].name && !strcmp(m->symbols[n].name, name)) return &m->symbols[n];
    return NULL;
}
