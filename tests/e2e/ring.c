/* ring KERNEL WAITERS COMMAND: a program for `tendril record`. It runs the kernel `ring` on the first core of all tiles.
 * WAITERS of them wait for each other in a ring, so they hang. When the others are done, it runs COMMAND, stops the cores
 * that hang, and exits with the command's status. */
#include "host/device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#define STEP 37 /* between two tiles that wait */

static int prepare(struct td_device *device, const char *kernel, uint32_t tile, uint32_t waiters,
                   struct td_err *err)
{
    const struct td_board *b = td_device_board(device);
    const uint32_t width = b->grid_width, number = tile / STEP, sem = b->data_base;
    const int waits = tile % STEP == 0 && number < waiters;
    const uint32_t next = waits ? (number + 1) % waiters * STEP : tile, zero = 0;
    const struct td_core_at core = {0, (uint16_t)(tile % width), (uint16_t)(tile / width), 0};
    const struct td_tile_at to = td_board_tile(b, 0, next % width, next / width);
    const uint32_t args[] = {sem, (uint32_t)waits, to.x, to.y};
    int rc = td_device_write(device, 0, core.x, core.y, sem, &zero, 4, err);
    if (rc == 0)
        rc = td_device_load(device, core, kernel, err);
    return rc ? rc : td_device_prepare_args(device, core, 7, args, 4, err);
}

/* Waits for the tiles that do not hang, or stops those that do. */
static int finish(struct td_device *device, uint32_t waiters, int stops, struct td_err *err)
{
    const struct td_board *b = td_device_board(device);
    int rc = 0, code;
    for (uint32_t tile = 0; rc == 0 && tile < b->grid_width * b->grid_height; tile++) {
        const struct td_core_at core = {0, (uint16_t)(tile % b->grid_width), (uint16_t)(tile / b->grid_width),
                                        0};
        const int hangs = tile % STEP == 0 && tile / STEP < waiters;
        if (hangs && stops)
            rc = td_device_stop(device, core, err);
        else if (!hangs && !stops)
            rc = td_device_wait_core(device, core, 60000, &code, err);
    }
    return rc;
}

int main(int argc, char **argv)
{
    struct td_err err = {0};
    int rc = -1, status = 0;
    if (argc != 4) {
        fprintf(stderr, "usage: ring KERNEL WAITERS COMMAND\n");
        return 2;
    }
    const uint32_t waiters = (uint32_t)strtoul(argv[2], NULL, 0);
    struct td_device *device = td_device_open(NULL, &err);
    const uint32_t tiles =
        device ? td_device_board(device)->grid_width * td_device_board(device)->grid_height : 0;
    for (uint32_t tile = 0; tile < tiles; tile++)
        if ((rc = prepare(device, argv[1], tile, waiters, &err)))
            break;
    if (rc == 0)
        rc = td_device_launch(device, &err);
    if (rc == 0)
        rc = finish(device, waiters, 0, &err);
    if (rc == 0)
        status = system(argv[3]);
    if (rc == 0)
        rc = finish(device, waiters, 1, &err);
    td_device_close(device);
    if (rc < 0)
        fprintf(stderr, "ring: %s\n", err.text);
    return rc < 0 ? 99 : WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}
