/* sync_device_info.csv: clocks of devices against the host's. */
#include "host/tt/sync_info_read.h"
#include "proto/tt/device_log.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define HEADER                                                                                               \
    "device id,core_x, core_y,device,host_tracy,host_real,write_overhead,host_start,delay,frequency,"        \
    "tracy_ratio,tracy_base_time,device_frequency_ratio,device_shift\n"
/* Host ticks of 0.5 ns; the host's first tick is 4000 ns after the base. A device of 1.2 cycles a ns. */
#define HOST                                                                                                 \
    "    4,    1,    2,  5600,  1000, 500.00,  30,  9000,  5000.00,  1.200000000000000,  0.5,  1000,1.0,0\n"

static struct td_tt_sync_info *read_in_pieces(const char *text, size_t piece, int expected, bool *cut,
                                              struct td_err *err)
{
    struct td_tt_sync_info *sync = td_tt_sync_info_create("sync");
    int bad = 0;
    assert_non_null(sync);
    for (size_t at = 0; text[at] && !bad; at += strnlen(text + at, piece))
        bad = td_tt_sync_info_feed(sync, text + at, strnlen(text + at, piece), err);
    bad = bad ? bad : td_tt_sync_info_end_stream(sync, cut, err);
    assert_int_equal(bad, expected);
    return sync;
}

static double host_ns(const struct td_tt_sync_info *sync, uint32_t device, int64_t cycle)
{
    double ns;
    assert_true(td_tt_sync_host_ns(sync, device, cycle, &ns));
    return ns;
}

static void the_hosts_fit_gives_the_time_of_a_cycle(void **state)
{
    (void)state;
    struct td_err err = {0};
    bool cut = false;
    double ns;
    assert_true(td_tt_sync_begins(HEADER, strlen(HEADER)));
    for (size_t piece = 1; piece < 60; piece += 7) {
        struct td_tt_sync_info *sync = read_in_pieces(HEADER HOST, piece, 0, &cut, &err);
        assert_false(cut);
        assert_int_equal(td_tt_sync_info_devices(sync), 1);
        assert_float_equal(host_ns(sync, 4, 5000), 4000, 1e-6);
        assert_float_equal(host_ns(sync, 4, 5600), 4500, 1e-6);
        assert_float_equal(host_ns(sync, 4, 4400), 3500, 1e-6);
        assert_false(td_tt_sync_host_ns(sync, 5, 5000, &ns));
        td_tt_sync_info_destroy(sync);
    }
}

static void other_devices_are_related_by_the_first_one(void **state)
{
    (void)state;
    struct td_err err = {0};
    bool cut = false;
    double ns;
    /* A second device with a fit of its own: its relation to the first one is the better one. */
    struct td_tt_sync_info *sync =
        read_in_pieces(HEADER HOST "6,0,0,1,1,1,1,9000,99.0,1.0,0.5,1000,1.0,0\n"
                                   "    4,,,,,,,,,,,,   1.000000000000000,                   0\n"
                                   "    6,,,,,,,,,,,,   2.000000000000000,                -400\n"
                                   "    7,,,,,,,,,,,,   0.500000000000000,                5000\n",
                       1000, 0, &cut, &err);
    assert_int_equal(td_tt_sync_info_devices(sync), 3);
    assert_float_equal(host_ns(sync, 4, 5600), 4500, 1e-6);
    assert_float_equal(host_ns(sync, 6, 3000), 4500, 1e-6);
    assert_float_equal(host_ns(sync, 7, 1200), 4500, 1e-6);
    td_tt_sync_info_destroy(sync);
    /* Without any fit there is no time of the host. */
    sync = read_in_pieces(HEADER "7,,,,,,,,,,,,0.5,5000\n8,,,,,,,,,1.2,,,1.0,0\n", 1000, 0, &cut, &err);
    assert_false(td_tt_sync_host_ns(sync, 7, 1200, &ns));
    assert_false(td_tt_sync_host_ns(sync, 8, 1200, &ns));
    td_tt_sync_info_destroy(sync);
}

static void a_bad_row_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *line;
    } cases[] = {
        {"device id,delay\n1,2\n", "sync:1: the column 'host_start' is missing"},
        {HEADER "x,,,,,,,,,,,,1.0,0\n", "sync:2: the row has no device"},
        {HEADER HOST "1,,,,,,,,,,,,0,0\n", "sync:3: the clock of device 1 makes no sense"},
        {HEADER "1,,,,,,,,,,,,,\n", "sync:2: the clock of device 1 makes no sense"},
        {HEADER "1,0,0,1,1,1,1,9000,99.0,-1.0,0.5,1000,1.0,0\n",
         "sync:2: the clock of device 1 makes no sense"},
        {HEADER "1,0,0,1,1,1,1,9000,nan,1.0,0.5,1000,1.0,0\n",
         "sync:2: the clock of device 1 makes no sense"},
        {HEADER "1,2\n" HOST, "sync:2: 2 fields, and the header has 14"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct td_err err = {0};
        bool cut = false;
        td_tt_sync_info_destroy(read_in_pieces(cases[i].text, 1000, TD_E_FORMAT, &cut, &err));
        assert_string_equal(err.text, cases[i].line);
    }
}

static void a_row_that_breaks_off_is_not_used(void **state)
{
    (void)state;
    struct td_err err = {0};
    bool cut = false;
    struct td_tt_sync_info *sync = read_in_pieces(HEADER HOST "7,,,,,,", 1000, 0, &cut, &err);
    assert_true(cut);
    assert_int_equal(td_tt_sync_info_devices(sync), 1);
    td_tt_sync_info_destroy(sync);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hosts_fit_gives_the_time_of_a_cycle),
        cmocka_unit_test(other_devices_are_related_by_the_first_one),
        cmocka_unit_test(a_bad_row_is_named),
        cmocka_unit_test(a_row_that_breaks_off_is_not_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
