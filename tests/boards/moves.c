/* moves FOLDER: a program for `tendril record`. Runs FOLDER/moves.CORE.elf on all cores of all tiles of a grid, and prints
 * what each core has seen: the same on every board of a kind. */
#include "host/device/device.h"
#include "tests/boards/kernels/moves.h"

#include <stdio.h>
#include <string.h>

enum { BLOCKS = 0x0, SEMAPHORES = 0x4000, LINES = 0x4100, PIECES = 0x8000, BUFFERS = 0xa000 };

static struct moves block_of(const struct td_board *b, uint32_t tile, uint32_t core)
{
    const uint32_t tiles = b->grid_width * b->grid_height, next = (tile + 1) % tiles, data = b->data_base;
    const uint32_t bank = (tile * b->core_count + core) % b->dram_banks;
    const struct td_tile_at me = td_board_tile(b, 0, tile % b->grid_width, tile / b->grid_width);
    const struct td_tile_at to = td_board_tile(b, 0, next % b->grid_width, next / b->grid_width);
    const struct td_tile_at first = td_board_tile(b, 0, 0, 0);
    const struct td_tile_at last = td_board_tile(b, 0, b->grid_width - 1, b->grid_height - 1);
    return (struct moves){.x = me.x,
                          .y = me.y,
                          .core = core,
                          .cores = b->core_count,
                          .tiles = tiles,
                          .tile = tile,
                          .next_x = to.x,
                          .next_y = to.y,
                          .bank_x = b->dram_x[bank],
                          .bank_y = b->dram_y[bank],
                          .bank_at = 0x100000 + (tile * b->core_count + core) * MOVES_BUFFER,
                          .first_x = first.x,
                          .first_y = first.y,
                          .last_x = last.x,
                          .last_y = last.y,
                          .buffer = data + BUFFERS + core * MOVES_BUFFER,
                          .from_previous = data + PIECES + core * MOVES_PIECE,
                          .lines = data + LINES,
                          .arrived = data + SEMAPHORES,
                          .meet = data + SEMAPHORES + 16,
                          .clock = b->clock_low};
}

static int prepare(struct td_device *d, const char *folder, uint32_t tile, struct td_err *err)
{
    static const uint8_t zeros[BUFFERS];
    const struct td_board *b = td_device_board(d);
    struct td_core_at at = {0, (uint16_t)(tile % b->grid_width), (uint16_t)(tile / b->grid_width), 0};
    int rc = td_device_write(d, 0, at.x, at.y, b->data_base, zeros, sizeof zeros, err);
    for (at.core = 0; at.core < b->core_count && rc == 0; at.core++) {
        const struct moves block = block_of(b, tile, at.core);
        const uint32_t where = b->data_base + BLOCKS + at.core * MOVES_BLOCK;
        char path[4096];
        snprintf(path, sizeof path, "%s/moves.%s.elf", folder, b->cores[at.core].name);
        rc = td_device_write(d, 0, at.x, at.y, where, &block, sizeof block, err);
        rc = rc ? rc : td_device_load(d, at, path, err);
        rc = rc ? rc : td_device_prepare(d, at, 1, where, err);
    }
    return rc;
}

static int print_tile(struct td_device *d, uint32_t tile, struct td_err *err)
{
    const struct td_board *b = td_device_board(d);
    int rc = 0;
    for (uint32_t core = 0; core < b->core_count && rc == 0; core++) {
        struct moves m;
        rc = td_device_read(d, 0, tile % b->grid_width, tile / b->grid_width,
                            b->data_base + BLOCKS + core * MOVES_BLOCK, &m, sizeof m, err);
        if (rc == 0)
            printf("moves %u.%u: %s at %s, dram %08x, previous %08x, lines %08x, old %u, inline %x, clock %u",
                   tile, core, m.done ? "done" : "not done",
                   m.place == (m.x | m.y << 8) ? "its place" : "another place", m.dram_sum, m.previous_sum,
                   m.lines_sum, m.old_sum, m.inline_word, m.clock);
        for (uint32_t noc = 0; rc == 0 && noc < 2 && core == 0; noc++)
            printf(", noc %u: %u acknowledged, %u atomics, %u sent", noc, m.counts[noc][0], m.counts[noc][1],
                   m.counts[noc][2]);
        printf("\n");
    }
    return rc;
}

int main(int argc, char **argv)
{
    struct td_err err = {0};
    int rc = 0, code = 0;
    struct td_device *d = argc == 2 ? td_device_open(NULL, &err) : NULL;
    const struct td_board *b = d ? td_device_board(d) : NULL;
    const uint32_t tiles = b ? b->grid_width * b->grid_height : 0;
    for (uint32_t tile = 0; tile < tiles && rc == 0; tile++)
        rc = prepare(d, argv[1], tile, &err);
    if (b && rc == 0)
        rc = td_device_launch(d, &err);
    if (b && rc == 0)
        rc = td_device_wait(d, 400000, &code, &err);
    for (uint32_t tile = 0; tile < tiles && rc == 0; tile++)
        rc = print_tile(d, tile, &err);
    td_device_close(d);
    if (rc || !b)
        fprintf(stderr, "moves: %s (%d)\n", err.text, rc);
    return rc || !b ? 1 : code;
}
