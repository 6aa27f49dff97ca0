#include "host/transport/live_clock.h"
#include "host/base/clock.h"

enum { TRIES = 8 };

/* High, low, high: the low half is of the time in which the high half did not change. */
int td_live_clock_read(const struct td_live_clock *clock, struct td_transport *t, struct td_tile_at at,
                       struct td_clock_sample *sample, struct td_err *err)
{
    uint32_t high = 0, low = 0, again = 0;
    if (!clock->low || !clock->live_high)
        return td_fail(err, TD_E_USAGE, "no board description says where the clock of %s is", clock->path);
    int rc = clock->read(t, at, clock->live_high, &high, sizeof high, err);
    for (int i = 0; rc == 0 && i < TRIES; i++) {
        sample->host_before = td_host_ticks_ordered();
        rc = clock->read(t, at, clock->low, &low, sizeof low, err);
        sample->host_after = td_host_ticks_ordered();
        rc = rc ? rc : clock->read(t, at, clock->live_high, &again, sizeof again, err);
        sample->ticks = (uint64_t)high << 32 | low;
        if (rc == 0 && high == again)
            return TD_OK;
        high = again;
    }
    return rc ? rc
              : td_fail(err, TD_E_FORMAT,
                        "the high half of the clock of tile (%u,%u) of %s changes at every read", at.x, at.y,
                        clock->path);
}
