/* The note about a trace's clock: what is written is read; damaged notes are refused or harmless. */
#include "host/agent/clock_origin.h"
#include "host/base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void a_note_is_read_as_it_was_written(void **state)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_clock_origin written, read;
    struct td_clock_moment now;
    td_clock_moment_take(&now);
    assert_true(now.error_ns >= 0 && now.error_ns < 1000000000);
    td_clock_origin_of_ticks(&written, &now, now.ticks - 1000, 1);
    assert_false(td_clock_origin_read(trace, &read));
    assert_int_equal(td_clock_origin_note(trace, &written), 0);
    assert_true(td_clock_origin_read(trace, &read));
    assert_int_equal(read.real_ns, written.real_ns);
    assert_int_equal(read.real_error_ns, written.real_error_ns);
    assert_string_equal(read.boot, written.boot);
    assert_int_equal(read.pairs, written.pairs);
    assert_int_equal(read.pair[0].at_ns, 1000);
    assert_int_equal(read.pair[0].mono_ns, now.mono_ns);
    td_trace_destroy(trace);
}

static void the_time_of_day_alone_has_no_boot(void **state)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_clock_origin origin;
    td_clock_origin_of_day(&origin, 1700000000);
    assert_int_equal(td_clock_origin_note(trace, &origin), 0);
    assert_true(td_clock_origin_read(trace, &origin));
    assert_int_equal(origin.real_ns, INT64_C(1700000000000000000));
    assert_string_equal(origin.boot, "");
    td_trace_destroy(trace);
}

static bool reads(const char *text)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_clock_origin origin;
    assert_int_equal(td_trace_note(trace, TD_NOTE_CLOCK_ORIGIN, "%s", text), 0);
    bool ok = td_clock_origin_read(trace, &origin);
    assert_true(origin.pairs <= 2);
    td_trace_destroy(trace);
    return ok;
}

static void damaged_notes_are_refused(void **state)
{
    static const char sound[] =
        "real=1700000000000000000 real_error=5 boot=b error=60 at=0 mono=5 at=2000000000 mono=2000000007";
    static const char *const bad[] = {"",
                                      "real",
                                      "real=",
                                      "real=x",
                                      "=5",
                                      "real=-1",
                                      "real=99999999999999999999",
                                      "real=5 at=0 mono=1 at=0 mono=1",
                                      "real=5 at=0 mono=1 at=100 mono=900",
                                      "real=5 at=1 mono=1 at=2 mono=2 at=3 mono=3",
                                      "real=5 error=-5"};
    assert_true(reads(sound));
    assert_true(reads("real=5 later=key"));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (reads(bad[i]))
            fail_msg("'%s' is taken", bad[i]);
    unsigned seed = 1;
    for (int i = 0; i < 3000; i++) {
        char text[sizeof sound];
        memcpy(text, sound, sizeof sound);
        for (int k = 0; k <= i % 3; k++) {
            seed = seed * 1103515245u + 12345;
            text[(seed >> 16) % (sizeof sound - 1)] = "= 9-ab~x"[seed >> 28 & 7];
        }
        reads(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_note_is_read_as_it_was_written),
        cmocka_unit_test(the_time_of_day_alone_has_no_boot),
        cmocka_unit_test(damaged_notes_are_refused),
    };
    td_clock_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
