#include "host/agent/client/client_clock.h"
#include "host/base/clock.h"

#include <math.h>
#include <time.h>

bool td_client_reads_our_clock(const struct td_wire_welcome *welcome, double ns_per_tick)
{
    double rate = welcome->timerMul / ns_per_tick;
    if (!(rate > 0.99 && rate < 1.01))
        return 0;
    int64_t since = (int64_t)(td_host_ticks() - (uint64_t)welcome->initBegin);
    double by_ticks_s = (double)since * ns_per_tick * 1e-9;
    double by_wall_s = (double)time(NULL) - (double)welcome->epoch;
    return since >= 0 && fabs(by_ticks_s - by_wall_s) < 3 + by_wall_s * 0.01;
}

bool td_client_relate_clocks(const struct td_client_source_config *config,
                             const struct td_wire_welcome *welcome, struct td_client_stream_config *stream)
{
    if (config->own_clock) {
        stream->ns_per_tick = welcome->timerMul;
        stream->zero_ticks = welcome->initBegin;
        return 1;
    }
    stream->ns_per_tick = config->ns_per_tick;
    stream->zero_ticks = (int64_t)config->t0_ticks;
    if (td_client_reads_our_clock(welcome, config->ns_per_tick))
        return 1;
    double lived_ns = ((double)time(NULL) - (double)welcome->epoch) * 1e9;
    double now_ns = (double)(int64_t)(td_host_ticks() - config->t0_ticks) * config->ns_per_tick;
    double zero_ns = lived_ns >= 0 && lived_ns < now_ns ? now_ns - lived_ns : 0;
    stream->ns_per_tick = welcome->timerMul;
    stream->zero_ticks = welcome->initBegin;
    stream->zero_ns = (int64_t)zero_ns;
    return 0;
}
