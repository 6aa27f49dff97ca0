/* hello: one kernel on one core. Run it with: tendril record -o hello.tracy -- hello */
#include "host/device/device.h"

#include <stdio.h>
#include <string.h>
#include <tracy/TracyC.h>
#include <unistd.h>

int main(void)
{
    TracyCZoneN(zone, "hello", 1);
    struct td_err err = {0};
    int code = 0, rc = -1;
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 16);
    path[n > 0 ? n : 0] = 0;
    char *slash = strrchr(path, '/');
    strcpy(slash ? slash + 1 : path, "kernel.elf");

    struct td_core_at core = {.core = 0}; /* BRISC of the first tile */
    struct td_device *device = td_device_open(NULL, &err);
    if (device)
        rc = td_device_load(device, core, path, &err);
    rc = rc ? rc : td_device_prepare(device, core, 1, 0, &err);
    rc = rc ? rc : td_device_launch(device, &err);
    rc = rc ? rc : td_device_wait(device, 10000, &code, &err);
    td_device_close(device);
    TracyCZoneEnd(zone);
    if (rc < 0) {
        fprintf(stderr, "hello: %s\n", err.text);
        return 1;
    }
    return code;
}
