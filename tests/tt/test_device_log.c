/* Device logs of all eras. */
#include "host/tt/device_log_write.h"
#include "tests/tt/tt_file.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

struct counted {
    struct td_tt_log_head head;
    unsigned heads, rows, of_type[TD_TT_MARKER_COUNT + 1], data_of_op[8];
    uint64_t first, last;
    struct td_tt_log_row row; /* the last one, with its texts copied */
    char zone[64], file[128], meta[64], risc[32];
    FILE *copy; /* NULL, or where the rows are written again */
    enum td_tt_log_era era;
};

static int take_head(void *self, const struct td_tt_log_head *head, struct td_err *err)
{
    struct counted *c = self;
    (void)err;
    c->head = *head;
    c->heads++;
    return 0;
}

static void keep(char *to, size_t room, struct td_tt_text *text)
{
    snprintf(to, room, "%.*s", (int)text->bytes, text->at);
    *text = td_tt_text_of(to);
}

static int take_row(void *self, const struct td_tt_log_row *row, struct td_err *err)
{
    struct counted *c = self;
    (void)err;
    c->of_type[row->type]++;
    if (!c->rows || row->time_cycles < c->first)
        c->first = row->time_cycles;
    if (row->time_cycles > c->last)
        c->last = row->time_cycles;
    if (row->type == TD_TT_TS_DATA && TD_TT_OP_NUMBER(row->run_host_id) < 8)
        c->data_of_op[TD_TT_OP_NUMBER(row->run_host_id)]++;
    if (c->copy)
        td_tt_log_write_row(c->copy, c->era, row);
    c->row = *row;
    keep(c->zone, sizeof c->zone, &c->row.zone);
    keep(c->file, sizeof c->file, &c->row.file);
    keep(c->meta, sizeof c->meta, &c->row.meta);
    keep(c->risc, sizeof c->risc, &c->row.risc_name);
    c->rows++;
    return 0;
}

/* Returns the error's code; *cut may be NULL. */
static int read_log(const void *bytes, size_t count, size_t piece, struct counted *c, bool *cut,
                    struct td_err *err)
{
    const struct td_tt_log_sink sink = {take_head, take_row, c};
    struct td_tt_log_reader *reader = td_tt_log_reader_create("log.csv", &sink);
    bool unused;
    int bad = 0;
    assert_non_null(reader);
    for (size_t at = 0; at < count && !bad; at += piece)
        bad = td_tt_log_reader_feed(reader, (const char *)bytes + at, count - at < piece ? count - at : piece,
                                    err);
    bad = bad ? bad : td_tt_log_reader_end_stream(reader, cut ? cut : &unused, err);
    td_tt_log_reader_destroy(reader);
    return bad;
}

static int read_text(const char *text, struct counted *c, bool *cut, struct td_err *err)
{
    *c = (struct counted){0};
    return read_log(text, strlen(text), 7, c, cut, err);
}

static void expect_error(const char *text, const char *error)
{
    struct counted c;
    struct td_err err = {0};
    assert_int_equal(read_text(text, &c, NULL, &err), TD_E_FORMAT);
    assert_string_equal(err.text, error);
}

static void a_log_of_2025_has_the_known_rows(void **state)
{
    (void)state;
    size_t count;
    uint8_t *bytes = tt_file_read(tt_file_data("profile_log_device.wh_13col.csv"), &count);
    for (size_t piece = 1; piece <= count; piece = piece * 7 + 1) {
        struct counted c = {0};
        struct td_err err = {0};
        bool cut = true;
        assert_true(td_tt_log_begins(bytes, count));
        assert_int_equal(read_log(bytes, count, piece, &c, &cut, &err), 0);
        assert_false(cut);
        assert_int_equal(c.heads, 1);
        assert_string_equal(c.head.arch, "wormhole_b0");
        assert_true(c.head.frequency_mhz == 1000);
        assert_int_equal(c.head.max_compute_cores, 0);
        assert_int_equal(c.head.era, TD_TT_LOG_ERA_2025A);
        assert_int_equal(c.rows, 200);
        assert_int_equal(c.of_type[TD_TT_TS_DATA], 182);
        assert_int_equal(c.of_type[TD_TT_ZONE_START], 10);
        assert_int_equal(c.of_type[TD_TT_ZONE_END], 8);
        const unsigned data_of_op[] = {0, 34, 12, 34, 12, 90, 0, 0};
        assert_memory_equal(c.data_of_op, data_of_op, sizeof data_of_op);
        assert_true(c.first == 2170879416545 && c.last == 2171916022326);
    }
    free(bytes);
}

/* The first rows of an era, and what a reader makes of them. */
static void every_era_is_read_and_written_again(void **state)
{
    (void)state;
    const struct td_tt_log_row row = {.time_cycles = 4503599627370497,
                                      .data = UINT64_MAX,
                                      .chip = 3,
                                      .core_x = 18,
                                      .core_y = 25,
                                      .timer_id = 22845,
                                      .run_id = 7,
                                      .run_host_id = 1024,
                                      .trace_id = 4,
                                      .trace_count = TD_TT_NO_TRACE,
                                      .source_line = 396,
                                      .logical_x = 1,
                                      .logical_y = 2,
                                      .type = TD_TT_ZONE_END,
                                      .risc_name = {"TRISC_1", 7},
                                      .zone = {"TRISC-FW", 8},
                                      .file = {"src/a, b.cc", 11},
                                      .meta = {"{\"a\": 1, \"b\": 2}", 16}};
    static const unsigned columns[] = {
#define TD_X(name, count, what) count,
        TD_TT_LOG_ERAS(TD_X)
#undef TD_X
    };
    for (unsigned era = 0; era < TD_TT_LOG_ERA_COUNT; era++) {
        const struct td_tt_log_head head = {
            .arch = "blackhole", .frequency_mhz = 1350, .max_compute_cores = 130, .era = era};
        struct counted c = {0};
        struct td_err err = {0};
        char *text;
        size_t bytes;
        FILE *to = open_memstream(&text, &bytes);
        td_tt_log_write_head(to, &head);
        td_tt_log_write_row(to, era, &row);
        assert_int_equal(fclose(to), 0);
        assert_int_equal(read_log(text, bytes, 3, &c, NULL, &err), 0);
        unsigned commas = 0;
        for (const char *at = strchr(text, '\n') + 1; *at != '\n'; at++)
            commas += *at == ',';
        assert_int_equal(commas + 1, columns[era]);
        assert_int_equal(c.head.era, era);
        assert_string_equal(c.head.arch, "blackhole");
        assert_true(c.head.frequency_mhz == 1350);
        assert_int_equal(c.head.max_compute_cores, 130);
        assert_int_equal(c.rows, 1);
        const bool named = era != TD_TT_LOG_ERA_2023;
        assert_true(c.row.time_cycles == row.time_cycles);
        assert_true(c.row.data == (named ? UINT64_MAX : 0));
        assert_int_equal(c.row.chip, 3);
        assert_int_equal(c.row.core_x, 18);
        assert_int_equal(c.row.core_y, 25);
        assert_int_equal(c.row.risc, 3);
        assert_string_equal(td_tt_risc_track_name(c.row.risc), "TRISC1");
        assert_int_equal(c.row.type, named ? TD_TT_ZONE_END : TD_TT_NO_MARKER);
        assert_int_equal(c.row.timer_id, named ? 22845 : 22845 + TD_TT_TIMER_END);
        assert_string_equal(c.zone, named ? "TRISC-FW" : "");
        assert_string_equal(c.file, named ? "src/a; b.cc" : "");
        assert_int_equal(c.row.run_host_id, era == TD_TT_LOG_ERA_2023    ? 0
                                            : era == TD_TT_LOG_ERA_2024A ? 7
                                                                         : 1024);
        assert_string_equal(c.meta, era >= TD_TT_LOG_ERA_2025A ? "{\"a\": 1; \"b\": 2}" : "");
        assert_true(c.row.trace_id == (era >= TD_TT_LOG_ERA_2025C ? 4 : TD_TT_NO_TRACE));
        assert_true(c.row.trace_count == TD_TT_NO_TRACE);
        assert_true(c.row.logical_y == (era == TD_TT_LOG_ERA_STREAMING ? 2 : TD_TT_NO_PLACE));
        free(text);
    }
}

static void a_log_that_is_written_again_is_the_same_file(void **state)
{
    (void)state;
    size_t count, bytes;
    char *text;
    uint8_t *log = tt_file_read(tt_file_data("profile_log_device.wh_13col.csv"), &count);
    struct counted c = {.era = TD_TT_LOG_ERA_2025A};
    struct td_err err = {0};
    c.copy = open_memstream(&text, &bytes);
    assert_int_equal(read_log(log, count, count, &c, NULL, &err), 0);
    fclose(c.copy);
    const char *rows = strchr(strchr((const char *)log, '\n') + 1, '\n') + 1; /* after two lines */
    assert_int_equal(bytes, count - (size_t)(rows - (const char *)log));
    assert_memory_equal(text, rows, bytes);
    free(text);
    free(log);
}

static void spaces_line_ends_and_marks_do_not_matter(void **state)
{
    (void)state;
    struct counted c;
    struct td_err err = {0};
    assert_int_equal(read_text("\xef\xbb\xbf"
                               "ARCH: grayskull, CHIP_FREQ[MHz]: 1202.5\r\n"
                               "Program ID, PCIe slot,  CORE_X , core_y, RISC processor type, timer_id,"
                               " time[cycles since reset]\r\n"
                               "9, 0 , 1,2, NCRISC ,4,100\r\n",
                               &c, NULL, &err),
                     0);
    assert_true(c.head.frequency_mhz == 1202.5);
    assert_int_equal(c.row.run_host_id, 9);
    assert_int_equal(c.row.core_y, 2);
    assert_int_equal(c.row.risc, 1);
    assert_string_equal(c.risc, "NCRISC");
    assert_int_equal(read_text("Chip clock is at 1.2 GHz\n"
                               "PCIe slot, core_x, core_y, RISC processor type, timer_id, "
                               "time[cycles since reset]\n",
                               &c, NULL, &err),
                     0);
    assert_true(c.head.frequency_mhz == 1200);
    assert_int_equal(c.head.era, TD_TT_LOG_ERA_2023);
}

#define HEADER                                                                                               \
    "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000\n"                                                              \
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, "             \
    "run host ID, trace id, trace id counter, zone name, type, source line, source file, meta data\n"
#define ROW "0,1,1,BRISC,22845,100,0,1024,,,BRISC-FW,ZONE_START,396,a.cc,\n"

static void bad_input_is_one_line_with_file_and_row(void **state)
{
    (void)state;
    expect_error("", "log.csv: this is no device log: the names of the columns are missing");
    expect_error("ARCH: x\n1,2,3\n", "log.csv:2: the names of the columns are missing");
    expect_error("ARCH: x, CHIP_FREQ[MHz]: fast\n",
                 "log.csv:1: ' CHIP_FREQ[MHz]: fast' is no number that makes sense");
    expect_error("ARCH: x\nPCIe slot, core_x, RISC processor type, timer_id\n",
                 "log.csv:2: the column 'core_y' is missing");
    expect_error(HEADER ROW "0,1,1,BRISC\n" ROW, "log.csv:4: the row has 4 fields, the file has 15 columns");
    expect_error(HEADER ROW "0,1,one,BRISC,22845,100,0,1024,,,BRISC-FW,ZONE_START,396,a.cc,\n",
                 "log.csv:4: core_y is 'one', which is no number that it can be");
    expect_error(HEADER "0,1,1,BRISC,22845,,0,1024,,,BRISC-FW,ZONE_START,396,a.cc,\n",
                 "log.csv:3: time[cycles since reset] is '', which is no number that it can be");
    expect_error(HEADER "0,1,1,,22845,1,0,1024,,,BRISC-FW,ZONE_START,396,a.cc,\n",
                 "log.csv:3: 'RISC processor type' is empty");
}

static void a_cut_last_row_is_left_out(void **state)
{
    (void)state;
    struct counted c;
    struct td_err err = {0};
    bool cut;
    assert_int_equal(read_text(HEADER ROW "0,1,1,BRISC,22845,100,0,10", &c, &cut, &err), 0);
    assert_true(cut);
    assert_int_equal(c.rows, 1);
    assert_int_equal(read_text(HEADER ROW "0,1,1,NEW,1,100,0,1024,,,X,TS_WHAT,396,a.cc,", &c, &cut, &err), 0);
    assert_false(cut);
    assert_int_equal(c.rows, 2);
    assert_int_equal(c.row.risc, -1);
    assert_int_equal(c.row.type, TD_TT_NO_MARKER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_log_of_2025_has_the_known_rows),
        cmocka_unit_test(every_era_is_read_and_written_again),
        cmocka_unit_test(a_log_that_is_written_again_is_the_same_file),
        cmocka_unit_test(spaces_line_ends_and_marks_do_not_matter),
        cmocka_unit_test(bad_input_is_one_line_with_file_and_row),
        cmocka_unit_test(a_cut_last_row_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
