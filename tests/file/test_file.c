/* Traces written and read again, and files that are refused. */
#include "host/file/convention.h"
#include "host/file/format.h"
#include "proto/track.h"
#include "tests/file/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct td_trace *there_and_back(const struct td_trace *trace, const struct td_file_options *options)
{
    struct td_err err = {0};
    struct td_trace *back = NULL;
    char *path = temporary("back.tracy");
    if (td_file_write(trace, path, options, &err) < 0 || td_file_read(path, &back, &err) < 0)
        fail_msg("%s", err.text);
    free(path);
    return back;
}

static void a_trace_comes_back_as_it_was_written(void **state)
{
    static const unsigned sizes[] = {0, 6, 600, 60000};
    static const int streams[] = {0, 1, 7, 255};
    for (size_t i = 0; i < 4; i++) {
        struct td_file_notice notice;
        struct td_trace *trace = rich_trace(sizes[i]);
        assert_null(broken_rule(trace));
        assert_int_equal(td_trace_clamped(trace), 0);
        struct td_trace *back = there_and_back(
            trace, &(struct td_file_options){
                       .version = TD_FILE_VERSION(0, 11, 1), .streams = streams[i], .notice = &notice});
        assert_string_equal(notice.text, "");
        const char *what = difference(trace, back);
        if (what)
            fail_msg("%s", what);
        assert_int_equal(td_trace_clamped(back), 0);
        td_trace_destroy(trace);
        td_trace_destroy(back);
    }
}

/* Tiles of two cores each, with and without a message; and a host thread. */
static struct td_trace *trace_of_cores(unsigned chips, unsigned tiles)
{
    struct td_dict *dict = td_dict_create();
    struct td_trace *trace = td_trace_create(dict);
    struct td_sink sink = td_trace_sink(trace);
    uint32_t loc =
        td_dict_srcloc(dict, &(struct td_srcloc){.name = td_dict_cstring(dict, "kernel"), .line = 1});
    uint32_t main =
        td_dict_track(dict, &(struct td_track){.thread = 7, .name = td_dict_cstring(dict, "main")});
    struct td_event e = {
        .kind = TD_EVENT_ZONE, .track = main, .srcloc = loc, .time_ns = 5, .value.end_ns = 1000};
    assert_int_equal(sink.events(sink.self, &e, 1, NULL), 0);
    for (unsigned i = 0; i < chips * tiles * 2; i++) {
        unsigned chip = i / 2 / tiles, tile = i / 2 % tiles;
        struct td_track track = {.kind = TD_TRACK_CORE, .chip = (uint16_t)chip, .core = (uint8_t)(i % 2)};
        track.x = (uint16_t)(tile % 16);
        track.y = (uint16_t)(tile / 16);
        track.thread = td_track_id(chip, track.x, track.y, track.core);
        char name[64];
        snprintf(name, sizeof name, "chip %u tile %u,%u %s", chip, track.x, track.y,
                 i % 2 ? "NCRISC" : "BRISC");
        track.name = td_dict_cstring(dict, name);
        track.group_hint = (int32_t)i + 1;
        struct td_event zones[] = {
            {.kind = TD_EVENT_ZONE, .srcloc = loc, .time_ns = 10, .value.end_ns = 20},
            {.kind = TD_EVENT_ZONE, .srcloc = loc, .time_ns = 30, .value.end_ns = 40},
            {.kind = TD_EVENT_ZONE, .srcloc = loc, .time_ns = 10, .value.end_ns = 100},
            {.kind = TD_EVENT_ZONE_BEGIN, .srcloc = loc, .time_ns = 200}, /* still open */
            {.kind = TD_EVENT_MESSAGE, .subject = td_dict_cstring(dict, "hello"), .time_ns = 50},
        };
        for (int k = 0; k < 5; k++) {
            zones[k].track = td_dict_track(dict, &track);
            if (k < 3 || i % k == 0)
                assert_int_equal(sink.events(sink.self, &zones[k], 1, NULL), 0);
        }
    }
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    return trace;
}

/* The thread's track; if it has a track in a GPU context, that one. */
static uint32_t track_of(const struct td_trace *trace, uint64_t thread)
{
    const struct td_dict *dict = td_trace_dict(trace);
    uint32_t found = td_dict_track_count(dict);
    for (uint32_t t = 0; t < td_dict_track_count(dict); t++) {
        const struct td_track *track = td_dict_get_track(dict, t);
        if (track->thread == thread && (track->context || found == td_dict_track_count(dict)))
            found = t;
    }
    return found;
}

/* Messages of all tracks of a thread: a core's zones may be in a context, its messages never are. */
static size_t messages_of(const struct td_trace *trace, uint64_t thread)
{
    size_t messages = 0;
    for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(trace)); t++) {
        if (td_dict_get_track(td_trace_dict(trace), t)->thread == thread)
            messages += td_trace_track_messages(trace, t);
    }
    return messages;
}

static void same_track(const struct td_trace *a, uint32_t t, const struct td_trace *b)
{
    const struct td_track *track = td_dict_get_track(td_trace_dict(a), t);
    uint32_t other = track_of(b, track->thread);
    const struct td_track *back = td_dict_get_track(td_trace_dict(b), other);
    assert_int_equal(back->kind, track->kind);
    assert_string_equal(td_dict_text(td_trace_dict(a), track->name),
                        td_dict_text(td_trace_dict(b), back->name));
    assert_int_equal(messages_of(b, track->thread), messages_of(a, track->thread));
    for (uint32_t r = 0; r <= td_trace_rows(a, t); r++) {
        assert_int_equal(td_trace_row_zones(b, other, r), td_trace_row_zones(a, t, r));
        for (size_t i = 0; i < td_trace_row_zones(a, t, r); i++) {
            struct td_zone x = td_trace_zone(a, t, r, i), y = td_trace_zone(b, other, r, i);
            assert_true(x.start_ns == y.start_ns && x.end_ns == y.end_ns && x.child_end == y.child_end);
        }
    }
}

static void cores_in_contexts_come_back_as_tracks(void **state)
{
    /* Chips and tiles: few enough for a context a tile, a context a chip, one for all. */
    static const unsigned boards[][2] = {{1, 1}, {2, 20}, {3, 140}, {300, 1}};
    for (size_t b = 0; b < 4; b++) {
        struct td_trace *trace = trace_of_cores(boards[b][0], boards[b][1]);
        struct td_trace *back = there_and_back(trace, &(struct td_file_options){.contexts = 1});
        assert_null(broken_rule(back));
        uint32_t with_messages = 0;
        for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(trace)); t++)
            with_messages += td_dict_get_track(td_trace_dict(trace), t)->kind == TD_TRACK_CORE &&
                             td_trace_track_messages(trace, t);
        assert_int_equal(td_dict_track_count(td_trace_dict(back)),
                         boards[b][0] * boards[b][1] * 2 + 1 + with_messages);
        assert_int_equal(td_trace_messages(back), td_trace_messages(trace));
        for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(trace)); t++)
            same_track(trace, t, back);
        td_trace_destroy(trace);
        td_trace_destroy(back);
    }
}

static void texts_that_contexts_cannot_hold_are_reported(void **state)
{
    struct td_file_notice notice;
    struct td_trace *trace = rich_trace(600);
    struct td_trace *back =
        there_and_back(trace, &(struct td_file_options){.contexts = 1, .notice = &notice});
    assert_true(notice.dropped_extras > 0);
    assert_true(notice.text[0]);
    td_trace_destroy(trace);
    td_trace_destroy(back);
}

static void notes_and_lost_counts_come_back(void **state)
{
    struct td_trace *trace = rich_trace(60);
    struct td_trace *back = there_and_back(trace, NULL);
    assert_string_equal(td_trace_get_note(back, TD_NOTE_LOST, 0), "17");
    assert_string_equal(td_trace_get_note(back, TD_NOTE_CLOCK_ERROR_NS, 0), "812.5");
    assert_int_equal(td_trace_app_infos(back),
                     td_trace_app_infos(trace) + 1); /* one about the track without clock */
    struct td_trace *again = there_and_back(back, NULL);
    assert_int_equal(td_trace_app_infos(again), td_trace_app_infos(back));
    assert_null(difference(back, again));
    td_trace_destroy(trace);
    td_trace_destroy(back);
    td_trace_destroy(again);
}

static void waits_and_losses_stand_out_and_are_known_again(void **state)
{
    struct td_srcloc wait = {.flags = TD_SRCLOC_WAIT}, own = {.flags = TD_SRCLOC_WAIT, .color = 0x010203};
    struct td_srcloc lost = {.flags = TD_SRCLOC_LOST}, plain = {.color = 0x445566}, back;
    assert_int_equal(td_file_color(&wait) & 0xffffff, 0x3e41b0); /* TD_WAIT_COLOR, R first */
    assert_int_equal(td_file_color(&own) & 0xffffff, 0x030201);
    assert_true((td_file_color(&lost) & 0xffffff) != 0);
    assert_int_equal(td_file_color(&plain), 0x665544);
    const struct td_srcloc *all[] = {&wait, &own, &lost, &plain};
    for (size_t i = 0; i < 4; i++) {
        back = (struct td_srcloc){0};
        td_file_uncolor(&back, td_file_color(all[i]), "name");
        assert_memory_equal(&back, all[i], sizeof back);
    }
    back = (struct td_srcloc){0};
    td_file_uncolor(&back, td_file_color(&wait) & 0xffffff, "name"); /* files do not keep the fourth byte */
    assert_int_equal(back.flags, TD_SRCLOC_WAIT);
    back = (struct td_srcloc){0};
    td_file_uncolor(&back, 0, "TENDRIL-LOST");
    assert_int_equal(back.flags, TD_SRCLOC_LOST);
}

/* A thread with zones of `count` different locations. */
static struct td_trace *trace_of_locations(uint32_t count)
{
    struct td_dict *dict = td_dict_create();
    struct td_trace *trace = td_trace_create(dict);
    struct td_sink sink = td_trace_sink(trace);
    uint32_t track = td_dict_track(dict, &(struct td_track){.thread = 1});
    for (uint32_t i = 0; i < count; i++) {
        struct td_event e = {
            .kind = TD_EVENT_ZONE, .track = track, .time_ns = 10 * i, .value.end_ns = 10 * i + 5};
        e.srcloc = td_dict_srcloc(dict, &(struct td_srcloc){.line = i + 1});
        assert_int_equal(sink.events(sink.self, &e, 1, NULL), 0);
    }
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    return trace;
}

static void locations_beyond_the_limit_are_folded_and_reported(void **state)
{
    static const struct {
        uint32_t locations, kept;
    } cases[] = {{32767, 32767}, {32768, 32768}, {65533, 65533}, {65534, 65533}, {70000, 65533}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct td_file_notice notice;
        struct td_trace *trace = trace_of_locations(cases[i].locations);
        struct td_trace *back = there_and_back(trace, &(struct td_file_options){.notice = &notice});
        const struct td_stat *stats;
        size_t count = td_trace_stats(back, &stats);
        assert_int_equal(count, cases[i].kept);
        uint64_t zones = 0;
        for (size_t s = 0; s < count; s++)
            zones += stats[s].count;
        assert_int_equal(zones, cases[i].locations);
        uint32_t folded = cases[i].locations > 65533 ? cases[i].locations - 65532 : 0;
        assert_int_equal(notice.folded_locations, folded);
        assert_int_equal(notice.text[0] != 0, folded != 0);
        td_trace_destroy(trace);
        td_trace_destroy(back);
    }
}

static void times_outside_of_the_format_are_moved_to_its_bounds(void **state)
{
    struct td_dict *dict = td_dict_create();
    struct td_trace *trace = td_trace_create(dict);
    struct td_sink sink = td_trace_sink(trace);
    uint32_t track = td_dict_track(dict, &(struct td_track){.thread = 1});
    struct td_event zones[] = {
        {.kind = TD_EVENT_ZONE, .track = track, .time_ns = -50, .value.end_ns = 5},
        {.kind = TD_EVENT_ZONE, .track = track, .time_ns = 10, .value.end_ns = INT64_C(1) << 50},
    };
    assert_int_equal(sink.events(sink.self, zones, 2, NULL), 0);
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    struct td_file_notice notice;
    struct td_trace *back = there_and_back(trace, &(struct td_file_options){.notice = &notice});
    assert_int_equal(notice.clamped_times, 2);
    assert_true(td_trace_zone(back, 0, 0, 0).start_ns == 0);
    assert_true(td_trace_zone(back, 0, 0, 1).end_ns == TD_FILE_TIME_LIMIT - 1);
    assert_true(td_trace_get_info(back)->last_time_ns == TD_FILE_TIME_LIMIT - 1);
    td_trace_destroy(trace);
    td_trace_destroy(back);
}

static void a_trace_with_frame_marks_alone_gets_the_frames_before_them(void **state)
{
    for (int on_demand = 0; on_demand < 2; on_demand++) {
        struct td_dict *dict = td_dict_create();
        struct td_trace *trace = td_trace_create(dict);
        struct td_sink sink = td_trace_sink(trace);
        for (int i = 1; i <= 10; i++) {
            struct td_event e = {.kind = TD_EVENT_FRAME, .time_ns = 100 * i};
            assert_int_equal(sink.events(sink.self, &e, 1, NULL), 0);
        }
        td_trace_edit_info(trace)->on_demand = (uint8_t)on_demand;
        assert_int_equal(td_trace_finish(trace, NULL), 0);
        struct td_trace *back = there_and_back(trace, NULL);
        assert_int_equal(td_trace_frames(back, 0), 12 + on_demand);
        assert_int_equal(td_trace_frame(back, 0, 0).start_ns, 0);
        assert_int_equal(td_trace_frame(back, 0, (size_t)(2 + on_demand)).start_ns, 100);
        td_trace_destroy(trace);
        td_trace_destroy(back);
    }
}

static void long_names_are_cut_between_characters(void **state)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    char name[3001] = "x";
    for (int i = 0; i < 1000; i++)
        memcpy(name + 1 + 3 * i - (i == 999), "\xe2\x82\xac", 3); /* euro signs */
    name[3000] = 0;
    assert_int_equal(td_trace_set_string(&td_trace_edit_info(trace)->program, name), 0);
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    struct td_trace *back = there_and_back(trace, NULL);
    assert_int_equal(strlen(td_trace_get_info(back)->program), 1 + 3 * 340);
    td_trace_destroy(trace);
    td_trace_destroy(back);
}

static void an_empty_trace_can_be_written(void **state)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    struct td_trace *back = there_and_back(trace, NULL);
    assert_int_equal(td_dict_track_count(td_trace_dict(back)), 0);
    td_trace_destroy(trace);
    td_trace_destroy(back);
}

static void bad_options_are_refused(void **state)
{
    struct td_trace *trace = rich_trace(6);
    struct td_err err = {0};
    assert_int_equal(td_file_write(trace, "/tmp/never", &(struct td_file_options){.streams = 256}, &err),
                     TD_E_USAGE);
    assert_int_equal(td_file_write(trace, "/tmp/never", &(struct td_file_options){.level = 23}, NULL),
                     TD_E_USAGE);
    td_trace_destroy(trace);
}

static void refused(const char *what, const void *data, size_t count, int code)
{
    char *path = temporary("bad.tracy");
    write_bytes(path, data, count);
    struct td_err err = {0};
    struct td_trace *trace = (struct td_trace *)1;
    int rc = td_file_read(path, &trace, &err);
    if (rc != code || err.code != code || trace || !strstr(err.text, "bad.tracy"))
        fail_msg("%s: %d instead of %d, %s", what, rc, code, err.text);
    free(path);
}

static void what_is_no_trace_is_refused_with_one_error(void **state)
{
    struct td_err err = {0};
    struct td_trace *trace;
    assert_int_equal(td_file_read("/nowhere/at/all.tracy", &trace, &err), TD_E_NOTFOUND);
    assert_null(trace);
    err = (struct td_err){0};
    assert_int_equal(td_file_read(temporary_folder(), &trace, &err), TD_E_FORMAT);
    refused("empty", "", 0, TD_E_FORMAT);
    refused("text", "name,src_file\n", 14, TD_E_FORMAT);
    refused("no streams", "tr\375P\1\0", 6, TD_E_FORMAT);
    refused("unknown compression", "tr\375P\2\1", 6, TD_E_FORMAT);
    refused("no block", "tr\375P\1\4", 6, TD_E_FORMAT);
    refused("no block, old", "tlZ\4", 4, TD_E_FORMAT);
    refused("giant block", "tlZ\4\377\377\377\377", 8, TD_E_FORMAT);
    struct bytes b = wrap_payload("tracy\0\17\0", 8);
    refused("of the future", b.data, b.count, TD_E_VERSION);
    free(b.data);
    b = wrap_payload("tracy\0\10\4", 8);
    refused("too old", b.data, b.count, TD_E_VERSION);
    free(b.data);
    b = wrap_payload("abcde\0\13\1", 8);
    refused("something else", b.data, b.count, TD_E_FORMAT);
    free(b.data);
}

/* False counts in a payload of one zone in one thread. */
static void counts_beyond_the_file_cost_nothing(void **state)
{
    struct td_trace *trace = rich_trace(6);
    char *path = temporary("counts.tracy");
    assert_int_equal(td_file_write(trace, path, NULL, NULL), 0);
    struct bytes good = payload_of(path);
    for (size_t at = 8; at + 8 <= good.count; at++) {
        uint8_t saved[8];
        memcpy(saved, good.data + at, 8);
        memset(good.data + at, 0xff, 8);
        struct bytes file = wrap_payload(good.data, good.count);
        write_bytes(path, file.data, file.count);
        struct td_err err = {0};
        struct td_trace *back;
        if (td_file_read(path, &back, &err) == 0) {
            assert_null(broken_rule(back));
            td_trace_destroy(back);
        } else {
            assert_true(err.code < 0 && err.text[0]);
        }
        free(file.data);
        memcpy(good.data + at, saved, 8);
    }
    free(good.data);
    free(path);
    td_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_comes_back_as_it_was_written),
        cmocka_unit_test(cores_in_contexts_come_back_as_tracks),
        cmocka_unit_test(texts_that_contexts_cannot_hold_are_reported),
        cmocka_unit_test(notes_and_lost_counts_come_back),
        cmocka_unit_test(waits_and_losses_stand_out_and_are_known_again),
        cmocka_unit_test(locations_beyond_the_limit_are_folded_and_reported),
        cmocka_unit_test(times_outside_of_the_format_are_moved_to_its_bounds),
        cmocka_unit_test(a_trace_with_frame_marks_alone_gets_the_frames_before_them),
        cmocka_unit_test(long_names_are_cut_between_characters),
        cmocka_unit_test(an_empty_trace_can_be_written),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(what_is_no_trace_is_refused_with_one_error),
        cmocka_unit_test(counts_beyond_the_file_cost_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
