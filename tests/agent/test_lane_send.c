/* A lane's events that are sent on while the core runs, at any moments: the trace is the one that the same
 * packets give when all events wait for the end. */
#include "host/agent/board/board_open.h"
#include "host/agent/board/lane_left.h"
#include "host/agent/board/lane_opens.h"
#include "host/agent/board/lane_send.h"
#include "proto/device/lane.h"
#include "tests/device/packet_writer.h"
#include "tests/device/tiny_elf.h"
#include "tests/trace/same_zones.h"

#include <stdio.h>
#include <unistd.h>

#define KERNEL    3 /* the site with BEGIN and END; the others have words */
#define DEEPEST   8
#define SLACK     1 /* ticks; a core that writes nothing for 500 of them is idle */
#define STEPS     3000
#define MOST_ROOM 4096

/* One of the two ways: a lane and its trace. */
struct way {
    struct td_dict *dict;
    struct td_trace *trace;
    struct td_store *store;
    struct td_images *images;
    struct td_lane_names names;
    struct td_lane_events lane;
    uint64_t sent; /* events */
};

struct world {
    struct way waits, streams;
    char elf[64];
    struct packet_writer out;
    uint32_t words[2 * MOST_ROOM];
    uint32_t seed, now, drained, horizon;
    int running, recursion;
    struct {
        uint32_t id, begin;
    } stack[DEEPEST];
    int depth;
    uint32_t open[TINY_ZONES]; /* the core's words */
    uint64_t zones;            /* that the trace has to have, without marks */
};

static uint32_t random_below(struct world *w, uint32_t limit)
{
    w->seed = w->seed * 1103515245u + 12345u;
    return (w->seed >> 8) % limit;
}

static void push(struct way *way, const struct td_event *events, size_t count)
{
    struct td_err err = {0};
    struct td_sink sink = td_trace_sink(way->trace);
    assert_int_equal(sink.events(sink.self, events, count, &err), 0);
}

static int take(void *self, struct td_event *events, size_t count)
{
    struct way *way = self;
    way->sent += count;
    if (way->lane.streams && getenv("SHOW"))
        for (size_t i = 0; i < count; i++)
            fprintf(stderr, "  %u %ld..%ld %s\n", events[i].kind, (long)events[i].time_ns,
                    events[i].kind == 0 ? (long)events[i].value.end_ns : 0L,
                    events[i].kind < 2 ? td_dict_zone_name(way->dict, events[i].srcloc) : "");
    push(way, events, count);
    return 0;
}

static void begin_way(struct way *way, const char *elf)
{
    way->dict = td_dict_create();
    way->trace = td_trace_create(way->dict);
    way->store = td_store_create(0);
    way->images = td_images_create(&elf, 1);
    assert_int_equal(td_lane_names_init(&way->names, way->dict, way->images, way->store), 0);
    td_lane_events_init(&way->lane, &way->names, "0/0,0/A");
    td_dict_track(way->dict, &(struct td_track){.thread = 1, .kind = TD_TRACK_CORE});
}

static void end_way(struct way *way)
{
    td_lane_events_free(&way->lane);
    td_lane_names_free(&way->names);
    td_images_destroy(way->images);
    td_store_destroy(way->store);
    td_trace_destroy(way->trace);
}

static struct world *begin(uint32_t seed)
{
    struct world *w = calloc(1, sizeof *w);
    w->seed = seed;
    w->now = 1000;
    snprintf(w->elf, sizeof w->elf, "/tmp/td-lane-send-%d.elf", (int)getpid());
    assert_int_equal(tiny_elf_write(w->elf, 0x400), 0);
    begin_way(&w->waits, w->elf);
    begin_way(&w->streams, w->elf);
    td_lane_stream(&w->streams.lane, SLACK);
    w->out = (struct packet_writer){.words = w->words, .room = MOST_ROOM};
    return w;
}

/* ---- the core ---- */

static void drain(struct world *w)
{
    assert_true(w->out.slots < MOST_ROOM);
    assert_int_equal(td_lane_events_words(&w->waits.lane, w->words, w->out.slots), 0);
    assert_int_equal(td_lane_events_words(&w->streams.lane, w->words, w->out.slots), 0);
    w->out.slots = 0;
    w->drained = w->now;
}

static uint32_t tick(struct world *w, uint32_t most)
{
    return w->now += 1 + random_below(w, most);
}

static void start_launch(struct world *w)
{
    put_head(&w->out, TD_PACKET_IMAGE, TD_DEVICE_PROTO_VERSION, (uint32_t)TINY_BUILD_ID);
    put_cont(&w->out, 0, TINY_BUILD_ID >> 32);
    put_head(&w->out, TD_PACKET_TIME, 0, 0);
    put_head(&w->out, TD_PACKET_BEGIN, KERNEL, tick(w, 20));
    w->running = 1;
}

static void open_zone(struct world *w)
{
    uint32_t id = random_below(w, KERNEL);
    for (int i = 0; i < w->depth && !w->recursion; i++)
        if (w->stack[i].id == id)
            return; /* all zones of a site share a word */
    if (w->depth == DEEPEST)
        return;
    w->stack[w->depth].id = id;
    w->stack[w->depth++].begin = w->open[id] = tick(w, 9);
}

/* The innermost zone ends; `lost`: its packet finds no room. */
static void close_zone(struct world *w, int lost)
{
    if (!w->depth)
        return;
    const uint32_t id = w->stack[--w->depth].id, begin = w->stack[w->depth].begin, end = tick(w, 30);
    w->open[id] = 0;
    if (lost)
        return;
    if (random_below(w, 6) == 0) { /* it waits for room, and says so before it is written */
        const uint32_t waited = 5 + random_below(w, 100);
        w->now += waited;
        put_head(&w->out, TD_PACKET_STALL, 0, w->now);
        put_cont(&w->out, 0, waited);
    }
    if (end - begin < 0x10000) {
        put_zone(&w->out, id, end - begin, end);
    } else {
        put_head(&w->out, TD_PACKET_ZONE, id, end);
        put_cont(&w->out, 0, end - begin);
    }
    w->zones++;
}

static void lose_some(struct world *w)
{
    const uint32_t from = tick(w, 5);
    /* Also zones that begin now and end later, but none that began before and so may have been seen open. */
    const int around = w->depth;
    for (uint32_t i = random_below(w, 12); i--;)
        random_below(w, 2) || w->depth == around ? open_zone(w) : close_zone(w, 1);
    tick(w, 5);
    put_head(&w->out, TD_PACKET_LOST, 0, w->now);
    put_cont(&w->out, 2, w->now - from);
    put_cont(&w->out, 1, 3);
    put_cont(&w->out, 0, 1);
}

/* The kernel returns, or calls exit() with zones open. */
static void end_launch(struct world *w)
{
    const int exits = random_below(w, 2) == 0 && !w->recursion; /* which its words would not show */
    while (w->depth && !exits)
        close_zone(w, 0);
    const uint32_t now = tick(w, 9);
    for (uint32_t id = 0; id < KERNEL && exits; id++) {
        if (w->open[id]) {
            put_head(&w->out, TD_PACKET_OPEN, id, now);
            put_cont(&w->out, 0, (uint64_t)TD_CORE_DONE << 32 | w->open[id]);
            w->zones++;
        }
        w->open[id] = 0;
    }
    w->depth = 0;
    put_head(&w->out, TD_PACKET_END, KERNEL, tick(w, 9));
    w->zones++;
    w->running = 0;
}

static void run_core(struct world *w, uint32_t longest)
{
    switch (w->running ? random_below(w, 20) : 100) {
    case 0:
        put_head(&w->out, TD_PACKET_ZVALUE, 0, tick(w, 5));
        put_cont(&w->out, 1, w->now);
        put_cont(&w->out, 0, 0);
        break;
    case 1:
        put_head(&w->out, TD_PACKET_EVENT, random_below(w, 50), tick(w, 5));
        break;
    case 2:
        if (random_below(w, 4) == 0 && !w->recursion)
            lose_some(w);
        break;
    case 3:
        if (random_below(w, longest) == 0)
            end_launch(w);
        break;
    case 100:
        tick(w, 500);
        start_launch(w);
        break;
    default:
        random_below(w, 2) ? open_zone(w) : close_zone(w, 0);
    }
}

/* ---- the agent ---- */

static void note_words(struct world *w, struct way *way)
{
    struct td_lane_events *lane = &way->lane;
    const struct td_image *image = lane->sites ? lane->sites->image : NULL;
    if (!image)
        return;
    assert_int_equal(td_open_watch_set_image(&lane->watch, image), 0);
    td_open_watch_note(&lane->watch, w->open, td_lane_events_launch(lane), w->now, w->now);
    td_lane_watch_looked(lane, w->now);
    assert_int_equal(td_lane_opens_looked(lane, w->now, w->now), 0);
}

static void look(struct world *w)
{
    if (!w->running || !td_lane_events_launch(&w->streams.lane))
        return;
    note_words(w, &w->waits);
    note_words(w, &w->streams);
}

static void send(struct world *w, int64_t horizon)
{
    const struct td_event settled = {.kind = TD_EVENT_SETTLED};
    if (getenv("SHOW"))
        fprintf(stderr, "send h %ld settled %ld now %u look %lu\n", (long)horizon,
                (long)w->streams.lane.settled, w->now, w->streams.lane.look_before);
    push(&w->streams, &settled, 1);
    assert_int_equal(td_lane_send(&w->streams.lane, horizon, take, &w->streams), 0);
    push(&w->streams, &settled, 1);
}

static void finish_way(struct world *w, struct way *way)
{
    struct td_err err = {0};
    if (w->running && w->depth)
        note_words(w, way);
    if (w->running)
        assert_int_equal(td_lane_events_left(&way->lane, TD_LANE_OPEN, "open when the recording ended"), 0);
    assert_int_equal(td_lane_events_end(&way->lane, 0, 0, 0), 0);
    if (way == &w->streams)
        send(w, TD_LANE_SEND_ALL);
    else
        assert_int_equal(td_lane_send(&way->lane, TD_LANE_SEND_ALL, take, way), 0);
    assert_int_equal(td_lane_log_waiting(&way->lane.log), 0);
    assert_int_equal(td_trace_finish(way->trace, &err), 0);
}

static void expect_same_messages(const struct td_trace *a, const struct td_trace *b)
{
    assert_int_equal(td_trace_messages(a), td_trace_messages(b));
    for (size_t i = 0; i < td_trace_messages(a); i++) {
        const struct td_message x = td_trace_message(a, i), y = td_trace_message(b, i);
        assert_true(x.time_ns == y.time_ns);
        assert_string_equal(td_dict_text(td_trace_dict(a), x.text), td_dict_text(td_trace_dict(b), y.text));
    }
}

static void free_world(struct world *w)
{
    end_way(&w->waits);
    end_way(&w->streams);
    unlink(w->elf);
    free(w);
}

static void end(struct world *w)
{
    drain(w);
    finish_way(w, &w->waits);
    finish_way(w, &w->streams);
    expect_same_zones(w->waits.trace, 0, w->streams.trace, 0);
    expect_same_messages(w->waits.trace, w->streams.trace);
    assert_true(w->waits.lane.zones == w->streams.lane.zones);
    assert_true(w->waits.lane.left_open == w->streams.lane.left_open);
    free_world(w);
}

/* Runs the core; drains, looks and sends at random moments. `longest`: of launches. */
static void run(struct world *w, uint32_t longest, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++) {
        run_core(w, longest);
        if (w->now - w->drained > 400 || random_below(w, 10) == 0)
            drain(w);
        if (random_below(w, 40) == 0)
            look(w);
        if (random_below(w, 15) == 0) {
            const uint32_t to = w->now - random_below(w, 400);
            w->horizon = to > w->horizon ? to : w->horizon;
            send(w, w->horizon);
        }
    }
}

static void any_moments_give_the_trace_of_the_end(void **state)
{
    uint64_t sent = 0, all = 0;
    for (uint32_t seed = 1; seed <= 150; seed++) {
        struct world *w = begin(seed);
        run(w, 1 + seed % 7 * 8, STEPS);
        sent += w->streams.sent;
        all += td_lane_log_count(&w->streams.lane.log);
        assert_int_equal(td_trace_settled_early(w->streams.trace), 0);
        end(w);
    }
    assert_true(sent > all * 9 / 10); /* before the end */
}

/* A core in a recursion has open zones that nothing shows. */
static void zones_of_a_recursion_are_nested_at_the_end(void **state)
{
    uint32_t early = 0;
    for (uint32_t seed = 1; seed <= 60; seed++) {
        struct world *w = begin(seed);
        w->recursion = 1;
        for (int i = 0; i < 4; i++)
            run(w, 20, STEPS / 4);
        while (w->depth) /* exit() could not report them either */
            close_zone(w, 0);
        early += td_trace_settled_early(w->streams.trace);
        assert_true(w->zones > 100);
        end(w);
    }
    assert_true(early > 0);
}

/* For the tests below: both ways get the same, then the streaming one sends all that it may. */
static void drain_and_send(struct world *w)
{
    drain(w);
    send(w, w->now + 10);
}

/* Policy overwrite: the BEGIN of the launch is among the packets that the core has overwritten, so the launch
 * comes as a whole, at its end. */
static void an_overwritten_begin_comes_with_its_end(void **state)
{
    struct world *w = begin(1);
    start_launch(w);
    put_head(&w->out, TD_PACKET_END, KERNEL, tick(w, 9));
    drain_and_send(w);
    const uint32_t start = tick(w, 9);
    td_lane_events_overwritten(&w->waits.lane, (struct td_lane_packets){2, 1});
    td_lane_events_overwritten(&w->streams.lane, (struct td_lane_packets){2, 1});
    put_head(&w->out, TD_PACKET_TIME, 0, 0);
    for (int i = 0; i < 50; i++) {
        w->now += 10;
        put_zone(&w->out, 0, 5, w->now);
        drain_and_send(w);
    }
    assert_int_equal(td_trace_row_zones(w->streams.trace, 0, 0), 1); /* the first launch */
    put_head(&w->out, TD_PACKET_WHOLE, KERNEL, tick(w, 9));
    put_cont(&w->out, 0, w->now - start);
    put_head(&w->out, TD_PACKET_EVENT, 1, tick(w, 9));
    drain_and_send(w);
    /* The report of what was overwritten ends where this launch began. */
    assert_int_equal(td_trace_row_zones(w->streams.trace, 0, 0), 3);
    assert_int_equal(td_trace_row_zones(w->streams.trace, 0, 1), 50);
    w->running = 0;
    end(w);
}

/* Policy drop: a zone that was shown ends while the lane is full. */
static void a_zone_whose_end_was_lost_ends_where_packets_are_missing(void **state)
{
    struct world *w = begin(1);
    start_launch(w);
    const uint32_t outer = w->open[1] = tick(w, 9);
    put_zone(&w->out, 0, 5, w->now += 10);
    drain(w);
    w->now += 10;
    look(w);
    put_zone(&w->out, 0, 5, w->now += 10);
    drain_and_send(w);
    assert_int_equal(td_trace_row_zones(w->streams.trace, 0, 1), 1); /* it is shown */
    assert_true(td_trace_zone(w->streams.trace, 0, 1, 0).end_ns == TD_OPEN);
    const uint32_t from = w->now += 10;
    w->open[1] = 0;
    put_head(&w->out, TD_PACKET_LOST, 0, w->now += 100);
    put_cont(&w->out, 2, w->now - from);
    put_cont(&w->out, 1, 1);
    put_cont(&w->out, 0, 0);
    for (int i = 0; i < 100; i++)
        put_zone(&w->out, 0, 5, w->now += 10);
    drain_and_send(w);
    assert_int_equal(td_trace_row_zones(w->streams.trace, 0, 2), 1); /* the rest waits for an answer */
    w->now += 10;
    look(w);
    put_zone(&w->out, 0, 5, w->now += 10);
    drain_and_send(w);
    const struct td_zone zone = td_trace_zone(w->streams.trace, 0, 1, 0);
    assert_true(zone.start_ns == outer && zone.end_ns == from);
    assert_string_equal(td_dict_text(w->streams.dict, zone.text), "its end was lost");
    assert_int_equal(td_trace_row_zones(w->streams.trace, 0, 1),
                     1 + 1 + 100); /* and the report of the loss */
    put_head(&w->out, TD_PACKET_END, KERNEL, w->now += 10);
    drain(w);
    w->running = 0;
    finish_way(w, &w->waits);
    finish_way(w, &w->streams);
    assert_int_equal(td_trace_settled_early(w->streams.trace) + td_trace_clamped(w->streams.trace), 0);
    free_world(w);
}

/* A span that its kernel forgets to close: the zone around it ends. */
static void a_zone_that_was_left_ends_with_the_zone_around_it(void **state)
{
    struct world *w = begin(1);
    start_launch(w);
    const uint32_t outer = w->open[1] = tick(w, 9), inner = w->open[2] = tick(w, 9);
    drain(w);
    w->now += 10;
    look(w);
    put_zone(&w->out, 0, 5, w->now += 10);
    drain_and_send(w);
    assert_int_equal(td_trace_row_zones(w->streams.trace, 0, 2), 1);
    w->open[1] = 0;
    w->now += 20;
    const uint32_t ended = w->now;
    put_zone(&w->out, 1, ended - outer, ended);
    for (int i = 0; i < 100; i++)
        put_zone(&w->out, 0, 5, w->now += 10);
    put_head(&w->out, TD_PACKET_OPEN, 2, w->now += 10);
    put_cont(&w->out, 0, (uint64_t)TD_CORE_DONE << 32 | inner);
    put_head(&w->out, TD_PACKET_END, KERNEL, w->now += 10);
    drain_and_send(w);
    const struct td_zone left = td_trace_zone(w->streams.trace, 0, 2, 0);
    assert_true(left.start_ns == inner && left.end_ns == ended - 1);
    assert_string_equal(td_dict_text(w->streams.dict, left.text), "open when the zone around it ended");
    assert_int_equal(td_trace_row_zones(w->streams.trace, 0, 1), 101);
    w->running = 0;
    finish_way(w, &w->waits);
    finish_way(w, &w->streams);
    assert_int_equal(td_trace_settled_early(w->streams.trace) + td_trace_clamped(w->streams.trace), 0);
    assert_true(w->streams.lane.left_open == 1 && w->streams.lane.zones == w->waits.lane.zones);
    free_world(w);
}

static void note_at(struct way *way, const uint32_t *words, uint64_t now)
{
    struct td_err err = {0};
    assert_int_equal(td_board_open_note(&way->lane, words, TINY_ZONES, now, now, &err), 0);
}

/* The low half of the zone's begin has been there twice since the words were read before. */
static void a_begin_that_is_not_sure_is_not_shown(void **state)
{
    const uint64_t second = UINT64_C(1) << 32;
    struct world *w = begin(1);
    start_launch(w);
    drain(w);
    struct way *const ways[] = {&w->waits, &w->streams};
    for (int i = 0; i < 2; i++)
        note_at(ways[i], w->open, w->now + 10);
    w->open[1] = 4000;
    for (int i = 0; i < 2; i++)
        note_at(ways[i], w->open, second + 4200);
    put_head(&w->out, TD_PACKET_TIME, 0, 1);
    put_zone(&w->out, 0, 5, 4210);
    drain(w);
    send(w, (int64_t)second + 4300);
    put_zone(&w->out, 1, 500, 4500);
    put_zone(&w->out, 0, 5, 4600);
    w->open[1] = 0;
    drain(w);
    send(w, (int64_t)second + 4700);
    put_head(&w->out, TD_PACKET_END, KERNEL, 5000);
    drain(w);
    w->running = 0;
    for (int i = 0; i < 2; i++)
        finish_way(w, ways[i]);
    expect_same_zones(w->waits.trace, 0, w->streams.trace, 0);
    const struct td_zone zone = td_trace_zone(w->streams.trace, 0, 1, 0);
    assert_true(zone.start_ns == (int64_t)second + 4000 && zone.end_ns == (int64_t)second + 4500);
    assert_true(w->streams.lane.left_open == 0 && w->streams.lane.zones == 4);
    assert_int_equal(td_trace_track_zones(w->streams.trace, 0), 4);
    free_world(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_moments_give_the_trace_of_the_end),
        cmocka_unit_test(zones_of_a_recursion_are_nested_at_the_end),
        cmocka_unit_test(an_overwritten_begin_comes_with_its_end),
        cmocka_unit_test(a_zone_whose_end_was_lost_ends_where_packets_are_missing),
        cmocka_unit_test(a_zone_that_was_left_ends_with_the_zone_around_it),
        cmocka_unit_test(a_begin_that_is_not_sure_is_not_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
