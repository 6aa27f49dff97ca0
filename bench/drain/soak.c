/* Drains for a long time at half of what this machine can, and counts: every zone has to arrive, once and in
 * order.
 *
 *   build/soak/soak [--minutes N] [--policy block|drop] [--rate MZONES] [--json]
 *
 * 600 lanes (120 tiles of 5 cores) that one thread fills with the cores' runtime and another one drains and
 * decodes. The limit is found first: what goes through when the lanes are filled as fast as possible. Ends
 * with 1 when anything was lost. */
#include "bench/drain/consumer.h"
#include "bench/report.h"
#include "host/base/clock.h"
#include "host/base/options.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

enum { FIND_S = 5, MINUTE_S = 60 };

struct settings {
    long minutes, rate_mzones;
    int policy, json;
};

static void say_progress(const struct report *r, const struct consumer *c, double start, double *next)
{
    double now = wall_seconds();
    struct rusage usage;
    if (now < *next)
        return;
    *next += MINUTE_S;
    getrusage(RUSAGE_SELF, &usage);
    report_note(r, "%4.0f s: %.0f million zones, %llu lost, %ld MiB", now - start, (double)c->zones / 1e6,
                (unsigned long long)c->lost, usage.ru_maxrss / 1024);
}

static int run(struct report *r, enum td_policy policy, double rate, double seconds,
               struct farm_result *result, struct td_err *err)
{
    struct consumer c = {0};
    struct farm *farm = farm_create("12x10", err);
    int rc = farm ? consumer_init(&c, farm, CONSUMER_COUNTS, policy, err) : err->code;
    rc = rc ? rc : farm_start(farm, rate, seconds, err);
    if (rc == 0) {
        double start = wall_seconds(), next = start + MINUTE_S;
        size_t taken;
        while (rc == 0 && farm_running(farm)) {
            rc = consumer_poll(&c, &taken, err);
            if (!taken)
                sched_yield();
            say_progress(r, &c, start, &next);
        }
        farm_stop(farm);
        *result = farm_join(farm);
        rc = rc ? rc : consumer_finish(&c, err);
    }
    if (rc == 0 && (c.zones + result->lost != result->zones || c.lost != result->lost || c.bad || c.late))
        rc = td_fail(
            err, TD_E_FORMAT,
            "%llu zones arrived and %llu were reported lost of %llu; %llu slots made no sense, %llu runs "
            "were late",
            (unsigned long long)c.zones, (unsigned long long)c.lost, (unsigned long long)result->zones,
            (unsigned long long)c.bad, (unsigned long long)c.late);
    consumer_free(&c);
    farm_destroy(farm);
    return rc;
}

static int soak(struct report *r, const struct settings *s, struct td_err *err)
{
    struct farm_result result;
    enum td_policy policy = s->policy ? TD_POLICY_DROP : TD_POLICY_BLOCK;
    double limit = (double)s->rate_mzones * 2e6;
    int rc = 0;
    if (s->rate_mzones == 0) {
        rc = run(r, TD_POLICY_BLOCK, 0, FIND_S, &result, err);
        limit = (double)result.zones / result.seconds;
    }
    if (rc)
        return rc;
    report_note(r, "limit %.1f million zones/s; %ld minutes at half of it, policy %s", limit / 1e6,
                s->minutes, s->policy ? "drop" : "block");
    rc = run(r, policy, limit / 2, (double)s->minutes * 60, &result, err);
    if (rc)
        return rc;
    report(r, "soak_minutes", "minutes", result.seconds / 60, NAN, NAN);
    report(r, "soak_rate", "Mzones/s", (double)result.zones / result.seconds / 1e6, limit / 1e6, NAN);
    report(r, "soak_zones", "Mzones", (double)result.zones / 1e6, NAN, NAN);
    report(r, "soak_lost", "zones", (double)result.lost, NAN, 0);
    report(r, "soak_waits", "waits for room", (double)result.stalls, NAN, NAN);
    r->failed |= result.lost != 0;
    if (result.behind)
        report_note(r, "the thread that fills the lanes did not always keep to that rate");
    return 0;
}

int main(int argc, char **argv)
{
    struct settings s = {.minutes = 60};
    const struct td_option options[] = {
        {0, "minutes", TD_OPT_INT, &s.minutes, "N", "how long (default 60)", NULL, 1, 100000},
        {0, "policy", TD_OPT_CHOICE, &s.policy, "P", "what a core does when its lane is full", "block|drop",
         0, 0},
        {0, "rate", TD_OPT_INT, &s.rate_mzones, "N", "million zones a second (default: half of the limit)",
         NULL, 1, 1000},
        {0, "json", TD_OPT_FLAG, &s.json, NULL, "one object a line", NULL, 0, 0},
        {0, NULL, TD_OPT_FLAG, NULL, NULL, NULL, NULL, 0, 0}};
    const struct td_command_line line = {
        .name = "soak",
        .usage = "[options]",
        .summary = "Drains for a long time and counts.",
        .options = options,
        .min_args = 0,
        .max_args = 0,
    };
    struct td_err err = {0};
    struct td_command_args args;
    bool parsed = td_command_parse(&line, argc, argv, &args, &err);
    if (!parsed && args.rc == 0)
        return 0;
    td_clock_init();
    struct report r = {.program = "soak", .json = s.json};
    if (!parsed || soak(&r, &s, &err))
        report_failure(&r, "soak", err.text);
    return r.failed;
}
