/* Numbers and names of processes in one trace: kept where they are unique, else replaced. */
#include "proto/track.h"
#include "host/agent/client/client_space.h"
#include "host/trace/tables.h"
#include "host/trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct bench {
    struct td_dict *dict;
    struct td_trace *trace;
    struct td_hub *hub;
    struct td_client_spaces *spaces;
};

static void open_bench(struct bench *b)
{
    b->dict = td_dict_create();
    b->trace = td_trace_create(b->dict);
    b->hub = td_hub_create(b->dict);
    assert_int_equal(td_hub_add_sink(b->hub, td_trace_sink(b->trace)), 0);
    b->spaces = td_client_spaces_create(b->dict);
}

static void close_bench(struct bench *b)
{
    td_client_spaces_destroy(b->spaces);
    td_hub_destroy(b->hub);
    td_trace_destroy(b->trace);
}

static void a_process_alone_keeps_everything(void **state)
{
    struct bench b;
    open_bench(&b);
    struct td_client_space *one = td_client_spaces_add(b.spaces, "one", "", false);
    const struct td_track track = {.thread = 17, .name = td_dict_cstring(b.dict, "Main thread")};
    uint32_t number = td_client_space_track(one, b.dict, &track);
    assert_true(td_client_space_thread(one, 17) == 17);
    assert_true(td_client_space_fiber(one, 3) == (UINT64_C(1) << 32) + 3);
    assert_string_equal(td_dict_text(b.dict, td_dict_get_track(b.dict, number)->name), "Main thread");
    assert_string_equal(td_dict_text(b.dict, td_client_space_name(one, b.dict, "plot", 4)), "plot");
    assert_int_equal(td_client_space_base_set(one, b.dict), 0);
    /* A core, served as a thread by a recorder: the id says where it is. */
    const struct td_track core = {.thread = td_track_id(2, 5, 7, 1)};
    const struct td_track *placed = td_dict_get_track(b.dict, td_client_space_track(one, b.dict, &core));
    assert_true(td_track_is_core(placed) && placed->kind == TD_TRACK_THREAD);
    assert_true(placed->chip == 2 && placed->x == 5 && placed->y == 7 && placed->core == 1);
    close_bench(&b);
}

static void a_second_process_labels_the_first(void **state)
{
    struct bench b;
    open_bench(&b);
    struct td_client_space *one = td_client_spaces_add(b.spaces, "same", "", false);
    const struct td_track track = {.thread = td_client_space_thread(one, 17),
                                   .name = td_dict_cstring(b.dict, "Main thread")};
    uint32_t first = td_client_space_track(one, b.dict, &track);
    struct td_client_space *two = td_client_spaces_add(b.spaces, "same", "", false);
    const struct td_track other = {.thread = td_client_space_thread(two, 17), .name = track.name};
    uint32_t second = td_client_space_track(two, b.dict, &other);
    assert_true(first != second);
    assert_true(td_dict_get_track(b.dict, second)->thread == 17 + (UINT64_C(1) << 40));
    assert_string_equal(td_dict_text(b.dict, td_dict_get_track(b.dict, first)->name), "same: Main thread");
    assert_string_equal(td_dict_text(b.dict, td_dict_get_track(b.dict, second)->name), "same 2: Main thread");
    assert_string_equal(td_dict_text(b.dict, td_client_space_name(two, b.dict, "plot", 4)), "plot (same 2)");
    assert_true(td_client_space_fiber(one, 0) != td_client_space_fiber(two, 0));
    assert_true(td_client_space_thread(two, 18) == 18);
    assert_true(td_client_space_thread(one, 18) != 18);
    assert_true(td_client_space_thread(two, 0) == 0);
    close_bench(&b);
}

/* tendril-watch and a program with a client have the same threads. */
static void observed_threads_are_those_of_the_process(void **state)
{
    struct bench b;
    open_bench(&b);
    struct td_client_space *watch = td_client_spaces_add(b.spaces, "samples", "", true);
    const struct td_track early = {.thread = td_client_space_thread(watch, 17),
                                   .name = td_dict_cstring(b.dict, "program")};
    const uint32_t number = td_client_space_track(watch, b.dict, &early);
    struct td_client_space *one = td_client_spaces_add(b.spaces, "one", "", false);
    assert_true(td_client_space_thread(one, 17) == 17);
    const struct td_track named = {.thread = 17, .name = td_dict_cstring(b.dict, "Main thread")};
    assert_int_equal(td_client_space_track(one, b.dict, &named), number);
    const struct td_track late = {.thread = 17, .name = early.name, .kernel_samples = 3};
    assert_int_equal(td_client_space_track(watch, b.dict, &late), number);
    assert_string_equal(td_dict_text(b.dict, td_dict_get_track(b.dict, number)->name), "Main thread");
    assert_int_equal(td_dict_get_track(b.dict, number)->kernel_samples, 3);
    /* The names of a process are its own while there is one, next to an observer. */
    assert_string_equal(td_dict_text(b.dict, td_client_space_name(one, b.dict, "plot", 4)), "plot");
    assert_false(td_client_space_has_own_frames(one));
    const int64_t pool[TD_POOL_COLUMN_COUNT] = {0};
    const int64_t row = td_client_space_row(one, b.hub, TD_TABLE_POOL, 0, pool, NULL);
    assert_true(row >= 0);
    assert_int_equal(td_series_get(td_trace_table(b.trace, TD_TABLE_POOL), (uint64_t)row, TD_POOL_NAME), 0);
    /* A thread that the process reports first. */
    assert_true(td_client_space_thread(one, 18) == 18 && td_client_space_thread(watch, 18) == 18);
    const struct td_track first = {.thread = 18, .name = early.name};
    const uint32_t second = td_client_space_track(watch, b.dict, &first);
    assert_string_equal(td_dict_text(b.dict, td_dict_get_track(b.dict, second)->name), "program");
    /* Of another machine, and of another process, which gets a name in front. */
    struct td_client_space *far = td_client_spaces_add(b.spaces, "far", "another machine", false);
    assert_true(td_client_space_thread(far, 18) != 18);
    assert_string_equal(td_dict_text(b.dict, td_dict_get_track(b.dict, number)->name), "one: Main thread");
    const struct td_track other = {.thread = td_client_space_thread(watch, 19), .name = early.name};
    const uint32_t third = td_client_space_track(watch, b.dict, &other);
    assert_string_equal(td_dict_text(b.dict, td_dict_get_track(b.dict, third)->name), "program");
    close_bench(&b);
}

static int64_t frame_of(struct bench *b, struct td_client_space *space, uint64_t frame)
{
    const int64_t values[] = {(int64_t)frame};
    int64_t row = td_client_space_row(space, b->hub, TD_TABLE_STACK_ENTRY, 0, values, NULL);
    assert_true(row >= 0);
    return td_series_get(td_trace_table(b->trace, TD_TABLE_STACK_ENTRY), (uint64_t)row, 0);
}

static void addresses_never_meet(void **state)
{
    /* Of programs, of the kernel, in a scripting language, and none. */
    static const uint64_t frames[] = {0,
                                      1,
                                      0x400000,
                                      0x7fffffffffff,
                                      0x3fffffff81000000,
                                      0x3fff800000000000,
                                      UINT64_C(1) << 62,
                                      (UINT64_C(1) << 62) + 1};
    struct bench b;
    int64_t seen[40 * 6];
    size_t count = 0;
    open_bench(&b);
    for (int s = 0; s < 40; s++) {
        struct td_client_space *space = td_client_spaces_add(b.spaces, "many", "", false);
        for (size_t f = 0; f < 6; f++) {
            int64_t frame = frame_of(&b, space, frames[f]);
            assert_true(s > 0 || frame == (int64_t)frames[f]);
            assert_true((uint64_t)frame >> 62 == 0);
            assert_true(((uint64_t)frame >> 61 & 1) == (frames[f] >> 61 & 1));
            for (size_t i = 0; i < count; i++)
                assert_true(seen[i] != frame);
            seen[count++] = frame;
        }
        assert_true(frame_of(&b, space, frames[7]) == (int64_t)frames[7]);
    }
    close_bench(&b);
}

static void one_client_reports_about_a_machine(void **state)
{
    struct bench b;
    open_bench(&b);
    struct td_client_space *one = td_client_spaces_add(b.spaces, "one", "", false);
    struct td_client_space *two = td_client_spaces_add(b.spaces, "two", "", false);
    struct td_client_space *far = td_client_spaces_add(b.spaces, "far", "another machine", false);
    assert_true(td_client_space_reports(two, TD_CLIENT_REPORT_LOAD));
    assert_false(td_client_space_reports(one, TD_CLIENT_REPORT_LOAD));
    assert_true(td_client_space_reports(far, TD_CLIENT_REPORT_LOAD));
    td_client_space_leave(two);
    assert_true(td_client_space_reports(one, TD_CLIENT_REPORT_LOAD));
    const int64_t start[TD_CPU_SWITCH_COLUMN_COUNT] = {1, -1, 5};
    assert_true(td_client_space_row(one, b.hub, TD_TABLE_CPU_SWITCH, 3, start, NULL) >= 0);
    assert_true(td_client_space_row(two, b.hub, TD_TABLE_CPU_SWITCH, 3, start, NULL) >= 0);
    assert_true(td_client_space_row(far, b.hub, TD_TABLE_CPU_SWITCH, 3, start, NULL) >= 0);
    assert_int_equal(td_series_count(td_trace_list(b.trace, TD_TABLE_CPU_SWITCH, 3)), 1);
    assert_int_equal(td_series_count(td_trace_list(b.trace, TD_TABLE_CPU_SWITCH, 64 + 3)), 1);
    assert_int_equal(td_trace_table_rows(b.trace, TD_TABLE_CPU_SWITCH), 2);
    close_bench(&b);
}

static void ids_stay_unique_with_thousands_of_processes(void **state)
{
    struct bench b;
    uint64_t last = 0;
    open_bench(&b);
    for (int i = 0; i < 5000; i++) {
        struct td_client_space *space = td_client_spaces_add(b.spaces, "x", "", false);
        uint64_t id = td_client_space_thread(space, 1000);
        assert_true(i == 0 ? id == 1000 : id > last);
        last = id;
    }
    assert_int_equal(td_client_spaces_count(b.spaces), 5000);
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_alone_keeps_everything),
        cmocka_unit_test(a_second_process_labels_the_first),
        cmocka_unit_test(observed_threads_are_those_of_the_process),
        cmocka_unit_test(addresses_never_meet),
        cmocka_unit_test(one_client_reports_about_a_machine),
        cmocka_unit_test(ids_stay_unique_with_thousands_of_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
