/* The tables of the model: shapes, order and lookups. */
#include "host/trace/tables.h"
#include "host/trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct td_trace *new_trace(void)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    assert_non_null(trace);
    td_dict_track(td_trace_fill_dict(trace), &(struct td_track){.thread = 1});
    return trace;
}

static void finish(struct td_trace *trace)
{
    struct td_err err = {0};
    assert_int_equal(td_trace_finish(trace, &err), 0);
}

static void every_table_has_a_name_and_columns_that_a_series_can_hold(void **state)
{
    for (int t = 0; t < TD_TABLE_COUNT; t++) {
        const struct td_table_shape *shape = td_table_get_shape((enum td_table)t);
        assert_in_range(shape->columns, 1, TD_SERIES_COLUMNS);
        for (int other = 0; other < t; other++)
            assert_string_not_equal(shape->name, td_table_get_shape((enum td_table)other)->name);
        for (unsigned c = 0; c < shape->columns; c++) {
            assert_non_null(shape->column[c].name);
            if (shape->column[c].type == TD_TYPE_BLOB) {
                assert_true(c + 1 < shape->columns);
                assert_string_equal(shape->column[c + 1].name, "BYTES");
            }
        }
    }
    assert_string_equal(td_table_get_shape(TD_TABLE_MEMORY)->column[TD_MEMORY_FREE_TIME].name, "FREE_TIME");
}

static void lists_stay_where_they_are_while_others_are_made(void **state)
{
    struct td_trace *trace = new_trace();
    struct td_series *first = td_trace_fill_list(trace, TD_TABLE_SAMPLE, 3);
    for (uint64_t i = 0; i < 5000; i += 7) {
        const int64_t row[] = {(int64_t)i, 0};
        assert_int_equal(td_series_append(td_trace_fill_list(trace, TD_TABLE_SAMPLE, i), row), 0);
    }
    assert_ptr_equal(td_trace_fill_list(trace, TD_TABLE_SAMPLE, 3), first);
    assert_int_equal(td_trace_lists(trace, TD_TABLE_SAMPLE), 4999);
    for (uint64_t i = 0; i < 6000; i++) {
        const struct td_series *list = td_trace_list(trace, TD_TABLE_SAMPLE, i);
        assert_int_equal(td_series_count(list), i < 5000 && i % 7 == 0);
        if (td_series_count(list))
            assert_int_equal(td_series_get(list, 0, TD_SAMPLE_TIME), i);
    }
    assert_int_equal(td_series_count(td_trace_list(trace, TD_TABLE_SAMPLE, UINT64_MAX / 32)), 0);
    assert_null(td_trace_fill_list(trace, TD_TABLE_SAMPLE, UINT64_MAX / 32));
    td_trace_destroy(trace);
}

/* Rows of merged traces: each source's are in order. */
static void runs_in_order_are_merged_and_equal_times_stay_in_order(void **state)
{
    struct td_trace *trace = new_trace();
    struct td_series *locks = td_trace_fill_list(trace, TD_TABLE_LOCK_EVENT, 2);
    const int64_t rows = 2000, runs = 5;
    for (int64_t r = 0; r < runs; r++)
        for (int64_t i = 0; i < rows; i++) {
            const int64_t event[] = {i / 3 * (1 + r % 2), r * rows + i, 0, 0};
            assert_int_equal(td_series_append(locks, event), 0);
        }
    finish(trace);
    int64_t before[TD_LOCK_EVENT_COLUMN_COUNT] = {-1}, row[TD_LOCK_EVENT_COLUMN_COUNT], sum = 0;
    for (int64_t i = 0; i < rows * runs; i++) {
        td_series_row(td_trace_list(trace, TD_TABLE_LOCK_EVENT, 2), (uint64_t)i, row);
        assert_true(row[TD_LOCK_EVENT_TIME] >= before[TD_LOCK_EVENT_TIME]);
        if (row[TD_LOCK_EVENT_TIME] == before[TD_LOCK_EVENT_TIME])
            assert_true(row[TD_LOCK_EVENT_SRCLOC] > before[TD_LOCK_EVENT_SRCLOC]);
        assert_int_equal(row[TD_LOCK_EVENT_TIME],
                         row[TD_LOCK_EVENT_SRCLOC] % rows / 3 * (1 + row[TD_LOCK_EVENT_SRCLOC] / rows % 2));
        sum += row[TD_LOCK_EVENT_SRCLOC];
        memcpy(before, row, sizeof row);
    }
    assert_int_equal(sum, rows * runs * (rows * runs - 1) / 2);
    td_trace_destroy(trace);
}

static void what_came_out_of_order_is_sorted_and_equal_times_stay_in_order(void **state)
{
    struct td_trace *trace = new_trace();
    struct td_series *locks = td_trace_fill_list(trace, TD_TABLE_LOCK_EVENT, 2);
    struct td_series *memory = td_trace_fill_list(trace, TD_TABLE_MEMORY, 0);
    const int64_t rows = 3000;
    for (int64_t i = 0; i < rows; i++) {
        const int64_t event[] = {i * 7919 % 100, i, 0, 0};
        const int64_t allocation[] = {i, 1, 0, 0, rows - i, -1, 1, 0};
        assert_int_equal(td_series_append(locks, event), 0);
        assert_int_equal(td_series_append(memory, allocation), 0);
    }
    finish(trace);
    for (int64_t i = 0; i < rows; i++) {
        int64_t row[TD_LOCK_EVENT_COLUMN_COUNT], before[TD_LOCK_EVENT_COLUMN_COUNT];
        td_series_row(td_trace_list(trace, TD_TABLE_LOCK_EVENT, 2), (uint64_t)i, row);
        assert_int_equal(row[TD_LOCK_EVENT_TIME], i / (rows / 100));
        assert_int_equal(row[TD_LOCK_EVENT_SRCLOC] * 7919 % 100, row[TD_LOCK_EVENT_TIME]);
        td_series_row(td_trace_list(trace, TD_TABLE_LOCK_EVENT, 2), (uint64_t)(i ? i - 1 : 0), before);
        if (i && before[0] == row[0])
            assert_true(before[TD_LOCK_EVENT_SRCLOC] < row[TD_LOCK_EVENT_SRCLOC]);
        const struct td_series *sorted = td_trace_list(trace, TD_TABLE_MEMORY, 0);
        assert_int_equal(td_series_get(sorted, (uint64_t)i, TD_MEMORY_ADDRESS), rows - 1 - i);
    }
    td_trace_destroy(trace);
}

static void call_stacks_of_equal_content_are_one(void **state)
{
    struct td_trace *trace = new_trace();
    static const uint64_t frames[] = {1, 2, 3, UINT64_MAX};
    assert_int_equal(td_trace_fill_stack(trace, frames, 0), 0);
    uint32_t three = td_trace_fill_stack(trace, frames, 3), four = td_trace_fill_stack(trace, frames, 4);
    assert_int_equal(three, 1);
    assert_int_equal(four, 2);
    assert_int_equal(td_trace_fill_stack(trace, frames, 3), three);
    assert_int_equal(td_trace_fill_stack(trace, frames + 1, 3), 3);
    uint64_t many[500], first, count;
    for (uint64_t i = 0; i < 500; i++)
        many[i] = i;
    assert_int_equal(td_trace_fill_stack(trace, many, 500), 4);
    assert_int_equal(td_trace_fill_stack(trace, many, 500), 4);
    td_trace_stack(trace, four, &first, &count);
    assert_int_equal(count, 4);
    const struct td_series *entries = td_trace_table(trace, TD_TABLE_STACK_ENTRY);
    assert_true((uint64_t)td_series_get(entries, first + 3, TD_STACK_ENTRY_FRAME) == UINT64_MAX);
    td_trace_stack(trace, 0, &first, &count);
    assert_int_equal(count, 0);
    td_trace_stack(trace, 99, &first, &count);
    assert_int_equal(count, 0);
    td_trace_destroy(trace);
}

static void call_stacks_that_were_there_before_are_found(void **state)
{
    struct td_trace *trace = new_trace();
    struct td_series *stacks = td_trace_fill_table(trace, TD_TABLE_STACK);
    struct td_series *entries = td_trace_fill_table(trace, TD_TABLE_STACK_ENTRY);
    td_series_append(stacks, &(int64_t){0});
    for (int64_t i = 1; i <= 100; i++) {
        td_series_append(entries, &(int64_t){i});
        td_series_append(entries, &(int64_t){i * i});
        td_series_append(stacks, &(int64_t){2 * i});
    }
    assert_int_equal(td_trace_fill_stack(trace, (const uint64_t[]){9, 81}, 2), 9);
    assert_int_equal(td_trace_fill_stack(trace, (const uint64_t[]){81, 9}, 2), 101);
    td_trace_destroy(trace);
}

static void frames_and_symbols_are_found_also_when_more_come(void **state)
{
    struct td_trace *trace = new_trace();
    struct td_series *frames = td_trace_fill_table(trace, TD_TABLE_STACK_FRAME);
    struct td_series *symbols = td_trace_fill_table(trace, TD_TABLE_SYMBOL);
    assert_int_equal(td_trace_stack_frame(trace, 5), -1);
    for (int64_t i = 0; i < 300; i++) {
        assert_int_equal(td_series_append(frames, (const int64_t[]){i * 5, 0, i}), 0);
        assert_int_equal(td_series_append(symbols, (const int64_t[TD_SYMBOL_COLUMN_COUNT]){i * 3}), 0);
        assert_int_equal(td_trace_stack_frame(trace, (uint64_t)i * 5), i);
    }
    assert_int_equal(td_trace_symbol(trace, 3 * 299), 299);
    assert_int_equal(td_trace_symbol(trace, 4), -1);
    td_trace_destroy(trace);
}

static void messages_frames_and_zones_have_their_further_fields(void **state)
{
    struct td_trace *trace = new_trace();
    const int64_t message[] = {7, 0, 0, 0x123456, 3, 1, TD_SEVERITY_FATAL};
    td_series_append(td_trace_fill_table(trace, TD_TABLE_MESSAGE), message);
    td_series_append(td_trace_fill_list(trace, TD_TABLE_FRAME, 0), (const int64_t[]){0, -1, -1});
    td_series_append(td_trace_fill_list(trace, TD_TABLE_FRAME, 0), (const int64_t[]){9, -1, 4});
    td_trace_set_crash(trace, &(struct td_crash){.time_ns = 8, .stack = 3});
    finish(trace);
    struct td_message m = td_trace_message(trace, 0);
    assert_int_equal(m.stack, 3);
    assert_int_equal(m.source, 1);
    assert_int_equal(m.severity, TD_SEVERITY_FATAL);
    assert_int_equal(m.color, 0x123456);
    assert_int_equal(td_trace_track_messages(trace, 0), 1);
    assert_int_equal(td_trace_frame(trace, 0, 0).end_ns, 9);
    assert_int_equal(td_trace_frame(trace, 0, 1).image, 4);
    assert_int_equal(td_trace_crash(trace)->stack, 3);
    td_trace_destroy(trace);
}

static void blobs_keep_their_bytes(void **state)
{
    struct td_trace *trace = new_trace();
    int64_t text = td_trace_fill_blob(trace, "some bytes", 10), room = td_trace_fill_blob(trace, NULL, 4);
    memcpy(td_trace_blob_room(room), "abc", 4);
    assert_memory_equal(td_trace_blob(text), "some bytes", 10);
    assert_string_equal(td_trace_blob(room), "abc");
    assert_int_equal(td_trace_fill_blob(trace, "", 0), 0);
    td_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_table_has_a_name_and_columns_that_a_series_can_hold),
        cmocka_unit_test(lists_stay_where_they_are_while_others_are_made),
        cmocka_unit_test(runs_in_order_are_merged_and_equal_times_stay_in_order),
        cmocka_unit_test(what_came_out_of_order_is_sorted_and_equal_times_stay_in_order),
        cmocka_unit_test(call_stacks_of_equal_content_are_one),
        cmocka_unit_test(call_stacks_that_were_there_before_are_found),
        cmocka_unit_test(frames_and_symbols_are_found_also_when_more_come),
        cmocka_unit_test(messages_frames_and_zones_have_their_further_fields),
        cmocka_unit_test(blobs_keep_their_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
