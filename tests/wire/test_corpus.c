/* Recorded sessions of stock clients: every event arrives with its name, and items without an event cause no
 * error. */
#include "host/wire/hello.h"
#include "tests/wire/event_log.h"
#include "tests/wire/stream_feed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

/* The bytes of the client in a recording, from its status byte on; NULL without the corpus. */
static uint8_t *client_bytes(const char *name, size_t *count)
{
    const char *corpus = getenv("TD_CORPUS");
    char path[512];
    snprintf(path, sizeof path, "%s/0.11.1/%s.stream", corpus ? corpus : TD_SOURCE_DIR "/../shared/corpus",
             name);
    FILE *f = fopen(path, "rb");
    if (!f) {
        print_message("skipped: no recording at %s (set TD_CORPUS)\n", path);
        return NULL;
    }
    uint8_t *bytes = malloc(1 << 20);
    assert_non_null(bytes);
    *count = 0;
    uint8_t head[5];
    while (fread(head, 1, sizeof head, f) == sizeof head) {
        uint32_t n;
        memcpy(&n, head + 1, 4);
        assert_true(*count + n <= 1 << 20);
        assert_int_equal(fread(bytes + *count, 1, n, f), n);
        *count += head[0] == 0 ? n : 0;
    }
    fclose(f);
    return bytes;
}

struct session {
    struct event_log log;
    struct td_client_stream *stream;
    struct td_client_counts counts;
    int terminated, complete;
};

/* Replays a recording into a log; false without the corpus. */
static bool replay(struct session *session, const char *name)
{
    size_t count;
    uint8_t *bytes = client_bytes(name, &count);
    if (!bytes)
        return false;
    event_log_init(&session->log);
    struct td_wire_welcome welcome;
    assert_int_equal(bytes[0], TD_WIRE_STATUS_WELCOME);
    td_wire_get_welcome(bytes + 1, &td_wire_69, &welcome);
    size_t skip =
        1 + td_wire_69.welcome_bytes + (welcome.flags & TD_WIRE_FLAG_ON_DEMAND ? TD_WIRE_ONDEMAND_BYTES : 0);
    struct td_client_stream_config config = {.release = &td_wire_69,
                                             .hub = session->log.hub,
                                             .ns_per_tick = welcome.timerMul,
                                             .zero_ticks = welcome.initBegin,
                                             .query_space = 8188};
    session->stream = td_client_stream_create(&config);
    struct td_unpacker *unpacker = td_unpacker_create();
    assert_true(session->stream && unpacker);
    struct td_err err = {0};
    if (stream_feed(session->stream, unpacker, bytes + skip, count - skip, &err) != 0)
        fail_msg("%s: %s", name, err.text);
    assert_int_equal(td_unpacker_waiting(unpacker), 0);
    session->terminated = td_client_stream_is_terminated(session->stream);
    session->complete = td_client_stream_is_complete(session->stream);
    assert_int_equal(td_client_stream_close(session->stream, &err), 0);
    session->counts = *td_client_stream_counts(session->stream);
    if (event_log_fault(&session->log))
        fail_msg("%s: %s", name, event_log_fault(&session->log));
    assert_int_equal(session->counts.zones, session->log.kinds[TD_EVENT_ZONE_BEGIN]);
    assert_int_equal(session->counts.messages, session->log.kinds[TD_EVENT_MESSAGE]);
    td_unpacker_destroy(unpacker);
    free(bytes);
    return true;
}

static void end_session(struct session *session)
{
    td_client_stream_destroy(session->stream);
    event_log_finish(&session->log);
}

static void expect_zones(const struct session *session, const char *track, const char *name, size_t count)
{
    size_t got = event_log_zones_on(&session->log, track, name);
    if (got != count)
        fail_msg("zones %s on %s: %zu instead of %zu", name ? name : "(all)", track ? track : "(all)", got,
                 count);
}

static void a_session_with_every_feature_gives_exactly_its_counts(void **state)
{
    static const struct {
        const char *name;
        size_t count;
    } zones[] = {{"worker", 300},    {"inner", 300},     {"sometimes", 75},    {"frame body", 60},
                 {"recurse", 12},    {"c zone", 10},     {"c inner", 10},      {"transient 0", 4},
                 {"transient 1", 3}, {"transient 2", 3}, {"before rename", 1}, {"with stack", 3},
                 {"fiber work", 5},  {"never", 0},       {NULL, 788}};
    struct session session;
    if (!replay(&session, "features"))
        return;
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++)
        expect_zones(&session, NULL, zones[i].name, zones[i].count);
    expect_zones(&session, "Main thread", NULL, 108);
    expect_zones(&session, "worker 0", NULL, 225);
    expect_zones(&session, "worker 1", NULL, 225);
    expect_zones(&session, "worker 2", NULL, 225);
    expect_zones(&session, "fiber", NULL, 5);
    const struct event_log *log = &session.log;
    assert_int_equal(log->kinds[TD_EVENT_ZONE_END], 788);
    assert_int_equal(log->kinds[TD_EVENT_MESSAGE], 100);
    assert_int_equal(event_log_named(log, TD_EVENT_MESSAGE, "message 24 of worker 2"), 1);
    assert_int_equal(event_log_named(log, TD_EVENT_MESSAGE, "message with stack"), 1);
    assert_int_equal(event_log_named(log, TD_EVENT_APP_INFO, "info line one"), 1);
    assert_int_equal(event_log_named(log, TD_EVENT_ZONE_NAME, "after rename"), 1);
    assert_int_equal(event_log_named(log, TD_EVENT_ZONE_TEXT, "second line"), 1);
    assert_int_equal(event_log_named(log, TD_EVENT_ZONE_TEXT, "c text"), 10);
    assert_int_equal(log->kinds[TD_EVENT_ZONE_VALUE], 300 + 10);
    assert_int_equal(log->kinds[TD_EVENT_ZONE_COLOR], 300);
    assert_int_equal(event_log_named(log, TD_EVENT_PLOT, "plot int"), 80);
    assert_int_equal(event_log_named(log, TD_EVENT_PLOT, "plot double"), 80);
    assert_int_equal(event_log_named(log, TD_EVENT_PLOT, "plot float"), 80);
    assert_int_equal(event_log_named(log, TD_EVENT_FRAME, ""), 60);
    assert_int_equal(event_log_named(log, TD_EVENT_FRAME, "Physics"), 30);
    assert_int_equal(event_log_named(log, TD_EVENT_FRAME_START, "Audio"), 60);
    assert_int_equal(event_log_named(log, TD_EVENT_FRAME_END, "Audio"), 60);
    assert_true(session.terminated);
    assert_true(session.complete);
    assert_int_equal(session.counts.unnamed, 0);
    assert_int_equal(session.counts.ignored, 0);
    assert_int_equal(session.counts.open_zones, 0);
    for (uint32_t i = 0; i < td_dict_track_count(log->dict); i++) {
        const struct td_track *track = td_dict_get_track(log->dict, i);
        int worker = !strncmp(td_dict_text(log->dict, track->name), "worker", 6);
        assert_int_equal(track->group_hint, worker ? 7 : 0);
    }
    const struct td_plot *plot = NULL;
    for (uint32_t i = 0; i < td_dict_plot_count(log->dict); i++)
        if (!strcmp(td_dict_text(log->dict, td_dict_get_plot(log->dict, i)->name), "plot int"))
            plot = td_dict_get_plot(log->dict, i);
    assert_true(plot && plot->format == 1 && plot->step && !plot->fill && plot->color == 0x0080FF);
    end_session(&session);
}

static void values_and_colours_arrive_as_they_were_given(void **state)
{
    struct session session;
    if (!replay(&session, "features"))
        return;
    uint64_t values = 0, squares = 0;
    for (size_t i = 0; i < session.log.count; i++)
        if (session.log.events[i].kind == TD_EVENT_ZONE_VALUE)
            values += session.log.events[i].value.u64;
    for (uint64_t n = 0; n < 100; n++)
        squares += n * n;
    assert_int_equal(values, 3 * squares + 10 * 42);
    size_t red = 0;
    for (size_t i = 0; i < session.log.count; i++)
        red += session.log.events[i].kind == TD_EVENT_MESSAGE && session.log.events[i].srcloc == 0xFF0000;
    assert_int_equal(red, 4 * 5 - 1); /* the main thread begins at 2 */
    for (uint32_t i = 1; i < td_dict_srcloc_count(session.log.dict); i++)
        if (!strcmp(event_log_location(&session.log, i), "c zone"))
            assert_int_equal(td_dict_get_srcloc(session.log.dict, i)->color, 0xAA5500);
    end_session(&session);
}

static void sessions_that_end_badly_keep_what_arrived(void **state)
{
    static const char *const names[] = {"killed", "crash"};
    for (int i = 0; i < 2; i++) {
        struct session session;
        if (!replay(&session, names[i]))
            return;
        expect_zones(&session, NULL, "outer unfinished", 1);
        expect_zones(&session, NULL, "inner unfinished", 1);
        expect_zones(&session, NULL, "done", 10);
        assert_int_equal(session.counts.open_zones, 2);
        assert_int_equal(event_log_named(&session.log, TD_EVENT_MESSAGE, "alive"), 10);
        assert_int_equal(session.counts.crashes, i);
        assert_int_equal(session.terminated, i);
        end_session(&session);
    }
}

static void sessions_with_other_items_end_properly(void **state)
{
    static const struct {
        const char *name, *zone;
        size_t zones, messages, points;
    } cases[] = {
        {"gpu", "submit", 1, 0, 0}, {"ondemand", "after", 20, 20, 20}, {"sampling", "burn", 40, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct session session;
        if (!replay(&session, cases[i].name))
            return;
        expect_zones(&session, NULL, cases[i].zone, cases[i].zones);
        assert_int_equal(session.counts.messages, cases[i].messages);
        assert_int_equal(session.counts.plot_points, cases[i].points);
        if (!session.terminated || !session.complete)
            fail_msg("%s: terminated %d, complete %d", cases[i].name, session.terminated, session.complete);
        assert_int_equal(session.counts.open_zones, 0);
        assert_int_equal(session.counts.other, 0);
        end_session(&session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_with_every_feature_gives_exactly_its_counts),
        cmocka_unit_test(values_and_colours_arrive_as_they_were_given),
        cmocka_unit_test(sessions_that_end_badly_keep_what_arrived),
        cmocka_unit_test(sessions_with_other_items_end_properly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
