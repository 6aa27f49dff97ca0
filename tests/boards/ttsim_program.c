/* ttsim_program LIBRARY BOARD KERNEL ARG: loads the vendor's simulator, or a library in front of it, as tt-umd does,
 * and runs KERNEL on BRISC of the first tile. Knows nothing of recorders: it waits for a line on standard input
 * before it launches, moves time itself, and uses every window of the smallest kind. At the end it checks that each
 * window still shows what it was pointed at. */
#include "boards/ttsim/library.h"
#include "boards/ttsim/windows.h"
#include "host/device/board/attach.h"
#include "host/device/device_internal.h"
#include "host/transport/card/noc.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CLOCKS = 64, MOST_BATCHES = 2000000 };

/* Time moves while it waits for a line. */
static void wait_for_line(const struct library *lib)
{
    char c = 0;
    fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
    while (c != '\n') {
        const ssize_t n = read(STDIN_FILENO, &c, 1);
        if (n == 0)
            return;
        lib->clock(CLOCKS);
    }
}

static int make_device(struct td_device *d, const struct library *lib, const char *path, const char *board,
                       struct td_err *err)
{
    struct td_windows *windows = ttsim_windows(lib, path, err);
    const struct td_noc_config config = {.windows = windows, .name = "program"};
    d->rules = td_zone_rules_create(NULL, err);
    d->transport = windows ? td_noc_open(&config, err) : NULL;
    d->tiles = calloc(1, sizeof *d->tiles);
    if (!d->transport || !d->rules || !d->tiles)
        return TD_E_NOMEM;
    int rc = td_board_load(&d->board, board, "1x1", NULL, err);
    rc = rc ? rc : td_board_attach(&d->board, d->transport, err);
    d->tile_count = 1;
    d->cores_are_awake = 1; /* the simulator's firmware is not needed for that */
    d->tiles[0].at = td_board_tile(&d->board, 0, 0, 0);
    return rc;
}

static int run(struct td_device *d, const struct library *lib, const char *kernel, uint32_t arg,
               struct td_err *err)
{
    const struct td_core_at core = {0};
    int code = 0;
    int rc = td_device_load(d, core, kernel, err);
    if (rc == 0)
        rc = td_device_prepare(d, core, 1, arg, err);
    if (rc == 0)
        rc = td_device_launch(d, err);
    if (rc)
        return rc;
    for (int i = 0; i < MOST_BATCHES; i++) {
        struct td_err why = {0};
        lib->clock(CLOCKS);
        rc = td_device_wait(d, 0, &code, &why);
        if (rc != TD_E_TIMEOUT)
            return rc ? td_fail(err, rc, "%s", why.text) : code;
    }
    return td_fail(err, TD_E_TIMEOUT, "the kernel does not end");
}

/* The windows that a recorder might use: 2 MiB ones, each at an address of its own. */
static int windows_show(const struct library *lib, const struct td_board *b, int is_check)
{
    for (uint32_t kind = 0; kind < b->window_count; kind++) {
        const struct td_window_desc *w = &b->windows[kind];
        for (uint32_t i = 0; w->bytes == 0x200000 && i < w->count - w->reserved; i++) {
            const struct td_tile_at tile = td_board_tile(b, 0, i % 2, 0);
            const struct td_window_kind k = td_board_window_kind(w);
            uint32_t words[TD_WINDOW_MAX_WORDS], value;
            const uint64_t at = lib->bar[0][w->bar] + w->bar_offset + i * w->bytes + 0xD0000 + 4 * (i / 2);
            const struct td_window_target target = {tile, 0, TD_WINDOW_STRICT};
            const int count = td_window_encode(&k, &target, words, NULL);
            for (int n = 0; n < count && !is_check; n++)
                lib->write(lib->bar[0][0] + w->registers +
                               (w->first_index + i) * (uint64_t)w->register_bytes + 4 * (uint64_t)n,
                           &words[n], 4);
            value = 0xABCD0000 + i;
            if (!is_check)
                lib->write(at, &value, 4);
            value = 0;
            lib->read(at, &value, 4);
            if (value != 0xABCD0000 + i) {
                fprintf(stderr, "window %u shows 0x%x\n", i, value);
                return 1;
            }
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct td_err err = {0};
    struct td_device *d = calloc(1, sizeof *d);
    struct library lib;
    void (*end)(void);
    if (argc != 5 || !d)
        return 2;
    int rc = library_open(&lib, argv[1], &err);
    rc = rc ? rc : make_device(d, &lib, argv[1], argv[2], &err);
    const struct td_board whole = d->board;
    if (rc == 0) {
        printf("ready\n");
        fflush(stdout);
        wait_for_line(&lib);
        rc = run(d, &lib, argv[3], (uint32_t)strtoul(argv[4], NULL, 0), &err);
    }
    if (rc == 0)
        rc = windows_show(&lib, &whole, 0);
    for (int i = 0; i < 200 && rc == 0; i++) { /* while a recorder looks at its lanes */
        lib.clock(CLOCKS);
        usleep(1000);
    }
    rc = rc ? rc : windows_show(&lib, &whole, 1);
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD);
    void *symbol = library ? dlsym(library, "libttsim_exit") : NULL;
    memcpy(&end, &symbol, sizeof symbol);
    if (end)
        end();
    if (rc)
        fprintf(stderr, "ttsim_program: %s (%d)\n", err.text, rc);
    return rc != 0;
}
