/* What the viewer keeps about a trace: rows as the user arranged them are there again, and settings and states are
 * exported and imported. Parts are skipped without OpenGL. */
#include "host/file/file.h"
#include "host/viewer/model/settings.h"
#include "host/viewer/timeline/trace_state.h"
#include "host/viewer/app/transfer.h"
#include "host/viewer/drive/commands.h"
#include "tests/viewer/app_pages.h"
#include "tests/query/demo_trace.h"

#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/test_state.XXXXXX";
static char demo[64], json[64];

static int setup(void **state)
{
    struct td_err err = {0};
    assert_non_null(mkdtemp(folder));
    setenv("XDG_CONFIG_HOME", folder, 1);
    setenv("XDG_STATE_HOME", folder, 1);
    setenv("XDG_DATA_HOME", folder, 1);
    snprintf(demo, sizeof demo, "%s/demo.tracy", folder);
    snprintf(json, sizeof json, "%s/state.json", folder);
    struct td_trace *trace = demo_trace(2);
    assert_int_equal(td_file_write(trace, demo, NULL, &err), 0);
    td_trace_destroy(trace);
    return 0;
}

static int teardown(void **state)
{
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* The page with the demo; NULL: there is no OpenGL. */
static struct td_app *show_demo(void)
{
    struct td_app *app = app_opens() ? app_begin(demo) : NULL;
    if (app)
        app_wait_loaded(app);
    return app;
}

static struct td_view *shown(struct td_app *app)
{
    return &td_app_page(app)->view;
}

/* The number of the n-th node of a kind that has zones; counts from 0. */
static int node_of(const struct td_view *view, enum td_node_kind kind, int n)
{
    for (int i = 0; i < view->layout.count; i++)
        if (view->layout.nodes[i].kind == kind && n-- == 0)
            return i;
    fail();
    return -1;
}

/* What a user sees of the rows: labels in their order, with marks. */
static void describe_rows(const struct td_view *view, char *to, size_t bytes)
{
    size_t used = 0;
    to[0] = 0;
    for (int i = 0; i < view->layout.count && used < bytes; i++) {
        const struct td_node *n = &view->layout.nodes[i];
        used += (size_t)snprintf(to + used, bytes - used, "%d %s%s%s%s\n", n->level, n->label,
                                 n->collapsed ? " closed" : "", n->hidden ? " hidden" : "",
                                 n->pinned ? " pinned" : "");
    }
    assert_true(used < bytes);
}

static char before[20000], after[20000];

/* Arranges, opens the trace again and compares. */
static void check_again(enum td_grouping grouping)
{
    char *path;
    struct td_app *app = show_demo();
    if (!app)
        return;
    struct td_view *view = shown(app);
    td_lanes_show_all(view);
    td_lanes_pin(view, -1);
    td_lanes_group(view, grouping);
    for (int i = 0; i < 100 && grouping == TD_GROUPING_KERNEL && !view->sums.shown.lane; i++)
        settle(app);
    uint32_t order[3], tracks = 0;
    for (uint32_t t = td_dict_track_count(view->model.dict); t-- && tracks < 3;)
        if (td_trace_track_zones(view->model.trace, t))
            order[tracks++] = t;
    td_lanes_order(view, order, tracks);
    td_lanes_set_filter(view, "not zones < 1");
    assert_int_equal(td_view_command_line(view, "describe before the change", NULL), 0);
    assert_int_equal(td_view_command_line(view, "path", NULL), 0);
    assert_int_equal(td_view_command_line(view, "path \"^/src/(.*);/here/$1\"", NULL), 0);
    assert_true(td_view_command_line(view, "path \"(;\"", NULL) < 0);
    settle(app);
    td_lanes_hide(view, node_of(view, TD_NODE_TRACK, 1));
    td_lanes_hide(view, view->layout.nodes[node_of(view, TD_NODE_TRACK, 4)].parent);
    td_lanes_pin(view, node_of(view, TD_NODE_TRACK, 0));
    td_layout_reveal(&view->layout, node_of(view, TD_NODE_TRACK, 2));
    view->rows.arranged = true;
    settle(app);
    describe_rows(view, before, sizeof before);
    assert_non_null(strstr(before, " hidden"));
    assert_non_null(strstr(before, " pinned"));
    td_app_destroy(app);

    app = show_demo();
    view = shown(app);
    describe_rows(view, after, sizeof after);
    assert_string_equal(before, after);
    assert_int_equal(view->lanes.grouping, grouping);
    assert_string_equal(view->lanes.text, "not zones < 1");
    assert_string_equal(view->model.description, "before the change");
    assert_int_equal(view->model.source_paths.count, 1);
    assert_int_equal(td_path_substitute(&view->model.source_paths.all, "/src/a.c", &path, NULL), 1);
    assert_string_equal(path, "/here/a.c");
    free(path);
    for (uint32_t i = 0; i < tracks; i++)
        assert_int_equal(view->lanes.rank[order[i]], i);
    td_app_destroy(app);
}

static void hidden_pinned_ordered_and_grouped_rows_are_there_again(void **state)
{
    check_again(TD_GROUPING_PLACE);
    check_again(TD_GROUPING_KIND);
    check_again(TD_GROUPING_KERNEL);
    check_again(TD_GROUPING_FLAT);
}

static void of_rows_with_one_name_the_same_one_is_hidden_again(void **state)
{
    struct td_app *app = show_demo();
    if (!app)
        return;
    struct td_view *view = shown(app);
    td_lanes_show_all(view);
    td_lanes_group(view, TD_GROUPING_PLACE);
    const int first = node_of(view, TD_NODE_TRACK, 0), second = node_of(view, TD_NODE_TRACK, 1);
    assert_int_equal(view->layout.nodes[first].parent, view->layout.nodes[second].parent);
    memcpy(view->layout.nodes[second].label, view->layout.nodes[first].label,
           sizeof view->layout.nodes[first].label);
    view->layout.nodes[second].hidden = true;
    cJSON *kept = td_trace_state_of(view);
    view->layout.nodes[second].hidden = false;
    assert_true(td_trace_state_arrange(view, kept));
    assert_false(view->layout.nodes[first].hidden);
    assert_true(view->layout.nodes[second].hidden);
    cJSON_Delete(kept);
    td_app_destroy(app);
}

/* ---- export and import ---- */

static void put_json(const char *text)
{
    FILE *f = fopen(json, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static int import(const char *text, const char *path, struct td_err *err)
{
    struct td_load_options load = {0};
    put_json(text);
    *err = (struct td_err){0};
    return td_settings_import(json, path, &load, err);
}

/* What `--settings` prints. */
static cJSON *exported(const char *path)
{
    struct td_load_options load = {0};
    static char text[100000];
    const int out = dup(1);
    fflush(stdout);
    assert_non_null(freopen(json, "w", stdout));
    const int rc = td_settings_print(path, &load, NULL);
    fflush(stdout);
    dup2(out, 1);
    close(out);
    assert_int_equal(rc, 0);
    FILE *f = fopen(json, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    cJSON *object = cJSON_Parse(text);
    assert_non_null(object);
    return object;
}

static void what_is_exported_can_be_imported(void **state)
{
    static const char text[] =
        "{\"settings\": {\"scale\": 1.5, \"times\": \"exact\", \"colours\": \"dark\", \"mouse\": \"tracy\", "
        "\"regions\": {\"left\": {\"size\": 400, \"tabs\": [\"locks\"]}}},"
        " \"trace\": {\"program\": \"p\", \"from_ns\": 1000, \"until_ns\": 2000, \"find\": \"verify\","
        " \"filter\": \"core 0\", \"description\": \"d\", \"grouping\": \"kind\", \"order\": [\"a\", \"b\"], "
        "\"closed\": [\"/Host\"],"
        " \"hidden\": [\"/Frames\"], \"pinned\": [\"/Host/main\"], \"paths\": [\"^C:;/c\"],"
        " \"notes\": [{\"from_ns\": 5, \"to_ns\": 6, \"colour\": \"#112233\", \"text\": \"here\"}]}}";
    struct td_err err;
    struct td_settings settings;
    assert_int_equal(import(text, demo, &err), 0);
    td_settings_read(&settings);
    assert_true(settings.scale == 1.5);
    assert_int_equal(settings.choices[TD_CHOICE_MOUSE], 1);
    cJSON *wanted = cJSON_Parse(text), *got = exported(demo);
    assert_true(cJSON_Compare(cJSON_GetObjectItem(wanted, "trace"), cJSON_GetObjectItem(got, "trace"), true));
    for (const cJSON *f = cJSON_GetObjectItem(wanted, "settings")->child; f; f = f->next)
        assert_true(
            cJSON_Compare(f, cJSON_GetObjectItem(cJSON_GetObjectItem(got, "settings"), f->string), true));
    cJSON_Delete(got);
    cJSON_Delete(wanted);
    /* A part of the settings leaves the others alone. */
    assert_int_equal(import("{\"settings\": {\"times\": \"short\"}}", NULL, &err), 0);
    td_settings_read(&settings);
    assert_true(settings.scale == 1.5 && settings.choices[TD_CHOICE_TIMES] == 0);
    assert_int_equal(td_settings_write(&(struct td_settings){0}, NULL), 0);
}

static void an_imported_state_is_shown(void **state)
{
    struct td_err err;
    if (!app_opens())
        return;
    assert_int_equal(import("{\"trace\": {\"filter\": \"core 0\", \"grouping\": \"flat\", \"from_ns\": 1000,"
                            " \"until_ns\": 90000}}",
                            demo, &err),
                     0);
    struct td_app *app = show_demo();
    const struct td_view *view = shown(app);
    assert_string_equal(view->lanes.text, "core 0");
    assert_int_equal(view->lanes.grouping, TD_GROUPING_FLAT);
    assert_true(view->camera.to_start_ns == 1000 && view->camera.to_end_ns == 90000);
    td_app_destroy(app);
}

/* The demo has no time of capture, as imported traces. */
static void traces_without_a_time_are_known_by_their_contents(void **state)
{
    static const char text[] = "{\"trace\": {\"find\": \"verify\","
                               " \"notes\": [{\"from_ns\": 5, \"to_ns\": 6, \"text\": \"here\"}]}}";
    char copy[80], other[80], command[200];
    struct td_err err = {0};
    snprintf(copy, sizeof copy, "%s/copy.tracy", folder);
    snprintf(other, sizeof other, "%s/other.tracy", folder);
    snprintf(command, sizeof command, "cp %s %s", demo, copy);
    assert_int_equal(system(command), 0);
    struct td_trace *trace = demo_trace(3);
    assert_int_equal(td_trace_get_info(trace)->capture_time_s, 0);
    assert_int_equal(td_file_write(trace, other, NULL, &err), 0);
    td_trace_destroy(trace);
    assert_int_equal(import(text, demo, &err), 0);
    cJSON *same = exported(copy), *none = exported(other);
    const cJSON *kept = cJSON_GetObjectItem(same, "trace"), *empty = cJSON_GetObjectItem(none, "trace");
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(kept, "find")), "verify");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(kept, "notes")), 1);
    assert_null(cJSON_GetObjectItem(empty, "find"));
    assert_null(cJSON_GetObjectItem(empty, "notes"));
    cJSON_Delete(same);
    cJSON_Delete(none);
}

static void wrong_fields_are_named_and_nothing_is_kept(void **state)
{
    static const struct {
        const char *text, *named;
    } wrong[] = {
        {"", "--settings"},
        {"[1]", "--settings"},
        {"{}", "neither"},
        {"{\"settings\": 3}", "object"},
        {"{\"settings\": {\"scale\": 100}}", "\"scale\""},
        {"{\"settings\": {\"times\": \"exact\", \"mouse\": \"x\"}}", "\"mouse\""},
        {"{\"settings\": {\"wheel\": 1}}", "\"wheel\""},
        {"{\"settings\": {\"times\": \"exact\", \"regions\": {\"top\": {}}}}", "\"top\""},
        {"{\"settings\": {\"regions\": {\"left\": {\"size\": 1}}}}", "\"size\""},
        {"{\"settings\": {\"regions\": {\"left\": {\"tabs\": [\"x\"]}}}}", "\"tabs\""},
        {"{\"settings\": {\"times\": \"exact\"}, \"trace\": {\"zoom\": 1}}", "\"zoom\""},
        {"{\"trace\": {\"from_ns\": 1}}", "range"},
        {"{\"trace\": {\"from_ns\": 3, \"until_ns\": 2}}", "range"},
        {"{\"trace\": {\"from_ns\": \"3\", \"until_ns\": 2}}", "\"from_ns\""},
        {"{\"trace\": {\"filter\": \"busy >\"}}", "\"filter\""},
        {"{\"trace\": {\"grouping\": \"colour\"}}", "\"grouping\""},
        {"{\"trace\": {\"hidden\": [1]}}", "\"hidden\""},
        {"{\"trace\": {\"notes\": [{}]}}", "\"notes\""},
        {"{\"trace\": {\"paths\": [\"no replacement\"]}}", "\"paths\""},
        {"{\"trace\": {\"paths\": [\"(;x\"]}}", "\"paths\""},
        {"{\"trace\": {\"gpu\": [{\"context\": 1}]}}", "\"gpu\""},
        {"{\"settings\": {\"times\": \"exact\"}}", "\"trace\""}, /* with a file */
    };
    struct td_err err;
    struct td_settings settings;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_true(import(wrong[i].text, demo, &err) < 0);
        assert_non_null(strstr(err.text, wrong[i].named));
        td_settings_read(&settings);
        assert_int_equal(settings.choices[TD_CHOICE_TIMES], 0);
    }
    struct td_load_options load = {0};
    assert_true(td_settings_import("/nonexistent", NULL, &load, &err) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hidden_pinned_ordered_and_grouped_rows_are_there_again),
        cmocka_unit_test(of_rows_with_one_name_the_same_one_is_hidden_again),
        cmocka_unit_test(what_is_exported_can_be_imported),
        cmocka_unit_test(an_imported_state_is_shown),
        cmocka_unit_test(traces_without_a_time_are_known_by_their_contents),
        cmocka_unit_test(wrong_fields_are_named_and_nothing_is_kept),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
