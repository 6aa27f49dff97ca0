/* Reports of operations of all eras. */
#include "host/tt/ops_report_read.h"
#include "host/tt/ops_report_write.h"
#include "tests/tt/tt_file.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct report {
    unsigned heads, rows, device, fallback, signposts, same_device;
    size_t columns;
    enum td_tt_report_kind kind;
    uint64_t kernel_sum, kernel_max;
    double least_ghz, most_ghz;
    FILE *copy;
    char last[32]; /* an operation's or signpost's name */
};

static int take_head(void *self, const struct td_tt_report_head *head, struct td_err *err)
{
    struct report *r = self;
    (void)err;
    r->heads++;
    r->kind = head->kind;
    r->columns = head->count;
    struct td_tt_text *names = calloc(head->count, sizeof *names);
    assert_non_null(names);
    for (size_t i = 0; i < head->count; i++)
        names[i] = td_tt_text_of(head->names[i]);
    if (r->copy)
        td_tt_report_write_line(r->copy, names, head->count);
    free(names);
    return 0;
}

static int take_row(void *self, const struct td_tt_report_row *row, struct td_err *err)
{
    struct report *r = self;
    uint64_t kernel, fw, start, end, id, device;
    bool has, unused;
    r->rows++;
    if (r->copy)
        td_tt_report_write_line(r->copy, row->fields, row->head->count);
    if (row->head->kind == TD_TT_PERF_REPORT) {
        const struct td_tt_text name = row->values[TD_TT_PERF_OP_NAME];
        snprintf(r->last, sizeof r->last, "%.*s", (int)name.bytes, name.at);
        return td_tt_report_u64(row, "report.csv", TD_TT_PERF_KERNEL_DURATION, &r->kernel_sum, &has, err);
    }
    const struct td_tt_text name = row->values[TD_TT_OPS_OP_CODE];
    snprintf(r->last, sizeof r->last, "%.*s", (int)name.bytes, name.at);
    r->fallback += td_tt_text_is(row->values[TD_TT_OPS_OP_TYPE], TD_TT_OP_TYPE_FALLBACK);
    r->signposts += td_tt_text_is(row->values[TD_TT_OPS_OP_TYPE], TD_TT_OP_TYPE_SIGNPOST);
    if (td_tt_report_u64(row, "report.csv", TD_TT_OPS_KERNEL_DURATION, &kernel, &has, err))
        return TD_E_FORMAT;
    if (!has)
        return 0;
    r->device++;
    r->kernel_sum += kernel;
    r->kernel_max = kernel > r->kernel_max ? kernel : r->kernel_max;
    td_tt_report_u64(row, "report.csv", TD_TT_OPS_FW_DURATION, &fw, &unused, err);
    td_tt_report_u64(row, "report.csv", TD_TT_OPS_FW_START, &start, &unused, err);
    td_tt_report_u64(row, "report.csv", TD_TT_OPS_FW_END, &end, &unused, err);
    td_tt_report_u64(row, "report.csv", TD_TT_OPS_CALL_COUNT, &id, &unused, err);
    td_tt_report_u64(row, "report.csv", TD_TT_OPS_DEVICE_ID, &device, &unused, err);
    r->same_device += (id & 1023) == device;
    const double ghz = fw ? (double)(end - start) / (double)fw : 0;
    r->least_ghz = r->device == 1 || ghz < r->least_ghz ? ghz : r->least_ghz;
    r->most_ghz = ghz > r->most_ghz ? ghz : r->most_ghz;
    return 0;
}

static int read_report(const void *bytes, size_t count, size_t piece, struct report *r, bool *cut,
                       struct td_err *err)
{
    const struct td_tt_report_sink sink = {take_head, take_row, r};
    struct td_tt_report_reader *reader = td_tt_report_reader_create("report.csv", &sink);
    int bad = 0;
    assert_non_null(reader);
    for (size_t at = 0; at < count && !bad; at += piece)
        bad = td_tt_report_reader_feed(reader, (const char *)bytes + at,
                                       count - at < piece ? count - at : piece, err);
    bad = bad ? bad : td_tt_report_reader_end_stream(reader, cut, err);
    td_tt_report_reader_destroy(reader);
    return bad;
}

static void reports_of_all_eras_have_the_known_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned rows, columns, device, fallback, signposts;
        uint64_t kernel_sum, kernel_max;
        double ghz;
    } known[] = {
        {"ops_perf_results_SEG_ENCODER_2024_10_04.head.csv", 773, 63, 293, 480, 0, 92667510, 29550906, 1},
        {"ops_perf_results_SEG_ENCODER_2025_02_16.csv", 1179, 89, 398, 781, 0, 5182351, 459098, 1},
        {"ops_perf_results_bh20_trace.csv", 27, 74, 21, 0, 6, 11398328, 5402936, 1.35},
        {"ops_perf_results_bh_8xp150.csv", 208, 139, 208, 0, 0, 79468720, 6907398, 1.35},
        {"ops_perf_results_bh_p100_counters.head.csv", 159, 112, 159, 0, 0, 3003445, 88924, 1.35},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const char *path = tt_file_corpus(known[i].name);
        if (!path)
            continue;
        size_t count, copied;
        char *copy;
        uint8_t *bytes = tt_file_read(path, &count);
        struct report r = {.copy = open_memstream(&copy, &copied)};
        struct td_err err = {0};
        bool cut;
        assert_true(td_tt_report_begins(bytes, count));
        assert_int_equal(read_report(bytes, count, 4093, &r, &cut, &err), 0);
        assert_false(cut);
        assert_int_equal(r.kind, TD_TT_OPS_REPORT);
        assert_int_equal(r.rows, known[i].rows);
        assert_int_equal(r.columns, known[i].columns);
        assert_int_equal(r.device, known[i].device);
        assert_int_equal(r.fallback, known[i].fallback);
        assert_int_equal(r.signposts, known[i].signposts);
        assert_true(r.kernel_sum == known[i].kernel_sum && r.kernel_max == known[i].kernel_max);
        assert_true(r.least_ghz > known[i].ghz - 0.0005 && r.most_ghz < known[i].ghz + 0.0005);
        if (known[i].ghz > 1)
            assert_int_equal(r.same_device, r.device);
        fclose(r.copy);
        assert_int_equal(copied, count);
        assert_memory_equal(copy, bytes, count);
        free(copy);
        free(bytes);
    }
}

static void expect_error(const char *text, const char *error)
{
    struct report r = {0};
    struct td_err err = {0};
    bool cut;
    assert_int_equal(read_report(text, strlen(text), 5, &r, &cut, &err), TD_E_FORMAT);
    assert_string_equal(err.text, error);
}

static void either_kind_is_known_by_its_columns(void **state)
{
    (void)state;
    static const char text[] = "\xef\xbb\xbfGLOBAL CALL COUNT, OP NAME ,DEVICE KERNEL DURATION [ns],OTHER\n"
                               "1023,before,-,\n1024,\"Matmul, fast\",77.0,\n1025,Cut";
    struct report r = {0};
    struct td_err err = {0};
    bool cut = false;
    assert_int_equal(read_report(text, sizeof text - 1, 9, &r, &cut, &err), 0);
    assert_int_equal(r.kind, TD_TT_PERF_REPORT);
    assert_int_equal(r.rows, 2);
    assert_int_equal(r.columns, 4);
    assert_int_equal(r.kernel_sum, 77);
    assert_string_equal(r.last, "Matmul, fast");
    assert_true(cut);
}

static void bad_input_is_one_line_with_file_and_row(void **state)
{
    (void)state;
    expect_error("", "report.csv: this is no report of operations: the names of the columns are missing");
    expect_error("a,b\n", "report.csv:1: this is no report of operations: there is no column 'OP CODE' or "
                          "'OP NAME'");
    expect_error("OP CODE,b\n", "report.csv:1: the column 'GLOBAL CALL COUNT' is missing");
    expect_error("OP CODE,GLOBAL CALL COUNT\nx\ny,1\n",
                 "report.csv:2: the row has 1 fields, the file has 2 columns");
    expect_error("OP CODE,GLOBAL CALL COUNT,DEVICE KERNEL DURATION [ns]\nx,1,fast\n",
                 "report.csv:2: DEVICE KERNEL DURATION [ns] is 'fast', which is no number");
}

static void columns_of_tensors_have_a_place(void **state)
{
    (void)state;
    struct td_tt_tensor_place place;
    char name[64];
    for (unsigned part = 0; part < TD_TT_TENSOR_COLUMN_COUNT; part++)
        for (unsigned padded = 0; padded < 2; padded++) {
            td_tt_tensor_column_name(name, sizeof name, part % 2, 12, part, padded);
            assert_true(td_tt_tensor_place_read(name, &place));
            assert_int_equal(place.output, part % 2);
            assert_int_equal(place.number, 12);
            assert_int_equal(place.part, part);
            assert_int_equal(place.padded, padded && part <= TD_TT_TENSOR_SHAPE_X);
        }
    assert_string_equal(name, "INPUT_12_MEMORY");
    assert_false(td_tt_tensor_place_read("INPUT_0_", &place));
    assert_false(td_tt_tensor_place_read("INPUT_X_W", &place));
    assert_false(td_tt_tensor_place_read("OP CODE", &place));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_of_all_eras_have_the_known_numbers),
        cmocka_unit_test(either_kind_is_known_by_its_columns),
        cmocka_unit_test(bad_input_is_one_line_with_file_and_row),
        cmocka_unit_test(columns_of_tensors_have_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
