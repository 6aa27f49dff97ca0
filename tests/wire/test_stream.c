/* The decoder of a client's stream: item by item, and with random and damaged bytes. */
#include "tests/wire/event_log.h"
#include "host/wire/items.h"
#include "tests/wire/stream_check.h"
#include "tests/wire/stream_feed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

/* A frame under construction, and the stream that it is fed to. */
struct bench {
    struct event_log log;
    struct td_client_stream *stream;
    uint8_t *at, frame[8192];
};

static void begin_stream(struct bench *bench, uint32_t space)
{
    struct td_client_stream_config config = {.release = &td_wire_69,
                                             .hub = bench->log.hub,
                                             .ns_per_tick = 2,
                                             .zero_ticks = 1000,
                                             .query_space = space};
    bench->stream = td_client_stream_create(&config);
    assert_non_null(bench->stream);
    bench->at = bench->frame;
}

static void begin(struct bench *bench, uint32_t space)
{
    event_log_init(&bench->log);
    begin_stream(bench, space);
}

static void send_frame(struct bench *bench)
{
    struct td_err err = {0};
    int bad = td_client_stream_frame(bench->stream, bench->frame, (size_t)(bench->at - bench->frame), &err);
    if (bad)
        fail_msg("%s", err.text);
    bench->at = bench->frame;
}

static void end(struct bench *bench)
{
    assert_null(event_log_fault(&bench->log));
    td_client_stream_destroy(bench->stream);
    event_log_finish(&bench->log);
}

#define PUT(bench, NAME, ...)                                                                                \
    ((bench)->at = td_wire_put_##NAME((bench)->at, &td_wire_69, &(struct td_wire_##NAME){__VA_ARGS__}))

static void put_text(struct bench *bench, const char *text)
{
    uint16_t count = (uint16_t)strlen(text);
    memcpy(bench->at, &count, 2);
    memcpy(bench->at + 2, text, count);
    bench->at += 2 + count;
}

static void put_string(struct bench *bench, uint64_t key, const char *text)
{
    PUT(bench, StringData, key);
    put_text(bench, text);
}

static void put_single(struct bench *bench, const char *text)
{
    bench->at = td_wire_put_SingleStringData(bench->at, &td_wire_69, NULL);
    put_text(bench, text);
}

/* Takes one query. */
static struct td_wire_query asked(struct bench *bench)
{
    uint8_t bytes[TD_WIRE_QUERY_BYTES];
    struct td_wire_query query = {TD_QUERY_COUNT, 0, 0};
    if (td_client_stream_queries(bench->stream, bytes, sizeof bytes))
        td_wire_get_query(bytes, &td_wire_69, &query);
    return query;
}

static void expect_query(struct bench *bench, enum td_query query, uint64_t ptr)
{
    struct td_wire_query got = asked(bench);
    assert_int_equal(got.query, query);
    assert_int_equal(got.ptr, ptr);
}

static void events_wait_for_their_names_and_keep_their_order(void **state)
{
    struct bench bench;
    begin(&bench, 100);
    PUT(&bench, ThreadContext, 7);
    PUT(&bench, ZoneBegin, 1000, 0xa0);
    put_single(&bench, "note");
    bench.at = td_wire_put_ZoneText(bench.at, &td_wire_69, NULL);
    PUT(&bench, ZoneEnd, 50);
    PUT(&bench, PlotDataInt, 0xb0, 10, -3);
    send_frame(&bench);
    assert_int_equal(bench.log.count, 0);
    assert_false(td_client_stream_is_complete(bench.stream));
    expect_query(&bench, TD_QUERY_SourceLocation, 0xa0);
    expect_query(&bench, TD_QUERY_ThreadString, 7);
    expect_query(&bench, TD_QUERY_PlotName, 0xb0);
    expect_query(&bench, TD_QUERY_COUNT, 0);
    PUT(&bench, SourceLocation, 1, 2, 3, 44, 0x30, 0x20, 0x10);
    send_frame(&bench);
    expect_query(&bench, TD_QUERY_String, 1);
    expect_query(&bench, TD_QUERY_String, 2);
    expect_query(&bench, TD_QUERY_String, 3);
    put_string(&bench, 3, "file.c");
    put_string(&bench, 1, "zone");
    send_frame(&bench);
    assert_int_equal(bench.log.count, 0);
    put_string(&bench, 2, "function");
    send_frame(&bench);
    assert_int_equal(bench.log.count, 3);
    assert_int_equal(bench.log.events[0].kind, TD_EVENT_ZONE_BEGIN);
    assert_int_equal(bench.log.events[0].time_ns, 0);
    assert_int_equal(bench.log.events[1].kind, TD_EVENT_ZONE_TEXT);
    assert_int_equal(bench.log.events[2].kind, TD_EVENT_ZONE_END);
    assert_int_equal(bench.log.events[2].time_ns, 100);
    const struct td_srcloc *srcloc = td_dict_get_srcloc(bench.log.dict, bench.log.events[0].srcloc);
    assert_string_equal(td_dict_text(bench.log.dict, srcloc->file), "file.c");
    assert_int_equal(srcloc->line, 44);
    assert_int_equal(srcloc->color, 0x102030);
    PUT(&bench, ThreadName, 7);
    put_text(&bench, "main");
    PUT(&bench, PlotName, 0xb0);
    put_text(&bench, "curve");
    send_frame(&bench);
    assert_int_equal(event_log_zones_on(&bench.log, "main", "zone"), 1);
    assert_int_equal(event_log_named(&bench.log, TD_EVENT_PLOT, "curve"), 1);
    assert_true(bench.log.events[3].value.f64 == -3);
    assert_true(td_client_stream_is_complete(bench.stream));
    end(&bench);
}

static void no_more_queries_are_out_than_the_peer_has_space_for(void **state)
{
    struct bench bench;
    begin(&bench, 3);
    for (uint64_t i = 1; i <= 8; i++)
        PUT(&bench, MessageLiteral, 1000, i, 0);
    PUT(&bench, ThreadContext, 1);
    for (uint64_t i = 1; i <= 8; i++)
        PUT(&bench, MessageLiteral, 1000, i, 0);
    send_frame(&bench);
    uint8_t bytes[100 * TD_WIRE_QUERY_BYTES];
    assert_int_equal(td_client_stream_queries(bench.stream, bytes, sizeof bytes), 3 * TD_WIRE_QUERY_BYTES);
    assert_int_equal(td_client_stream_queries(bench.stream, bytes, sizeof bytes), 0);
    put_string(&bench, 1, "one");
    bench.at = td_wire_put_AckServerQueryNoop(bench.at, &td_wire_69, NULL);
    send_frame(&bench);
    assert_int_equal(td_client_stream_queries(bench.stream, bytes, sizeof bytes), 2 * TD_WIRE_QUERY_BYTES);
    end(&bench);
}

static void what_never_gets_a_name_comes_out_at_the_end_without(void **state)
{
    struct bench bench;
    begin(&bench, 100);
    PUT(&bench, ThreadContext, 7);
    PUT(&bench, ZoneBegin, 1100, 0xa0);
    PUT(&bench, MessageLiteral, 1105, 0xc0, 0);
    PUT(&bench, ZoneEnd, 10);
    PUT(&bench, FrameMarkMsg, 1200, 0xd0);
    send_frame(&bench);
    assert_int_equal(bench.log.count, 0);
    struct td_err err = {0};
    assert_int_equal(td_client_stream_close(bench.stream, &err), 0);
    assert_int_equal(bench.log.count, 4);
    assert_int_equal(event_log_zones(&bench.log, TD_CLIENT_UNKNOWN), 1);
    assert_int_equal(event_log_named(&bench.log, TD_EVENT_MESSAGE, TD_CLIENT_UNKNOWN), 1);
    assert_int_equal(event_log_named(&bench.log, TD_EVENT_FRAME, TD_CLIENT_UNKNOWN), 1);
    assert_int_equal(td_client_stream_counts(bench.stream)->unnamed, 3);
    end(&bench);
}

/* The state of a sink that only counts events. */
struct flood {
    uint64_t zones, ends, others;
    uint32_t srcloc, message, plot, set;
};

static int count_flood(void *self, const struct td_event *events, size_t count, struct td_err *err)
{
    struct flood *flood = self;
    for (size_t i = 0; i < count; i++) {
        switch (events[i].kind) {
        case TD_EVENT_ZONE_BEGIN:
            flood->zones++;
            flood->srcloc = events[i].srcloc;
            break;
        case TD_EVENT_ZONE_END:
            flood->ends++;
            break;
        case TD_EVENT_MESSAGE:
            flood->message = events[i].subject;
            break;
        case TD_EVENT_PLOT:
            flood->plot = events[i].subject;
            break;
        case TD_EVENT_FRAME:
            flood->set = events[i].subject;
            break;
        default:
            flood->others++;
        }
    }
    return 0;
}

/* Counts events instead of keeping them. */
static void begin_flood(struct bench *bench, struct flood *flood)
{
    *flood = (struct flood){0};
    event_log_init(&bench->log);
    td_hub_destroy(bench->log.hub);
    bench->log.hub = td_hub_create(bench->log.dict);
    assert_non_null(bench->log.hub);
    assert_int_equal(td_hub_add_sink(bench->log.hub, (struct td_sink){.events = count_flood, .self = flood}),
                     0);
    begin_stream(bench, 100);
    PUT(bench, ThreadContext, 7);
    PUT(bench, MessageLiteral, 1005, 0xc0, 0);
    PUT(bench, PlotDataInt, 0xb0, 10, -3);
    PUT(bench, FrameMarkMsg, 1200, 0xd0);
    send_frame(bench);
}

static void send_zones(struct bench *bench, uint64_t count)
{
    for (uint64_t sent = 0; sent < count; sent++) {
        if (bench->at == bench->frame)
            PUT(bench, ThreadContext, 7);
        PUT(bench, ZoneBegin, 1, 0xa0);
        PUT(bench, ZoneEnd, 1);
        if (bench->at > bench->frame + sizeof bench->frame - 100)
            send_frame(bench);
    }
    send_frame(bench);
}

static void answer_flood(struct bench *bench)
{
    PUT(bench, SourceLocation, 1, 2, 3, 44, 0x30, 0x20, 0x10);
    put_string(bench, 3, "file.c");
    put_string(bench, 1, "zone");
    put_string(bench, 0xc0, "literal");
    PUT(bench, PlotName, 0xb0);
    put_text(bench, "curve");
    PUT(bench, FrameName, 0xd0);
    put_text(bench, "set");
    put_string(bench, 2, "function");
    send_frame(bench);
}

static void check_flood(const struct bench *bench, const struct flood *flood, uint64_t zones)
{
    const struct td_dict *dict = bench->log.dict;
    const struct td_srcloc *srcloc = td_dict_get_srcloc(dict, flood->srcloc);
    assert_int_equal(flood->zones, zones);
    assert_int_equal(flood->ends, zones);
    assert_int_equal(flood->others, 0);
    assert_string_equal(td_dict_text(dict, srcloc->name), "zone");
    assert_string_equal(td_dict_text(dict, srcloc->function), "function");
    assert_string_equal(td_dict_text(dict, srcloc->file), "file.c");
    assert_int_equal(srcloc->line, 44);
    assert_string_equal(td_dict_text(dict, flood->message), "literal");
    assert_int_equal(td_dict_text_bytes(dict, flood->message), 7);
    assert_string_equal(td_dict_text(dict, td_dict_get_plot(dict, flood->plot)->name), "curve");
    assert_string_equal(td_dict_text(dict, td_dict_get_frame_set(dict, flood->set, NULL)), "set");
    assert_int_equal(td_client_stream_counts(bench->stream)->unnamed, 0);
}

/* More events than a queue can hold (a few more than 2^24) before the first answer. */
static void answers_that_come_after_a_flood_name_all_of_it(void **state)
{
    enum { ZONES = 9000000, MORE = 1000 };
    struct bench bench;
    struct flood flood;
    begin_flood(&bench, &flood);
    send_zones(&bench, ZONES);
    assert_true(flood.zones + TD_CLIENT_PENDING_MAX >= ZONES);
    answer_flood(&bench);
    send_zones(&bench, MORE);
    check_flood(&bench, &flood, ZONES + MORE);
    end(&bench);
}

/* A missing answer is counted once for each event that was delivered without its name. */
static void a_flood_that_is_never_answered_is_counted(void **state)
{
    enum { ZONES = 1000000 };
    struct bench bench;
    struct flood flood;
    begin_flood(&bench, &flood);
    send_zones(&bench, ZONES);
    PUT(&bench, SourceLocation, 1, 2, 3, 44, 0x30, 0x20, 0x10);
    put_string(&bench, 1, "zone");
    send_frame(&bench);
    struct td_err err = {0};
    assert_int_equal(td_client_stream_close(bench.stream, &err), 0);
    assert_int_equal(flood.zones, ZONES);
    const struct td_dict *dict = bench.log.dict;
    const struct td_srcloc *srcloc = td_dict_get_srcloc(dict, flood.srcloc);
    assert_string_equal(td_dict_text(dict, srcloc->name), "zone");
    assert_string_equal(td_dict_text(dict, srcloc->function), TD_CLIENT_UNKNOWN);
    assert_string_equal(td_dict_text(dict, flood.message), TD_CLIENT_UNKNOWN);
    assert_int_equal(td_client_stream_counts(bench.stream)->unnamed, ZONES + 3);
    end(&bench);
}

static void items_that_make_no_sense_are_counted_and_left_out(void **state)
{
    struct bench bench;
    begin(&bench, 100);
    PUT(&bench, ZoneEnd, 5); /* no thread yet */
    PUT(&bench, ThreadContext, 7);
    PUT(&bench, ZoneEnd, 2000);
    put_single(&bench, "lost");
    bench.at = td_wire_put_ZoneName(bench.at, &td_wire_69, NULL);
    PUT(&bench, ZoneValue, 4);
    PUT(&bench, FrameMarkMsgEnd, 2000, 0xd0);
    PUT(&bench, PlotDataDouble, 0xb0, 1, __builtin_nan(""));
    PUT(&bench, SourceLocationPayload, 1);
    put_text(&bench, "short");
    PUT(&bench, ZoneBeginAllocSrcLoc, 10);
    PUT(&bench, ZoneEnd, -5000); /* before its begin: corrected to the begin */
    send_frame(&bench);
    struct td_err err = {0};
    td_client_stream_close(bench.stream, &err);
    assert_int_equal(bench.log.count, 2 + 5); /* five kinds of wrong markers are noted */
    const struct td_client_counts *counts = td_client_stream_counts(bench.stream);
    assert_int_equal(counts->ignored, 6);
    assert_int_equal(counts->time_bent, 1);
    end(&bench);
}

static void an_event_before_the_begin_moves_it_unless_there_is_no_room(void **state)
{
    struct bench bench;
    event_log_init(&bench.log);
    struct td_client_stream_config config = {.release = &td_wire_69,
                                             .hub = bench.log.hub,
                                             .ns_per_tick = 2,
                                             .zero_ticks = 1000,
                                             .zero_ns = 10000,
                                             .begin_ticks = 1500,
                                             .query_space = 100};
    bench.stream = td_client_stream_create(&config);
    bench.at = bench.frame;
    assert_int_equal(td_client_stream_begin_ns(bench.stream), 11000);
    PUT(&bench, ThreadContext, 7);
    PUT(&bench, ZoneBegin, 1600, 0xe0); /* one by one, and then as a run */
    PUT(&bench, ZoneEnd, 10);
    send_frame(&bench);
    assert_int_equal(td_client_stream_begin_ns(bench.stream), 11000);
    PUT(&bench, ThreadContext, 8);
    PUT(&bench, PlotDataDouble, 0xb0, 1400, 1);
    send_frame(&bench);
    assert_int_equal(td_client_stream_begin_ns(bench.stream), 10800);
    PUT(&bench, ThreadContext, 9);
    PUT(&bench, ZoneBegin, 900, 0xe0);
    PUT(&bench, ZoneEnd, 10);
    PUT(&bench, ZoneBegin, 10, 0xe0);
    PUT(&bench, ZoneEnd, 10);
    send_frame(&bench);
    assert_int_equal(td_client_stream_begin_ns(bench.stream), 9800);
    assert_int_equal(td_client_stream_counts(bench.stream)->time_bent, 0);
    PUT(&bench, ThreadContext, 10);
    PUT(&bench, PlotDataDouble, 0xb0, -4500, 1); /* 11000 ns before the zero point */
    PUT(&bench, ThreadContext, 11);
    PUT(&bench, ZoneBegin, -4500, 0xe0);
    PUT(&bench, ZoneEnd, 5000);
    send_frame(&bench);
    assert_int_equal(td_client_stream_begin_ns(bench.stream), 9000);       /* the end */
    assert_int_equal(td_client_stream_counts(bench.stream)->time_bent, 2); /* became 0 */
    struct td_err err = {0};
    assert_int_equal(td_client_stream_close(bench.stream, &err), 0);
    const int64_t times[] = {11200, 11220, 10800, 9800, 9820, 9840, 9860, 0, 0, 9000};
    assert_int_equal(bench.log.count, sizeof times / sizeof *times);
    for (size_t i = 0; i < bench.log.count; i++)
        assert_int_equal(bench.log.events[i].time_ns, times[i]);
    end(&bench);
}

static void clocks_of_items_that_are_not_kept_count(void **state)
{
    struct bench bench;
    begin(&bench, 100);
    PUT(&bench, ThreadContext, 7);
    PUT(&bench, GpuZoneBegin, 1100, 7, 0, 0, 0xe0);
    PUT(&bench, SourceLocationPayload, 1);
    uint16_t count = 13;
    memcpy(bench.at, &count, 2);
    memcpy(bench.at + 2, "\0\0\0\0\5\0\0\0f\0g\0n", 13);
    bench.at += 15;
    PUT(&bench, ZoneBeginAllocSrcLoc, 50);
    PUT(&bench, GpuZoneEnd, 25, 7, 1, 0);
    PUT(&bench, ZoneEnd, 25);
    send_frame(&bench);
    expect_query(&bench, TD_QUERY_SourceLocation, 0xe0);
    assert_int_equal(bench.log.count, 2);
    assert_int_equal(bench.log.events[0].time_ns, 300);
    assert_int_equal(bench.log.events[1].time_ns, 400);
    assert_int_equal(event_log_zones(&bench.log, "n"), 1);
    end(&bench);
}

static uint64_t seed = 7;
static uint32_t next_random(void)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(seed >> 33);
}

#define RELEASES 8u

/* Ids that change the most state are more frequent. */
static uint8_t random_id(const struct td_wire_release *release)
{
    static const uint8_t often[] = {
        TD_ITEM_ZoneBegin,       TD_ITEM_ZoneEnd,          TD_ITEM_ThreadContext,      TD_ITEM_SourceLocation,
        TD_ITEM_StringData,      TD_ITEM_GpuNewContext,    TD_ITEM_GpuZoneBegin,       TD_ITEM_GpuZoneEnd,
        TD_ITEM_GpuTime,         TD_ITEM_CallstackPayload, TD_ITEM_CallstackFrameSize, TD_ITEM_ContextSwitch,
        TD_ITEM_SingleStringData};
    if (next_random() % 3 == 0)
        return td_wire_id(release, often[next_random() % sizeof often]);
    uint8_t id;
    do
        id = (uint8_t)(next_random() % 132);
    while (td_wire_item_of(release, id) == TD_WIRE_NONE);
    return id;
}

/* Items of the table with random contents from small ranges, so that keys match often. */
static size_t random_items(uint8_t *to, size_t room, uint32_t which)
{
    const struct td_wire_release *release = td_wire_release_at(which);
    size_t bytes = 1;
    to[0] = (uint8_t)(1 | which << 1 | (next_random() & 15) << 4);
    while (bytes + 80 < room) {
        uint8_t id = random_id(release), item = td_wire_item_of(release, id);
        const struct td_wire_item_info *info = &td_wire_item_infos[item];
        if (info->tail == TD_TAIL_NEVER && next_random() % 50)
            continue;
        to[bytes] = id;
        size_t fixed = td_wire_fixed_bytes(release, item);
        for (size_t i = 1; i < fixed; i++)
            to[bytes + i] = next_random() % 4 ? 0 : (uint8_t)(next_random() % 3);
        bytes += fixed;
        uint32_t count = next_random() % 20, said = count;
        size_t count_bytes = info->tail == TD_TAIL_BYTES8    ? 1
                             : info->tail == TD_TAIL_BYTES16 ? 2
                             : info->tail == TD_TAIL_BYTES32 ? 4
                                                             : 0;
        if (info->tail == TD_TAIL_STRING16) {
            count_bytes = 2;
            if (release->short_forms)
                continue; /* 256 bytes and more */
        }
        if (!count_bytes)
            continue;
        memcpy(to + bytes, &said, count_bytes);
        bytes += count_bytes;
        for (uint32_t i = 0; i < count; i++)
            to[bytes++] = (uint8_t)(next_random() % 3);
    }
    return bytes;
}

static void random_streams_never_break_what_comes_out(void **state)
{
    static uint8_t bytes[4097];
    for (uint32_t round = 0; round < 3000; round++)
        stream_check(bytes, random_items(bytes, 100 + next_random() % 3990, round % RELEASES));
    for (int round = 0; round < 1000; round++) {
        size_t n = 1 + next_random() % 300;
        for (size_t i = 0; i < n; i++)
            bytes[i] = (uint8_t)next_random();
        stream_check(bytes, n);
    }
}

static void recorded_streams_with_wrong_bits_never_break_what_comes_out(void **state)
{
    static const char *const names[] = {"killed", "crash", "gpu", "ondemand", "switches"};
    static uint8_t seed_bytes[65536], bytes[65536];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[512];
        snprintf(path, sizeof path, TD_SOURCE_DIR "/tests/data/fuzz/fuzz_wire/%s", names[i]);
        FILE *f = fopen(path, "rb");
        assert_non_null(f);
        size_t n = fread(seed_bytes, 1, sizeof seed_bytes, f);
        fclose(f);
        assert_true(n > 100);
        stream_check(seed_bytes, n);
        for (int round = 0; round < 300; round++) {
            memcpy(bytes, seed_bytes, n);
            for (uint32_t flips = 1 + next_random() % 4; flips; flips--)
                bytes[1 + next_random() % (n - 1)] ^= (uint8_t)(1 << next_random() % 8);
            stream_check(bytes, round % 3 ? n : 1 + next_random() % n);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_wait_for_their_names_and_keep_their_order),
        cmocka_unit_test(no_more_queries_are_out_than_the_peer_has_space_for),
        cmocka_unit_test(what_never_gets_a_name_comes_out_at_the_end_without),
        cmocka_unit_test(answers_that_come_after_a_flood_name_all_of_it),
        cmocka_unit_test(a_flood_that_is_never_answered_is_counted),
        cmocka_unit_test(items_that_make_no_sense_are_counted_and_left_out),
        cmocka_unit_test(an_event_before_the_begin_moves_it_unless_there_is_no_room),
        cmocka_unit_test(clocks_of_items_that_are_not_kept_count),
        cmocka_unit_test(random_streams_never_break_what_comes_out),
        cmocka_unit_test(recorded_streams_with_wrong_bits_never_break_what_comes_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
