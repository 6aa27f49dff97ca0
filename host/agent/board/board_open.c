#include "host/agent/board/board_open.h"
#include "host/agent/board/lane_left.h"
#include "host/agent/board/lane_opens.h"

#include <stdbool.h>
#include <stdlib.h>

static bool is_inside(uint64_t at, uint64_t bytes, uint64_t base, uint64_t size)
{
    return at >= base && at - base <= size && bytes <= size - (at - base);
}

static bool is_place_of_core(const struct td_board *board, uint32_t core, uint32_t address, uint64_t bytes)
{
    const struct td_core_desc *c = &board->cores[core];
    return is_inside(address, bytes, td_board_open(board, core), td_board_open_bytes(board)) ||
           is_inside(address, bytes, c->code_base, c->code_bytes);
}

int td_board_open_note(struct td_lane_events *lane, const uint32_t *words, size_t count, uint64_t before,
                       uint64_t after, struct td_err *err)
{
    const struct td_image *image = lane->sites ? lane->sites->image : NULL;
    uint32_t address = 0;
    if (!count || !image || td_image_open_words(image, &address) != count)
        return 0;
    if (td_open_watch_set_image(&lane->watch, image))
        return td_fail_no_memory(err, "for the open zones of a core");
    td_open_watch_note(&lane->watch, words, td_lane_events_launch(lane), before, after);
    td_lane_on_close(lane, lane->closed.begin, lane->closed.id);
    td_lane_watch_looked(lane, after);
    if (td_lane_opens_looked(lane, before, after))
        return td_fail_no_memory(err, "for the open zones of a core");
    return 0;
}

int td_board_open_look(struct td_transport *t, const struct td_board *board, const struct td_lane_at *at,
                       struct td_lane_events *lane, const struct td_board_tap *tap, struct td_err *err)
{
    const struct td_image *image = lane->sites ? lane->sites->image : NULL;
    uint32_t address = 0;
    const uint32_t count = image ? td_image_open_words(image, &address) : 0;
    struct td_clock_sample before = {0}, after = {0};
    if (!count || !is_place_of_core(board, at->core, address, 4 * (uint64_t)count))
        return 0;
    uint32_t *words = malloc(4 * (size_t)count);
    if (!words)
        return td_fail_no_memory(err, "for the open zones of a core");
    int rc = t->ops->clock(t, at->tile, &before, err);
    rc = rc ? rc : t->ops->read(t, at->tile, address, words, 4 * (size_t)count, err);
    rc = rc ? rc : t->ops->clock(t, at->tile, &after, err);
    if (rc == 0 && tap)
        tap->opens(tap->self, at->index, before.ticks, after.ticks, words, count);
    rc = rc ? rc : td_board_open_note(lane, words, count, before.ticks, after.ticks, err);
    free(words);
    return rc;
}
