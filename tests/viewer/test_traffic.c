/* Traffic over the NoC: sums of links, places, pairs and cores against a way that is walked step by step, for random
 * transfers; the panel Chips and the arrows of the timeline, in a window. What draws is skipped without OpenGL. */
#include "host/query/ops/noc_traffic.h"
#include "host/viewer/drive/commands.h"
#include "host/viewer/timeline/view.h"
#include "tests/query/demo_trace.h"
#include "tests/viewer/mouse.h"

#include <stdio.h>
#include <string.h>

#define WIDTH  7 /* of mapped_grid_text[0] */
#define HEIGHT 5
#define LINES  600

static const int column_x[] = {1, 2, 4, 5}, row_y[] = {1, 3, 4};

struct wanted {
    uint64_t link[2][2 * WIDTH * HEIGHT], sent[WIDTH * HEIGHT], got[WIDTH * HEIGHT], core[4 * 3 * 2];
    uint64_t bytes, transfers;
};

struct move {
    int x, y, core, noc, kind, bytes, other_x,
        other_y; /* kind 0: read, 1: write, 2: multicast of 2 x 2 places */
    int64_t time_ns;
};

static uint32_t seed;
static int dice(int sides)
{
    seed = seed * 1664525u + 1013904223u;
    return (int)((seed >> 8) % (uint32_t)sides);
}

static struct move random_move(int i)
{
    return (struct move){.x = dice(4),
                         .y = dice(3),
                         .core = dice(2),
                         .noc = dice(2),
                         .kind = dice(3),
                         .bytes = 32 * (1 + dice(64)),
                         .other_x = dice(WIDTH - 1),
                         .other_y = dice(HEIGHT - 1),
                         .time_ns = 1000 + 1500 * i};
}

static struct noc_line line_of(const struct move *m)
{
    struct noc_line line = {.time_ns = m->time_ns, .x = m->x, .y = m->y, .core = m->core};
    if (m->kind == 2)
        snprintf(line.text, sizeof line.text,
                 "NoC WRITE_MULTICAST noc=NOC_%d vc=-1 num_bytes=%d mcast_start_x=%d mcast_start_y=%d "
                 "mcast_end_x=%d "
                 "mcast_end_y=%d",
                 m->noc, m->bytes, m->other_x, m->other_y, m->other_x + 1, m->other_y + 1);
    else
        snprintf(line.text, sizeof line.text, "NoC %s noc=NOC_%d vc=-1 num_bytes=%d dx=%d dy=%d",
                 m->kind ? "WRITE_" : "READ", m->noc, m->bytes, m->other_x, m->other_y);
    return line;
}

/* On NoC 0 to the right, then down; on NoC 1 up, then to the left; around the edges. */
static void walk(struct wanted *w, const struct move *m, int x, int y, int to_x, int to_y)
{
    const int step = m->noc ? -1 : 1;
    for (int part = 0; part < 2; part++) {
        const int is_column = part != m->noc;
        while (is_column ? y != to_y : x != to_x) {
            w->link[m->noc][(y * WIDTH + x) * 2 + is_column] += (uint64_t)m->bytes;
            x = is_column ? x : (x + step + WIDTH) % WIDTH;
            y = is_column ? (y + step + HEIGHT) % HEIGHT : y;
        }
    }
}

static void add(struct wanted *w, const struct move *m)
{
    const int x = column_x[m->x], y = row_y[m->y], here = y * WIDTH + x,
              there = m->other_y * WIDTH + m->other_x;
    struct td_chip_map map;
    assert_true(td_chip_map_read(mapped_grid_text[0], &map));
    w->bytes += (uint64_t)m->bytes;
    w->transfers++;
    w->core[(m->y * 4 + m->x) * 2 + m->core] += (uint64_t)m->bytes;
    w->sent[m->kind ? here : there] += (uint64_t)m->bytes;
    if (m->kind == 0)
        walk(w, m, m->other_x, m->other_y, x, y);
    else if (m->kind == 1)
        walk(w, m, x, y, m->other_x, m->other_y);
    for (int i = 0; i < (m->kind == 2 ? 4 : 1); i++) {
        const int at = m->kind == 2 ? (m->other_y + i / 2) * WIDTH + m->other_x + i % 2
                       : m->kind    ? there
                                    : here;
        if (m->kind != 2 || map.place[at / WIDTH][at % WIDTH] == TD_PLACE_TENSIX)
            w->got[at] += (uint64_t)m->bytes;
    }
}

/* Multicasts' links are those of tests/report/test_noc_transfers.c; here, their sum is compared without them. */
static void check_range(const struct td_noc_index *index, const struct move *moves, int64_t from, int64_t to)
{
    struct wanted w = {0};
    struct td_noc_traffic traffic;
    uint64_t in_pairs = 0;
    bool has_multicast = false;
    for (int i = 0; i < LINES; i++)
        if (moves[i].time_ns >= from && moves[i].time_ns < to) {
            add(&w, &moves[i]);
            has_multicast |= moves[i].kind == 2;
        }
    assert_int_equal(td_noc_traffic_make(&traffic, index, from, to, NULL), 0);
    assert_true(traffic.all.bytes == w.bytes && traffic.all.transfers == w.transfers);
    for (size_t i = 0; i < traffic.pairs; i++) {
        in_pairs += traffic.pair[i].sum.bytes;
        assert_true(i == 0 || traffic.pair[i].sum.bytes <= traffic.pair[i - 1].sum.bytes);
    }
    assert_true(in_pairs == w.bytes);
    const struct td_noc_chip *chip = td_noc_traffic_chip(&traffic, 0);
    assert_int_equal(chip != NULL, w.transfers > 0);
    uint64_t most = 0;
    for (int at = 0; chip && at < WIDTH * HEIGHT; at++) {
        assert_true(chip->sent[at].bytes == w.sent[at] && chip->got[at].bytes == w.got[at]);
        for (int noc = 0; noc < 2; noc++)
            for (int way = 0; way < 2; way++) {
                const uint64_t bytes = chip->loads.bytes[noc][2 * at + way];
                assert_true(has_multicast ? bytes >= w.link[noc][2 * at + way]
                                          : bytes == w.link[noc][2 * at + way]);
                most = bytes > most ? bytes : most;
            }
    }
    assert_true(traffic.most == most);
    td_noc_traffic_free(&traffic);
}

static void sums_are_those_of_ways_that_are_walked_step_by_step(void **state)
{
    static struct move moves[LINES];
    static struct noc_line lines[LINES];
    struct td_noc_index index;
    seed = 5;
    for (int i = 0; i < LINES; i++) {
        moves[i] = random_move(i);
        if (i >= LINES / 2 && moves[i].kind == 2)
            moves[i].kind = 1;
        lines[i] = line_of(&moves[i]);
    }
    struct td_trace *trace = noc_trace(lines, LINES);
    assert_int_equal(td_noc_index_make(&index, trace, NULL), 0);
    assert_int_equal(index.transfers.count, LINES);
    check_range(&index, moves, INT64_MIN, INT64_MAX);
    check_range(&index, moves, moves[LINES / 2].time_ns,
                INT64_MAX); /* without multicasts: each link is compared */
    for (int i = 0; i < 40; i++) {
        const int64_t from = dice(900000), to = from + dice(300000);
        check_range(&index, moves, from, to);
    }
    check_range(&index, moves, 5000000, 6000000);
    /* Those of a track from a time on. */
    for (uint32_t track = 0; track < index.tracks; track++) {
        const size_t first = td_noc_index_of(&index, track, 300000);
        size_t count = 0;
        for (int i = 0; i < LINES; i++)
            count += moves[i].time_ns >= 300000 &&
                     (uint32_t)((moves[i].y * 4 + moves[i].x) * 2 + moves[i].core) == track;
        assert_int_equal(index.first[track + 1] - first, count);
        for (size_t i = first; i < index.first[track + 1]; i++)
            assert_true(index.transfers.list[index.of_track[i]].track == track &&
                        index.transfers.list[index.of_track[i]].time_ns >= 300000);
    }
    td_noc_index_free(&index);
    td_trace_destroy(trace);
}

static void a_trace_without_events_has_no_transfers(void **state)
{
    struct td_trace *trace = demo_trace(2);
    struct td_noc_index index;
    struct td_noc_traffic traffic;
    assert_int_equal(td_noc_index_make(&index, trace, NULL), 0);
    assert_int_equal(index.transfers.count, 0);
    assert_int_equal(td_noc_traffic_make(&traffic, &index, INT64_MIN, INT64_MAX, NULL), 0);
    assert_int_equal(traffic.all.transfers, 0);
    td_noc_traffic_free(&traffic);
    td_noc_index_free(&index);
    td_trace_destroy(trace);
}

/* ---- the window ---- */

/* From logical tile 0,0 at 1,1 to 1,0 at 2,1 and back; from DRAM at 0,0. */
static const struct noc_line few[] = {
    {100000, 0, 0, 0, "NoC WRITE_ noc=NOC_0 vc=-1 num_bytes=4096 dx=2 dy=1"},
    {200000, 1, 0, 0, "NoC WRITE_ noc=NOC_1 vc=-1 num_bytes=1024 dx=1 dy=1"},
    {300000, 0, 0, 1, "NoC READ noc=NOC_0 vc=-1 num_bytes=2048 dx=0 dy=0"},
    {400000, 0, 0, 1, "NoC READ_BARRIER_END noc=NOC_0"},
};

static int setup(void **state)
{
    static struct fixture f;
    return open_window(state, &f, noc_trace(few, sizeof few / sizeof few[0]), 1000, 700);
}

static void the_mouse_over_a_link_says_what_went_over_it(void **state)
{
    struct fixture *f = *state;
    if (!f || !has_mouse(f))
        return;
    run(f, "chip noc; set grid chip; set traffic links");
    /* The map is as wide as the panel. Both links are between the middles of places 1,1 and 2,1. */
    const struct td_rect *p = &f->view.panels.slot[TD_PANEL_CHIP].place;
    const float left = p->left + 24, tile = floorf((p->right - 12 - left) / WIDTH);
    float top = p->top + 90;
    for (*f->view.hover.tip = 0; top < p->top + 160 && !*f->view.hover.tip; top += 8)
        move_mouse(f, left + tile / 2, top);
    static const char *const titles[2] = {"NoC 0, link from 1,1 to 2,1", "NoC 1, link from 2,1 to 1,1"};
    bool found[2] = {false, false};
    for (float y = top + tile; y < top + 2 * tile; y += 3) {
        move_mouse(f, left + 2 * tile, y);
        for (int noc = 0; noc < 2; noc++)
            found[noc] |= !strncmp(f->view.hover.tip, titles[noc], strlen(titles[noc]));
    }
    assert_true(found[0] && found[1]);
}

static void the_range_limits_what_is_counted(void **state)
{
    struct fixture *f = *state;
    struct td_err err = {0};
    if (!f)
        return;
    run(f, "chip noc; limit all");
    assert_int_equal(td_view_traffic(&f->view)->all.bytes, 4096 + 1024 + 2048);
    assert_int_equal(td_view_traffic(&f->view)->most, 4096);
    run(f, "mark 150us..250us; limit marked");
    assert_int_equal(td_view_traffic(&f->view)->all.bytes, 1024);
    run(f, "mark; limit all");
    td_panels_key(&f->view, &(struct td_key_press){.key = '9'});
    assert_int_equal(td_view_choice(&f->view, TD_CHOICE_TRAFFIC), 1);
    run(f, "set traffic links");
    assert_true(td_view_command_line(&f->view, "chip speed", &err) < 0);
    assert_non_null(strstr(err.text, "busy, wait, lost, zones, longest, end, found, noc"));
}

static void arrows_are_those_of_the_chosen_zone_or_all(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    run(f, "close chip; expand; set transfers off; select \"tile 1,0 BRISC\" 500us");
    const size_t without = count_color(f, TD_C(NOC1));
    run(f, "set transfers chosen");
    assert_true(count_color(f, TD_C(NOC1)) > without + 20);
    assert_int_equal(count_color(f, TD_C(NOC0)), 0);
    run(f, "select \"tile 0,0 NCRISC\" 500us"); /* reads from DRAM, which has no row */
    assert_int_equal(count_color(f, TD_C(NOC0)) + count_color(f, TD_C(NOC1)), 0);
    run(f, "select; set transfers chosen");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_ways_that_are_walked_step_by_step),
        cmocka_unit_test(a_trace_without_events_has_no_transfers),
        cmocka_unit_test_setup_teardown(the_mouse_over_a_link_says_what_went_over_it, setup, teardown),
        cmocka_unit_test_setup_teardown(the_range_limits_what_is_counted, setup, teardown),
        cmocka_unit_test_setup_teardown(arrows_are_those_of_the_chosen_zone_or_all, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
