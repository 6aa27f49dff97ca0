#include "host/agent/client/client_clock.h"
#include "host/base/clock.h"
#include "host/base/process.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

bool td_client_reads_our_clock(const struct td_wire_welcome *welcome, double ns_per_tick)
{
    double rate = welcome->timerMul / ns_per_tick;
    if (!(rate > 0.99 && rate < 1.01))
        return 0;
    int64_t since = (int64_t)(td_host_ticks() - (uint64_t)welcome->initBegin);
    double by_ticks_s = (double)since * ns_per_tick * 1e-9;
    double by_wall_s = (double)time(NULL) - (double)welcome->epoch;
    if (since >= 0 && fabs(by_ticks_s - by_wall_s) < 3 + by_wall_s * 0.01)
        return true;
    const int64_t age_ns = td_process_age_ns((uint32_t)welcome->pid);
    return since >= 0 && age_ns >= 0 && fabs(by_ticks_s - (double)age_ns * 1e-9) < 1;
}

#define MOST_LIVED_NS  1e18 /* 32 years: less than the time of day of a clock that was never set */
#define TIME_OF_DAY_NS 1e9  /* the error of aligning by the time of day */
#define GOOD_PART      1.5  /* an exchange is good up to this part of the best round trip */
#define GOOD_MORE_NS   20000
#define DRIFT_AFTER_NS 2e9     /* the drift is measured over at least this time */
#define CATCH_UP_NS    1e9     /* errors are corrected in this time */
#define RATE_ERROR     0.00005 /* of a measured rate */
#define USUAL_DRIFT    0.0002
#define MOST_DRIFT     0.002 /* of clocks against each other, and while an error is corrected */

static int64_t ticks_to_ns(const struct td_wire_welcome *welcome, uint64_t ticks)
{
    return (int64_t)((double)(ticks < UINT32_MAX ? ticks : 0) * welcome->timerMul);
}

/* What the program measured at its start: the smallest step of its clock, and what a marker costs (0: releases
 * from 0.13 on do not send it). */
static void read_timer(const struct td_wire_welcome *welcome, int64_t *resolution_ns, int64_t *delay_ns)
{
    *resolution_ns = ticks_to_ns(welcome, welcome->resolution);
    *delay_ns = ticks_to_ns(welcome, welcome->delay);
}

int td_client_describe(const struct td_wire_welcome *welcome, struct td_trace_info *info)
{
    info->pid = welcome->pid;
    info->executable_time_s = welcome->exectime;
    info->timer_mul = welcome->timerMul;
    read_timer(welcome, &info->resolution_ns, &info->delay_ns);
    info->cpu_arch = welcome->cpuArch;
    info->cpu_id = welcome->cpuId;
    memcpy(info->cpu_vendor, welcome->cpuManufacturer, sizeof info->cpu_vendor);
    return td_trace_set_string(&info->host_info, welcome->hostInfo);
}

void td_client_timer_text(const struct td_wire_welcome *welcome, char *to, size_t bytes)
{
    int64_t resolution_ns, delay_ns;
    char delay[40] = "", resolution[30] = "below 1 ns";
    read_timer(welcome, &resolution_ns, &delay_ns);
    if (resolution_ns)
        snprintf(resolution, sizeof resolution, "%" PRId64 " ns", resolution_ns);
    if (delay_ns)
        snprintf(delay, sizeof delay, ", queue delay %" PRId64 " ns", delay_ns);
    snprintf(to, bytes, "timer resolution %s%s", resolution, delay);
}

static double trace_ns(const struct td_client_source_config *config, uint64_t host_ticks)
{
    return (double)(int64_t)(host_ticks - config->t0_ticks) * config->ns_per_tick;
}

/* Ticks come from another process and may be any number. */
static double ticks_since(int64_t ticks, int64_t begin)
{
    return (double)(int64_t)((uint64_t)ticks - (uint64_t)begin);
}

static double convert(const struct td_client_clock *clock, int64_t ticks)
{
    return ticks_since(ticks, clock->zero_ticks) * clock->ns_per_tick + (double)clock->zero_ns;
}

/* The trace time in the middle of an exchange, and half of its duration. */
static double middle(const struct td_client_source_config *config, const struct td_client_exchange *exchange,
                     double *half_ns)
{
    const double sent = trace_ns(config, exchange->sent), got = trace_ns(config, exchange->got);
    *half_ns = (got - sent) / 2;
    return (sent + got) / 2;
}

static void begin_by_time_of_day(struct td_client_clock *clock, const struct td_client_source_config *config,
                                 const struct td_wire_welcome *welcome)
{
    const double lived_ns = ((double)time(NULL) - (double)welcome->epoch) * 1e9;
    const double now_ns = trace_ns(config, td_host_ticks());
    /* Where the days differ, the program has begun now. */
    const double begin_ns = lived_ns >= 0 && lived_ns < MOST_LIVED_NS ? now_ns - lived_ns : now_ns;
    clock->zero_ns = (int64_t)(begin_ns >= 0 ? begin_ns : 0); /* the trace may have no room for all of it */
    clock->error_ns = TIME_OF_DAY_NS;
}

void td_client_clock_begin(struct td_client_clock *clock, const struct td_client_source_config *config,
                           const struct td_wire_welcome *welcome, const struct td_client_exchange *greeting)
{
    *clock = (struct td_client_clock){.ns_per_tick = welcome->timerMul,
                                      .rate = welcome->timerMul,
                                      .reported_rate = welcome->timerMul,
                                      .zero_ticks = welcome->initBegin,
                                      .is_same = 1};
    if (config->own_clock)
        return;
    if (td_client_reads_our_clock(welcome, config->ns_per_tick)) {
        clock->ns_per_tick = config->ns_per_tick;
        clock->zero_ticks = (int64_t)config->t0_ticks;
        return;
    }
    clock->is_same = 0;
    if (!greeting->sent) {
        begin_by_time_of_day(clock, config, welcome);
        return;
    }
    double half_ns, at_ns = middle(config, greeting, &half_ns);
    double lived_ns = ticks_since(greeting->ticks, welcome->initBegin) * clock->ns_per_tick;
    if (!(half_ns >= 0) || !(lived_ns > -4e18 && lived_ns < 4e18)) { /* bytes that make no sense */
        begin_by_time_of_day(clock, config, welcome);
        return;
    }
    clock->zero_ns = (int64_t)(at_ns - lived_ns);
    clock->error_ns = clock->best_ns = clock->first_error_ns = half_ns;
    clock->first_ns = at_ns;
    clock->first_ticks = greeting->ticks;
}

/* Measures the rate since the first good exchange, as soon as that is more exact than the program's report. */
static void measure_rate(struct td_client_clock *clock, int64_t ticks, double at_ns, double half_ns)
{
    const double since_ns = at_ns - clock->first_ns, since_ticks = ticks_since(ticks, clock->first_ticks);
    if (!(since_ns > DRIFT_AFTER_NS) || !(since_ticks > 0) ||
        half_ns + clock->first_error_ns > since_ns * RATE_ERROR)
        return;
    const double rate = since_ns / since_ticks, drift = rate / clock->reported_rate - 1;
    if (drift > -MOST_DRIFT && drift < MOST_DRIFT)
        clock->rate = rate;
}

/* From this tick on, times run with the measured rate, plus a correction. */
static void go_on(struct td_client_clock *clock, int64_t ticks, double correction)
{
    clock->zero_ns = (int64_t)convert(clock, ticks);
    clock->zero_ticks = ticks;
    clock->ns_per_tick = clock->rate * (1 + correction);
    clock->corrects = correction != 0;
}

/* Corrects an error that the exchange shows for certain. */
static void correct(struct td_client_clock *clock, int64_t ticks, double wrong_ns, double half_ns)
{
    double correction = fabs(wrong_ns) > half_ns ? wrong_ns / CATCH_UP_NS : 0;
    correction = correction > MOST_DRIFT ? MOST_DRIFT : correction < -MOST_DRIFT ? -MOST_DRIFT : correction;
    go_on(clock, ticks, correction);
}

bool td_client_clock_exchange(struct td_client_clock *clock, const struct td_client_source_config *config,
                              const struct td_client_exchange *exchange)
{
    double half_ns, at_ns = middle(config, exchange, &half_ns);
    const double now_ns = convert(clock, exchange->ticks), wrong_ns = at_ns - now_ns;
    if (clock->is_same || !(half_ns >= 0) || !(fabs(now_ns) < 4e18))
        return false;
    if (clock->best_ns > 0 && half_ns > clock->best_ns * GOOD_PART + GOOD_MORE_NS) {
        const bool is_corrected = clock->corrects && now_ns - (double)clock->zero_ns >= CATCH_UP_NS;
        if (is_corrected)
            go_on(clock, exchange->ticks, 0);
        return is_corrected;
    }
    double error_ns = fabs(wrong_ns) + half_ns;
    /* Between two exchanges the error is at most the greater one of both. The bound of the greeting is
     * replaced by what the first exchange shows about the time since then. */
    const bool is_first = !clock->exchanges++;
    if (is_first)
        error_ns += (at_ns - clock->first_ns) * USUAL_DRIFT;
    if (is_first ? error_ns < clock->error_ns : error_ns > clock->error_ns)
        clock->error_ns = error_ns;
    measure_rate(clock, exchange->ticks, at_ns, half_ns);
    if (!clock->best_ns || half_ns < clock->first_error_ns) {
        clock->first_ns = at_ns;
        clock->first_ticks = exchange->ticks;
        clock->first_error_ns = half_ns;
    }
    clock->best_ns = !clock->best_ns || half_ns < clock->best_ns ? half_ns : clock->best_ns;
    correct(clock, exchange->ticks, wrong_ns, half_ns);
    return true;
}

int td_client_clock_follow(struct td_client_clock *clock, const struct td_client_source_config *config,
                           struct td_client_stream *stream)
{
    struct td_client_exchange exchange;
    if (clock->is_same || !clock->may_ask)
        return 0;
    const uint32_t answers = td_client_stream_clock(stream, &exchange.sent, &exchange.ticks, &exchange.got);
    const bool changed = answers != clock->answers && td_client_clock_exchange(clock, config, &exchange);
    if (changed)
        td_client_stream_set_clock(stream, clock->ns_per_tick, clock->zero_ticks, clock->zero_ns);
    clock->answers = answers;
    if (td_mono_ms() < clock->ask_ms)
        return changed;
    clock->ask_ms = td_mono_ms() + TD_CLIENT_CLOCK_MS;
    const int rc = td_client_stream_ask_clock(stream);
    return rc < 0 ? rc : changed;
}
