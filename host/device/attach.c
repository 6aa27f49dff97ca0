#include "host/device/attach.h"

int td_board_attach(struct td_board *board, struct td_transport *t, struct td_err *err)
{
    const struct td_transport_setup setup = {.clock_low = board->clock_low,
                                             .clock_live_high = board->clock_live_high};
    int rc = t->ops->setup ? t->ops->setup(t, &setup, err) : 0;
    double hz = rc == 0 && t->ops->frequency_hz ? t->ops->frequency_hz(t) : 0;
    if (hz > 0)
        board->frequency_hz = hz;
    return rc;
}
