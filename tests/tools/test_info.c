/* tendril info and tendril csvexport, as a user runs them. */
#include "tests/file/support.h"

#include <cjson/cJSON.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define TENDRIL  TD_BINARY_DIR "/bin/tendril "
#define FEATURES TD_SOURCE_DIR "/tests/data/trace/0.11.1/features.tracy"
#define KILLED   TD_SOURCE_DIR "/tests/data/trace/0.11.1/killed.tracy"

static char *run(const char *arguments, int expected)
{
    char command[2000];
    int status;
    snprintf(command, sizeof command, TENDRIL "%s 2>&1", arguments);
    char *text = output_of(command, &status);
    if (status != expected)
        fail_msg("%s: status %d instead of %d\n%s", command, status, expected, text);
    return text;
}

static cJSON *info(const char *path)
{
    char arguments[1500];
    snprintf(arguments, sizeof arguments, "info --json '%s'", path);
    char *text = run(arguments, 0);
    cJSON *json = cJSON_Parse(text);
    if (!json)
        fail_msg("not JSON: %s", text);
    free(text);
    return json;
}

static double number(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!cJSON_IsNumber(item))
        fail_msg("%s is no number", key);
    return item->valuedouble;
}

static const char *string(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!cJSON_IsString(item))
        fail_msg("%s is no text", key);
    return item->valuestring;
}

static const cJSON *list(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!cJSON_IsArray(item))
        fail_msg("%s is no list", key);
    return item;
}

static const cJSON *named(const cJSON *items, const char *name)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, items)
    {
        if (!strcmp(string(item, "name"), name))
            return item;
    }
    fail_msg("nothing is named '%s'", name);
    return NULL;
}

static void json_has_every_field_that_its_page_lists(void **state)
{
    static const char *const fields[] = {"schema",
                                         "file",
                                         "program",
                                         "capture",
                                         "host",
                                         "capture_time_s",
                                         "pid",
                                         "resolution_ns",
                                         "on_demand",
                                         "compensated",
                                         "bill",
                                         "last_time_ns",
                                         "threads",
                                         "cores",
                                         "zones",
                                         "open_zones",
                                         "messages",
                                         "clamped",
                                         "clock_error_ns",
                                         "clock_bounds",
                                         "lost_zones",
                                         "lost_other",
                                         "unknown_lanes",
                                         "stalls",
                                         "bad_bytes",
                                         "board",
                                         "boards",
                                         "chip_maps",
                                         "processes",
                                         "sources",
                                         "faults",
                                         "damages",
                                         "crash",
                                         "tracks",
                                         "names",
                                         "plots",
                                         "frame_sets",
                                         "app_info",
                                         "version",
                                         "gpu_zones",
                                         "open_gpu_zones",
                                         "gpu_names",
                                         "severities",
                                         "gpu_contexts",
                                         "locks",
                                         "memory_pools",
                                         "samples",
                                         "wait_stacks",
                                         "context_switches",
                                         "topology",
                                         "cpus",
                                         "cpu_threads",
                                         "foreign_threads",
                                         "call_stacks",
                                         "hardware_samples",
                                         "symbols",
                                         "source_files",
                                         "images",
                                         "sections",
                                         "instrumentation",
                                         "tables"};
    char *page = (char *)read_bytes(TD_SOURCE_DIR "/docs/info-json.md").data;
    assert_non_null(page);
    cJSON *json = info(FEATURES);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        char quoted[64];
        snprintf(quoted, sizeof quoted, "`%s`", fields[i]);
        assert_non_null(strstr(page, quoted));
        if (!cJSON_HasObjectItem(json, fields[i]))
            fail_msg("%s is missing", fields[i]);
    }
    assert_int_equal(cJSON_GetArraySize(json), sizeof fields / sizeof *fields);
    cJSON_Delete(json);
    free(page);
}

static void json_counts_zones_per_track_and_per_name(void **state)
{
    cJSON *json = info(FEATURES);
    assert_int_equal(number(json, "zones"), 788);
    assert_int_equal(number(json, "messages"), 100);
    assert_string_equal(string(json, "program"), "features");
    const cJSON *track = named(list(json, "tracks"), "worker 1");
    assert_int_equal(number(track, "zones"), 225);
    assert_int_equal(number(track, "messages"), 25);
    assert_int_equal(number(named(list(track, "names"), "inner"), "count"), 100);
    const cJSON *inner = named(list(json, "names"), "inner");
    assert_int_equal(number(inner, "count"), 300);
    assert_int_equal(number(inner, "total_ns"), 191017);
    assert_int_equal(number(named(list(json, "plots"), "plot int"), "points"), 80);
    assert_int_equal(number(named(list(json, "frame_sets"), "Frame"), "frames"), 62);
    cJSON_Delete(json);
    json = info(KILLED);
    assert_int_equal(number(json, "open_zones"), 2);
    assert_int_equal(number(named(list(json, "names"), "inner unfinished"), "open"), 1);
    cJSON_Delete(json);
}

static void json_tells_of_cores_losses_and_clocks(void **state)
{
    struct td_trace *trace = rich_trace(600);
    char *path = temporary("rich.tracy");
    assert_int_equal(td_file_write(trace, path, NULL, NULL), 0);
    cJSON *json = info(path);
    assert_int_equal(number(json, "cores"), 2);
    assert_int_equal(number(json, "lost_zones"), 17);
    assert_true(number(json, "clock_error_ns") == 812.5);
    const cJSON *core = named(list(json, "tracks"), "chip 1 tile 3,2 NCRISC");
    assert_string_equal(string(core, "kind"), "core");
    assert_int_equal(number(core, "x"), 3);
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(core, "synced")));
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(named(list(json, "names"), "cb empty"), "wait")));
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(named(list(json, "names"), "TENDRIL-STALL"), "lost")));
    assert_true(strstr(string(cJSON_GetObjectItem(json, "crash"), "message"), "Division by zero.") != NULL);
    cJSON_Delete(json);
    td_trace_destroy(trace);
    free(path);
}

static void a_chip_has_its_map_and_a_line_that_is_none_is_left_out(void **state)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    char *path = temporary("map.tracy"), arguments[1000];
    assert_int_equal(
        td_trace_note(trace, TD_NOTE_CHIP_MAP, "chip 5 map 4x2 columns 1,3 rows 1 tiles D.EE/DTxT"), 0);
    assert_int_equal(td_trace_note(trace, TD_NOTE_CHIP_MAP, "chip 6 map 4x2 columns 1,3 rows 1 tiles D"), 0);
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    assert_int_equal(td_file_write(trace, path, NULL, NULL), 0);
    cJSON *json = info(path);
    const cJSON *maps = list(json, "chip_maps"), *map = cJSON_GetArrayItem(maps, 0);
    assert_int_equal(cJSON_GetArraySize(maps), 1);
    assert_true(number(map, "chip") == 5 && number(map, "width") == 4 && number(map, "height") == 2);
    assert_int_equal(cJSON_GetNumberValue(cJSON_GetArrayItem(list(map, "columns"), 1)), 3);
    assert_int_equal(cJSON_GetArraySize(list(map, "rows")), 1);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetArrayItem(list(map, "tiles"), 1)), "DTxT");
    cJSON_Delete(json);
    snprintf(arguments, sizeof arguments, "info '%s'", path);
    char *text = run(arguments, 0);
    assert_non_null(strstr(text, "chip 5    NoC 4x2: 2x1 Tensix, 1 harvested Tensix, 2 DRAM, 2 Ethernet\n"));
    assert_null(strstr(text, "chip 6    NoC"));
    free(text);
    td_trace_destroy(trace);
    free(path);
}

/* Hostile names, which try to break JSON or to control the terminal. */
static void hostile_names_stay_harmless(void **state)
{
    static const char nasty[] =
        "a\"b\\c\x1b[31m\x07\xff\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80 \xe2\x82\xac\n\t\x7f";
    struct td_dict *dict = td_dict_create();
    struct td_trace *trace = td_trace_create(dict);
    struct td_sink sink = td_trace_sink(trace);
    uint32_t name = td_dict_cstring(dict, nasty);
    struct td_event events[] = {
        {.kind = TD_EVENT_ZONE, .time_ns = 1, .value.end_ns = 5},
        {.kind = TD_EVENT_APP_INFO, .subject = name},
        {.kind = TD_EVENT_CRASH, .subject = name},
    };
    td_dict_track(dict, &(struct td_track){.thread = 1, .name = name});
    events[0].srcloc = td_dict_srcloc(dict, &(struct td_srcloc){.name = name, .file = name});
    assert_int_equal(sink.events(sink.self, events, 3, NULL), 0);
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    char *path = temporary("nasty.tracy"), arguments[1000];
    assert_int_equal(td_file_write(trace, path, NULL, NULL), 0);
    cJSON *json = info(path);
    const char *back = string(cJSON_GetArrayItem(list(json, "names"), 0), "name");
    assert_true(!strncmp(back, "a\"b\\c\x1b[31m\x07\xef\xbf\xbd", 14));
    assert_non_null(strstr(back, " \xe2\x82\xac\n\t\x7f"));
    cJSON_Delete(json);
    snprintf(arguments, sizeof arguments, "info '%s'", path);
    char *text = run(arguments, 0);
    assert_null(strchr(text, 0x1b));
    assert_null(strchr(text, 0x07));
    free(text);
    td_trace_destroy(trace);
    free(path);
}

static void long_tables_end_with_a_count(void **state)
{
    struct td_dict *dict = td_dict_create();
    struct td_trace *trace = td_trace_create(dict);
    for (uint32_t i = 0; i < 100; i++)
        td_dict_track(dict, &(struct td_track){.thread = i + 1});
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    char *path = temporary("long.tracy"), arguments[1000];
    assert_int_equal(td_file_write(trace, path, NULL, NULL), 0);
    snprintf(arguments, sizeof arguments, "info '%s'", path);
    char *text = run(arguments, 0);
    assert_non_null(strstr(text, "60 more (--all)"));
    free(text);
    snprintf(arguments, sizeof arguments, "info --all '%s'", path);
    text = run(arguments, 0);
    assert_null(strstr(text, "more (--all)"));
    free(text);
    td_trace_destroy(trace);
    free(path);
}

static void mistakes_give_one_line_and_a_status(void **state)
{
    static const struct {
        const char *arguments;
        int status;
        const char *says;
    } cases[] = {
        {"info", 2, "usage"},
        {"info a b", 2, "usage"},
        {"info --nonsense x", 2, "--nonsense"},
        {"info /nowhere/at/all.tracy", 1, "/nowhere/at/all.tracy"},
        {"csvexport /nowhere/at/all.tracy", 1, "/nowhere/at/all.tracy"},
        {"csvexport " TD_SOURCE_DIR "/docs/info-json.md", 1, "is not a trace file"},
        {"info " FEATURES " > /dev/full", 1, ""},
        {"csvexport -u " FEATURES " > /dev/full", 1, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = run(cases[i].arguments, cases[i].status);
        assert_non_null(strstr(text, cases[i].says));
        char *line = strchr(text, '\n');
        if (line)
            assert_string_equal(line, "\n");
        free(text);
    }
}

static void filters_and_separators(void **state)
{
    char *text = run("csvexport -f C -s ';' " FEATURES, 0);
    sort_lines(text);
    assert_non_null(strstr(text, "c inner;features.cpp;130;4387;"));
    assert_null(strstr(text, "worker"));
    free(text);
    text = run("csvexport --filter=C --case " FEATURES, 0);
    assert_string_equal(text,
                        "name,src_file,src_line,total_ns,total_perc,counts,mean_ns,min_ns,max_ns,std_ns\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_has_every_field_that_its_page_lists),
        cmocka_unit_test(json_counts_zones_per_track_and_per_name),
        cmocka_unit_test(json_tells_of_cores_losses_and_clocks),
        cmocka_unit_test(a_chip_has_its_map_and_a_line_that_is_none_is_left_out),
        cmocka_unit_test(hostile_names_stay_harmless),
        cmocka_unit_test(long_tables_end_with_a_count),
        cmocka_unit_test(mistakes_give_one_line_and_a_status),
        cmocka_unit_test(filters_and_separators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
