/* A program as a compiler of HIP C++ makes it: it registers a fat binary, kernels and variables,
 * and launches by host address. Usage: registered OBJECT [MODE]. Own declarations, no AMD header.
 * Prints one line per fact; what it expects of results is arithmetic of its own. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef int hipError_t;
typedef struct { uint32_t x, y, z; } dim3;
typedef void *hipStream_t, *hipEvent_t;
extern void **__hipRegisterFatBinary(const void *);
extern void __hipUnregisterFatBinary(void **);
extern void __hipRegisterFunction(void **, const void *, char *, const char *, unsigned, void *,
                                  void *, void *, void *, int *);
extern void __hipRegisterVar(void **, void *, char *, char *, int, size_t, int, int);
extern void __hipRegisterManagedVar(void **, void **, void *, const char *, size_t, unsigned);
extern hipError_t __hipPushCallConfiguration(dim3, dim3, size_t, hipStream_t);
extern hipError_t __hipPopCallConfiguration(dim3 *, dim3 *, size_t *, hipStream_t *);
extern hipError_t hipLaunchKernel(const void *, dim3, dim3, void **, size_t, hipStream_t);
extern hipError_t hipMalloc(void **, size_t), hipFree(void *), hipDeviceSynchronize(void);
extern hipError_t hipMallocManaged(void **, size_t, unsigned), hipHostMalloc(void **, size_t, unsigned);
extern hipError_t hipHostFree(void *), hipHostRegister(void *, size_t, unsigned);
extern hipError_t hipHostUnregister(void *), hipHostGetDevicePointer(void **, void *, unsigned);
extern hipError_t hipMemcpy(void *, const void *, size_t, int), hipGetLastError(void);
extern hipError_t hipMemcpyAsync(void *, const void *, size_t, int, hipStream_t);
extern hipError_t hipMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
extern hipError_t hipMemcpyFromSymbol(void *, const void *, size_t, size_t, int);
extern hipError_t hipStreamCreate(hipStream_t *), hipStreamDestroy(hipStream_t);
extern hipError_t hipStreamSynchronize(hipStream_t), hipStreamWaitEvent(hipStream_t, hipEvent_t, unsigned);
extern hipError_t hipEventCreate(hipEvent_t *), hipEventRecord(hipEvent_t, hipStream_t);
extern hipError_t hipEventSynchronize(hipEvent_t), hipEventDestroy(hipEvent_t);
extern hipError_t hipEventElapsedTime(float *, hipEvent_t, hipEvent_t), hipDeviceReset(void);
extern hipError_t hipModuleLoadData(void **, const void *), hipGetDeviceCount(int *);
extern hipError_t hipModuleGetFunction(void **, void *, const char *), hipModuleUnload(void *);
extern hipError_t hipModuleLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                                        unsigned, unsigned, hipStream_t, void **, void **);

#define N 1000
static float factor_shadow;
static int launches_shadow;
static int *shift_managed;
static void affine(void) {}
static void forever(void) {}
static void **fat;

#define MUST(call)                                                                              \
    do {                                                                                        \
        hipError_t error = call;                                                                \
        if (error) {                                                                            \
            printf("%s gave %d\n", #call, error);                                               \
            exit(1);                                                                            \
        }                                                                                       \
    } while (0)

static void *read_file(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    if (!f) exit(2);
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    void *data = malloc(*size);
    if (fread(data, 1, *size, f) != *size) exit(2);
    fclose(f);
    return data;
}

static void enroll(const void *object) {
    static struct { uint32_t magic, version; const void *binary; void *unused; } wrapper;
    static float initial = 0.25f;
    wrapper.magic = 0x48495046;
    wrapper.version = 1;
    wrapper.binary = object;
    fat = __hipRegisterFatBinary(&wrapper);
    __hipRegisterFunction(fat, (void *)affine, "affine", "affine", ~0u, 0, 0, 0, 0, 0);
    __hipRegisterFunction(fat, (void *)forever, "forever", "forever", ~0u, 0, 0, 0, 0, 0);
    __hipRegisterVar(fat, &factor_shadow, "factor", "factor", 0, 4, 1, 0);
    __hipRegisterVar(fat, &launches_shadow, "launches", "launches", 0, 4, 0, 0);
    __hipRegisterManagedVar(fat, (void **)&shift_managed, &initial, "shift", 4, 4);
}

/* affine<<<grid, block, 0, stream>>>(x, y, n) */
static hipError_t run(unsigned grid, unsigned block, hipStream_t s, float *x, float *y, int n) {
    dim3 g, b;
    size_t lds;
    hipStream_t stream;
    void *arguments[] = {&x, &y, &n};
    MUST(__hipPushCallConfiguration((dim3){grid, 1, 1}, (dim3){block, 1, 1}, 0, s));
    MUST(__hipPopCallConfiguration(&g, &b, &lds, &stream));
    return hipLaunchKernel((void *)affine, g, b, arguments, lds, stream);
}

static int right(const float *y, const float *x, float factor, float shift) {
    for (int i = 0; i < N; i++)
        if (y[i] != factor * x[i] + shift) return 0;
    return 1;
}

static void everything(void) {
    float x[N], y[N], *dx, *dy, *pinned, *managed, factor = 2.0f, ms = -1;
    int count = -1;
    hipStream_t s, t;
    hipEvent_t a, b;
    for (int i = 0; i < N; i++) x[i] = (float)i;
    MUST(hipMalloc((void **)&dx, sizeof x));
    MUST(hipMalloc((void **)&dy, sizeof y));
    MUST(hipStreamCreate(&s));
    MUST(hipStreamCreate(&t));
    MUST(hipEventCreate(&a));
    MUST(hipEventCreate(&b));
    MUST(hipMemcpyAsync(dx, x, sizeof x, 1, s));
    MUST(run(4, 256, s, dx, dy, N));
    MUST(hipMemcpy(y, dy, sizeof y, 2));
    printf("initial %d\n", right(y, x, 1.0f, 0.25f));
    MUST(hipMemcpyToSymbol(&factor_shadow, &factor, 4, 0, 1));
    *(float *)shift_managed = 0.5f;
    MUST(hipEventRecord(a, s));
    MUST(run(4, 256, s, dx, dy, N));
    MUST(hipEventRecord(b, s));
    MUST(hipStreamWaitEvent(t, b, 0));
    MUST(hipEventSynchronize(b));
    MUST(hipEventElapsedTime(&ms, a, b));
    MUST(hipMemcpyAsync(y, dy, sizeof y, 2, t));
    MUST(hipStreamSynchronize(t));
    printf("constant %d\nevents %d\n", right(y, x, 2.0f, 0.5f), ms > 0);
    MUST(hipHostMalloc((void **)&pinned, sizeof x, 0));
    MUST(hipMallocManaged((void **)&managed, sizeof y, 1));
    memcpy(pinned, x, sizeof x);
    MUST(run(4, 256, 0, pinned, managed, N));
    MUST(hipDeviceSynchronize());
    printf("pinned %d\n", right(managed, x, 2.0f, 0.5f));
    float *mine = malloc(sizeof x), *seen;
    memset(mine, 0, sizeof x);
    MUST(hipHostRegister(mine, sizeof x, 0));
    MUST(hipHostGetDevicePointer((void **)&seen, mine, 0));
    MUST(run(4, 256, 0, pinned, seen, N));
    MUST(hipDeviceSynchronize());
    printf("registered %d\n", right(mine, x, 2.0f, 0.5f));
    MUST(hipHostUnregister(mine));
    printf("kept %d\n", right(mine, x, 2.0f, 0.5f));
    free(mine);
    MUST(hipMemcpyFromSymbol(&count, &launches_shadow, 4, 0, 2));
    printf("launches %d\n", count);
    printf("no block %d\n", run(1, 0, 0, dx, dy, N));
    printf("unknown host %d\n", hipLaunchKernel((void *)everything, (dim3){1, 1, 1},
                                                (dim3){1, 1, 1}, NULL, 0, 0));
    MUST(hipFree(dx));
    MUST(hipFree(dy));
    printf("free twice %d\n", hipFree(dy));
    MUST(hipHostFree(pinned));
    MUST(hipFree(managed));
    MUST(hipStreamDestroy(s));
    MUST(hipStreamDestroy(t));
    MUST(hipEventDestroy(a));
    MUST(hipEventDestroy(b));
    hipGetLastError();
}

static void hang(void) {
    printf("launch %d\n", hipLaunchKernel((void *)forever, (dim3){1, 1, 1}, (dim3){64, 1, 1},
                                          NULL, 0, 0));
    printf("synchronize %d\n", hipDeviceSynchronize());
    printf("again %d\n", hipDeviceSynchronize());
    MUST(hipDeviceReset());
    printf("reset %d\n", hipDeviceSynchronize());
}

/* The worker is killed while it waits for work. */
static void lose(void) {
    float *x;
    char name[64];
    int worker = 0;
    MUST(hipMalloc((void **)&x, 4 * N));
    MUST(run(1, 64, 0, x, x, 0));
    MUST(hipDeviceSynchronize());
    snprintf(name, sizeof name, "/proc/self/task/%d/children", (int)getpid());
    FILE *children = fopen(name, "r"); /* the worker is the only one */
    if (!children || fscanf(children, "%d", &worker) != 1 || kill(worker, SIGKILL))
        printf("no worker\n");
    printf("launch %d\n", run(1, 64, 0, x, x, 0));
    printf("synchronize %d\n", hipDeviceSynchronize());
    MUST(hipDeviceReset());
    printf("again %d\n", run(4, 256, 0, x, x, N));
    printf("synchronize again %d\n", hipDeviceSynchronize());
}

static void forked(void) {
    float *x;
    MUST(hipMalloc((void **)&x, 4));
    *x = 1;
    pid_t child = fork();
    if (!child) _exit(hipDeviceSynchronize());
    int status;
    waitpid(child, &status, 0);
    printf("child %d\n", WEXITSTATUS(status));
    printf("parent %d\n", hipDeviceSynchronize());
}

static void *many(void *p) {
    float *x = p, *dx, *dy, y[N];
    for (int n = 0; n < 5; n++) {
        MUST(hipMalloc((void **)&dx, 4 * N));
        MUST(hipMalloc((void **)&dy, 4 * N));
        MUST(hipMemcpy(dx, x, 4 * N, 1));
        MUST(run(4, 256, 0, dx, dy, N));
        MUST(hipMemcpy(y, dy, 4 * N, 2));
        if (!right(y, x, 1.0f, 0.25f)) return p;
        MUST(hipFree(dx));
        MUST(hipFree(dy));
    }
    return NULL;
}

static void threads(void) {
    static float x[4][N];
    pthread_t list[4];
    int bad = 0;
    for (int n = 0; n < 4; n++) {
        for (int i = 0; i < N; i++) x[n][i] = (float)(n * i);
        pthread_create(&list[n], NULL, many, x[n]);
    }
    for (int n = 0; n < 4; n++) {
        void *failed;
        pthread_join(list[n], &failed);
        bad += failed != NULL;
    }
    printf("bad threads %d\n", bad);
}

/* Hostile images: every file named after the mode is loaded; only error codes may come. What loads
 * is asked for a kernel and launched with nothing. */
static void hostile(int count, char **files) {
    int loaded = 0, refused = 0;
    for (int n = 0; n < count; n++) {
        size_t size;
        void *module, *image = read_file(files[n], &size);
        if (hipModuleLoadData(&module, image)) {
            refused++;
        } else {
            void *f;
            loaded++;
            if (!hipModuleGetFunction(&f, module, "saxpy"))
                hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, 0, NULL, NULL);
            hipDeviceSynchronize();
            hipDeviceReset();
            hipModuleUnload(module);
        }
        free(image);
    }
    printf("loaded %d refused %d\n", loaded, refused);
    printf("null %d\n", hipModuleLoadData((void *[1]){0}, NULL));
    printf("unmapped %d\n", hipModuleLoadData((void *[1]){0}, (void *)16));
    hipGetLastError();
    printf("synchronize %d\n", hipDeviceSynchronize());
}

static void overhead(int launches) {
    float *x;
    struct timespec a, b;
    MUST(hipMalloc((void **)&x, 4 * N));
    for (int n = 0; n < 200; n++) MUST(run(4, 256, 0, x, x, N));
    double *all = malloc(sizeof(double) * (size_t)launches);
    for (int n = 0; n < launches; n++) {
        clock_gettime(CLOCK_MONOTONIC, &a);
        MUST(run(4, 256, 0, x, x, N));
        clock_gettime(CLOCK_MONOTONIC, &b);
        all[n] = (double)(b.tv_sec - a.tv_sec) * 1e6 + (double)(b.tv_nsec - a.tv_nsec) * 1e-3;
    }
    for (int n = 0; n < launches; n++) printf("%.3f\n", all[n]);
    free(all);
}

int main(int argc, char **argv) {
    size_t size;
    const char *mode = argc > 2 ? argv[2] : "everything";
    void *object = read_file(argv[1], &size);
    setvbuf(stdout, NULL, _IOLBF, 0);
    enroll(object);
    if (!strcmp(mode, "everything")) everything();
    else if (!strcmp(mode, "hang")) hang();
    else if (!strcmp(mode, "lose")) lose();
    else if (!strcmp(mode, "fork")) forked();
    else if (!strcmp(mode, "threads")) threads();
    else if (!strcmp(mode, "hostile")) hostile(argc - 3, argv + 3);
    else if (!strcmp(mode, "overhead")) overhead(atoi(argv[3]));
    __hipUnregisterFatBinary(fat);
    return 0;
}
