/* again KERNELS ARG [MS]: a program for `tendril record`: the kernel `again` on the board's first core, from
 * the folder KERNELS. With MS, for a kernel that hangs, the launch is given up after that time. It prints
 * "running" when the kernel has been started. */
#include "host/device/device.h"

#include <stdio.h>
#include <stdlib.h>

#define WAIT_MS 100000

int main(int argc, char **argv)
{
    struct td_err err = {0};
    const struct td_core_at core = {0};
    int code = 0, rc = -1;
    char path[1000];
    if (argc < 3) {
        fprintf(stderr, "usage: again KERNELS ARG [MS]\n");
        return 2;
    }
    struct td_device *device = td_device_open(NULL, &err);
    if (device) {
        snprintf(path, sizeof path, "%s/again.%s.elf", argv[1], td_device_board(device)->cores[0].name);
        rc = td_device_load(device, core, path, &err);
    }
    if (rc == 0)
        rc = td_device_prepare(device, core, 1, (uint32_t)strtoul(argv[2], NULL, 0), &err);
    if (rc == 0)
        rc = td_device_launch(device, &err);
    if (rc == 0) {
        puts("running");
        fflush(stdout);
        rc = td_device_wait(device, argc > 3 ? atoi(argv[3]) : WAIT_MS, &code, &err);
    }
    td_device_close(device);
    if (argc > 3 && rc == TD_E_TIMEOUT)
        return 0;
    if (rc < 0) {
        fprintf(stderr, "again: %s\n", err.text);
        return 1;
    }
    return code;
}
