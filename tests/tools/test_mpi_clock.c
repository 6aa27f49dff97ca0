/* Clocks of a job's machines: origins of another machine are expressed in rank 0's clock, where that is the
 * more exact way. */
#include "host/mpi/mpi_clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const struct mpi_clock clocks[] = {
    {.boot = "here", .now_ns = 9000000000},
    {.boot = "there", .now_ns = 1000000000, .offset_ns = 8000000000, .error_ns = 500},
    {.boot = "there", .now_ns = 1000000000, .offset_ns = 8000000100, .error_ns = 300},
};

static struct td_clock_origin origin_of(const char *boot, int64_t mono_ns, int64_t real_error_ns)
{
    struct td_clock_origin o = {.real_ns = 1, .real_error_ns = real_error_ns, .error_ns = 40, .pairs = 1};
    snprintf(o.boot, sizeof o.boot, "%s", boot);
    o.pair[0].mono_ns = mono_ns;
    mpi_clock_apply(clocks, 3, &o);
    return o;
}

static void an_origin_of_another_machine_gets_the_clock_of_rank_0(void **state)
{
    struct td_clock_origin o = origin_of("there", 900000000, 1000000000);
    assert_string_equal(o.boot, "here");
    assert_int_equal(o.pair[0].mono_ns, 8900000100); /* by the shorter round trip */
    assert_int_equal(o.error_ns, 40 + 300 + 100 * MPI_CLOCK_DRIFT_PPM);
}

static void others_stay_as_they_are(void **state)
{
    assert_int_equal(origin_of("here", 5, 1000).pair[0].mono_ns, 5);
    assert_string_equal(origin_of("elsewhere", 5, 1000).boot, "elsewhere");
    /* The time of day is more exact than a clock that drifted for 0.9 s. */
    assert_string_equal(origin_of("there", 100000000, 50000).boot, "there");
    /* A recording after the measurement is not of this boot. */
    assert_string_equal(origin_of("there", 2000000000, 1000000000).boot, "there");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_origin_of_another_machine_gets_the_clock_of_rank_0),
        cmocka_unit_test(others_stay_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
