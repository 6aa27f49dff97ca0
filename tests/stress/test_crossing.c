/* Threads change names, callbacks, parameters, settings and locks while viewers come, ask, set parameters and
 * leave: each viewer gets consistent data. With ThreadSanitizer the program fails on its findings. */
#include "host/trace/rows.h"
#include "tests/client/run_marked.h"
#include "tests/stress/crossing.h"
#include "tests/wire/event_log.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define ENOUGH  20    /* of each kind, before a viewer leaves */
#define PATIENT 60000 /* ms, of a machine that is busy */

struct viewer {
    struct event_log log;
    struct td_client_source *source;
    struct td_err err;
    unsigned rows[TD_TABLE_COUNT];
    char odd[200]; /* the first inconsistency */
};

static void complain(struct viewer *v, const char *what, const char *text)
{
    if (!v->odd[0])
        snprintf(v->odd, sizeof v->odd, "%s: '%s'", what, text);
}

static void check_begin(struct viewer *v, const char *what, const char *text, const char *begin)
{
    if (strncmp(text, begin, strlen(begin)) != 0)
        complain(v, what, text);
}

static void check_source(struct viewer *v, const int64_t *values)
{
    const char *text = (const char *)(uintptr_t)values[TD_SOURCE_TEXT];
    size_t bytes = (size_t)values[TD_SOURCE_BYTES];
    if (strcmp(td_dict_text(v->log.dict, (uint32_t)values[TD_SOURCE_NAME]), CROSSING_FILE) != 0)
        return;
    if ((bytes != strlen(CROSSING_TEXT_1) || memcmp(text, CROSSING_TEXT_1, bytes) != 0) &&
        (bytes != strlen(CROSSING_TEXT_2) || memcmp(text, CROSSING_TEXT_2, bytes) != 0))
        complain(v, "a source", "other than both");
    v->rows[TD_TABLE_SOURCE]++;
}

/* Does nothing: the log keeps the events. */
static int on_events(void *self, const struct td_event *events, size_t count, struct td_err *err)
{
    return 0;
}

static int on_row(void *self, unsigned table, uint64_t parent, const int64_t *values, struct td_err *err)
{
    struct viewer *v = self;
    if (table == TD_TABLE_SOURCE)
        check_source(v, values);
    else if (table < TD_TABLE_COUNT)
        v->rows[table]++;
    return 0;
}

static int on_set(void *self, unsigned table, uint64_t parent, uint64_t row, unsigned column, int64_t value,
                  struct td_err *err)
{
    struct viewer *v = self;
    if (table == TD_TABLE_LOCK && column == TD_LOCK_NAME)
        check_begin(v, "a lock's name", td_dict_text(v->log.dict, (uint32_t)value), CROSSING_LOCK);
    return 0;
}

static void begin(struct viewer *v, int port)
{
    *v = (struct viewer){0};
    event_log_init(&v->log);
    struct td_sink sink = {.events = on_events, .self = v, .row = on_row, .set = on_set};
    assert_int_equal(td_hub_add_sink(v->log.hub, sink), 0);
    struct td_client_source_config config = {
        .port = port, .connect_ms = 20000, .hub = v->log.hub, .ns_per_tick = 1, .own_clock = 1, .sources = 1};
    v->source = td_client_source_create(&config, &v->err);
    if (!v->source)
        fail_msg("%s", v->err.text);
}

static int pump(struct viewer *v)
{
    struct pollfd fd = {td_client_source_fd(v->source), td_client_source_events(v->source), 0};
    int wait_ms = td_client_source_wait_ms(v->source);
    poll(&fd, 1, wait_ms < 0 || wait_ms > 20 ? 20 : wait_ms);
    return td_client_source_pump(v->source, &v->err);
}

static int32_t value_of(int session, unsigned parameter)
{
    return (session + 1) * (parameter % 2 ? -1000 : 1000) + (int32_t)parameter;
}

static int all_are_set(const struct viewer *v, int session)
{
    char text[64];
    for (unsigned i = 0; i < CROSSING_PARAMETERS; i++) {
        snprintf(text, sizeof text, CROSSING_SET, i, (int)value_of(session, i));
        if (!event_log_named(&v->log, TD_EVENT_MESSAGE, text))
            return 0;
    }
    return 1;
}

static int has_enough(const struct viewer *v)
{
    return v->rows[TD_TABLE_LOCK] >= ENOUGH && v->rows[TD_TABLE_SECTION] >= ENOUGH &&
           v->rows[TD_TABLE_MEMORY] >= ENOUGH && v->rows[TD_TABLE_IMAGE] && v->log.kinds[TD_EVENT_APP_INFO] &&
           v->log.kinds[TD_EVENT_PLOT] >= ENOUGH && v->log.kinds[TD_EVENT_FRAME] >= ENOUGH;
}

/* Sets each parameter and reads until the program has reported the values and enough events of each kind. */
static void watch(struct viewer *v, int session)
{
    int told = 0;
    size_t looked = 0;
    for (int64_t until = td_mono_ms() + PATIENT;;) {
        if (pump(v) != 1)
            fail_msg("session %d ended early: %s", session, v->err.text);
        if (td_mono_ms() > until)
            fail_msg(
                "session %d: not all came: %u locks, %u sections, %u allocations, %u images, %u parameters",
                session, v->rows[TD_TABLE_LOCK], v->rows[TD_TABLE_SECTION], v->rows[TD_TABLE_MEMORY],
                v->rows[TD_TABLE_IMAGE], v->rows[TD_TABLE_PARAMETER]);
        if (!told && v->rows[TD_TABLE_PARAMETER] >= CROSSING_PARAMETERS) {
            for (unsigned i = 0; i < CROSSING_PARAMETERS; i++)
                assert_int_equal(td_client_source_set_parameter(v->source, i, value_of(session, i), &v->err),
                                 0);
            told = 1;
        }
        if (!told || v->log.count < looked + 1000)
            continue;
        looked = v->log.count;
        if (has_enough(v) && all_are_set(v, session))
            return;
    }
}

static void check_names(struct viewer *v)
{
    const char *program = td_client_source_welcome(v->source)->programName;
    if (strcmp(program, CROSSING_PROGRAM_1) != 0 && strcmp(program, CROSSING_PROGRAM_2) != 0 &&
        strcmp(program, "stress_crossing") != 0)
        complain(v, "the program's name", program);
    for (uint32_t i = 0; i < td_dict_track_count(v->log.dict); i++) {
        const char *name = td_dict_text(v->log.dict, td_dict_get_track(v->log.dict, i)->name);
        if (!strncmp(name, "crossing", 8))
            check_begin(v, "a thread's name", CROSSING_THREAD, name);
    }
}

/* Reads to the end of the session, which the program or the viewer has requested. */
static void see_the_end(struct viewer *v)
{
    int going;
    while ((going = pump(v)) == 1)
        ;
    if (going != 0)
        fail_msg("%s", v->err.text);
    struct td_client_counts counts = td_client_source_counts(v->source);
    assert_int_equal(counts.ignored, 0);
    assert_int_equal(counts.unnamed, 0);
    assert_int_equal(counts.time_bent, 0);
    assert_true(v->rows[TD_TABLE_SOURCE] > 0);
    if (event_log_fault(&v->log))
        fail_msg("%s", event_log_fault(&v->log));
    check_names(v);
}

static void end(struct viewer *v)
{
    td_client_source_destroy(v->source);
    event_log_finish(&v->log);
    if (v->odd[0])
        fail_msg("%s", v->odd);
}

/* One viewer, which requests the end of its session or leaves at once. */
static void visit(int port, int session)
{
    struct viewer v;
    begin(&v, port);
    watch(&v, session);
    if (session % 2 == 0) {
        td_client_source_ask_end(v.source);
        see_the_end(&v);
    }
    end(&v);
}

static void visit_last(int port, int session, pid_t pid, int input)
{
    struct viewer v;
    begin(&v, port);
    watch(&v, session);
    close(input);
    see_the_end(&v);
    end(&v);
    assert_int_equal(wait_marked(pid, PATIENT), 0);
}

static void what_threads_change_is_whole_for_every_viewer_that_comes_and_goes(void **state)
{
    static const char *const environment[] = {"TRACY_ON_DEMAND=1", NULL};
    int port = free_port(), input;
    pid_t pid = start_program("stress_crossing", "", port, &input, environment);
    for (int session = 0; session < 5; session++)
        visit(port, session);
    visit_last(port, 5, pid, input);
}

static void and_for_one_that_comes_while_all_threads_begin(void **state)
{
    static const char *const environment[] = {"TRACY_DELAYED_INIT=1", NULL};
    int port = free_port(), input;
    pid_t pid = start_program("stress_crossing", "", port, &input, environment);
    visit_last(port, 0, pid, input);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_threads_change_is_whole_for_every_viewer_that_comes_and_goes),
        cmocka_unit_test(and_for_one_that_comes_while_all_threads_begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
