#include "host/device/board/attach.h"

#include "host/base/debug_log.h"

/* The transports do not know struct td_board, so they get these facts in a struct of their own. */
static struct td_window_kind kind_of(const struct td_window_desc *d)
{
    struct td_window_kind kind = {.bytes = d->bytes,
                                  .count = d->count - d->reserved,
                                  .bar = d->bar,
                                  .bar_offset = d->bar_offset,
                                  .registers = d->registers,
                                  .register_bytes = d->register_bytes,
                                  .first_index = d->first_index};
#define TD_X(name, bits) kind.shift[TD_WINDOW_##name] = (uint8_t)d->shift.name;
    TD_WINDOW_REGISTER(TD_X)
#undef TD_X
    return kind;
}

int td_board_attach(struct td_board *board, struct td_transport *t, struct td_err *err)
{
    struct td_window_kind kinds[TD_MAX_WINDOWS];
    for (uint32_t i = 0; i < board->window_count; i++)
        kinds[i] = kind_of(&board->windows[i]);
    const struct td_transport_setup setup = {.clock_low = board->clock_low,
                                             .clock_live_high = board->clock_live_high,
                                             .clock_steps = (int)board->simulated,
                                             .kinds = kinds,
                                             .kind_count = board->window_count};
    int rc = t->ops->setup ? t->ops->setup(t, &setup, err) : 0;
    double hz = rc == 0 && t->ops->frequency_hz ? t->ops->frequency_hz(t) : 0;
    td_debug(board, "%s over %s: %u chips, %ux%u tiles, %u cores each, %g MHz (%s)", board->name,
             t->ops->name, board->chips, board->grid_width, board->grid_height, board->core_count,
             (hz > 0 ? hz : board->frequency_hz) / 1e6, hz > 0 ? "by the device" : "by its description");
    if (hz > 0)
        board->frequency_hz = hz;
    return rc;
}
