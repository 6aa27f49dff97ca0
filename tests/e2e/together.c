/* Launches kernels on the first tile, all at once:
 *
 *   together CORE=ELF[:ARG] ...
 *
 * Prints how the launch ended. The exit code is 0 unless it could not be made. */
#include "host/device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAIT_MS 60000

static int prepare(struct td_device *device, const char *kernel, struct td_err *err)
{
    char path[4096], core[32];
    const char *equals = strchr(kernel, '='), *colon = strrchr(kernel, ':');
    const size_t length = colon ? (size_t)(colon - kernel) : strlen(kernel);
    if (!equals)
        return td_fail(err, TD_E_USAGE, "'%s' is not CORE=ELF", kernel);
    snprintf(core, sizeof core, "%.*s", (int)(equals - kernel), kernel);
    snprintf(path, sizeof path, "%.*s", (int)(kernel + length - equals - 1), equals + 1);
    const int number = td_device_core(device, core);
    if (number < 0)
        return td_fail(err, TD_E_USAGE, "there is no core %s", core);
    const struct td_core_at at = {.core = (uint16_t)number};
    const int rc = td_device_load(device, at, path, err);
    return rc ? rc : td_device_prepare(device, at, 1, colon ? (uint32_t)strtoul(colon + 1, NULL, 0) : 0, err);
}

int main(int argc, char **argv)
{
    struct td_err err = {0};
    int code = 0;
    struct td_device *device = td_device_open(NULL, &err);
    int rc = device ? 0 : err.code;
    for (int i = 1; i < argc && rc == 0; i++)
        rc = prepare(device, argv[i], &err);
    if (rc == 0)
        rc = td_device_launch(device, &err);
    if (rc == 0) {
        struct td_err why = {0};
        const int ended = td_device_wait(device, WAIT_MS, &code, &why);
        printf("%s%d\n", ended ? why.text : "exit code ", ended ? ended : code);
    }
    td_device_close(device);
    if (rc)
        fprintf(stderr, "together: %s\n", err.text);
    return rc != 0;
}
