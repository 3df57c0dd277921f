/* The arena: one shared mapping at a fixed address, and the table of what is allocated in it.
 *
 * Every allocation has unmapped-in-table space behind it, so that the worker tells each access out
 * of bounds. Memory of freed ones goes back to the system. */
#define _GNU_SOURCE
#include "runtime.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int arena_fd = -1;
static Shared *shared;
static uint64_t cursor;

#define FIRST (ARENA_BASE + ARENA_TABLE)
#define CAPACITY ((ARENA_TABLE - sizeof(Shared)) / sizeof(Allocation))

static uint64_t up(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }
static uint64_t whole(uint64_t size) { return up(size ? size : 1, ALLOCATION_ALIGN); }

bool arena_open(void) {
    uint64_t size = ARENA_TABLE + 2 * device.memory; /* twice: room for gaps */
    if (shared) return true;
    arena_fd = memfd_create("asmevo-hip", MFD_CLOEXEC);
    if (arena_fd < 0 || ftruncate(arena_fd, (off_t)size)) {
        note("no shared memory for the device: %s", strerror(errno));
        return false;
    }
    void *at = mmap((void *)ARENA_BASE, size, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, arena_fd, 0);
    if (at != (void *)ARENA_BASE) {
        note("address %#llx is taken, or too little address space: %s", ARENA_BASE,
             strerror(errno));
        if (at != MAP_FAILED) munmap(at, size);
        close(arena_fd);
        arena_fd = -1;
        return false;
    }
    shared = at;
    memcpy(shared->magic, "asmevo1", 8);
    shared->limit = size;
    cursor = FIRST;
    return true;
}

/* Index of the first entry whose base lies above p. */
static uint64_t above(uint64_t p) {
    uint64_t low = 0, high = shared->count;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (shared->table[middle].base > p) high = middle;
        else low = middle + 1;
    }
    return low;
}

bool arena_owns(const void *p) {
    uint64_t at = (uint64_t)p;
    return shared && at >= FIRST && at < ARENA_BASE + shared->limit;
}

Allocation *arena_find(const void *p) {
    uint64_t at = (uint64_t)p;
    if (!arena_owns(p)) return NULL;
    uint64_t n = above(at);
    if (!n) return NULL;
    Allocation *a = &shared->table[n - 1];
    return at < a->base + (a->size ? a->size : 1) ? a : NULL;
}

/* The lowest place from `from` on with room for `need` bytes; 0 for none. */
static uint64_t room(uint64_t from, uint64_t need) {
    uint64_t n = above(from);
    if (n) {
        Allocation *before = &shared->table[n - 1];
        uint64_t end = before->base + whole(before->size) + ALLOCATION_ALIGN;
        if (end > from) from = end;
    }
    for (; n < shared->count; n++) {
        Allocation *a = &shared->table[n];
        if (from + need <= a->base) return from;
        from = a->base + whole(a->size) + ALLOCATION_ALIGN;
    }
    return from + need <= ARENA_BASE + shared->limit ? from : 0;
}

void *arena_allocate(uint64_t size, enum Kind kind, uint32_t flags) {
    if (!shared || size > device.memory || shared->used + whole(size) > device.memory)
        return NULL;
    if (shared->count == CAPACITY) return NULL;
    uint64_t need = whole(size) + ALLOCATION_ALIGN, at = room(cursor, need);
    if (!at) at = room(FIRST, need);
    if (!at) return NULL;
    uint64_t n = above(at);
    memmove(&shared->table[n + 1], &shared->table[n], (shared->count - n) * sizeof(Allocation));
    shared->table[n] = (Allocation){at, size, 0, kind, flags};
    shared->count++;
    shared->generation++;
    shared->used += whole(size);
    cursor = at + need;
    return (void *)at;
}

bool arena_free(const void *p) {
    Allocation *a = arena_find(p);
    if (!a || a->base != (uint64_t)p) return false;
    madvise((void *)a->base, whole(a->size), MADV_REMOVE);
    shared->used -= whole(a->size);
    uint64_t n = (uint64_t)(a - shared->table);
    memmove(a, a + 1, (shared->count - n - 1) * sizeof(Allocation));
    shared->count--;
    shared->generation++;
    return true;
}

/* Copy from memory that may not be there, without a fault: the system looks for us. By its number,
 * as sanitizers watch the function, and how long a hostile image is nobody can know. */
bool arena_copy_in(void *to, const void *from, size_t size) {
    off_t at = (off_t)((uint64_t)to - ARENA_BASE);
    const char *source = from;
    while (size) {
        ssize_t n = syscall(SYS_pwrite64, arena_fd, source, size, at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        source += n;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

void arena_numbers(uint64_t *free_bytes, uint64_t *total) {
    *total = device.memory;
    *free_bytes = device.memory - (shared ? shared->used : 0);
}

Allocation *arena_registered(const void *host) {
    uint64_t at = (uint64_t)host;
    for (uint64_t n = 0; shared && n < shared->count; n++) {
        Allocation *a = &shared->table[n];
        if (a->kind == REGISTERED && at >= a->host && at < a->host + a->size) return a;
    }
    return NULL;
}

/* The program's pages become pages of the arena, so that kernels see what it writes there. */
hipError_t arena_register(void *host, size_t size) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), start = (uint64_t)host / page * page;
    uint64_t bytes = up((uint64_t)host + size - start, page);
    if (arena_registered(host)) return hipErrorHostMemoryAlreadyRegistered;
    char *copy = arena_allocate(bytes, REGISTERED, 0);
    if (!copy) return hipErrorOutOfMemory;
    off_t offset = (off_t)((uint64_t)copy - ARENA_BASE);
    if (!arena_copy_in(copy, (void *)start, bytes) ||
        mmap((void *)start, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, arena_fd,
             offset) == MAP_FAILED) {
        arena_free(copy);
        return hipErrorInvalidValue;
    }
    Allocation *a = arena_find(copy);
    a->host = start;
    return hipSuccess;
}

hipError_t arena_unregister(void *host) {
    Allocation *a = arena_registered(host);
    if (!a) return hipErrorHostMemoryNotRegistered;
    /* Filled elsewhere first, so that nobody sees the pages empty. */
    void *pages = mmap(NULL, a->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return hipErrorOutOfMemory;
    off_t offset = (off_t)(a->base - ARENA_BASE);
    if (syscall(SYS_pread64, arena_fd, pages, a->size, offset) != (ssize_t)a->size ||
        mremap(pages, a->size, a->size, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)a->host) ==
            MAP_FAILED) {
        munmap(pages, a->size);
        return hipErrorOperatingSystem;
    }
    arena_free((void *)a->base);
    return hipSuccess;
}
