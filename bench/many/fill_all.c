/* Runs the kernel that fills lanes on every core of a board, emulated or native, and waits for all of them.
 *
 *   fill_all KERNELS ZONES [PACE]
 *
 * KERNELS: folder of fill.CORE.elf; ZONES a lane, PACE: ticks from zone to zone, in steps of 16 (0: as fast
 * as it goes).
 */
#include "host/device/device.h"

#include <stdio.h>
#include <stdlib.h>

static uint32_t parse(const char *text, uint32_t most)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*text && !*end && value <= most)
        return (uint32_t)value;
    fprintf(stderr, "fill_all: %s is no number up to %u\n", text, most);
    exit(2);
}

static int prepare(struct td_device *device, struct td_core_at at, const char *folder, uint32_t arg,
                   struct td_err *err)
{
    char elf[1024];
    snprintf(elf, sizeof elf, "%s/fill.%s.elf", folder, td_device_board(device)->cores[at.core].name);
    int rc = td_device_load(device, at, elf, err);
    return rc ? rc : td_device_prepare(device, at, 1, arg, err);
}

static int run(struct td_device *device, const char *folder, uint32_t arg, struct td_err *err)
{
    const struct td_board *b = td_device_board(device);
    int rc = 0, code = 0;
    uint32_t lanes = b->chips * b->grid_width * b->grid_height * b->core_count;
    for (uint32_t i = 0; rc == 0 && i < lanes; i++) {
        uint32_t tile = i / b->core_count;
        const struct td_core_at at = {
            (uint16_t)(tile / (b->grid_width * b->grid_height)), (uint16_t)(tile % b->grid_width),
            (uint16_t)(tile / b->grid_width % b->grid_height), (uint16_t)(i % b->core_count)};
        rc = prepare(device, at, folder, arg, err);
    }
    rc = rc ? rc : td_device_launch(device, err);
    rc = rc ? rc : td_device_wait(device, 3600 * 1000, &code, err);
    if (rc == 0)
        printf("%u lanes filled\n", lanes);
    return rc ? rc : code;
}

int main(int argc, char **argv)
{
    struct td_err err = {0};
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: fill_all KERNELS ZONES [PACE]\n");
        return 2;
    }
    uint32_t zones = parse(argv[2], 0xfffff), pace = argc > 3 ? parse(argv[3], 0xfff0) / 16 : 0;
    struct td_device *device = td_device_open(NULL, &err);
    int rc = device ? run(device, argv[1], pace << 20 | zones, &err) : err.code;
    if (rc)
        fprintf(stderr, "fill_all: %s\n", err.text);
    td_device_close(device);
    return rc != 0;
}
