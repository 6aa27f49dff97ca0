/* numbered KERNELS: a program for `tendril agent` and `tendril record`: the kernel `numbered` on the first core of
 * each tile, for ever. Prints "running" when the kernels have been started. */
#include "host/device/device.h"

#include <limits.h>
#include <stdio.h>

static int load(struct td_device *device, const char *folder, struct td_err *err)
{
    const struct td_board *board = td_device_board(device);
    char path[1000];
    uint32_t number = 0;
    snprintf(path, sizeof path, "%s/numbered.%s.elf", folder, board->cores[0].name);
    for (uint16_t y = 0; y < board->grid_height; y++)
        for (uint16_t x = 0; x < board->grid_width; x++) {
            const struct td_core_at core = {.x = x, .y = y};
            if (td_device_load(device, core, path, err) < 0 ||
                td_device_prepare(device, core, 1, number++, err) < 0)
                return err->code;
        }
    return 0;
}

int main(int argc, char **argv)
{
    struct td_err err = {0};
    int code = 0;
    if (argc != 2) {
        fprintf(stderr, "usage: numbered KERNELS\n");
        return 2;
    }
    struct td_device *device = td_device_open(NULL, &err);
    int rc = device ? load(device, argv[1], &err) : err.code;
    if (rc == 0)
        rc = td_device_launch(device, &err);
    if (rc == 0) {
        puts("running");
        fflush(stdout);
        rc = td_device_wait(device, INT_MAX, &code, &err);
    }
    td_device_close(device);
    if (rc < 0)
        fprintf(stderr, "numbered: %s\n", err.text);
    return rc < 0;
}
