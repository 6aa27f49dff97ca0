/* tt_ring_host FOLDER RELAY_MS LAUNCH ...: runs FOLDER/tt_ring_marks.CORE.elf on all cores of all tiles, as often as there are
 * LAUNCHes, each ZONES,VALUES,MS: what each core marks, and how long to wait afterwards. RELAY_MS: how often what is in the
 * rings counts as taken, as a relay of tt-metal does; 0: there is no relay. Prints how often cores have waited for it. */
#include "host/device/device.h"
#include "proto/tt/stream_ring.h"
#include "tests/agent/tt/tt_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct host {
    struct td_device *d;
    const char *folder;
    unsigned relay_ms;
    uint32_t args[3];
    uint32_t waits;
};

typedef int on_tile(struct host *h, struct td_core_at at, struct td_err *err);

static int for_each_tile(struct host *h, on_tile *act, struct td_err *err)
{
    const struct td_board *b = td_device_board(h->d);
    int rc = 0;
    for (uint16_t y = 0; y < b->grid_height; y++)
        for (uint16_t x = 0; x < b->grid_width && rc == 0; x++)
            rc = act(h, (struct td_core_at){0, x, y, 0}, err);
    return rc;
}

static int set_up(struct host *h, struct td_core_at at, struct td_err *err)
{
    uint32_t control[TD_TT_RING_CONTROL_WORDS] = {[TD_TT_RING_ARMED] = h->relay_ms != 0};
    int rc = td_device_write(h->d, 0, at.x, at.y, TT_RING_CONTROL, control, sizeof control, err);
    for (; at.core < TD_TT_L1_CORES && rc == 0; at.core++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/tt_ring_marks.%s.elf", h->folder,
                 td_device_board(h->d)->cores[at.core].name);
        rc = td_device_load(h->d, at, path, err);
    }
    return rc;
}

static int prepare(struct host *h, struct td_core_at at, struct td_err *err)
{
    int rc = 0;
    for (; at.core < TD_TT_L1_CORES && rc == 0; at.core++)
        rc = td_device_prepare_args(h->d, at, 0, h->args, 3, err);
    return rc;
}

static int take(struct host *h, struct td_core_at at, struct td_err *err)
{
    uint32_t control[TD_TT_RING_CONTROL_WORDS];
    int rc = td_device_read(h->d, 0, at.x, at.y, TT_RING_CONTROL, control, sizeof control, err);
    if (rc == 0)
        rc = td_device_write(h->d, 0, at.x, at.y, TT_RING_CONTROL + 4 * TD_TT_RING_HEAD,
                             control + TD_TT_RING_TAIL, 4 * TD_TT_L1_CORES, err);
    return rc;
}

static int count_waits(struct host *h, struct td_core_at at, struct td_err *err)
{
    uint32_t waits[TD_TT_L1_CORES];
    const int rc = td_device_read(h->d, 0, at.x, at.y, TT_RING_CONTROL + 4 * TD_TT_RING_STALLS, waits,
                                  sizeof waits, err);
    for (uint32_t core = 0; core < TD_TT_L1_CORES && rc == 0; core++)
        h->waits += waits[core];
    return rc;
}

static int launch(struct host *h, struct td_err *err)
{
    int code, rc = for_each_tile(h, prepare, err);
    if (rc == 0)
        rc = td_device_launch(h->d, err);
    if (rc || !h->relay_ms)
        return rc ? rc : td_device_wait(h->d, 60000, &code, err);
    do
        rc = td_device_wait(h->d, (int)h->relay_ms, &code, err);
    while (rc == TD_E_TIMEOUT && (rc = for_each_tile(h, take, err)) == 0);
    return rc;
}

int main(int argc, char **argv)
{
    struct td_err err = {0};
    struct host h = {.d = argc > 3 ? td_device_open(NULL, &err) : NULL};
    int rc = h.d ? 0 : -1;
    if (rc == 0) {
        h.folder = argv[1];
        h.relay_ms = (unsigned)atoi(argv[2]);
        rc = for_each_tile(&h, set_up, &err);
    }
    for (int i = 3; i < argc && rc == 0; i++) {
        unsigned pause;
        h.args[0] = (uint32_t)i << 10;
        if (sscanf(argv[i], "%u,%u,%u", &h.args[1], &h.args[2], &pause) != 3)
            return 2;
        rc = launch(&h, &err);
        usleep(1000 * pause);
    }
    if (rc == 0)
        rc = for_each_tile(&h, count_waits, &err);
    printf("waits %u\n", h.waits);
    td_device_close(h.d);
    if (rc)
        fprintf(stderr, "tt_ring_host: %s (%d)\n", err.text, rc);
    return rc != 0;
}
