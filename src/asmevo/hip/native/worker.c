/* The worker process: started on first use, spoken to over a socket pair, replaced after a loss. */
#define _GNU_SOURCE
#include "runtime.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
#define WORKER_SOCKET 100 /* where the worker finds its ends (hip/worker.py) */
#define WORKER_ARENA 101
#define LARGEST_REPLY (256u << 20)

static int channel = -1;
static pid_t worker;
static uint32_t epoch = 1;

uint32_t worker_epoch(void) { return epoch; }

static bool starts(const char *text, const char *with) {
    return !strncmp(text, with, strlen(with));
}

static char **worker_environment(char *path) {
    size_t count = 0, kept = 0;
    while (environ[count]) count++;
    char **list = calloc(count + 2, sizeof *list);
    if (!list) return NULL;
    for (size_t n = 0; n < count; n++)
        if (!starts(environ[n], "LD_PRELOAD=") && !starts(environ[n], "LD_LIBRARY_PATH=") &&
            !starts(environ[n], "PYTHON"))
            list[kept++] = environ[n];
    list[kept] = path;
    return list;
}

static bool worker_start(void) {
    int ends[2];
    const char *python = getenv("ASMEVO_HIP_PYTHON"), *where = getenv("ASMEVO_HIP_PYTHONPATH");
    char path[4200];
    if (!python) {
        note("ASMEVO_HIP_PYTHON is not set: start the program with `asmevo exec`");
        return false;
    }
    snprintf(path, sizeof path, "PYTHONPATH=%s", where ? where : "");
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return false;
    char *const argv[] = {(char *)python, "-m", "asmevo.hip.worker", NULL};
    char **environment = worker_environment(path);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", 0, 0);
    posix_spawn_file_actions_adddup2(&actions, 2, 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], WORKER_SOCKET);
    posix_spawn_file_actions_adddup2(&actions, arena_fd, WORKER_ARENA);
    int failed = environment
                     ? posix_spawn(&worker, python, &actions, &attributes, argv, environment)
                     : ENOMEM;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    free(environment);
    close(ends[1]);
    if (failed) {
        note("the worker does not start (%s): %s", python, strerror(failed));
        close(ends[0]);
        worker = 0;
        return false;
    }
    channel = ends[0];
    return true;
}

/* `lost`: it does not answer any more. Otherwise it writes its report before it ends. */
static void worker_stop(bool lost) {
    pid_t left = worker;
    if (channel >= 0) close(channel);
    channel = -1;
    epoch++;
    if (left <= 0) return;
    for (int n = 0; !lost && n < 3000; n++) {
        if (waitpid(left, NULL, WNOHANG) != 0) {
            worker = 0;
            return;
        }
        usleep(10000);
    }
    kill(left, SIGKILL);
    while (waitpid(left, NULL, 0) < 0 && errno == EINTR) {}
    worker = 0;
}

/* In a child of fork, which has no worker, nothing is waited for. */
__attribute__((destructor)) static void finish(void) { worker_stop(false); }

/* A launch that runs far longer than asked for: the worker's own budget should have ended it. */
static int patience_ms(void) {
    const char *text = getenv("ASMEVO_HIP_TIMEOUT");
    double seconds = text ? atof(text) : 0;
    return seconds > 0 && seconds < 2e5 ? (int)(seconds * 10 * 1000) : -1;
}

static hipError_t receive(void *to, size_t size, int patience) {
    char *at = to;
    while (size) {
        struct pollfd one = {channel, POLLIN, 0};
        int ready = poll(&one, 1, patience);
        if (ready < 0 && errno == EINTR) continue;
        if (ready == 0) return hipErrorLaunchTimeOut;
        ssize_t n = ready < 0 ? -1 : recv(channel, at, size, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return hipErrorLaunchFailure;
        at += n;
        size -= (size_t)n;
    }
    return hipSuccess;
}

static bool send_parts(struct iovec *parts, int count) {
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = (size_t)count};
    while (message.msg_iovlen) {
        ssize_t n = sendmsg(channel, &message, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        while (message.msg_iovlen && (size_t)n >= message.msg_iov->iov_len) {
            n -= (ssize_t)message.msg_iov->iov_len;
            message.msg_iov++;
            message.msg_iovlen--;
        }
        if (message.msg_iovlen) {
            message.msg_iov->iov_base = (char *)message.msg_iov->iov_base + n;
            message.msg_iov->iov_len -= (size_t)n;
        }
    }
    return true;
}

hipError_t worker_call(enum Op op, const void *head, size_t head_size, const void *body,
                       size_t body_size, Reply *reply, unsigned char **payload) {
    Head first = {op, (uint32_t)(head_size + body_size)};
    struct iovec parts[3] = {{&first, sizeof first}, {(void *)head, head_size},
                             {(void *)body, body_size}};
    *payload = NULL;
    if (channel < 0 && !worker_start()) return hipErrorNoDevice;
    hipError_t error = send_parts(parts, 3) ? hipSuccess : hipErrorLaunchFailure;
    int patience = -1; /* to decode and compile takes the time that it takes */
    do {
        if (!error) error = receive(reply, sizeof *reply, patience);
        patience = patience_ms();
    } while (!error && reply->status == REPLY_RUNNING);
    if (!error && reply->size > LARGEST_REPLY) error = hipErrorLaunchFailure;
    if (!error && reply->size) {
        *payload = malloc(reply->size);
        error = *payload ? receive(*payload, reply->size, -1) : hipErrorOutOfMemory;
    }
    if (error) {
        free(*payload);
        *payload = NULL;
        note(error == hipErrorLaunchTimeOut
                 ? "the kernel ran longer than ASMEVO_HIP_TIMEOUT; its worker was ended"
                 : "the worker that runs kernels ended unexpectedly");
        worker_stop(true);
        return error;
    }
    return hipSuccess;
}
