/* The rate of zones at which lanes begin to fill up, 120 tiles of 5 cores, one thread draining: `block`
 * begins to wait there, `drop` to lose. The clock is the processor time of the drain: during a round the
 * cores close as many zones as fit in the round's processor time. So other load on this machine does not
 * change the result. */
#include "bench/drain/consumer.h"
#include "bench/drain/parts.h"

#include <math.h>
#include <stdio.h>

enum { STEPS = 8, TRIES = 3, ROUNDS = 100, LANE_SLOTS = 256 };
static const double lowest = 3e6, highest = 1e9;

struct run {
    struct consumer c;
    struct farm *farm;
    struct td_err err;
    int rc;
    double cpu_s;
};

/* A round of the drain, its time taken. */
static void drain_round(struct run *run)
{
    double start = thread_cpu_seconds();
    int rc = consumer_poll(&run->c, NULL, &run->err);
    run->cpu_s += thread_cpu_seconds() - start;
    run->rc = rc ? rc : run->rc;
}

/* A core waits for room: it gets some by the next round. */
static void wait_for_room(void *self)
{
    drain_round(self);
}

/* All the zones of the time that went by. */
static void fill(struct run *run, double zones_per_s)
{
    double owed = 0, before = 0;
    for (int i = 0; i < ROUNDS && run->rc == 0; i++) {
        drain_round(run);
        owed += zones_per_s * (run->cpu_s - before) / farm_lanes(run->farm);
        before = run->cpu_s;
        /* More than a ring in one round, and the lane is full anyhow. */
        uint64_t each = owed < 2 * LANE_SLOTS ? (uint64_t)owed : 2 * LANE_SLOTS;
        owed -= owed < 2 * LANE_SLOTS ? (double)each : owed;
        farm_zones(run->farm, each);
    }
}

/* *kept_up: no lane was full; *capacity: zones of a second of the drain's time. */
static int try_rate(enum consumer_kind kind, enum td_policy policy, double zones_per_s, int *kept_up,
                    double *capacity, struct td_err *err)
{
    struct run run = {0};
    run.farm = farm_create("12x10", err);
    if (!run.farm)
        return err->code;
    run.rc = consumer_init(&run.c, run.farm, kind, policy, &run.err);
    if (run.rc == 0) {
        farm_begin(run.farm, wait_for_room, &run);
        fill(&run, zones_per_s);
        struct farm_result result = farm_end(run.farm);
        if (run.rc == 0)
            run.rc = consumer_finish(&run.c, &run.err);
        *kept_up = result.stalls == 0 && result.lost == 0;
        *capacity = (double)(result.zones - result.lost) / run.cpu_s;
        if (run.rc == 0 && (run.c.zones + result.lost != result.zones || run.c.lost != result.lost ||
                            run.c.bad || run.c.late))
            run.rc =
                td_fail(&run.err, TD_E_FORMAT,
                        "%llu zones arrived and %llu were reported lost, of %llu of which %llu were lost",
                        (unsigned long long)run.c.zones, (unsigned long long)run.c.lost,
                        (unsigned long long)result.zones, (unsigned long long)result.lost);
    }
    if (run.rc)
        *err = run.err;
    consumer_free(&run.c);
    farm_destroy(run.farm);
    return run.rc;
}

/* What takes this processor away for a moment without being seen (another guest of the same machine) is no
 * limit: the best of some tries counts. */
static int keeps_up(enum consumer_kind kind, enum td_policy policy, double zones_per_s, int *kept_up,
                    struct td_err *err)
{
    double capacity;
    int rc = 0;
    *kept_up = 0;
    for (int i = 0; i < TRIES && rc == 0 && !*kept_up; i++)
        rc = try_rate(kind, policy, zones_per_s, kept_up, &capacity, err);
    return rc;
}

static void find_limit(struct report *r, const char *name, enum consumer_kind kind, enum td_policy policy)
{
    double low = lowest, high = highest;
    struct td_err err = {0};
    int kept_up = 0;
    for (int i = 0; i < STEPS; i++) {
        double rate = sqrt(low * high);
        if (keeps_up(kind, policy, rate, &kept_up, &err)) {
            report_failure(r, name, err.text);
            return;
        }
        *(kept_up ? &low : &high) = rate;
    }
    report(r, name, "Mzones/s", low / 1e6, NAN, NAN);
}

static void find_capacity(struct report *r, const char *name, enum consumer_kind kind)
{
    double capacity = 0;
    struct td_err err = {0};
    int kept_up = 0;
    if (try_rate(kind, TD_POLICY_DROP, 1e12, &kept_up, &capacity, &err))
        report_failure(r, name, err.text);
    else
        report(r, name, "Mzones/s", capacity / 1e6, NAN, NAN);
}

void bench_policies(struct report *r)
{
    report_note(
        r,
        "policies: 600 lanes of 256 slots in this process, cores compiled natively; one draining thread, its "
        "processor's time counts");
    find_capacity(r, "full_lanes_counted", CONSUMER_COUNTS);
    find_capacity(r, "full_lanes_events", CONSUMER_EVENTS);
    find_limit(r, "limit_block_counted", CONSUMER_COUNTS, TD_POLICY_BLOCK);
    find_limit(r, "limit_drop_counted", CONSUMER_COUNTS, TD_POLICY_DROP);
    find_limit(r, "limit_block_events", CONSUMER_EVENTS, TD_POLICY_BLOCK);
    find_limit(r, "limit_drop_events", CONSUMER_EVENTS, TD_POLICY_DROP);
    report_note(
        r, "overwrite takes nothing while cores run: it overwrites from 256 slots a lane on, at any rate");
}
