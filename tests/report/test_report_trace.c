/* A report of a trace: what the files say is what the trace has, and a report of the written logs says the
 * same. */
#include "host/report/report.h"
#include "proto/chip_text.h"
#include "proto/track.h"
#include "proto/track_text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define OPS   6
#define CORES 4
/* Logical places are those of the NoC. */
#define MAP "chip 0 map 4x5 columns 0-3 rows 0-4 tiles TTTT/TTTT/TTTT/TTTT/TTTT"

struct made {
    struct td_trace *trace;
    struct td_dict *dict;
    struct td_hub *hub;
    char folder[64];
};

static uint32_t string(struct made *m, const char *text)
{
    return td_dict_cstring(m->dict, text);
}

static void push(struct made *m, struct td_event event)
{
    struct td_err err = {0};
    assert_int_equal(td_hub_push(m->hub, &event, 1, &err), 0);
}

static uint32_t location(struct made *m, const char *name, uint32_t flags)
{
    return td_dict_srcloc(
        m->dict, &(struct td_srcloc){
                     .name = string(m, name), .file = string(m, "kernel.c"), .line = 7, .flags = flags});
}

static const char *const riscs[] = {"BRISC", "NCRISC", "TRISC0", "TRISC1", "TRISC2"};

/* Times of a launch, which the test calculates again. */
static int64_t fw_start(int op, int core, int risc)
{
    return 1000000 + 100000 * op + 137 * core + 11 * risc;
}
static int64_t fw_end(int op, int core, int risc)
{
    return fw_start(op, core, risc) + 40000 + 999 * core + 13 * risc + 100 * op;
}

static void add_launches(struct made *m, int core, int risc)
{
    char name[64], text[100];
    snprintf(name, sizeof name, TD_TRACK_NAME_FORMAT, 0u, 1u + (unsigned)core % 2, 1u + (unsigned)core / 2,
             riscs[risc]);
    const struct td_track t = {
        .thread = td_track_id(0, 1 + (unsigned)core % 2, 1 + (unsigned)core / 2, (unsigned)risc),
        .name = string(m, name),
        .kind = TD_TRACK_CORE,
        .core = (uint8_t)risc,
        .x = (uint16_t)(1 + core % 2),
        .y = (uint16_t)(1 + core / 2)};
    const uint32_t track = td_dict_track(m->dict, &t);
    const uint32_t fw = location(m, risc < 2 ? risc ? "NCRISC-FW" : "BRISC-FW" : "TRISC-FW", 0);
    const uint32_t kernel =
        location(m, risc < 2 ? risc ? "NCRISC-KERNEL" : "BRISC-KERNEL" : "TRISC-KERNEL", 0);
    const uint32_t wait = location(m, "wait\ton two\nlines", TD_SRCLOC_WAIT);
    for (int op = 0; op < OPS; op++) {
        const int64_t start = fw_start(op, core, risc), end = fw_end(op, core, risc);
        int n = td_op_text(text, sizeof text, (uint32_t)(op + 1) << 10);
        if (op >= 4)
            snprintf(text + n, sizeof text - (size_t)n, "\n" TD_REPLAY_TEXT_FORMAT, 5u, (uint32_t)op - 3);
        push(m, (struct td_event){.kind = TD_EVENT_ZONE,
                                  .time_ns = start + 2000,
                                  .value.end_ns = start + 3000,
                                  .track = track,
                                  .srcloc = wait});
        push(m, (struct td_event){.kind = TD_EVENT_ZONE,
                                  .time_ns = start + 100,
                                  .value.end_ns = end - 200,
                                  .track = track,
                                  .srcloc = kernel});
        push(m, (struct td_event){.kind = TD_EVENT_ZONE,
                                  .time_ns = start,
                                  .value.end_ns = end,
                                  .track = track,
                                  .srcloc = fw,
                                  .subject = string(m, text)});
        if (risc == 2)
            push(m, (struct td_event){.kind = TD_EVENT_MESSAGE,
                                      .time_ns = end,
                                      .track = track,
                                      .subject = string(m, "CB-COMPUTE-WAIT-FRONT: 500 ticks")});
        if (risc == 0) {
            snprintf(text, sizeof text, "counter FPU_COUNTER: %d of 1000", 100 * (core + 1));
            push(m, (struct td_event){.kind = TD_EVENT_MESSAGE,
                                      .time_ns = start + 400,
                                      .track = track,
                                      .subject = string(m, text)});
        }
        if (risc == 0)
            push(m, (struct td_event){.kind = TD_EVENT_MESSAGE,
                                      .time_ns = start + 500,
                                      .track = track,
                                      .subject =
                                          string(m, "NoC WRITE_ noc=NOC_0 vc=1 num_bytes=4096 dx=3 dy=4")});
    }
}

static void add_host(struct made *m)
{
    const struct td_track t = {.thread = 77, .name = string(m, "main")};
    const uint32_t track = td_dict_track(m->dict, &t);
    const uint32_t zone = location(m, "TT_DNN_DEVICE_OP", 0), child = location(m, "CompileProgram", 0);
    push(m, (struct td_event){.kind = TD_EVENT_MESSAGE,
                              .time_ns = 10,
                              .track = track,
                              .subject = string(m, "`TT_SIGNPOST: begin\nthe first run`")});
    for (int op = 0; op < OPS; op++) {
        char text[400];
        const unsigned id = (unsigned)(op + 1) << 10;
        const int64_t at = 20000 + 1000 * op;
        if (op == 4)
            push(m, (struct td_event){.kind = TD_EVENT_MESSAGE,
                                      .time_ns = at - 1,
                                      .track = track,
                                      .subject = string(m, "`TT_METAL_TRACE_BEGIN: 0, 5`")});
        snprintf(text, sizeof text,
                 op ? "`TT_DNN_DEVICE_OP: \"Add\", 99, 0, true, %u`"
                    : "`TT_DNN_DEVICE_OP: \"Add\", 99, 0, false, %u ->\n{\"global_call_count\": 1024, "
                      "\"op_code\": \"Add\", "
                      "\"op_hash\": 99, \"device_id\": 0, \"attributes\": {\"axis\": 1, \"of\": [true, null, "
                      "\"a,b\"]}, "
                      "\"input_tensors\": [], \"performance_model\": {\"compute_ns\": 4000}}`",
                 id);
        push(m,
             (struct td_event){.kind = TD_EVENT_ZONE_BEGIN, .time_ns = at, .track = track, .srcloc = zone});
        push(m, (struct td_event){
                    .kind = TD_EVENT_MESSAGE, .time_ns = at + 1, .track = track, .subject = string(m, text)});
        snprintf(text, sizeof text, "id:%u", id);
        push(m,
             (struct td_event){
                 .kind = TD_EVENT_ZONE_TEXT, .time_ns = at + 1, .track = track, .subject = string(m, text)});
        push(m, (struct td_event){
                    .kind = TD_EVENT_ZONE_BEGIN, .time_ns = at + 2, .track = track, .srcloc = child});
        push(m, (struct td_event){.kind = TD_EVENT_ZONE_END, .time_ns = at + 42, .track = track});
        push(m, (struct td_event){.kind = TD_EVENT_ZONE_END, .time_ns = at + 300, .track = track});
    }
    for (int replay = 0; replay < 2; replay++)
        push(m, (struct td_event){.kind = TD_EVENT_MESSAGE,
                                  .time_ns = 30000 + replay,
                                  .track = track,
                                  .subject = string(m, "`TT_METAL_TRACE_REPLAY: 0, 5`")});
}

static int make_trace(void **state)
{
    struct td_err err = {0};
    struct td_chip_clock chip = {0, "wormhole_b0", 1000, 64, INT64_C(5000000000)};
    char text[200];
    struct made *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->dict = td_dict_create();
    m->trace = td_trace_create(m->dict);
    m->hub = td_hub_create(m->dict);
    assert_int_equal(td_hub_add_sink(m->hub, td_trace_sink(m->trace)), 0);
    for (int core = 0; core < CORES; core++)
        for (int risc = 0; risc < 5; risc++)
            add_launches(m, core, risc);
    add_host(m);
    td_chip_clock_text(text, sizeof text, &chip);
    assert_int_equal(td_trace_note(m->trace, TD_NOTE_CHIP_CLOCK, "%s", text), 0);
    assert_int_equal(td_trace_note(m->trace, TD_NOTE_CHIP_MAP, "%s", MAP), 0);
    assert_int_equal(td_trace_finish(m->trace, &err), 0);
    snprintf(m->folder, sizeof m->folder, "/tmp/td-report-XXXXXX");
    assert_non_null(mkdtemp(m->folder));
    *state = m;
    return 0;
}

static int drop_trace(void **state)
{
    struct made *m = *state;
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", m->folder);
    assert_int_equal(system(command), 0);
    td_hub_destroy(m->hub);
    td_trace_destroy(m->trace);
    free(m);
    return 0;
}

static char *read_text(const char *path)
{
    FILE *from = fopen(path, "r");
    if (!from)
        fail_msg("there is no %s", path);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, from) < (1 << 20) - 1);
    fclose(from);
    return text;
}

/* The field of a row (0: the header) in a column; a static text. */
static const char *field(const char *csv, int row, const char *column)
{
    static char value[2000];
    int number = -1, at = 0;
    const char *line = csv;
    for (const char *c = csv; *c && *c != '\r' && number < 0; at++) {
        const size_t bytes = strcspn(c, ",\r");
        if (bytes == strlen(column) && !strncmp(c, column, bytes))
            number = at;
        c += bytes + (c[bytes] == ',');
    }
    if (number < 0)
        fail_msg("no column %s", column);
    for (int i = 0; i < row; i++)
        line = strchr(line, '\n') + 1;
    for (int i = 0; i < number; i++)
        line += strcspn(line, ",\r") + 1;
    snprintf(value, sizeof value, "%.*s", (int)strcspn(line, ",\r"), line);
    return value;
}

static void assert_number(const char *csv, int row, const char *column, int64_t want)
{
    const char *text = field(csv, row, column);
    if (strtoll(text, NULL, 10) != want || !*text)
        fail_msg("%s of row %d is '%s', not %lld", column, row, text, (long long)want);
}

static void report(struct made *m, const char *out, struct td_report_result *result)
{
    struct td_err err = {0};
    static const char *const calls[] = {"CompileProgram"};
    const struct td_report_options options = {.out = out,
                                              .name = "net",
                                              .date = "DATE",
                                              .files = (1u << TD_REPORT_FILE_COUNT) - 1,
                                              .log_columns = 15,
                                              .calls = calls,
                                              .call_count = 1};
    if (td_report_trace(m->trace, &options, result, &err) < 0)
        fail_msg("%s", err.text);
}

static void check_device_columns(const char *csv, int row, int op)
{
    int64_t first = INT64_MAX, last = 0, kernel_first = INT64_MAX, kernel_last = 0, trisc1 = INT64_MAX,
            trisc1_end = 0, min = INT64_MAX, max = 0, last_start = 0;
    for (int core = 0; core < CORES; core++) {
        int64_t start = INT64_MAX, end = 0;
        for (int risc = 0; risc < 5; risc++) {
            const int64_t s = fw_start(op, core, risc), e = fw_end(op, core, risc);
            first = s < first ? s : first;
            last = e > last ? e : last;
            start = s + 100 < start ? s + 100 : start;
            end = e - 200 > end ? e - 200 : end;
            last_start = s + 100 > last_start ? s + 100 : last_start;
            if (risc == 3) {
                trisc1 = s + 100 < trisc1 ? s + 100 : trisc1;
                trisc1_end = e - 200 > trisc1_end ? e - 200 : trisc1_end;
            }
        }
        min = end - start < min ? end - start : min;
        max = end - start > max ? end - start : max;
        kernel_first = start < kernel_first ? start : kernel_first;
        kernel_last = end > kernel_last ? end : kernel_last;
    }
    assert_number(csv, row, "GLOBAL CALL COUNT", (op + 1) << 10);
    assert_number(csv, row, "CORE COUNT", CORES);
    assert_number(csv, row, "DEVICE FW START CYCLE", first + 5000000000);
    assert_number(csv, row, "DEVICE FW END CYCLE", last + 5000000000);
    assert_number(csv, row, "DEVICE FW DURATION [ns]", last - first);
    assert_number(csv, row, "DEVICE KERNEL DURATION [ns]", kernel_last - kernel_first);
    assert_number(csv, row, "DEVICE KERNEL DURATION PER CORE MIN [ns]", min);
    assert_number(csv, row, "DEVICE KERNEL DURATION PER CORE MAX [ns]", max);
    assert_number(csv, row, "DEVICE KERNEL FIRST TO LAST START [ns]", last_start - kernel_first);
    assert_number(csv, row, "DEVICE TRISC1 KERNEL DURATION [ns]", trisc1_end - trisc1);
    assert_number(csv, row, "DEVICE COMPUTE CB WAIT FRONT [ns]", 500 * CORES);
}

/* Each core writes 4096 bytes to 3,4: over 5, 4, 4 and 3 links, of 80 of both NoCs, each of 32 bytes a
 * cycle. Counters: 10, 20, 30 and 40 % of their cycles, on 4 of 64 tiles. */
static void check_measured_columns(const char *csv, int row)
{
    char share[32];
    const double cycles = strtod(field(csv, row, "DEVICE KERNEL DURATION [ns]"), NULL);
    snprintf(share, sizeof share, "%.3f", 100 * 16 * 4096 / (80 * 32 * cycles));
    assert_true(fabs(strtod(field(csv, row, "NOC UTIL (%)"), NULL) - strtod(share, NULL)) < 1e-9);
    assert_true(strtod(share, NULL) > 0);
    assert_string_equal(field(csv, row, "MULTICAST NOC UTIL (%)"), "0.0");
    assert_string_equal(field(csv, row, "FPU Util Min (%)"), "10.0");
    assert_string_equal(field(csv, row, "FPU Util Median (%)"), "25.0");
    assert_string_equal(field(csv, row, "FPU Util Max (%)"), "40.0");
    assert_string_equal(field(csv, row, "Avg FPU util on full grid (%)"), "1.562");
}

/* The signpost, then the operations; those of a trace at the time of their replay. */
static void rows_have_what_host_and_device_did(void **state)
{
    struct made *m = *state;
    struct td_report_result result;
    char path[5000];
    report(m, m->folder, &result);
    assert_int_equal(result.operations, OPS);
    assert_int_equal(result.unmatched, 0);
    snprintf(path, sizeof path, "%s/reports/net/DATE/ops_perf_results_net_DATE.csv", m->folder);
    char *csv = read_text(path);
    assert_string_equal(field(csv, 1, "OP CODE"), "begin");
    assert_string_equal(field(csv, 1, "OP TYPE"), "signpost");
    assert_string_equal(field(csv, 1, "ATTRIBUTES"), "the first run");
    for (int op = 0; op < OPS; op++) {
        check_device_columns(csv, op + 2, op);
        check_measured_columns(csv, op + 2);
        assert_string_equal(field(csv, op + 2, "OP CODE"), "Add");
        assert_string_equal(field(csv, op + 2, "ATTRIBUTES"), "{'axis': 1; 'of': [True; None; 'a;b']}");
        assert_string_equal(field(csv, op + 2, "PROGRAM CACHE HIT"), op ? "True" : "False");
        assert_number(csv, op + 2, "HOST START TS", 20000 + 1000 * op);
        assert_number(csv, op + 2, "HOST DURATION [ns]", 300);
        assert_number(csv, op + 2, "CompileProgram_TT_HOST_FUNC [ns]", 40);
        assert_number(csv, op + 2, "AVAILABLE WORKER CORE COUNT", 64);
        if (op >= 4) {
            assert_number(csv, op + 2, "METAL TRACE ID", 5);
            assert_number(csv, op + 2, "METAL TRACE REPLAY SESSION ID", op - 3);
        }
    }
    assert_string_equal(field(csv, 2, "OP TO OP LATENCY [ns]"), "0");
    assert_number(csv, 3, "OP TO OP LATENCY [ns]", fw_start(1, 0, 0) + 100 - (fw_end(0, CORES - 1, 4) - 200));
    free(csv);
}

/* The written device log, read as tt-metal's would be, gives the same numbers. */
static void the_written_log_gives_the_same_report(void **state)
{
    struct made *m = *state;
    struct td_err err = {0};
    struct td_report_result first, second;
    char path[5000], out[100];
    report(m, m->folder, &first);
    assert_int_equal(first.log_rows, CORES * 5 * OPS * 6 + CORES * OPS * 3);
    snprintf(out, sizeof out, "%s/again", m->folder);
    const struct td_report_options options = {.out = out,
                                              .date = "DATE",
                                              .files = TD_REPORT_BIT(PERF) | TD_REPORT_BIT(OP_TO_OP),
                                              .log_columns = 15};
    if (td_report_logs(m->folder, &options, &second, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(second.operations, OPS);
    assert_int_equal(second.log_rows, first.log_rows);
    snprintf(path, sizeof path, "%s/.logs/cpp_device_perf_report.csv", out);
    char *csv = read_text(path);
    for (int op = 0; op < OPS; op++) {
        assert_number(csv, op + 1, "DEVICE FW DURATION [ns]",
                      strtoll(field(csv, op + 1, "DEVICE FW END CYCLE"), NULL, 10) -
                          strtoll(field(csv, op + 1, "DEVICE FW START CYCLE"), NULL, 10));
        assert_number(csv, op + 1, "GLOBAL CALL COUNT", (op + 1) << 10);
    }
    char *other =
        (snprintf(path, sizeof path, "%s/.logs/cpp_device_perf_report.csv", m->folder), read_text(path));
    static const char *const same[] = {"DEVICE FW START CYCLE",
                                       "DEVICE FW END CYCLE",
                                       "DEVICE KERNEL START CYCLE",
                                       "DEVICE KERNEL END CYCLE",
                                       "DEVICE KERNEL DM START CYCLE",
                                       "CORE COUNT",
                                       "OP TO OP LATENCY [ns]",
                                       "DEVICE BRISC KERNEL DURATION [ns]",
                                       "DEVICE TRISC2 KERNEL DURATION [ns]",
                                       "METAL TRACE ID",
                                       "METAL TRACE REPLAY SESSION ID",
                                       "AVAILABLE WORKER CORE COUNT",
                                       "DEVICE ARCH"};
    for (int op = 0; op < OPS; op++)
        for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
            char want[200];
            snprintf(want, sizeof want, "%s", field(other, op + 1, same[i]));
            assert_string_equal(field(csv, op + 1, same[i]), want);
        }
    free(csv);
    free(other);
}

static void events_of_the_noc_are_files_of_operations(void **state)
{
    struct made *m = *state;
    struct td_report_result result;
    char path[5000];
    report(m, m->folder, &result);
    assert_int_equal(result.noc_traces, OPS);
    snprintf(path, sizeof path, "%s/.logs/noc_trace_dev0_Add_ID1024.json", m->folder);
    char *json = read_text(path);
    size_t writes = 0, zones = 0;
    for (const char *at = json; (at = strstr(at, "\"WRITE_\"")); at++)
        writes++;
    for (const char *at = json; (at = strstr(at, "\"zone_phase\"")); at++)
        zones++;
    assert_int_equal(writes, CORES);
    assert_int_equal(zones, 2 * CORES);
    assert_non_null(strstr(json, "\"num_bytes\": 4096"));
    free(json);
}

static void names_with_tabs_and_newlines_stay_on_their_lines(void **state)
{
    struct made *m = *state;
    struct td_report_result result;
    char path[200];
    report(m, m->folder, &result);
    snprintf(path, sizeof path, "%s/.logs/zone_src_locations.log", m->folder);
    char *text = read_text(path), *line = strtok(text, "\n");
    bool found = false;
    for (; line; line = strtok(NULL, "\n")) {
        assert_memory_equal(line, "kernel.c:7: note: ", 18);
        found |= strstr(line, "wait\\ton two\\nlines,kernel.c,7,") != NULL;
    }
    assert_true(found);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_have_what_host_and_device_did, make_trace, drop_trace),
        cmocka_unit_test_setup_teardown(the_written_log_gives_the_same_report, make_trace, drop_trace),
        cmocka_unit_test_setup_teardown(events_of_the_noc_are_files_of_operations, make_trace, drop_trace),
        cmocka_unit_test_setup_teardown(names_with_tabs_and_newlines_stay_on_their_lines, make_trace,
                                        drop_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
