/* tendril compare, as continuous integration runs it. */
#include "proto/track.h"
#include "tests/file/support.h"

#include <cjson/cJSON.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define TENDRIL TD_BINARY_DIR "/bin/tendril "

static char *before, *after;

/* `zones` zones each of "load" (10 us), of "mul" with the given length, and one zone with a third name. */
static char *make(const char *path, uint32_t line, int64_t mul_ns, const char *third)
{
    struct td_dict *dict = td_dict_create();
    struct td_trace *trace = td_trace_create(dict);
    struct td_sink sink = td_trace_sink(trace);
    const char *const names[] = {"load", "mul, fast", third};
    uint32_t file = td_dict_cstring(dict, "kernel.c"), locations[3];
    td_dict_track(dict, &(struct td_track){.thread = 1, .name = td_dict_cstring(dict, "core")});
    for (int i = 0; i < 3; i++)
        locations[i] = td_dict_srcloc(
            dict, &(struct td_srcloc){.name = td_dict_cstring(dict, names[i]), .file = file, .line = line});
    for (int64_t i = 0; i < 200; i++) {
        int64_t at = i * 1000000;
        struct td_event events[] = {
            {.kind = TD_EVENT_ZONE, .srcloc = locations[0], .time_ns = at, .value.end_ns = at + 10000},
            {.kind = TD_EVENT_ZONE,
             .srcloc = locations[1],
             .time_ns = at + 20000,
             .value.end_ns = at + 20000 + mul_ns + (i == 0 ? 500000 : 0)},
        };
        assert_int_equal(sink.events(sink.self, events, 2, NULL), 0);
    }
    struct td_event last = {
        .kind = TD_EVENT_ZONE, .srcloc = locations[2], .time_ns = 900000000, .value.end_ns = 900000100};
    assert_int_equal(sink.events(sink.self, &last, 1, NULL), 0);
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    char *full = temporary(path);
    assert_int_equal(td_file_write(trace, full, NULL, NULL), 0);
    td_trace_destroy(trace);
    return full;
}

/* 99 launches of that length on one core, and one gap, which is no launch. Each launch is an operation: every tenth
 * one is "copy", the others are "matmul". */
static char *make_launches(const char *path, int64_t launch_ns)
{
    struct td_dict *dict = td_dict_create();
    struct td_trace *trace = td_trace_create(dict);
    struct td_sink sink = td_trace_sink(trace);
    const struct td_track core = {.thread = td_track_id(0, 1, 2, 0),
                                  .name = td_dict_cstring(dict, "chip 0 tile 1,2 BRISC"),
                                  .kind = TD_TRACK_CORE,
                                  .x = 1,
                                  .y = 2};
    const uint32_t track = td_dict_track(dict, &core);
    const uint32_t kernel =
        td_dict_srcloc(dict, &(struct td_srcloc){.name = td_dict_cstring(dict, "BRISC-KERNEL")});
    const uint32_t lost = td_dict_srcloc(
        dict, &(struct td_srcloc){.name = td_dict_cstring(dict, "lost"), .flags = TD_SRCLOC_LOST});
    for (int64_t i = 0; i < 100; i++) {
        char text[64];
        snprintf(text, sizeof text, "op %d\nname %s", (int)(i + 1) << 10, i % 10 ? "matmul" : "copy");
        const struct td_event zone = {.kind = TD_EVENT_ZONE,
                                      .track = track,
                                      .srcloc = i == 50 ? lost : kernel,
                                      .time_ns = i * 100000,
                                      .subject = td_dict_cstring(dict, text),
                                      .value.end_ns = i * 100000 + (i == 50 ? 50000 : launch_ns)};
        assert_int_equal(sink.events(sink.self, &zone, 1, NULL), 0);
    }
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    char *full = temporary(path);
    assert_int_equal(td_file_write(trace, full, NULL, NULL), 0);
    td_trace_destroy(trace);
    return full;
}

static char *run(const char *options, const char *a, const char *b, int expected)
{
    char command[3000];
    int status;
    snprintf(command, sizeof command, TENDRIL "compare %s '%s' '%s' 2>&1", options, a, b);
    char *text = output_of(command, &status);
    if (status != expected)
        fail_msg("%s: status %d instead of %d\n%s", command, status, expected, text);
    return text;
}

static void expect(const char *options, int status, const char *says)
{
    char *text = run(options, before, after, status);
    if (!strstr(text, says))
        fail_msg("%s: no '%s' in\n%s", options, says, text);
    free(text);
}

static void the_biggest_change_stands_first(void **state)
{
    char *text = run("", before, after, 0);
    char *first = strchr(text, '\n') + 1;
    assert_true(!strncmp(first, "  mul, fast ", 12));
    assert_non_null(strstr(text, "gone"));
    assert_non_null(strstr(text, "new"));
    free(text);
}

static void rules_decide_the_exit_status(void **state)
{
    expect("--fail-if 'mul:+5%'", 1,
           "rule 'mul:+5%' fires: mul, fast (kernel.c): mean 102.50 us -> 112.50 us (+9.8%)");
    expect("--fail-if 'mul:+10%'", 0, "");
    expect("-f 'mul:median+9.9%'", 1, "median 100.0");
    expect("-f 'mul:p99+11%' -f 'load:+0%'", 0, "");
    expect("-f 'load:+1%' -f 'mul:max+9us'", 1, "rule 'mul:max+9us'");
    expect("-f '.:+1%' -n 201", 0, "");
    expect("-f 'third:gone'", 1, "third a (kernel.c) is gone");
    expect("-f '.:new'", 1, "third b (kernel.c) is new");
}

static void cores_are_compared_by_their_launches(void **state)
{
    char *slow = make_launches("slow.tracy", 5000), *fast = make_launches("fast.tracy", 4000);
    char *text = run("--by core --json -p", fast, slow, 0);
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    assert_string_equal(cJSON_GetObjectItem(json, "by")->valuestring, "core");
    const cJSON *names = cJSON_GetObjectItem(json, "names"), *core = cJSON_GetArrayItem(names, 0);
    assert_int_equal(cJSON_GetArraySize(names), 1);
    assert_string_equal(cJSON_GetObjectItem(core, "name")->valuestring, "chip 0 tile 1,2 BRISC");
    const cJSON *a = cJSON_GetObjectItem(core, "a"), *b = cJSON_GetObjectItem(core, "b");
    assert_int_equal(cJSON_GetObjectItem(a, "count")->valuedouble, 99);
    assert_true(cJSON_GetObjectItem(a, "median_ns")->valuedouble == 4000);
    assert_true(cJSON_GetObjectItem(b, "p99_ns")->valuedouble == 5000);
    assert_true(cJSON_GetObjectItem(b, "total_ns")->valuedouble == 99 * 5000);
    assert_null(cJSON_GetObjectItem(a, "self_ns"));
    cJSON_Delete(json);
    free(text);
    text = run("--by core -f 'tile 1,2:+20%'", fast, slow, 1);
    assert_non_null(
        strstr(text, "rule 'tile 1,2:+20%' fires: chip 0 tile 1,2 BRISC: mean 4.00 us -> 5.00 us"));
    free(text);
    free(run("--by core -f 'tile 1,2:self+20%'", fast, slow, 2));
    free(run("--by core -f 'KERNEL:+5%'", fast, slow, 2));
    free(fast);
    free(slow);
}

static void operations_are_compared_by_their_names(void **state)
{
    char *slow = make_launches("slow.tracy", 5000), *fast = make_launches("fast.tracy", 4000);
    char *text = run("--by op --csv", fast, slow, 0);
    assert_string_equal(text, "name,file,mean_a_ns,mean_b_ns,total_a_ns,total_b_ns,self_a_ns,self_b_ns,"
                              "median_a_ns,median_b_ns,p99_a_ns,p99_b_ns,min_a_ns,min_b_ns,max_a_ns,max_b_ns,"
                              "count_a,count_b\n"
                              "matmul,,4000,5000,360000,450000,,,,,,,4000,5000,4000,5000,90,90\n"
                              "copy,,4000,5000,36000,45000,,,,,,,4000,5000,4000,5000,9,9\n");
    free(text);
    text = run("--by op -f '^copy$:max>4.9us'", fast, slow, 1);
    assert_non_null(strstr(text, "rule '^copy$:max>4.9us' fires: copy: max 5.00 us"));
    free(text);
    free(run("--by op -f '^BRISC:+5%'", fast, slow, 2));
    free(fast);
    free(slow);
}

static void zones_are_compared_by_their_texts(void **state)
{
    char *slow = make_launches("slow.tracy", 5000), *fast = make_launches("fast.tracy", 4000);
    char *text = run("--by text --csv", fast, slow, 0);
    assert_non_null(
        strstr(text, "\n\"BRISC-KERNEL: op 3072\nname matmul\",,4000,5000,4000,5000,,,,,,,4000,5000,4000,"
                     "5000,1,1\n"));
    free(text);
    text = run("--by text -f 'op 1024.name copy$:+20%'", fast, slow, 1);
    assert_non_null(strstr(text, "fires: BRISC-KERNEL: op 1024"));
    free(text);
    free(run("--by text -f 'BRISC:self+20%'", fast, slow, 2));
    free(run("--by text -f '^BRISC-KERNEL$:+5%'", fast, slow, 2));
    free(fast);
    free(slow);
}

static void equal_traces_break_no_rule_whose_limit_is_not_below_zero(void **state)
{
    free(run("-f '.:+0%' -f '.:total+0%' -f '.:count-0' -f '.:gone' -f '.:new' -f '.:p99+0%'", before, before,
             0));
}

static void what_is_wrong_is_not_taken_for_a_rule_that_fires(void **state)
{
    expect("-f 'nonsense'", 2, "REGEX:+5%");
    expect("-f 'nothing like it:+5%'", 2, "matches no zone");
    expect("--min-count 0", 2, "--min-count");
    free(run("", before, "/nowhere/at/all.tracy", 2));
    free(run("", before, TD_SOURCE_DIR "/docs/info-json.md", 2));
    char command[2000];
    int status;
    snprintf(command, sizeof command, TENDRIL "compare '%s' '%s' 2>/dev/null >/dev/full", before, after);
    free(output_of(command, &status));
    assert_int_equal(status, 2);
}

static void json_and_csv_hold_both_sides(void **state)
{
    char *text = run("--json -p", before, after, 0);
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    const cJSON *names = cJSON_GetObjectItem(json, "names"), *mul = cJSON_GetArrayItem(names, 0);
    assert_int_equal(cJSON_GetArraySize(names), 4);
    assert_string_equal(cJSON_GetObjectItem(mul, "name")->valuestring, "mul, fast");
    assert_true(cJSON_GetObjectItem(mul, "impact_ns")->valuedouble == 200 * 10000);
    const cJSON *a = cJSON_GetObjectItem(mul, "a"), *b = cJSON_GetObjectItem(mul, "b");
    assert_int_equal(cJSON_GetObjectItem(a, "line")->valuedouble, 10);
    assert_int_equal(cJSON_GetObjectItem(b, "line")->valuedouble, 12);
    assert_true(cJSON_GetObjectItem(a, "mean_ns")->valuedouble == 102500);
    double median = cJSON_GetObjectItem(b, "median_ns")->valuedouble;
    assert_true(median > 110000 * .9995 && median < 110000 * 1.0005);
    cJSON_Delete(json);
    free(text);
    text = run("--csv", before, after, 0);
    assert_non_null(strstr(text, "\n\"mul, fast\",kernel.c,102500,112500,"));
    free(text);
}

static void a_fired_rule_keeps_json_whole(void **state)
{
    char command[2000];
    int status;
    snprintf(command, sizeof command, TENDRIL "compare --json -f 'mul:+5%%' '%s' '%s' 2>/dev/null", before,
             after);
    char *text = output_of(command, &status);
    assert_int_equal(status, 1);
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(json, "failed")));
    const cJSON *rule = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "rules"), 0);
    const cJSON *fired = cJSON_GetArrayItem(cJSON_GetObjectItem(rule, "fired"), 0);
    assert_string_equal(cJSON_GetObjectItem(fired, "name")->valuestring, "mul, fast");
    cJSON_Delete(json);
    free(text);
}

static int set_up(void **state)
{
    before = make("before.tracy", 10, 100000, "third a");
    after = make("after.tracy", 12, 110000, "third b");
    return 0;
}

static int tear_down(void **state)
{
    free(before);
    free(after);
    return 0;
}

/* In the trace, the zone of location "before rename" was called "after rename". */
static void names_that_were_given_at_run_time_are_compared(void **state)
{
    int status;
    char *text = output_of(TENDRIL "compare --csv --fail-if '^after rename$:gone' " TD_SOURCE_DIR
                                   "/tests/data/trace/0.11.1/features.tracy " TD_SOURCE_DIR
                                   "/tests/data/trace/0.11.1/killed.tracy",
                           &status);
    assert_int_equal(status, 1);
    assert_non_null(strstr(text, "after rename,"));
    assert_non_null(strstr(text, "before rename,"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_biggest_change_stands_first),
        cmocka_unit_test(rules_decide_the_exit_status),
        cmocka_unit_test(cores_are_compared_by_their_launches),
        cmocka_unit_test(operations_are_compared_by_their_names),
        cmocka_unit_test(zones_are_compared_by_their_texts),
        cmocka_unit_test(equal_traces_break_no_rule_whose_limit_is_not_below_zero),
        cmocka_unit_test(what_is_wrong_is_not_taken_for_a_rule_that_fires),
        cmocka_unit_test(json_and_csv_hold_both_sides),
        cmocka_unit_test(a_fired_rule_keeps_json_whole),
        cmocka_unit_test(names_that_were_given_at_run_time_are_compared),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
