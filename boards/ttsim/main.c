/* ttsim_board LIBRARY SOCKET: holds the vendor's simulator of a chip (libttsim_wh.so, libttsim_bh.so) for a host.
 *
 * The library ends its process at any error, and has large private memory, so a host does not load it itself.
 * Time moves only here, between requests. The process ends with its host. */
#include "proto/sim/ttsim.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Between two looks at the socket: some 20 us of a busy chip. */
enum { CLOCKS = 64 };

struct library {
    void (*init)(void);
    uint32_t (*config)(uint32_t device, uint32_t offset);
    void (*read)(uint64_t at, void *to, uint32_t bytes);
    void (*write)(uint64_t at, const void *from, uint32_t bytes);
    void (*clock)(uint32_t clocks);
};

static void *find_symbol(void *handle, const char *name)
{
    void *symbol = dlsym(handle, name);
    if (!symbol) {
        fprintf(stderr, "it has no %s, so it is not the vendor's simulator\n", name);
        exit(1);
    }
    return symbol;
}

static void load(struct library *lib, const char *path)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    *(void **)&lib->init = find_symbol(handle, "libttsim_init");
    *(void **)&lib->config = find_symbol(handle, "libttsim_pci_config_rd32");
    *(void **)&lib->read = find_symbol(handle, "libttsim_pci_mem_rd_bytes");
    *(void **)&lib->write = find_symbol(handle, "libttsim_pci_mem_wr_bytes");
    *(void **)&lib->clock = find_symbol(handle, "libttsim_clock");
}

/* The host has hung up: there is no other. */
static void all(int fd, bool is_read, void *data, size_t bytes)
{
    char *at = data;
    while (bytes) {
        ssize_t n = is_read ? read(fd, at, bytes) : write(fd, at, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            exit(0);
        at += n;
        bytes -= (size_t)n;
    }
}

static void answer(const struct library *lib, int fd, bool *frozen)
{
    static _Alignas(8) char data[TD_TTSIM_MOST_BYTES];
    struct td_ttsim_head head;
    uint32_t reply = 1;
    all(fd, true, &head, sizeof head);
    if (head.bytes > sizeof data)
        exit(2);
    switch (head.request) {
    case TD_TTSIM_CONFIG:
        *(uint32_t *)data = lib->config(0, (uint32_t)head.address);
        reply = 4;
        break;
    case TD_TTSIM_READ:
        lib->read(head.address, data, head.bytes);
        reply = head.bytes;
        break;
    case TD_TTSIM_WRITE:
        all(fd, true, data, head.bytes);
        lib->write(head.address, data, head.bytes);
        break;
    case TD_TTSIM_FREEZE:
        *frozen = head.address != 0;
        break;
    default:
        exit(2);
    }
    all(fd, false, data, reply);
}

int main(int argc, char **argv)
{
    struct library lib;
    bool frozen = false;
    char *end;
    if (argc != 3) {
        fprintf(stderr, "usage: ttsim_board LIBRARY SOCKET; `tendril record --at ttsim:LIBRARY` starts it\n");
        return 2;
    }
    const int fd = (int)strtol(argv[2], &end, 10);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_IGN); /* the host drains what is left, then hangs up */
    signal(SIGPIPE, SIG_IGN);
    setvbuf(stdout, NULL, _IOLBF, 0);
    load(&lib, argv[1]);
    lib.init();
    for (;;) {
        struct pollfd look = {fd, POLLIN, 0};
        if (poll(&look, 1, frozen ? -1 : 0) > 0)
            answer(&lib, fd, &frozen);
        else if (!frozen)
            lib.clock(CLOCKS);
    }
}
