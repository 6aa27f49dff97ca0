/* Opens arbitrary bytes as a simulated board's memory: they are refused, or all parts that the tables
 * describe are inside. The first byte selects whether magic and version are corrected, and how many pages
 * follow the input. */
#include "host/transport/card/simbar.h"
#include "host/device/board/board.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PAGE_BYTES 4096

static void look_at_tiles(struct td_transport *t)
{
    static const uint64_t places[] = {0, 4, 8, PAGE_BYTES, 0xffb121b0, UINT64_MAX - 7, UINT64_MAX};
    uint64_t word;
    for (uint16_t chip = 0; chip < 2; chip++)
        for (uint16_t y = 0; y < 3; y++)
            for (uint16_t x = 0; x < 3; x++)
                for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
                    const struct td_tile_at at = {chip, x, y};
                    struct td_err err = {0};
                    int rc = t->ops->read(t, at, places[i], &word, sizeof word, &err);
                    if (rc != err.code)
                        abort();
                    volatile uint64_t *mapped = t->ops->map(t, at, places[i], sizeof word);
                    if (mapped && places[i] % sizeof word == 0)
                        *mapped = word;
                }
}

static void look_at(struct td_transport *t)
{
    const char *text, *grid;
    struct td_err err = {0};
    struct td_tile_at at;
    void *memory;
    size_t bytes;
    uint64_t value;
    struct td_board *board = calloc(1, sizeof *board);
    if (!board || t->ops->describe(t, &text, &grid, &err))
        abort();
    int rc = td_board_parse(board, text, "board", grid, &err);
    if (rc != err.code)
        abort();
    free(board);
    for (uint16_t chip = 0; chip < 2; chip++)
        if (t->ops->host_memory(t, chip, &memory, &bytes, &at, &value, NULL) == 0)
            memset(memory, 1, bytes);
    t->ops->control(t, TD_CONTROL_EPOCH, 0, &value, NULL);
    t->ops->alive(t, NULL);
    look_at_tiles(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 16 * PAGE_BYTES)
        return 0;
    const size_t room = (size / PAGE_BYTES + data[0] / 4 % 8) * PAGE_BYTES + PAGE_BYTES;
    struct td_bar_header *bar = aligned_alloc(PAGE_BYTES, room);
    if (!bar)
        return 0;
    memset(bar, 0, room);
    memcpy(bar, data + 1, size - 1);
    if (data[0] & 1) {
        bar->magic = TD_BAR_MAGIC;
        bar->version = TD_BAR_VERSION;
    }
    const struct td_simbar_config config = {
        .map = bar, .bytes = room, .name = "fuzz", .path = "a board", .far = data[0] >> 1 & 1};
    struct td_err err = {0};
    struct td_transport *t = td_simbar_open(&config, &err);
    if (!t && (!err.code || !err.text[0]))
        abort();
    if (t)
        look_at(t);
    td_transport_close(t);
    free(bar);
    return 0;
}
