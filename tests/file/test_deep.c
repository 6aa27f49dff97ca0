/* Trees of zones of any depth are written and read: neither a limit nor the stack bounds them, and a level
 * takes few bytes. The tests run on a stack that recursion would overflow. */
#include "host/file/file.h"
#include "host/trace/model.h"
#include "host/trace/walk.h"
#include "tests/file/support.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define TENDRIL     TD_BINARY_DIR "/bin/tendril "
#define LEVELS      250000u
#define GPU_LEVELS  100000u
#define STACK_BYTES ((size_t)1 << 20) /* 4 bytes a level */
#define LEVEL_BYTES 300               /* of the model, at most */

static void push(struct td_trace *trace, const struct td_event *event)
{
    struct td_sink sink = td_trace_sink(trace);
    assert_int_equal(sink.events(sink.self, event, 1, NULL), 0);
}

/* Zones of a program that enters a function again and again; `ended`: and leaves it. */
static void add_chain(struct td_trace *trace, uint64_t thread, uint32_t srcloc, int ended)
{
    uint32_t track = td_dict_track(td_trace_fill_dict(trace), &(struct td_track){.thread = thread});
    for (uint32_t i = 0; i < LEVELS; i++)
        push(trace, &(struct td_event){
                        .kind = TD_EVENT_ZONE_BEGIN, .track = track, .srcloc = srcloc, .time_ns = 10 + i});
    for (uint32_t i = 0; ended && i < LEVELS; i++)
        push(trace,
             &(struct td_event){.kind = TD_EVENT_ZONE_END, .track = track, .time_ns = 10 + LEVELS + i});
}

/* Zones as a device sends them: complete, inner ones first. */
static void add_nested(struct td_trace *trace, uint64_t thread, uint32_t srcloc)
{
    uint32_t track = td_dict_track(td_trace_fill_dict(trace), &(struct td_track){.thread = thread});
    for (uint32_t i = 0; i < LEVELS; i++)
        push(trace, &(struct td_event){.kind = TD_EVENT_ZONE,
                                       .track = track,
                                       .srcloc = srcloc,
                                       .time_ns = 10 + LEVELS - i,
                                       .value.end_ns = 10 + LEVELS + i});
}

static void add_gpu_chain(struct td_trace *trace, uint32_t srcloc)
{
    static const struct td_fill_gpu gpu = {.cpu_start_ns = 5, .cpu_duration_ns = 1};
    double period = 1;
    int64_t row[TD_GPU_CONTEXT_COLUMN_COUNT] = {[TD_GPU_CONTEXT_TYPE] = 2};
    memcpy(&row[TD_GPU_CONTEXT_PERIOD], &period, sizeof period);
    assert_int_equal(td_series_append(td_trace_fill_table(trace, TD_TABLE_GPU_CONTEXT), row), 0);
    struct td_track track = {.thread = 9, .kind = TD_TRACK_GPU, .context = 1};
    struct td_fill fill;
    assert_int_equal(td_fill_begin(&fill, trace, td_dict_track(td_trace_fill_dict(trace), &track), NULL), 0);
    for (uint32_t i = 0; i < GPU_LEVELS; i++) {
        assert_int_equal(td_fill_enter_gpu(&fill, 10 + i, -1, srcloc, 0, &gpu), 0);
        td_fill_down(&fill);
    }
    for (uint32_t i = 0; i < GPU_LEVELS; i++)
        td_fill_leave(&fill, 2 * (int64_t)i + 1);
    td_fill_end(&fill);
}

static struct td_trace *deep_trace(void)
{
    struct td_dict *dict = td_dict_create();
    struct td_trace *trace = td_trace_create(dict);
    uint32_t srcloc =
        td_dict_srcloc(dict, &(struct td_srcloc){.name = td_dict_cstring(dict, "deep"), .line = 1});
    struct td_trace_info *info = td_trace_edit_info(trace);
    assert_int_equal(td_trace_set_string(&info->capture_name, "deep") |
                         td_trace_set_string(&info->program, "deep") |
                         td_trace_set_string(&info->host_info, "host"),
                     0);
    add_chain(trace, 1, srcloc, 0);
    add_chain(trace, 2, srcloc, 1);
    add_nested(trace, 3, srcloc);
    add_gpu_chain(trace, srcloc);
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    assert_int_equal(td_trace_clamped(trace), 0);
    return trace;
}

/* The failures found in the thread with the small stack; cmocka's assertions work in the main thread only. */
struct small {
    void (*run)(struct small *);
    const struct td_trace *trace;
    const char *path;
    char wrong[400];
};

static void *on_small_stack(void *self)
{
    struct small *small = self;
    small->run(small);
    return NULL;
}

static void with_small_stack(struct small *small)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstacksize(&attributes, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attributes, on_small_stack, small), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    if (small->wrong[0])
        fail_msg("%s", small->wrong);
}

static void there_and_back(struct small *small)
{
    static const uint32_t versions[] = {0, TD_FILE_VERSION(0, 9, 0), TD_FILE_VERSION(0, 14, 0)};
    for (size_t v = 0; v < sizeof versions / sizeof *versions && !small->wrong[0]; v++) {
        struct td_file_options options = {.version = versions[v]};
        struct td_err err = {0};
        struct td_trace *back = NULL;
        if (td_file_write(small->trace, small->path, &options, &err) < 0 ||
            td_file_read(small->path, &back, &err) < 0) {
            snprintf(small->wrong, sizeof small->wrong, "%s", err.text);
            return;
        }
        const char *what = difference(small->trace, back);
        const struct td_stat *stats, *gpu;
        uint64_t memory, file, levels = 3 * (uint64_t)LEVELS + GPU_LEVELS;
        td_store_usage(back->store, &memory, &file);
        if (!what && td_trace_stats(back, &stats) + td_trace_gpu_stats(back, &gpu) != 2)
            what = "statistics";
        if (!what &&
            (stats->count != 2 * (uint64_t)LEVELS || stats->open != LEVELS || gpu->count != GPU_LEVELS))
            what = "counts";
        if (!what && memory > levels * LEVEL_BYTES)
            what = "too much memory";
        if (what)
            snprintf(small->wrong, sizeof small->wrong, "version %x: %s, %llu bytes a level", versions[v],
                     what, (unsigned long long)(memory / levels));
        td_trace_destroy(back);
    }
}

static void trees_of_any_depth_are_written_and_read(void **state)
{
    struct td_trace *trace = deep_trace();
    char *path = temporary("deep.tracy");
    with_small_stack(&(struct small){.run = there_and_back, .trace = trace, .path = path});
    unlink(path);
    free(path);
    td_trace_destroy(trace);
}

static char *run(const char *command, const char *path, const char *rest)
{
    char line[2000];
    int status;
    snprintf(line, sizeof line, "ulimit -s 1024; " TENDRIL "%s '%s' %s 2>&1", command, path, rest);
    char *text = output_of(line, &status);
    if (status)
        fail_msg("%s: status %d\n%.400s", line, status, text);
    return text;
}

static uint64_t lines_of(const char *command, const char *path, const char *rest)
{
    char *text = run(command, path, rest);
    uint64_t lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    free(text);
    return lines;
}

static void the_tools_take_them(void **state)
{
    struct td_trace *trace = deep_trace();
    char *path = temporary("tools.tracy"), *copy = temporary("copy.tracy");
    assert_int_equal(td_file_write(trace, path, NULL, NULL), 0);
    td_trace_destroy(trace);
    char *text = run("info", path, "");
    if (!strstr(text, "zones     750000 (250000 without end)"))
        fail_msg("%s", text);
    free(text);
    assert_int_equal(lines_of("csvexport -u", path, ""), 1 + 2 * LEVELS - 1); /* one has no length */
    assert_int_equal(lines_of("csvexport -u --style tt -x deep --special-parent deep", path, ""), 2 * LEVELS);
    assert_int_equal(lines_of("csvexport -g", path, ""), 1 + GPU_LEVELS);
    assert_int_equal(lines_of("csvexport -e", path, ""), 2);
    assert_int_equal(lines_of("compare", path, path), 2);
    free(run("update -q", path, copy));
    struct td_trace *a, *b;
    assert_int_equal(td_file_read(path, &a, NULL), 0);
    assert_int_equal(td_file_read(copy, &b, NULL), 0);
    assert_null(difference(a, b));
    td_trace_destroy(a);
    td_trace_destroy(b);
    unlink(path);
    unlink(copy);
    free(path);
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_of_any_depth_are_written_and_read),
        cmocka_unit_test(the_tools_take_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
