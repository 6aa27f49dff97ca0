/* tt_host FOLDER LAYOUT LAUNCH ...: runs FOLDER/LAYOUT/tt_marks.CORE.elf on all cores of all tiles, as often as there
 * are LAUNCHes, each ZONES,VALUES,MS: what each core marks, and how long to wait afterwards. */
#include "host/device/device.h"
#include "tests/agent/tt/tt_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sets all that firmware finds, as tt-metal's host does. */
static int set_up_tile(struct td_device *d, const char *folder, unsigned layout, struct td_core_at at,
                       struct td_err *err)
{
    const struct td_board *b = td_device_board(d);
    const struct tt_layout *l = &tt_layouts[layout];
    const struct td_tile_at noc = td_board_tile(b, at.chip, at.x, at.y);
    uint32_t control[64] = {0}, shared[8] = {0};
    control[l->x] = noc.x;
    control[l->y] = noc.y;
    int rc = td_device_write(d, at.chip, at.x, at.y, TT_CONTROL_OF(layout), control, 4 * l->words, err);
    if (rc == 0)
        rc = td_device_write(d, at.chip, at.x, at.y, TT_SHARED, shared, sizeof shared, err);
    for (at.core = 0; at.core < b->core_count && rc == 0; at.core++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%u/tt_marks.%s.elf", folder, layout, b->cores[at.core].name);
        rc = td_device_load(d, at, path, err);
    }
    return rc;
}

static int for_each_tile(struct td_device *d, const char *folder, unsigned layout, const uint32_t args[3],
                         struct td_err *err)
{
    const struct td_board *b = td_device_board(d);
    int rc = 0;
    for (uint16_t y = 0; y < b->grid_height; y++)
        for (uint16_t x = 0; x < b->grid_width && rc == 0; x++) {
            struct td_core_at at = {0, x, y, 0};
            if (folder)
                rc = set_up_tile(d, folder, layout, at, err);
            for (at.core = 0; at.core < b->core_count && rc == 0 && !folder; at.core++)
                rc = td_device_prepare_args(d, at, 0, args, 3, err);
        }
    return rc;
}

int main(int argc, char **argv)
{
    struct td_err err = {0};
    struct td_device *d = argc > 3 ? td_device_open(NULL, &err) : NULL;
    const unsigned layout = argc > 3 ? (unsigned)atoi(argv[2]) : 0;
    int rc = d && layout < TD_TT_L1_LAYOUT_COUNT ? for_each_tile(d, argv[1], layout, NULL, &err) : -1;
    for (int i = 3; i < argc && rc == 0; i++) {
        uint32_t args[3] = {(uint32_t)i << 10}, pause = 0;
        int code;
        if (sscanf(argv[i], "%u,%u,%u", &args[1], &args[2], &pause) != 3)
            return 2;
        rc = for_each_tile(d, NULL, layout, args, &err);
        if (rc == 0)
            rc = td_device_launch(d, &err);
        if (rc == 0)
            rc = td_device_wait(d, 60000, &code, &err);
        usleep(1000 * pause);
    }
    td_device_close(d);
    if (rc)
        fprintf(stderr, "tt_host: %s (%d)\n", err.text, rc);
    return rc != 0;
}
