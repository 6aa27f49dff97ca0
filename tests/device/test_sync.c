/* Clock sync against clocks whose truth the test knows. */
#include "host/base/clock.h"
#include "host/device/drain/sync.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#define POINTS 100000

/* A device clock: piecewise constant rate over host time (ns here: one host tick is a ns). */
struct truth {
    double hz, ppm, ppm_later;
    double change_ns; /* when the rate becomes the later one; INFINITY: never */
    uint64_t offset_ticks;
};

static const uint64_t host_zero = UINT64_C(0x0123456789abcd);

static uint64_t truth_ticks(const struct truth *t, double since_ns)
{
    double before = fmin(since_ns, t->change_ns), after = since_ns - before;
    long double ticks = (long double)before * t->hz / 1e9L * (1 + t->ppm / 1e6L) +
                        (long double)after * t->hz / 1e9L * (1 + t->ppm_later / 1e6L);
    return t->offset_ticks + (uint64_t)(int64_t)floorl(ticks);
}

static double uniform(uint32_t *seed)
{
    return rand_r(seed) / (RAND_MAX + 1.0);
}

/* A read whose round trip is 0.4 us and more, one in five far more; the device answers anywhere in it. */
static struct td_clock_sample read_at(const struct truth *t, double since_ns, uint32_t *seed, double base_ns)
{
    double trip = base_ns * (1 + uniform(seed));
    if (rand_r(seed) % 5 == 0)
        trip += 1e3 * pow(1000, uniform(seed));
    double at = since_ns + trip * uniform(seed);
    struct td_clock_sample s = {host_zero + (uint64_t)since_ns, host_zero + (uint64_t)ceil(since_ns + trip),
                                truth_ticks(t, at)};
    return s;
}

/* Largest error of the map over random points of the span, and whether it is monotonic there. */
static double largest_error(const struct td_sync *s, const struct truth *t, double from_ns, double to_ns,
                            uint32_t *seed)
{
    double worst = 0;
    for (int i = 0; i < POINTS; i++) {
        double since = from_ns + (to_ns - from_ns) * uniform(seed);
        uint64_t ticks = truth_ticks(t, since);
        double error = fabs((double)(td_sync_to_host(s, ticks) - (int64_t)host_zero) - since);
        worst = fmax(worst, error);
        assert_true(td_sync_to_host(s, ticks) <=
                    td_sync_to_host(s, ticks + 1 + (uint64_t)(rand_r(seed) % 5000)));
    }
    return worst;
}

static void check(const struct truth *t, double seconds, double every_ms, double limit_ns)
{
    uint32_t seed = 11;
    struct td_sync *s = td_sync_create(t->hz);
    assert_non_null(s);
    struct td_clock_sample last = {0};
    for (double at = 0; at <= seconds * 1e9; at += every_ms * 1e6) {
        /* Eight reads, of which the caller gives the tightest, as td_sync_sample() does. */
        for (int i = 0; i < 8; i++) {
            struct td_clock_sample r = read_at(t, at + i * 5e4, &seed, 400);
            if (i == 0 || r.host_after - r.host_before < last.host_after - last.host_before)
                last = r;
        }
        assert_int_equal(td_sync_add(s, &last), 0);
    }
    double end = (double)(last.host_before - host_zero);
    double bound = td_sync_bound_ns(s, 1.0), worst = largest_error(s, t, 4e5, end, &seed);
    print_message("%.0f s, %g ppm, sample every %g ms: worst %.0f ns, bound %.0f ns\n", seconds, t->ppm,
                  every_ms, worst, bound);
    assert_true(worst <= bound);
    if (limit_ns > 0)
        assert_true(bound < limit_ns);
    td_sync_destroy(s);
}

static void error_stays_below_a_bound_of_two_microseconds_with_offset_and_drift(void **state)
{
    static const double ppms[] = {-100, 0, 100};
    for (int i = 0; i < 3; i++) {
        struct truth t = {1e9, ppms[i], 0, INFINITY, UINT64_C(5000000000)};
        check(&t, 10, 100, 2000);
        check(&t, 0.3, 20, 2000);
        check(&t, 3600, 1000, 2000);
        t.hz = 1.35e9;
        t.offset_ticks = UINT64_C(1) << 62;
        check(&t, 10, 100, 2000);
    }
}

static void days_do_not_lose_nanoseconds(void **state)
{
    struct truth t = {1e9, 37, 0, INFINITY, UINT64_C(1) << 52};
    check(&t, 3 * 86400, 60000, 0);
}

static void every_single_read_may_be_given_outliers_among_them(void **state)
{
    uint32_t seed = 3;
    struct truth t = {1e9, 100, 0, INFINITY, 0};
    struct td_sync *s = td_sync_create(t.hz);
    double end = 0;
    for (int i = 0; i < 3000; i++) {
        end = i * 3.1e6;
        struct td_clock_sample r = read_at(&t, end, &seed, 400);
        assert_int_equal(td_sync_add(s, &r), 0);
    }
    double bound = td_sync_bound_ns(s, 1.0), worst = largest_error(s, &t, 0, end, &seed);
    print_message("single reads: worst %.0f ns, bound %.0f ns\n", worst, bound);
    assert_true(worst <= bound);
    assert_true(bound < 2000);
    td_sync_destroy(s);
}

static void a_rate_that_changes_while_it_runs_is_followed(void **state)
{
    struct truth t = {1e9, 0, 100, 5.03e9, 1000};
    check(&t, 10, 100, 0);
    t.ppm_later = -20000; /* another frequency altogether */
    check(&t, 10, 10, 0);
}

static void with_one_sample_the_nominal_rate_is_used(void **state)
{
    double per_ns = 1 / td_host_ns_per_tick(20); /* host ticks in a ns */
    struct td_sync *s = td_sync_create(1e9);
    assert_true(isinf(td_sync_bound_ns(s, 1.0)));
    struct td_clock_sample r = {1000000, 1000400, 777};
    assert_int_equal(td_sync_add(s, &r), 0);
    assert_int_equal(td_sync_to_host(s, 777), 1000200);
    double second = (double)(td_sync_to_host(s, 777 + 1000000000) - 1000200);
    assert_true(fabs(second / (1e9 * per_ns) - 1) < 0.01);
    assert_true(td_sync_to_host(s, 776) <= 1000200);
    td_sync_destroy(s);
}

static void samples_close_together_use_the_nominal_rate_or_a_better_one(void **state)
{
    uint32_t seed = 8;
    struct truth t = {1e9, 100, 0, INFINITY, 0};
    struct td_sync *s = td_sync_create(t.hz);
    for (int i = 0; i < 10; i++) {
        struct td_clock_sample r = read_at(&t, i * 1e6, &seed, 20000);
        assert_int_equal(td_sync_add(s, &r), 0);
    }
    double worst = largest_error(s, &t, 0, 9e6, &seed), bound = td_sync_bound_ns(s, 1.0);
    print_message("10 ms of slow reads: worst %.0f ns, bound %.0f ns\n", worst, bound);
    assert_true(worst <= bound);
    td_sync_destroy(s);
}

static void the_bound_holds_before_and_after_the_samples(void **state)
{
    for (uint32_t seed = 1; seed <= 20; seed++) {
        uint32_t random = seed;
        struct truth t = {1e9, 100, 0, INFINITY, UINT64_C(10000000000)};
        struct td_sync *s = td_sync_create(t.hz);
        assert_true(isinf(td_sync_bound_at(s, 0)));
        for (int i = 0; i < 32; i++) {
            struct td_clock_sample r = read_at(&t, i * 1e6, &random, 20000);
            assert_int_equal(td_sync_add(s, &r), 0);
        }
        for (double since = -5e9; since < 5e9; since += 1e7) {
            const uint64_t ticks = truth_ticks(&t, since);
            const double error = fabs((double)(td_sync_to_host(s, ticks) - (int64_t)host_zero) - since);
            assert_true(error <= td_sync_bound_at(s, ticks));
        }
        assert_true(td_sync_bound_at(s, truth_ticks(&t, 1.5e7)) == td_sync_bound_ns(s, 1.0));
        td_sync_destroy(s);
    }
}

static void a_clock_that_went_backwards_is_refused(void **state)
{
    struct td_sync *s = td_sync_create(1e9);
    struct td_clock_sample r = {1000, 1100, 5000}, back = {90000, 90100, 4000}, odd = {10, 9, 1};
    assert_int_equal(td_sync_add(s, &r), 0);
    assert_int_equal(td_sync_add(s, &back), TD_E_FORMAT);
    assert_int_equal(td_sync_add(s, &odd), TD_E_FORMAT);
    uint64_t first, last;
    assert_int_equal(td_sync_span(s, &first, &last), 1);
    td_sync_destroy(s);
}

static void any_number_of_samples_is_taken_in_bounded_memory(void **state)
{
    uint32_t seed = 9;
    struct truth t = {1e9, -50, 0, INFINITY, 0};
    struct td_sync *s = td_sync_create(t.hz);
    double end = 0;
    for (int i = 0; i < 9000; i++) {
        end = i * 1e9;
        struct td_clock_sample r = read_at(&t, end, &seed, 400);
        assert_int_equal(td_sync_add(s, &r), 0);
    }
    uint64_t first, last;
    assert_true(td_sync_span(s, &first, &last) <= 4096);
    assert_true(largest_error(s, &t, 0, end, &seed) <= td_sync_bound_ns(s, 1.0));
    td_sync_destroy(s);
}

/* One read every 50 ms, as a recorder takes them, with busy periods in which all reads are wide. What is
 * fixed stays to the last bit, follows soon, and is as true as the rest. */
static void what_is_fixed_never_moves(void **state)
{
    enum { SAMPLES = 2000, CHECKS = 400 };
    static uint64_t ticks[CHECKS];
    static int64_t host[CHECKS];
    for (uint32_t seed = 1; seed <= 4; seed++) {
        uint32_t random = seed;
        struct truth t = {1e9, 80, seed == 2 ? 300 : 80, seed == 2 ? 4.77e10 : INFINITY, 12345};
        struct td_sync *s = td_sync_create(t.hz);
        double end = 0;
        uint64_t fixed = 0;
        size_t checks = 0;
        for (int i = 0; i < SAMPLES; i++) {
            end = i * 5e7;
            struct td_clock_sample r = read_at(&t, end, &random, i / 40 % 5 == 4 ? 30000 : 400);
            assert_int_equal(td_sync_add(s, &r), 0);
            const uint64_t before = fixed;
            fixed = td_sync_freeze(s);
            assert_true(fixed >= before);
            if (checks < CHECKS && fixed > t.offset_ticks + 1000) {
                ticks[checks] = fixed - (uint64_t)(uniform(&random) * (double)(fixed - t.offset_ticks));
                host[checks] = td_sync_to_host(s, ticks[checks]);
                checks++;
            }
            if (i > 40) /* a bad knot waits for 1 s at most, then is followed by another */
                assert_true(truth_ticks(&t, end - 2.5e9) <= fixed || end < 2.5e9);
        }
        assert_int_equal(checks, CHECKS);
        for (size_t i = 0; i < checks; i++)
            assert_true(td_sync_to_host(s, ticks[i]) == host[i]);
        double bound = td_sync_bound_ns(s, 1.0), worst = largest_error(s, &t, 0, end, &random);
        print_message("fixed while sampling: worst %.0f ns, bound %.0f ns\n", worst, bound);
        assert_true(worst <= bound);
        td_sync_destroy(s);
    }
}

static void the_bound_over_time_holds_in_each_of_its_parts(void **state)
{
    uint32_t seed = 5;
    struct truth t = {1e9, 60, 0, INFINITY, 777};
    struct td_sync *s = td_sync_create(t.hz);
    struct td_sync_part parts[16];
    assert_int_equal(td_sync_parts(s, parts, 16), 0);
    for (int i = 0; i < 400; i++) { /* the second half is less certain */
        struct td_clock_sample r = read_at(&t, i * 5e7, &seed, i < 200 ? 400 : 30000);
        assert_int_equal(td_sync_add(s, &r), 0);
    }
    const size_t count = td_sync_parts(s, parts, 16);
    assert_true(count > 4 && count <= 16);
    for (size_t i = 0; i < count; i++) {
        const double from = (double)(parts[i].host - host_zero),
                     to = i + 1 < count ? (double)(parts[i + 1].host - host_zero) : 399 * 5e7;
        assert_true(to > from && parts[i].bound <= td_sync_bound_ns(s, 1.0));
        assert_true(largest_error(s, &t, from, to, &seed) <= parts[i].bound);
    }
    double greatest = 0;
    for (size_t i = 0; i < count; i++)
        greatest = parts[i].bound > greatest ? parts[i].bound : greatest;
    assert_true(greatest == td_sync_bound_ns(s, 1.0));
    assert_true(parts[count - 1].bound > 2 * parts[0].bound);
    td_sync_destroy(s);
}

static void a_sample_in_the_fixed_part_is_left_out(void **state)
{
    struct td_sync *s = td_sync_create(1e9);
    for (uint64_t i = 0; i < 10; i++)
        assert_int_equal(
            td_sync_add(s, &(struct td_clock_sample){i * 50000000, i * 50000000 + 400, 1000 + i * 50000000}),
            0);
    const uint64_t fixed = td_sync_freeze(s);
    assert_true(fixed > 100000000);
    const int64_t there = td_sync_to_host(s, fixed - 777);
    struct td_clock_sample late = {fixed - 1000, fixed - 900, fixed - 10}, back = {600000000, 600000400, 5};
    assert_int_equal(td_sync_add(s, &late), 0);
    assert_int_equal(td_sync_add(s, &back), TD_E_FORMAT);
    assert_true(td_sync_to_host(s, fixed - 777) == there && td_sync_freeze(s) == fixed);
    uint64_t first, last;
    assert_true(td_sync_span(s, &first, &last) < 10 && first == 1000);
    td_sync_destroy(s);
}

/* A simulator that is stopped again and again: its clock stands still, or is a thousand times slower. */
static void whatever_the_rate_the_bound_is_within_the_samples(void **state)
{
    uint32_t seed = 3;
    struct td_sync *s = td_sync_create(1e9);
    uint64_t ticks = 1000;
    for (uint64_t i = 0; i < 40; i++) {
        const uint64_t host = host_zero + i * 100000000;
        assert_int_equal(td_sync_add(s, &(struct td_clock_sample){host, host + 20000, ticks}), 0);
        ticks += 1 + (uint64_t)pow(10, 8 * uniform(&seed));
    }
    assert_true(td_sync_bound_ns(s, 1.0) < 3.95e9);
    struct td_sync_part parts[64];
    const size_t count = td_sync_parts(s, parts, 64);
    for (size_t i = 0; i + 1 < count; i++)
        assert_true(parts[i].bound <= (double)(parts[i + 1].host - parts[i].host) + 1e5);
    td_sync_destroy(s);
}

/* A device whose clock is read in a microsecond, unless this thread is stopped in the middle. */
struct stopped {
    struct td_transport base;
    unsigned reads, stops; /* the first ones */
};

static int stopped_clock(struct td_transport *t, struct td_tile_at at, struct td_clock_sample *sample,
                         struct td_err *err)
{
    struct stopped *s = (struct stopped *)t;
    const uint64_t ticks = 1000000 * (uint64_t)++s->reads;
    const bool stop = s->reads <= s->stops;
    if (stop)
        nanosleep(&(struct timespec){0, 5000000}, NULL);
    *sample = (struct td_clock_sample){host_zero + ticks, host_zero + ticks + (stop ? 900000 : 1000), ticks};
    return 0;
}

static void a_thread_that_is_stopped_reads_the_clock_again(void **state)
{
    static const struct td_transport_ops ops = {.clock = stopped_clock};
    struct stopped device = {.base.ops = &ops, .stops = 2};
    struct td_sync *s = td_sync_create(1e9);
    struct td_clock_sample taken;
    struct td_err err = {0};
    assert_int_equal(td_sync_sample(s, &device.base, (struct td_tile_at){0}, 200, &taken, &err), 0);
    assert_int_equal(taken.host_after - taken.host_before, 1000);
    device.stops = device.reads + 2; /* also at the end */
    assert_int_equal(td_sync_sample(s, &device.base, (struct td_tile_at){0}, 200, &taken, &err), 0);
    assert_int_equal(taken.host_after - taken.host_before, 1000);
    device.stops = UINT32_MAX; /* a slow transport takes no longer for that */
    const unsigned before = device.reads;
    assert_int_equal(td_sync_sample(s, &device.base, (struct td_tile_at){0}, 200, &taken, &err), 0);
    assert_true(device.reads - before <= 4);
    td_sync_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_stays_below_a_bound_of_two_microseconds_with_offset_and_drift),
        cmocka_unit_test(days_do_not_lose_nanoseconds),
        cmocka_unit_test(every_single_read_may_be_given_outliers_among_them),
        cmocka_unit_test(a_rate_that_changes_while_it_runs_is_followed),
        cmocka_unit_test(with_one_sample_the_nominal_rate_is_used),
        cmocka_unit_test(samples_close_together_use_the_nominal_rate_or_a_better_one),
        cmocka_unit_test(the_bound_holds_before_and_after_the_samples),
        cmocka_unit_test(a_clock_that_went_backwards_is_refused),
        cmocka_unit_test(any_number_of_samples_is_taken_in_bounded_memory),
        cmocka_unit_test(what_is_fixed_never_moves),
        cmocka_unit_test(the_bound_over_time_holds_in_each_of_its_parts),
        cmocka_unit_test(a_sample_in_the_fixed_part_is_left_out),
        cmocka_unit_test(whatever_the_rate_the_bound_is_within_the_samples),
        cmocka_unit_test(a_thread_that_is_stopped_reads_the_clock_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
