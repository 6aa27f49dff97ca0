#include "tests/qemu/noise.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define STOP_MS 50

struct noise {
    pthread_t thread;
    struct sockaddr_un from, to;
    int listener, stop;
    uint32_t flipped, lost, random;
    uint64_t damage;
};

static uint32_t chance(struct noise *n)
{
    n->random ^= n->random << 13;
    n->random ^= n->random >> 17;
    n->random ^= n->random << 5;
    return n->random % 1000000;
}

/* Returns 0 at the end of the stream. */
static int pass(struct noise *n, int in, int out)
{
    uint8_t bytes[4096];
    ssize_t got = read(in, bytes, sizeof bytes), kept = 0;
    for (ssize_t i = 0; i < got; i++) {
        uint32_t c = chance(n);
        if (c < n->lost + n->flipped)
            __atomic_add_fetch(&n->damage, 1, __ATOMIC_RELAXED);
        if (c >= n->lost)
            bytes[kept++] = c < n->lost + n->flipped ? bytes[i] ^ (uint8_t)(1 << c % 8) : bytes[i];
    }
    for (ssize_t done = 0, w; done < kept; done += w)
        if ((w = write(out, bytes + done, (size_t)(kept - done))) <= 0)
            return 0;
    return got > 0;
}

static void *run(void *self)
{
    struct noise *n = self;
    struct pollfd fds[2] = {{.fd = n->listener, .events = POLLIN}};
    while (!__atomic_load_n(&n->stop, __ATOMIC_ACQUIRE) && poll(fds, 1, STOP_MS) <= 0)
        ;
    if (__atomic_load_n(&n->stop, __ATOMIC_ACQUIRE))
        return NULL;
    int host = accept(n->listener, NULL, NULL), board = socket(AF_UNIX, SOCK_STREAM, 0), good = 0;
    /* The machine may still be starting. */
    while (!__atomic_load_n(&n->stop, __ATOMIC_ACQUIRE) &&
           !(good = connect(board, (struct sockaddr *)&n->to, sizeof n->to) == 0))
        usleep(10000);
    fds[0] = (struct pollfd){.fd = host, .events = POLLIN};
    fds[1] = (struct pollfd){.fd = board, .events = POLLIN};
    while (good && !__atomic_load_n(&n->stop, __ATOMIC_ACQUIRE)) {
        if (poll(fds, 2, STOP_MS) <= 0)
            continue;
        if (fds[0].revents)
            good = pass(n, host, board);
        if (good && fds[1].revents)
            good = pass(n, board, host);
    }
    close(host);
    close(board);
    return NULL;
}

struct noise *noise_start(const char *path, const char *to, uint32_t flipped, uint32_t lost, uint32_t seed)
{
    struct noise *n = calloc(1, sizeof *n);
    if (!n)
        abort();
    *n = (struct noise){.flipped = flipped, .lost = lost, .random = seed};
    n->from.sun_family = n->to.sun_family = AF_UNIX;
    snprintf(n->from.sun_path, sizeof n->from.sun_path, "%s", path);
    snprintf(n->to.sun_path, sizeof n->to.sun_path, "%s", to);
    n->listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (n->listener < 0 || bind(n->listener, (struct sockaddr *)&n->from, sizeof n->from) != 0 ||
        listen(n->listener, 1) != 0 || pthread_create(&n->thread, NULL, run, n) != 0)
        abort();
    return n;
}

uint64_t noise_damage(const struct noise *n)
{
    return __atomic_load_n(&n->damage, __ATOMIC_RELAXED);
}

void noise_stop(struct noise *n)
{
    __atomic_store_n(&n->stop, 1, __ATOMIC_RELEASE);
    pthread_join(n->thread, NULL);
    close(n->listener);
    unlink(n->from.sun_path);
    free(n);
}
