/* run_marks ROUNDS [KERNEL [SLOTS]]: a program for `tendril record`: the kernel marks, or another one, on
 * every hart of the board. With SLOTS it prints "taken" when that number of slots have left every ring. */
#include "host/device/device.h"
#include "host/device/drain/lanes.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <tracy/TracyC.h>

#define WAIT_MS 60000
#define LOOK_MS 50

static int load(struct td_device *device, const char *kernel, uint32_t rounds, struct td_err *err)
{
    const struct td_board *b = td_device_board(device);
    int rc = 0;
    for (uint16_t core = 0; rc == 0 && core < b->core_count; core++) {
        const struct td_core_at at = {.core = core};
        char path[1000];
        snprintf(path, sizeof path, TD_BINARY_DIR "/tests/qemu_kernels/%s.%s.elf", kernel,
                 b->cores[core].name);
        rc = td_device_load(device, at, path, err);
        if (rc == 0)
            rc = td_device_prepare(device, at, 1, rounds, err);
    }
    return rc;
}

static int await_taken(struct td_device *device, uint32_t slots, struct td_err *err)
{
    const struct td_board *b = td_device_board(device);
    const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000};
    int looks = WAIT_MS / LOOK_MS;
    for (uint16_t core = 0; core < b->core_count; core++)
        for (uint32_t head = 0; head < slots; nanosleep(&pause, NULL)) {
            if (looks-- == 0)
                return td_fail(err, TD_E_TIMEOUT, "core %d: %u of %u slots are taken", core, head, slots);
            struct td_transport *t = td_device_transport(device);
            int rc = t->ops->read(t, td_board_tile(b, 0, 0, 0), td_board_lane_ctrl(b, core) + TD_LANE_head,
                                  &head, sizeof head, err);
            if (rc)
                return rc;
        }
    puts("taken");
    return fflush(stdout);
}

int main(int argc, char **argv)
{
    struct td_err err = {0};
    int code = 0, rc = -1;
    if (argc < 2) {
        fprintf(stderr, "usage: run_marks ROUNDS [KERNEL [SLOTS]]\n");
        return 2;
    }
    TracyCZoneN(zone, "run marks", 1);
    struct td_device *device = td_device_open(NULL, &err);
    if (device)
        rc = load(device, argc > 2 ? argv[2] : "marks", (uint32_t)strtoul(argv[1], NULL, 0), &err);
    if (rc == 0)
        rc = td_device_launch(device, &err);
    if (rc == 0 && argc > 3)
        rc = await_taken(device, (uint32_t)strtoul(argv[3], NULL, 0), &err);
    if (rc == 0)
        rc = td_device_wait(device, WAIT_MS, &code, &err);
    td_device_close(device);
    TracyCZoneEnd(zone);
    if (rc < 0) {
        fprintf(stderr, "run_marks: %s\n", err.text);
        return 1;
    }
    return code;
}
