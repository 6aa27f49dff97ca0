/* traffic KERNEL ROUNDS: a program for `tendril record`. It runs the kernel `traffic` on the first core of all tiles: each
 * row is a pipeline to the right, which ends at its last tile and begins again at its first. Prints sums of what each
 * tile has read and got. */
#include "host/device/device.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    PIECE = 2048,
    COLUMN = 256
}; /* bytes of a read; of what the corner multicasts, over what was passed on */

static int fill_input(struct td_device *device, uint32_t tile, struct td_err *err)
{
    uint32_t words[PIECE / 4];
    for (uint32_t i = 0; i < PIECE / 4; i++)
        words[i] = (tile + 1) * 0x9e3779b9u + i * i;
    return td_device_dram_write(device, 0, tile % td_device_board(device)->dram_banks, tile * 4096, words,
                                sizeof words, err);
}

static uint32_t sum_of(const uint32_t *words, uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum = (sum << 1 | sum >> 31) + words[i];
    return sum;
}

static int print_tile(struct td_device *device, uint32_t tile, struct td_err *err)
{
    const struct td_board *b = td_device_board(device);
    uint32_t words[(4 * PIECE + PIECE / 2) / 4];
    const int rc = td_device_read(device, 0, tile % b->grid_width, tile / b->grid_width, b->data_base, words,
                                  sizeof words, err);
    if (rc == 0)
        printf("traffic %u: read %08x, got %08x\n", tile, sum_of(words, PIECE / 4),
               sum_of(words + PIECE + COLUMN / 4, (PIECE / 2 - COLUMN) / 4));
    return rc;
}

static int prepare(struct td_device *device, const char *kernel, uint32_t tile, uint32_t rounds, uint32_t op,
                   struct td_err *err)
{
    const struct td_board *b = td_device_board(device);
    const uint32_t x = tile % b->grid_width, y = tile / b->grid_width, bank = tile % b->dram_banks;
    const struct td_core_at core = {0, (uint16_t)x, (uint16_t)y, 0};
    const struct td_tile_at next = td_board_tile(b, 0, (x + 1) % b->grid_width, y);
    const uint32_t is_corner = x + 1 == b->grid_width && y == 0;
    const uint32_t args[] = {b->data_base, b->dram_x[bank], b->dram_y[bank], tile * 4096,
                             next.x,       next.y,          rounds,          is_corner ? b->grid_height : 0};
    const int rc = td_device_load(device, core, kernel, err);
    return rc ? rc : td_device_prepare_args(device, core, op, args, 8, err);
}

int main(int argc, char **argv)
{
    struct td_err err = {0};
    int rc = 0, code;
    if (argc != 3) {
        fprintf(stderr, "usage: traffic KERNEL ROUNDS\n");
        return 2;
    }
    struct td_device *device = td_device_open(NULL, &err);
    const struct td_board *b = device ? td_device_board(device) : NULL;
    rc = device ? 0 : err.code;
    for (uint32_t tile = 0; rc == 0 && tile < b->grid_width * b->grid_height; tile++)
        rc = fill_input(device, tile, &err);
    for (uint32_t op = 1; rc == 0 && op <= 2; op++) {
        for (uint32_t tile = 0; rc == 0 && tile < b->grid_width * b->grid_height; tile++)
            rc = prepare(device, argv[1], tile, (uint32_t)strtoul(argv[2], NULL, 0), op, &err);
        rc = rc ? rc : td_device_launch(device, &err);
        rc = rc ? rc : td_device_wait(device, 400000, &code, &err);
    }
    for (uint32_t tile = 0; rc == 0 && tile < b->grid_width * b->grid_height; tile++)
        rc = print_tile(device, tile, &err);
    td_device_close(device);
    if (rc)
        fprintf(stderr, "traffic: %s\n", err.text);
    return rc != 0;
}
