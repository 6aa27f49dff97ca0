/* The clock of a program on another machine: its times are right to the bound that is reported, the drift is
 * followed, and times never jump. */
#include "host/agent/client/client_clock.h"
#include "host/base/clock.h"
#include "host/base/process.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

/* The program's clock: tick = OFFSET + trace time * (1 + drift). Its welcome reports 1 ns a tick. */
#define OFFSET INT64_C(-700000000000000)

struct machine {
    struct td_client_source_config config;
    struct td_wire_welcome welcome;
    struct td_client_clock clock;
    double drift;
    uint64_t seed;
};

static double any(struct machine *m, double most)
{
    m->seed = m->seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(m->seed >> 11) / (double)(UINT64_C(1) << 53) * most;
}

static int64_t tick_at(const struct machine *m, double ns)
{
    return OFFSET + (int64_t)llround(ns * (1 + m->drift));
}

static double convert(const struct machine *m, int64_t tick)
{
    return (double)(tick - m->clock.zero_ticks) * m->clock.ns_per_tick + (double)m->clock.zero_ns;
}

/* An exchange at this time: the way there and the way back take up to most_ns each. */
static struct td_client_exchange exchange_at(struct machine *m, double ns, double most_ns)
{
    const double there = any(m, most_ns), back = any(m, most_ns);
    return (struct td_client_exchange){.sent = m->config.t0_ticks + (uint64_t)(ns - there),
                                       .got = m->config.t0_ticks + (uint64_t)(ns + back) + 1,
                                       .ticks = tick_at(m, ns)};
}

static void begin(struct machine *m, double drift, double most_ns)
{
    *m = (struct machine){.config = {.t0_ticks = 1000000, .ns_per_tick = 1},
                          .welcome = {.timerMul = 1, .epoch = (uint64_t)time(NULL)},
                          .drift = drift,
                          .seed = 7};
    m->welcome.initBegin = tick_at(m, 0);
    const struct td_client_exchange greeting = exchange_at(m, 1e9, most_ns);
    td_client_clock_begin(&m->clock, &m->config, &m->welcome, &greeting);
    assert_int_equal(m->clock.is_same, 0);
    assert_true(fabs(convert(m, greeting.ticks) - 1e9) <= m->clock.error_ns + 1);
}

/* The bound at the end covers all times up to the last exchange that was good enough to be taken. */
static void run(struct machine *m, double seconds, double most_ns)
{
    double worst = 0;
    for (double ns = 1.25e9; ns < seconds * 1e9; ns += 0.25e9) {
        const struct td_client_exchange exchange = exchange_at(m, ns, most_ns);
        const double before = convert(m, exchange.ticks);
        worst = fmax(worst, fabs(before - ns));
        if (td_client_clock_exchange(&m->clock, &m->config, &exchange))
            assert_true(worst <= m->clock.error_ns + 1);
        assert_true(fabs(convert(m, exchange.ticks) - before) < 2);
    }
}

static void times_are_right_to_the_bound(void **state)
{
    static const double drifts[] = {0, 50e-6, -50e-6, 150e-6};
    for (size_t i = 0; i < sizeof drifts / sizeof *drifts; i++) {
        struct machine m;
        begin(&m, drifts[i], 2e6);
        run(&m, 120, 2e6);
        assert_true(m.clock.error_ns < 4e6);
        assert_true(fabs(1 / m.clock.ns_per_tick - 1 - drifts[i]) < 30e-6);
    }
}

static void a_slow_exchange_changes_nothing(void **state)
{
    struct machine m;
    begin(&m, 20e-6, 1e5);
    run(&m, 20, 1e5);
    const double bound = m.clock.error_ns, rate = m.clock.rate;
    const struct td_client_exchange slow = {.sent = m.config.t0_ticks + (uint64_t)20.0e9,
                                            .got = m.config.t0_ticks + (uint64_t)20.5e9,
                                            .ticks = tick_at(&m, 20.4999e9)};
    const double before = convert(&m, slow.ticks);
    td_client_clock_exchange(&m.clock, &m.config, &slow);
    assert_true(fabs(convert(&m, slow.ticks) - before) < 2);
    assert_true(m.clock.error_ns == bound && m.clock.rate == rate);
}

static void without_an_exchange_the_time_of_day_decides(void **state)
{
    struct machine m;
    begin(&m, 0, 1e5);
    td_client_clock_begin(&m.clock, &m.config, &m.welcome, &(struct td_client_exchange){0});
    assert_int_equal(m.clock.is_same, 0);
    assert_true(m.clock.error_ns == 1e9);
}

/* The time of day was set after the program had begun. */
static void a_program_of_this_machine_is_known_by_its_age(void **state)
{
    const double ns_per_tick = td_host_ns_per_tick(0);
    const int64_t age_ns = td_process_age_ns((uint32_t)getpid());
    assert_true(age_ns >= 0 && age_ns < 100 * INT64_C(1000000000));
    assert_true(td_process_age_ns(0) == -1);
    assert_true(td_process_age_ns(1) >= age_ns);
    struct td_wire_welcome welcome = {
        .timerMul = ns_per_tick, .epoch = (uint64_t)time(NULL) - 3600, .pid = (uint64_t)getpid()};
    welcome.initBegin = (int64_t)td_host_ticks() - (int64_t)((double)age_ns / ns_per_tick);
    assert_true(td_client_reads_our_clock(&welcome, ns_per_tick));
    welcome.epoch = (uint64_t)time(NULL) + 3600;
    assert_true(td_client_reads_our_clock(&welcome, ns_per_tick));
    welcome.initBegin -= (int64_t)(5e9 / ns_per_tick); /* another machine's process of the same number */
    assert_false(td_client_reads_our_clock(&welcome, ns_per_tick));
    welcome.pid = 0;
    assert_false(td_client_reads_our_clock(&welcome, ns_per_tick));
}

static void nonsense_does_no_harm(void **state)
{
    static const int64_t ticks[] = {INT64_MIN, INT64_MAX, 0, -1, 1};
    for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++)
        for (size_t k = 0; k < sizeof ticks / sizeof *ticks; k++) {
            struct machine m;
            begin(&m, 0, 1e5);
            struct td_client_exchange exchange = {.sent = 1, .got = UINT64_MAX, .ticks = ticks[i]};
            m.welcome.initBegin = ticks[k];
            td_client_clock_begin(&m.clock, &m.config, &m.welcome, &exchange);
            exchange.ticks = ticks[k];
            td_client_clock_exchange(&m.clock, &m.config, &exchange);
            assert_true(isfinite(m.clock.ns_per_tick) && m.clock.ns_per_tick > 0);
            assert_true(isfinite(m.clock.error_ns) && m.clock.error_ns >= 0);
        }
}

static void the_clock_is_hidden_in_the_welcome(void **state)
{
    struct td_wire_welcome welcome = {.hostInfo = "CPU: x\n" TD_WIRE_OWN_CLIENT}, read;
    uint8_t bytes[2048];
    uint64_t ticks = 0;
    assert_false(td_wire_get_clock(&welcome, &ticks));
    td_wire_put_clock(&welcome, 0x1122334455667788u);
    assert_string_equal(welcome.hostInfo, "CPU: x\n" TD_WIRE_OWN_CLIENT);
    td_wire_put_welcome(bytes, &td_wire_69, &welcome);
    td_wire_get_welcome(bytes, &td_wire_69, &read);
    assert_true(td_wire_get_clock(&read, &ticks));
    assert_true(ticks == 0x1122334455667788u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_right_to_the_bound),
        cmocka_unit_test(a_slow_exchange_changes_nothing),
        cmocka_unit_test(without_an_exchange_the_time_of_day_decides),
        cmocka_unit_test(a_program_of_this_machine_is_known_by_its_age),
        cmocka_unit_test(nonsense_does_no_harm),
        cmocka_unit_test(the_clock_is_hidden_in_the_welcome),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
