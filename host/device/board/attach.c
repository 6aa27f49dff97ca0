#include "host/device/board/attach.h"

#include "host/base/debug_log.h"
#include "host/device/board/arc.h"

#include <time.h>

enum { CLOCK_WAIT_MS = 200, CLOCK_LOOK_MS = 5 };

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

/* A card that was just woken up takes some milliseconds to its full clock. Waits, since the first guess at its
 * frequency is used until the clocks are compared. */
static double settled_hz(struct td_transport *t, double described_hz)
{
    double hz = 0;
    for (int waited = 0; t->ops->frequency_hz && waited < CLOCK_WAIT_MS; waited += CLOCK_LOOK_MS) {
        hz = t->ops->frequency_hz(t);
        if (hz <= 0 || hz > 0.95 * described_hz)
            break;
        nanosleep(&(struct timespec){0, CLOCK_LOOK_MS * 1000000L}, NULL);
    }
    return hz;
}

/* What the firmware reports and the description does not have. A grid that the card does not have is refused;
 * where tiles are does not depend on which are harvested, if they are called by translated coordinates. */
static int ask_firmware(const struct td_board *board, struct td_transport *t, double *hz, struct td_err *err)
{
    struct td_arc_report r;
    struct td_err why = {0};
    if (!board->telemetry_table || td_arc_read(board, t, &r, &why))
        return 0;
    if (*hz <= 0 && r.has_clock)
        *hz = r.clock_mhz * 1e6;
    const uint32_t all = (UINT32_C(1) << board->all_columns) - 1;
    const uint32_t columns = (uint32_t)__builtin_popcount(r.columns & all);
    if (r.has_columns && board->grid_width > columns)
        return td_fail(err, TD_E_USAGE, "the card has %u columns of tiles that work; grid %ux%u is larger",
                       columns, board->grid_width, board->grid_height);
    return 0;
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
    double hz = rc == 0 ? settled_hz(t, board->frequency_hz) : 0;
    if (rc == 0)
        rc = ask_firmware(board, t, &hz, err);
    td_debug(board, "%s over %s: %u chips, %ux%u tiles, %u cores each, %g MHz (%s)", board->name,
             t->ops->name, board->chips, board->grid_width, board->grid_height, board->core_count,
             (hz > 0 ? hz : board->frequency_hz) / 1e6, hz > 0 ? "by the device" : "by its description");
    if (hz > 0)
        board->frequency_hz = hz;
    return rc;
}
