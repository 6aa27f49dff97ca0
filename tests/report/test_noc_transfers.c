/* Transfers over the NoC: what cores' messages say, the links of their ways, and the bytes of each link. */
#include "host/report/noc/noc_route.h"
#include "proto/track.h"
#include "proto/track_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Logical tile 0,0 is at 1,1 of the NoC, logical tile 1,1 at 3,2. */
#define MAP    "chip 0 map 4x3 columns 1,3 rows 1-2 tiles D.EE/DTxT/ATxT"
#define WIDTH  4
#define HEIGHT 3

static const struct td_noc_size size = {WIDTH, HEIGHT};

struct line {
    int64_t time_ns;
    unsigned x, y, core; /* of the track */
    const char *text;
};

struct made {
    struct td_trace *trace;
    struct td_hub *hub;
};

static struct made make_trace(const struct line *lines, size_t count, bool with_map)
{
    struct td_err err = {0};
    struct td_dict *dict = td_dict_create();
    struct made m = {td_trace_create(dict), td_hub_create(dict)};
    assert_int_equal(td_hub_add_sink(m.hub, td_trace_sink(m.trace)), 0);
    for (size_t i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, TD_TRACK_NAME_FORMAT, 0u, lines[i].x, lines[i].y,
                 lines[i].core ? "NCRISC" : "BRISC");
        const struct td_track t = {.thread = td_track_id(0, lines[i].x, lines[i].y, lines[i].core),
                                   .name = td_dict_cstring(dict, name),
                                   .kind = TD_TRACK_CORE,
                                   .core = (uint8_t)lines[i].core,
                                   .x = (uint16_t)lines[i].x,
                                   .y = (uint16_t)lines[i].y};
        const struct td_event event = {.kind = TD_EVENT_MESSAGE,
                                       .time_ns = lines[i].time_ns,
                                       .track = td_dict_track(dict, &t),
                                       .subject = td_dict_cstring(dict, lines[i].text)};
        assert_int_equal(td_hub_push(m.hub, &event, 1, &err), 0);
    }
    if (with_map)
        assert_int_equal(td_trace_note(m.trace, TD_NOTE_CHIP_MAP, "%s", MAP), 0);
    assert_int_equal(td_trace_finish(m.trace, &err), 0);
    return m;
}

static void drop_trace(struct made *m)
{
    td_hub_destroy(m->hub);
    td_trace_destroy(m->trace);
}

static void check_transfer(const struct td_noc_transfer *t, unsigned type, unsigned bytes, const int way[4],
                           int64_t done_ns)
{
    assert_int_equal(t->type, type);
    assert_int_equal(t->bytes, bytes);
    assert_int_equal(t->from.x, way[0]);
    assert_int_equal(t->from.y, way[1]);
    assert_int_equal(t->to.x, way[2]);
    assert_int_equal(t->to.y, way[3]);
    assert_int_equal(t->done_ns, done_ns);
}
#define WAY(...) ((const int[4]){__VA_ARGS__})

/* A read's data comes to the core, a write's leaves it; each ends with the first barrier that waits for
 * it. */
static void transfers_have_the_places_and_ends_that_their_core_gave(void **state)
{
    static const struct line lines[] = {
        {10, 0, 0, 0, "NoC READ noc=NOC_0 vc=-1 num_bytes=128 dx=0 dy=1"},
        {20, 0, 0, 0, "NoC WRITE_ noc=NOC_0 vc=-1 num_bytes=64 dx=3 dy=2"},
        {25, 1, 1, 1, "NoC READ noc=NOC_1 vc=-1 num_bytes=32 dx=0 dy=0"},
        {30, 0, 0, 0, "NoC READ_BARRIER_START noc=NOC_0"},
        {35, 0, 0, 0, "NoC READ_BARRIER_END noc=NOC_0"},
        {40, 0, 0, 0, "NoC SEMAPHORE_INC noc=NOC_0 vc=-1 num_bytes=0 dx=3 dy=1"},
        {45, 0, 0, 0, "a message of the kernel"},
        {50, 0, 0, 0, "NoC WRITE_BARRIER_END noc=NOC_0"},
        {60, 0, 0, 0, "NoC SEMAPHORE_WAIT noc=NOC_0"},
        {70, 1, 1, 1, "NoC READ_BARRIER_END noc=NOC_0"}, /* of the other NoC: it waits for nothing here */
        {80, 0, 0, 0, "NoC FULL_BARRIER noc=NOC_0"},
    };
    struct made m = make_trace(lines, sizeof lines / sizeof *lines, true);
    struct td_noc_transfers t;
    struct td_err err = {0};
    assert_int_equal(td_noc_transfers_make(&t, m.trace, NULL, &err), 0);
    assert_int_equal(t.count, 4);
    check_transfer(&t.list[0], TD_TT_NOC_TYPE_READ, 128, WAY(0, 1, 1, 1), 35);
    check_transfer(&t.list[1], TD_TT_NOC_TYPE_WRITE_, 64, WAY(1, 1, 3, 2), 50);
    check_transfer(&t.list[2], TD_TT_NOC_TYPE_READ, 32, WAY(0, 0, 3, 2), TD_OPEN);
    check_transfer(&t.list[3], TD_TT_NOC_TYPE_SEMAPHORE_INC, 0, WAY(1, 1, 3, 1), 80);
    assert_true(t.list[0].is_read && t.list[2].is_read && !t.list[1].is_read);
    assert_int_equal(t.list[2].noc, 1);
    assert_int_equal(t.maps.count, 1);
    td_noc_transfers_free(&t);
    drop_trace(&m);
}

/* A state that was set moves nothing; the transfers after it have its place, and its bytes if they have
 * none. */
static void transfers_with_a_state_go_where_it_was_set(void **state)
{
    static const struct line lines[] = {
        {10, 0, 0, 0, "NoC READ_SET_STATE noc=NOC_0 vc=-1 num_bytes=256 dx=0 dy=1"},
        {20, 0, 0, 0, "NoC WRITE_SET_STATE noc=NOC_0 vc=-1 num_bytes=512 dx=3 dy=1"},
        {30, 0, 0, 0, "NoC READ_WITH_STATE noc=NOC_0 vc=-1 num_bytes=0"},
        {40, 0, 0, 0, "NoC READ_WITH_STATE noc=NOC_0 vc=-1 num_bytes=96 dx=-1 dy=-1"},
        {50, 0, 0, 0, "NoC WRITE_WITH_STATE noc=NOC_0 vc=-1"},
        {60, 1, 0, 0,
         "NoC READ_WITH_STATE noc=NOC_0 vc=-1 num_bytes=96"}, /* no state: not known from where */
    };
    struct made m = make_trace(lines, sizeof lines / sizeof *lines, true);
    struct td_noc_transfers t;
    struct td_err err = {0};
    assert_int_equal(td_noc_transfers_make(&t, m.trace, NULL, &err), 0);
    assert_int_equal(t.count, 3);
    check_transfer(&t.list[0], TD_TT_NOC_TYPE_READ_WITH_STATE, 256, WAY(0, 1, 1, 1), TD_OPEN);
    check_transfer(&t.list[1], TD_TT_NOC_TYPE_READ_WITH_STATE, 96, WAY(0, 1, 1, 1), TD_OPEN);
    check_transfer(&t.list[2], TD_TT_NOC_TYPE_WRITE_WITH_STATE, 512, WAY(1, 1, 3, 1), TD_OPEN);
    td_noc_transfers_free(&t);
    drop_trace(&m);
}

static void without_a_map_places_are_those_of_the_tracks(void **state)
{
    static const struct line lines[] = {{10, 1, 1, 0, "NoC READ noc=NOC_0 vc=-1 num_bytes=8 dx=5 dy=6"}};
    struct made m = make_trace(lines, 1, false);
    struct td_noc_transfers t;
    struct td_err err = {0};
    assert_int_equal(td_noc_transfers_make(&t, m.trace, NULL, &err), 0);
    assert_int_equal(t.count, 1);
    check_transfer(&t.list[0], TD_TT_NOC_TYPE_READ, 8, WAY(5, 6, 1, 1), TD_OPEN);
    td_noc_transfers_free(&t);
    drop_trace(&m);
}

/* ---- ways */

static struct td_noc_transfer transfer_of(unsigned noc, const int from[2], const int to[2],
                                          const int to_last[2])
{
    return (struct td_noc_transfer){.bytes = 100,
                                    .noc = (uint8_t)noc,
                                    .from = {(uint16_t)from[0], (uint16_t)from[1]},
                                    .to = {(uint16_t)to[0], (uint16_t)to[1]},
                                    .to_last = {(uint16_t)to_last[0], (uint16_t)to_last[1]}};
}
#define AT(x, y) ((const int[2]){x, y})

/* The routers along the way: "1,1 2,1 3,1". */
static void check_way(const struct td_noc_transfer *t, const char *want)
{
    uint32_t links[64];
    char text[400] = "";
    const size_t count = td_noc_route(size, t, links, 64);
    struct td_noc_place before = t->from;
    assert_true(count < 64);
    for (size_t i = 0; i < count; i++) {
        struct td_noc_place from, to;
        td_noc_link_ends(size, t->noc, links[i], &from, &to);
        assert_true(td_noc_place_equal(from, before));
        before = to;
        snprintf(text + strlen(text), sizeof text - strlen(text), " %u,%u", to.x, to.y);
    }
    assert_string_equal(text, want);
}

static void data_goes_right_then_down_on_noc_0_and_up_then_left_on_noc_1(void **state)
{
    struct td_noc_transfer t = transfer_of(0, AT(1, 1), AT(3, 2), AT(3, 2));
    check_way(&t, " 2,1 3,1 3,2");
    t = transfer_of(1, AT(1, 1), AT(3, 2), AT(3, 2));
    check_way(&t, " 1,0 1,2 0,2 3,2");
    t = transfer_of(0, AT(3, 2), AT(1, 1), AT(1, 1));
    check_way(&t, " 0,2 1,2 1,0 1,1");
    t = transfer_of(0, AT(2, 2), AT(2, 2), AT(2, 2));
    check_way(&t, "");
    t = transfer_of(0, AT(2, 2), AT(2, 3), AT(2, 3)); /* there is no such row */
    check_way(&t, "");
}

static uint64_t load(const struct td_noc_loads *loads, unsigned noc, unsigned x, unsigned y, unsigned column)
{
    return loads->bytes[noc][(y * WIDTH + x) * 2 + column];
}

static uint64_t all_loads(const struct td_noc_loads *loads)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < 2 * td_noc_links(size); i++)
        sum += loads->bytes[i & 1][i / 2];
    return sum;
}

/* The data of a multicast goes over each link once, however many tiles are after it. */
static void a_multicast_takes_each_link_of_its_tree_once(void **state)
{
    struct td_noc_loads loads;
    struct td_noc_transfer t = transfer_of(0, AT(0, 0), AT(1, 1), AT(3, 2));
    assert_int_equal(td_noc_loads_init(&loads, size), 0);
    td_noc_loads_add(&loads, &t);
    assert_int_equal(load(&loads, 0, 0, 0, 0), 100); /* to the first column */
    assert_int_equal(load(&loads, 0, 1, 0, 1), 100); /* through its rows */
    assert_int_equal(load(&loads, 0, 1, 1, 1), 100);
    for (unsigned y = 1; y <= 2; y++)
        for (unsigned x = 1; x <= 2; x++)
            assert_int_equal(load(&loads, 0, x, y, 0), 100);
    assert_int_equal(all_loads(&loads), 700);
    assert_int_equal(loads.transfers, 1);
    td_noc_loads_free(&loads);
}

static void loads_are_the_sums_of_the_ways(void **state)
{
    struct td_noc_loads loads;
    const struct td_noc_transfer a = transfer_of(0, AT(0, 0), AT(2, 0), AT(2, 0)),
                                 b = transfer_of(0, AT(1, 0), AT(2, 1), AT(2, 1)),
                                 c = transfer_of(1, AT(2, 0), AT(1, 0), AT(1, 0));
    assert_int_equal(td_noc_loads_init(&loads, size), 0);
    td_noc_loads_add(&loads, &a);
    td_noc_loads_add(&loads, &b);
    td_noc_loads_add(&loads, &c);
    assert_int_equal(load(&loads, 0, 0, 0, 0), 100);
    assert_int_equal(load(&loads, 0, 1, 0, 0), 200);
    assert_int_equal(load(&loads, 0, 2, 0, 1), 100);
    assert_int_equal(load(&loads, 1, 2, 0, 0), 100);
    assert_int_equal(all_loads(&loads), 500);
    td_noc_loads_free(&loads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transfers_have_the_places_and_ends_that_their_core_gave),
        cmocka_unit_test(transfers_with_a_state_go_where_it_was_set),
        cmocka_unit_test(without_a_map_places_are_those_of_the_tracks),
        cmocka_unit_test(data_goes_right_then_down_on_noc_0_and_up_then_left_on_noc_1),
        cmocka_unit_test(a_multicast_takes_each_link_of_its_tree_once),
        cmocka_unit_test(loads_are_the_sums_of_the_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
