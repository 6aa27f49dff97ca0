/* Clock sync: relates a tile's wall clock to the host's ticks, with a bound on the error.
 *
 * Feed samples (host before, device, host after) at start, periodically and at the end. The map is piecewise
 * linear through the samples with the smallest round trip, monotonic, and its bound holds for every point
 * between samples: half the round trip of the samples used + what the rate can have changed between them. */
#ifndef TD_HOST_DEVICE_SYNC_H
#define TD_HOST_DEVICE_SYNC_H
#include "host/base/err.h"
#include "host/transport/transport.h"

struct td_sync;
struct td_sync *td_sync_create(double nominal_hz);
void td_sync_destroy(struct td_sync *sync);
/* Takes `reads` clock reads of a tile and keeps the tightest. */
int td_sync_sample(struct td_sync *sync, struct td_transport *t, struct td_tile_at at, int reads,
                   struct td_err *err);
int td_sync_add(struct td_sync *sync,
                const struct td_clock_sample *sample); /* one read from elsewhere (tests) */
/* Device ticks -> host ticks (as double-free int64 arithmetic). Monotonic. Valid after one sample. */
int64_t td_sync_to_host(const struct td_sync *sync, uint64_t ticks);
/* Bound on the error of that map, ns, over the span of the samples (0 samples: INFINITY). */
double td_sync_bound_ns(const struct td_sync *sync, double host_ns_per_tick);
#endif
