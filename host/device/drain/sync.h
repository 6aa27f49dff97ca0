/* Clock sync: relates a tile's wall clock to the host's ticks, with a bound on the error.
 *
 * Feed samples (host before, device, host after) at start, periodically and at the end. The map is piecewise
 * linear through the samples with the smallest round trip, monotonic, and its bound holds for every point
 * between samples: half the round trip of the samples used + what the rate can have changed between them.
 *
 * What is assumed for the second part: between two samples the rate stays within TD_SYNC_WANDER of its mean
 * there (what crystals do in seconds), or, where the samples show that it changes more, between the rates
 * before and after. A sample that the map would contradict becomes part of it. With a single sample, or
 * samples too close together to show a rate, the nominal rate is taken to be right within TD_SYNC_NOMINAL.
 *
 * A new sample may move the map by up to the bound near its end. td_sync_freeze() fixes the part before the
 * newest knots, so that a caller may convert times while samples still come: later samples change nothing
 * before the time that it returns. The fixed part keeps a knot for every 1e4 times the error of a sample, at
 * most one for each sample (24 bytes). Of the samples after it, some thousand are kept, evenly thinned.
 *
 * Not thread-safe. */
#pragma once
#include "host/base/err.h"
#include "host/transport/transport.h"

#define TD_SYNC_WANDER  1e-6
#define TD_SYNC_NOMINAL 2e-2

struct td_sync;
/* nominal_hz: of the device's clock. */
struct td_sync *td_sync_create(double nominal_hz);
/* The length of a tick of the host's clock, before the first sample. By default this process measures it, so a
 * replay in another process would have slightly other times. */
void td_sync_set_host_tick(struct td_sync *sync, double nominal_hz, double ns_per_tick);
void td_sync_destroy(struct td_sync *sync);
/* Takes up to `reads` clock reads of a tile and keeps the tightest; fills *taken with it. There are fewer reads when
 * one is as tight as any before, and after 3 ms: but at least four if each took far longer than the tightest of all
 * samples. */
int td_sync_sample(struct td_sync *sync, struct td_transport *t, struct td_tile_at at, int reads,
                   struct td_clock_sample *taken, struct td_err *err);
/* One read from elsewhere. TD_E_FORMAT: it ends before it begins, the clock went backwards, or it is of
 * another century; it is left out. */
int td_sync_add(struct td_sync *sync, const struct td_clock_sample *sample);
/* Fixes the map up to the second-last knot and returns that knot's device time; 0: nothing is fixed yet. A
 * knot that is less certain than earlier ones waits up to 1 s for a better one next to it. */
uint64_t td_sync_freeze(struct td_sync *sync);
/* Device ticks -> host ticks (as double-free int64 arithmetic). Monotonic. Valid after one sample. */
int64_t td_sync_to_host(const struct td_sync *sync, uint64_t ticks);
/* The part of the map around a time, for converting many times that lie near each other. Valid until the next
 * sample. */
struct td_sync_line {
    uint64_t from, ticks; /* `from`: first device time; `ticks`: how many follow. 0: no such line */
    int64_t host, end_host;
    double rate;
};
void td_sync_line_at(const struct td_sync *sync, uint64_t ticks, struct td_sync_line *line);
/* The same as td_sync_to_host(). *line is from the call before; all zero at first. */
static inline int64_t td_sync_to_host_near(const struct td_sync *sync, uint64_t ticks,
                                           struct td_sync_line *line)
{
    if (__builtin_expect(ticks - line->from >= line->ticks, 0)) {
        td_sync_line_at(sync, ticks, line);
        if (!line->ticks)
            return td_sync_to_host(sync, ticks);
    }
    const int64_t host = line->host + (int64_t)((double)(int64_t)(ticks - line->from) * line->rate);
    return host < line->end_host ? host : line->end_host;
}
/* Bound on the error of that map, ns, over the span of the samples (0 samples: INFINITY). */
double td_sync_bound_ns(const struct td_sync *sync, double host_ns_per_tick);
/* Bound on the error at this device time, host ticks. It grows with the distance to the samples, before them and
 * after them. */
double td_sync_bound_at(const struct td_sync *sync, uint64_t ticks);
/* The bound over time: host times (ticks) from which on a bound (ticks) holds, until the next one. At most `room`,
 * each with the greatest bound of its time; the greatest of all is td_sync_bound_ns(). Returns how many. */
struct td_sync_part {
    int64_t host;
    double bound;
};
size_t td_sync_parts(const struct td_sync *sync, struct td_sync_part *parts, size_t room);
/* First and last device time of the samples; number of samples kept: those that can still move the map. */
size_t td_sync_span(const struct td_sync *sync, uint64_t *first_ticks, uint64_t *last_ticks);
