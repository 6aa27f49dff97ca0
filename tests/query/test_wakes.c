/* Who woke whom, the critical path over wakeups, and how long threads and processes ran, of a trace whose answers are
 * known. Two threads of the program and one of another program run on two processors:
 *
 *   thread 1: runs 0..100, waits for thread 2 until 200, runs 220..400, is preempted, runs on the other processor 420..500,
 *             waits for a device until 600, runs 610..700, waits for the other program until 850, runs 860..1000
 *   thread 2: runs 0..20, waits for thread 1 until 40, runs 50..300 */
#include "host/query/flows/critical.h"
#include "host/query/rows/cpu_load.h"
#include "host/query/table/forms.h"
#include "host/query/table/tables.h"
#include "host/query/table/value_text.h"
#include "host/trace/fill.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#define PID       1
#define OTHER     5000
#define OTHER_PID 4999
#define SLEEPS    104
#define READY     103

static const int64_t runs_of_1[][TD_SWITCH_COLUMN_COUNT] = {{0, 0, 100, 0, 100, SLEEPS, 0, 0},
                                                            {200, 220, 400, 0, 100, READY, 0, 1},
                                                            {420, 420, 500, 1, 100, SLEEPS, 0, 1},
                                                            {600, 610, 700, 0, 100, SLEEPS, 0, 0},
                                                            {850, 860, 1000, 0, 100, SLEEPS, 0, 1}};
static const int64_t runs_of_2[][TD_SWITCH_COLUMN_COUNT] = {{0, 0, 20, 1, 100, SLEEPS, 0, 1},
                                                            {40, 50, 300, 1, 100, SLEEPS, 0, 0}};
static const int64_t on_cpu_0[][3] = {{0, 100, 1}, {220, 400, 1}, {610, 700, 1}, {860, 1000, 1}},
                     on_cpu_1[][3] = {{0, 20, 2}, {50, 300, 2}, {420, 500, 1}, {750, 900, OTHER}};

static void add_rows(struct td_series *to, const int64_t *rows, size_t count, size_t columns, bool knows_cpus)
{
    int64_t row[TD_SWITCH_COLUMN_COUNT];
    assert_non_null(to);
    for (size_t i = 0; i < count; i++) {
        memcpy(row, rows + i * columns, columns * sizeof *row);
        if (!knows_cpus && columns == TD_SWITCH_COLUMN_COUNT)
            row[TD_SWITCH_WAKEUP_CPU] = row[TD_SWITCH_CPU];
        assert_int_equal(td_series_append(to, row), 0);
    }
}
#define ADD_ROWS(to, rows, knows)                                                                            \
    add_rows(to, rows[0], sizeof rows / sizeof *rows, sizeof *rows / sizeof **rows, knows)

static struct td_trace *known_trace(bool knows_cpus)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    assert_non_null(trace);
    struct td_dict *dict = td_trace_fill_dict(trace);
    td_trace_edit_info(trace)->pid = PID;
    td_trace_edit_info(trace)->last_time_ns = 1000;
    for (int64_t t = 1; t <= 2; t++) {
        const struct td_track track = {.thread = (uint64_t)t,
                                       .name = td_dict_cstring(dict, t == 1 ? "one" : "two")};
        td_dict_track(dict, &track);
        assert_int_equal(td_series_append(td_trace_fill_table(trace, TD_TABLE_SWITCH_THREAD), &t), 0);
        assert_int_equal(
            td_series_append(td_trace_fill_table(trace, TD_TABLE_THREAD_PROCESS), (const int64_t[]){t, PID}),
            0);
    }
    assert_int_equal(td_series_append(td_trace_fill_table(trace, TD_TABLE_THREAD_PROCESS),
                                      (const int64_t[]){OTHER, OTHER_PID}),
                     0);
    ADD_ROWS(td_trace_fill_list(trace, TD_TABLE_SWITCH, 0), runs_of_1, knows_cpus);
    ADD_ROWS(td_trace_fill_list(trace, TD_TABLE_SWITCH, 1), runs_of_2, knows_cpus);
    ADD_ROWS(td_trace_fill_list(trace, TD_TABLE_CPU_SWITCH, 0), on_cpu_0, true);
    ADD_ROWS(td_trace_fill_list(trace, TD_TABLE_CPU_SWITCH, 1), on_cpu_1, true);
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    return trace;
}

struct expected_part {
    int64_t start_ns, end_ns;
    uint64_t thread, wakes;
    enum td_critical_state state;
    bool likely;
};

static void check_path(struct td_trace *trace, int64_t from_ns, int64_t to_ns,
                       const struct expected_part *parts, size_t count)
{
    struct td_switches switches;
    struct td_critical path = {0};
    td_switches_init(&switches);
    assert_int_equal(td_switches_update(&switches, trace, UINT64_MAX), 0);
    assert_int_equal(td_critical_make(&path, &switches, 1, from_ns, to_ns, 1000, NULL), 0);
    for (size_t i = 0; i < count && i < path.count; i++) {
        const struct td_critical_part *p = &path.parts[i];
        assert_int_equal(p->start_ns, parts[i].start_ns);
        assert_int_equal(p->end_ns, parts[i].end_ns);
        assert_int_equal(p->thread, parts[i].thread);
        assert_int_equal(p->wakes, parts[i].wakes);
        assert_int_equal(p->state, parts[i].state);
        assert_int_equal(p->likely, parts[i].likely);
    }
    assert_int_equal(path.count, count);
    td_critical_free(&path);
    td_switches_free(&switches);
}
#define CHECK_PATH(trace, from, to, parts) check_path(trace, from, to, parts, sizeof parts / sizeof *parts)

static void the_path_leads_over_those_that_woke(void **state)
{
    (void)state;
    struct td_trace *trace = known_trace(true);
    static const struct expected_part all[] = {
        {0, 40, 1, 2, TD_CRITICAL_RUNS, false},     {40, 50, 2, 0, TD_CRITICAL_READY, false},
        {50, 200, 2, 1, TD_CRITICAL_RUNS, false},   {200, 220, 1, 0, TD_CRITICAL_READY, false},
        {220, 400, 1, 0, TD_CRITICAL_RUNS, false},  {400, 420, 1, 0, TD_CRITICAL_READY, false},
        {420, 500, 1, 0, TD_CRITICAL_RUNS, false},  {500, 600, 1, 0, TD_CRITICAL_WAITS, false},
        {600, 610, 1, 0, TD_CRITICAL_READY, false}, {610, 700, 1, 0, TD_CRITICAL_RUNS, false},
        {700, 750, 1, 0, TD_CRITICAL_WAITS, false}, {750, 850, OTHER, 1, TD_CRITICAL_RUNS, false},
        {850, 860, 1, 0, TD_CRITICAL_READY, false}, {860, 1000, 1, 0, TD_CRITICAL_RUNS, false}};
    CHECK_PATH(trace, 0, 1000, all);
    /* Of one wait, and of a range that ends within one. */
    static const struct expected_part wait[] = {{100, 200, 2, 1, TD_CRITICAL_RUNS, false},
                                                {200, 220, 1, 0, TD_CRITICAL_READY, false}};
    CHECK_PATH(trace, 100, 220, wait);
    static const struct expected_part begun[] = {{90, 100, 1, 0, TD_CRITICAL_RUNS, false},
                                                 {100, 150, 1, 0, TD_CRITICAL_WAITS, false}};
    CHECK_PATH(trace, 90, 150, begun);
    td_trace_destroy(trace);
}

static void without_processors_of_wakeups_the_only_candidate_is_likely(void **state)
{
    (void)state;
    struct td_trace *trace = known_trace(false);
    static const struct expected_part all[] = {
        {0, 40, 1, 2, TD_CRITICAL_RUNS, true},      {40, 50, 2, 0, TD_CRITICAL_READY, false},
        {50, 200, 2, 1, TD_CRITICAL_RUNS, true},    {200, 220, 1, 0, TD_CRITICAL_READY, false},
        {220, 400, 1, 0, TD_CRITICAL_RUNS, false},  {400, 420, 1, 0, TD_CRITICAL_READY, false},
        {420, 500, 1, 0, TD_CRITICAL_RUNS, false},  {500, 600, 1, 0, TD_CRITICAL_WAITS, false},
        {600, 610, 1, 0, TD_CRITICAL_READY, false}, {610, 700, 1, 0, TD_CRITICAL_RUNS, false},
        {700, 850, 1, 0, TD_CRITICAL_WAITS, false}, {850, 860, 1, 0, TD_CRITICAL_READY, false},
        {860, 1000, 1, 0, TD_CRITICAL_RUNS, false}};
    CHECK_PATH(trace, 0, 1000, all);
    td_trace_destroy(trace);
}

static void each_wakeup_names_its_waker(void **state)
{
    (void)state;
    static const struct {
        int64_t time_ns, waited_ns;
        uint64_t thread, waker;
        const char *how;
    } expected[] = {{200, 100, 1, 2, "thread"},
                    {600, 100, 1, 0, "device"},
                    {850, 150, 1, OTHER, "thread"},
                    {40, 20, 2, 1, "thread"}};
    struct td_trace *trace = known_trace(true);
    const struct td_query_request all = td_query_all(trace);
    int rc;
    struct td_query_rows *rows = td_query_make(&td_table_wakeups, &all, &rc);
    assert_non_null(rows);
    assert_int_equal(rows->count, sizeof expected / sizeof *expected);
    for (uint64_t i = 0; i < rows->count; i++) {
        char room[TD_QUERY_ROOM];
        const struct td_query_value how =
            td_query_get(rows, i, td_query_column_named(&td_table_wakeups, "how"), room);
        assert_int_equal(td_query_int(rows, i, "time_ns"), expected[i].time_ns);
        assert_int_equal(td_query_int(rows, i, "waited_ns"), expected[i].waited_ns);
        assert_int_equal(td_query_int(rows, i, "thread"), expected[i].thread);
        assert_string_equal(how.text, expected[i].how);
        if (expected[i].waker)
            assert_int_equal(td_query_int(rows, i, "waker"), expected[i].waker);
    }
    td_query_free(rows);
    td_trace_destroy(trace);
}

struct expected_load {
    uint64_t id, threads, runs, migrations;
    int64_t running_ns;
};

static void check_loads(struct td_trace *trace, int64_t from_ns, int64_t to_ns, bool processes,
                        const struct expected_load *expected, size_t count)
{
    struct td_query_request of = td_query_all(trace);
    struct td_cpu_loads loads;
    of.from_ns = from_ns;
    of.to_ns = to_ns;
    assert_int_equal(td_cpu_loads_make(&loads, &of, processes), 0);
    assert_int_equal(loads.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(loads.at[i].id, expected[i].id);
        assert_int_equal(loads.at[i].runs, expected[i].runs);
        assert_int_equal(loads.at[i].migrations, expected[i].migrations);
        assert_int_equal(loads.at[i].running_ns, expected[i].running_ns);
        if (processes)
            assert_int_equal(loads.at[i].threads, expected[i].threads);
    }
    td_cpu_loads_free(&loads);
}
#define CHECK_LOADS(trace, from, to, processes, expected)                                                    \
    check_loads(trace, from, to, processes, expected, sizeof expected / sizeof *expected)

static void threads_and_processes_have_times_runs_and_migrations(void **state)
{
    (void)state;
    struct td_trace *trace = known_trace(true);
    static const struct expected_load threads[] = {{1, 0, 5, 2, 590},
                                                   {2, 0, 2, 0, 270},
                                                   {OTHER, 0, 1, 0, 150}},
                                      processes[] = {{PID, 2, 7, 2, 860}, {OTHER_PID, 1, 1, 0, 150}},
                                      cut[] = {{2, 0, 1, 0, 50}, {1, 0, 2, 1, 200}};
    CHECK_LOADS(trace, INT64_MIN, INT64_MAX, false, threads);
    CHECK_LOADS(trace, INT64_MIN, INT64_MAX, true, processes);
    CHECK_LOADS(trace, 250, 470, false, cut);
    td_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_path_leads_over_those_that_woke),
        cmocka_unit_test(without_processors_of_wakeups_the_only_candidate_is_likely),
        cmocka_unit_test(each_wakeup_names_its_waker),
        cmocka_unit_test(threads_and_processes_have_times_runs_and_migrations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
