/* every_core FOLDER KERNEL [ARG]: loads FOLDER/KERNEL.CORE.elf into every core of every tile, launches all at once
 * and waits for them. Without ARG, the argument of each core holds the expected NoC coordinates of its tile, and
 * the core's number. */
#include "host/device/device.h"

#include <stdio.h>
#include <stdlib.h>

/* arg: NULL: by core. */
static int load_tile(struct td_device *d, char **argv, struct td_core_at at, const char *arg,
                     struct td_err *err)
{
    const struct td_board *b = td_device_board(d);
    int rc = 0;
    for (at.core = 0; at.core < b->core_count && rc == 0; at.core++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.%s.elf", argv[1], argv[2], b->cores[at.core].name);
        rc = td_device_load(d, at, path, err);
        struct td_tile_at noc = td_board_tile(b, at.chip, at.x, at.y);
        if (rc == 0)
            rc = td_device_prepare(d, at, 1,
                                   arg ? (uint32_t)strtoul(arg, NULL, 0)
                                       : noc.x | (uint32_t)noc.y << 8 | (uint32_t)at.core << 16,
                                   err);
    }
    return rc;
}

static int run(struct td_device *d, char **argv, const char *arg, struct td_err *err)
{
    const struct td_board *b = td_device_board(d);
    int rc = 0, code = 0;
    for (uint32_t chip = 0; chip < b->chips; chip++)
        for (uint32_t y = 0; y < b->grid_height; y++)
            for (uint32_t x = 0; x < b->grid_width && rc == 0; x++)
                rc = load_tile(d, argv, (struct td_core_at){(uint16_t)chip, (uint16_t)x, (uint16_t)y, 0}, arg,
                               err);
    if (rc == 0)
        rc = td_device_launch(d, err);
    if (rc == 0)
        rc = td_device_wait(d, 60000, &code, err);
    return rc ? rc : code;
}

int main(int argc, char **argv)
{
    struct td_err err = {0};
    struct td_device *d = argc == 3 || argc == 4 ? td_device_open(NULL, &err) : NULL;
    int rc = d ? run(d, argv, argv[3], &err) : -1;
    td_device_close(d);
    if (rc)
        fprintf(stderr, "every_core: %s (%d)\n", err.text, rc);
    return rc ? 1 : 0;
}
