/* Launches kernels on the first tile, one after another:
 *
 *   launch [CORE] [wait=MS] [stay=MS] ELF[:ARG] ...
 *
 * It waits `wait` for each kernel (default 60 s), then launches the next one. After the last it stays for
 * `stay`. Prints how each launch ended. The exit code is 0 unless a launch could not be made. */
#include "host/device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    struct td_core_at core;
    int wait_ms, stay_ms;
};

static int launch(struct td_device *device, const struct options *o, const char *kernel, struct td_err *err)
{
    char path[4096];
    int code = 0;
    const char *colon = strrchr(kernel, ':');
    const size_t length = colon ? (size_t)(colon - kernel) : strlen(kernel);
    snprintf(path, sizeof path, "%.*s", (int)length, kernel);
    int rc = td_device_load(device, o->core, path, err);
    if (rc == 0)
        rc = td_device_prepare(device, o->core, 1, colon ? (uint32_t)strtoul(colon + 1, NULL, 0) : 0, err);
    if (rc == 0)
        rc = td_device_launch(device, err);
    if (rc)
        return rc;
    rc = td_device_wait(device, o->wait_ms, &code, err);
    printf("%s: %s%d\n", kernel, rc ? err->text : "exit code ", rc ? rc : code);
    return 0;
}

int main(int argc, char **argv)
{
    struct td_err err = {0};
    struct options o = {.wait_ms = 60000};
    int rc = 0;
    for (int i = 1; i < argc && rc == 0; i++) {
        struct td_device *device = td_device_open(NULL, &err);
        int number = device ? td_device_core(device, argv[i]) : -1;
        if (!device)
            rc = err.code;
        else if (number >= 0)
            o.core.core = (uint16_t)number;
        else if (strncmp(argv[i], "wait=", 5) == 0)
            o.wait_ms = atoi(argv[i] + 5);
        else if (strncmp(argv[i], "stay=", 5) == 0)
            o.stay_ms = atoi(argv[i] + 5);
        else
            rc = launch(device, &o, argv[i], &err);
        td_device_close(device);
    }
    if (rc)
        fprintf(stderr, "launch: %s\n", err.text);
    fflush(stdout);
    usleep((useconds_t)o.stay_ms * 1000);
    return rc != 0;
}
