/* scribbles KERNELS ARG: a program for `tendril record`. It runs the kernel `scribble` with ARG on the first
 * core of the first tile. On that tile's second core and on the first core of the next tile it runs the same
 * kernel with as many zones, but without overwriting anything. */
#include "host/device/device.h"

#include <stdio.h>
#include <stdlib.h>

static int prepare(struct td_device *device, const char *kernels, struct td_core_at core, uint32_t arg,
                   struct td_err *err)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/scribble.%s.elf", kernels,
             td_device_board(device)->cores[core.core].name);
    int rc = td_device_load(device, core, path, err);
    return rc ? rc : td_device_prepare(device, core, 1, arg, err);
}

int main(int argc, char **argv)
{
    static const struct td_core_at cores[] = {{0, 0, 0, 0}, {0, 0, 0, 1}, {0, 1, 0, 0}};
    struct td_err err = {0};
    int code = 0, rc = -1;
    if (argc != 3) {
        fprintf(stderr, "usage: scribbles KERNELS ARG\n");
        return 2;
    }
    const uint32_t arg = (uint32_t)strtoul(argv[2], NULL, 0);
    struct td_device *device = td_device_open(NULL, &err);
    if (device)
        rc = prepare(device, argv[1], cores[0], arg, &err);
    for (int i = 1; rc == 0 && i < 3; i++)
        rc = prepare(device, argv[1], cores[i], arg & 0xffff0000, &err);
    if (rc == 0)
        rc = td_device_launch(device, &err);
    if (rc == 0)
        rc = td_device_wait(device, 60000, &code, &err);
    td_device_close(device);
    if (rc < 0)
        fprintf(stderr, "scribbles: %s\n", err.text);
    return rc < 0 ? 1 : code;
}
