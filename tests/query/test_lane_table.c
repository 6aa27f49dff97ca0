/* The table of lanes, against a calculation zone by zone. */
#include "host/query/sums/lane_table.h"
#include "tests/query/demo_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct td_lane_table table_of(const struct td_trace *trace, int64_t from, int64_t to)
{
    struct td_sums sums;
    struct td_lane_table table = {0};
    int64_t last = td_trace_get_info(trace)->last_time_ns;
    assert_int_equal(td_sums_make(&sums, trace, from, to, last, NULL, NULL), 0);
    assert_int_equal(td_lane_table_make(&table, trace, &sums, 0, last), 0);
    td_sums_free(&sums);
    return table;
}

/* Time of the range in zones of the outermost row that are no loss. */
static double busy_ns(const struct td_trace *trace, uint32_t track, int64_t from, int64_t to)
{
    double busy = 0;
    for (size_t i = 0; td_trace_rows(trace, track) && i < td_trace_row_zones(trace, track, 0); i++) {
        struct td_zone z = td_trace_zone(trace, track, 0, i);
        int64_t start = z.start_ns > from ? z.start_ns : from, end = z.end_ns < to ? z.end_ns : to;
        if (end > start && !(td_dict_get_srcloc(td_trace_dict(trace), z.srcloc)->flags & TD_SRCLOC_LOST))
            busy += (double)(end - start);
    }
    return busy;
}

static void shares_are_those_of_the_range(void **state)
{
    struct td_trace *trace = demo_trace(2);
    int64_t last = td_trace_get_info(trace)->last_time_ns;
    for (int i = 0; i < 8; i++) {
        int64_t from = i * last / 10, to = from + last / 7;
        struct td_lane_table table = table_of(trace, from, to);
        assert_int_equal(table.tracks, td_dict_track_count(td_trace_dict(trace)));
        for (uint32_t t = 0; t < table.tracks; t++) {
            const struct td_lane_facts *f = &table.lane[t].facts;
            int64_t end = to < last ? to : last;
            assert_true(fabs(f->busy - busy_ns(trace, t, from, end) / (double)(end - from)) < 1e-9);
            assert_true(fabs(f->busy - f->work - f->wait) < 1e-9 && f->work >= 0 && f->lost >= 0);
        }
        td_lane_table_free(&table);
    }
    td_trace_destroy(trace);
}

static void lanes_have_their_kind_and_place(void **state)
{
    struct td_trace *trace = grid_trace(2, 3, 2);
    struct td_lane_table table = table_of(trace, INT64_MIN, INT64_MAX);
    int cores = 0;
    for (uint32_t t = 0; t < table.tracks; t++) {
        const struct td_track *track = td_dict_get_track(td_trace_dict(trace), t);
        const struct td_lane_facts *f = &table.lane[t].facts;
        assert_int_equal(f->is_core, track->kind == TD_TRACK_CORE);
        if (!f->is_core) {
            assert_string_equal(f->kind, "thread");
            continue;
        }
        static const char *const names[] = {"BRISC", "NCRISC", "TRISC0", "TRISC1", "TRISC2"};
        assert_string_equal(f->kind, names[f->core]);
        assert_true(f->chip == track->chip && f->x == track->x && f->y == track->y);
        assert_non_null(strstr(f->kernel, "-KERNEL"));
        cores++;
    }
    assert_int_equal(cores, 2 * (3 * 2 - 1) * 5);
    td_lane_table_free(&table);
    td_trace_destroy(trace);
}

static void a_range_within_a_zone_names_that_zone(void **state)
{
    struct td_trace *trace = grid_trace(1, 2, 2);
    struct td_lane_table table = table_of(trace, 500000, 500010);
    for (uint32_t t = 0; t < table.tracks; t++)
        if (table.lane[t].facts.is_core)
            assert_non_null(strstr(table.lane[t].facts.kernel, "-KERNEL"));
    td_lane_table_free(&table);
    td_trace_destroy(trace);
}

static void without_sums_there_are_names(void **state)
{
    struct td_trace *trace = demo_trace(1);
    struct td_lane_table table = {0};
    assert_int_equal(td_lane_table_make(&table, trace, NULL, 0, 1000), 0);
    assert_string_equal(table.lane[0].facts.name, "Main thread");
    assert_true(table.lane[0].facts.busy == 0 && !td_ref_valid(table.lane[0].sum.longest));
    td_lane_table_free(&table);
    td_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_those_of_the_range),
        cmocka_unit_test(lanes_have_their_kind_and_place),
        cmocka_unit_test(a_range_within_a_zone_names_that_zone),
        cmocka_unit_test(without_sums_there_are_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
