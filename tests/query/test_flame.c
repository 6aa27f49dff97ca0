/* Trees of zones and samples against calculations zone by zone, and flame graphs of known trees. */
#include "host/query/sums/flame.h"
#include "host/query/sums/zone_tree.h"
#include "host/base/parallel.h"
#include "host/trace/fill.h"
#include "tests/query/demo_trace.h"
#include "tests/query/made_up.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct td_zone_tree_choice whole = {.from_ns = INT64_MIN, .to_ns = INT64_MAX},
                                        by_track = {INT64_MIN, INT64_MAX, NULL, true, 0};

static struct td_flame flame_of(const struct td_trace *trace, const struct td_zone_tree_choice *choice)
{
    struct td_call_tree tree;
    struct td_flame flame;
    assert_int_equal(td_zone_tree_make(trace, choice, NULL, &tree, NULL), 0);
    assert_int_equal(td_flame_take(&flame, trace, &tree), 0);
    return flame;
}

static char *folded(const struct td_flame *flame, uint32_t top)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    assert_non_null(f);
    assert_int_equal(td_flame_fold(flame, top, f), 0);
    fclose(f);
    return text;
}

static uint32_t child_of(const struct td_flame *flame, uint32_t parent, const char *name)
{
    for (uint32_t at = flame->tree.at[parent].child; at != TD_CALL_NONE; at = flame->tree.at[at].next)
        if (!strcmp(td_flame_name(flame, at), name))
            return at;
    return TD_CALL_NONE;
}

/* ---- zone by zone ---- */

struct visit {
    const struct td_trace *trace;
    const struct td_zone_tree_choice *choice;
    struct td_flame *flame; /* whose sums are taken away */
    uint32_t track;
};

static int64_t cut(const struct visit *v, const struct td_zone *zone)
{
    const int64_t from = zone->start_ns > v->choice->from_ns ? zone->start_ns : v->choice->from_ns,
                  to = zone->end_ns < v->choice->to_ns ? zone->end_ns : v->choice->to_ns;
    return zone->end_ns == TD_OPEN || to < from ? 0 : to - from;
}

static void visit_zone(struct visit *v, uint32_t row, size_t index, uint32_t parent)
{
    const struct td_zone zone = td_trace_zone(v->trace, v->track, row, index);
    const struct td_dict *dict = td_trace_dict(v->trace);
    if (zone.start_ns >= v->choice->to_ns || (zone.end_ns != TD_OPEN && zone.end_ns <= v->choice->from_ns))
        return;
    const char *name = zone.name ? td_dict_text(dict, zone.name) : td_dict_zone_name(dict, zone.srcloc);
    const uint32_t node = child_of(v->flame, parent, *name ? name : TD_DICT_UNKNOWN);
    assert_int_not_equal(node, TD_CALL_NONE);
    int64_t self = cut(v, &zone);
    for (size_t i = zone.child_begin; i < zone.child_end; i++) {
        const struct td_zone child = td_trace_zone(v->trace, v->track, row + 1, i);
        self -= cut(v, &child);
        visit_zone(v, row + 1, i, node);
    }
    struct td_call_node *n = &v->flame->tree.at[node];
    assert_true(n->zones > 0 && (zone.end_ns == TD_OPEN || n->self >= (uint64_t)self));
    n->zones--;
    n->self -= zone.end_ns == TD_OPEN ? 0 : (uint64_t)self;
}

static void check(const struct td_trace *trace, const struct td_zone_tree_choice *choice)
{
    struct td_flame flame = flame_of(trace, choice);
    struct visit v = {trace, choice, &flame, 0};
    for (size_t i = 0; i < flame.tree.count; i++) { /* the total is the sum of what is in it */
        uint64_t sum = flame.tree.at[i].self;
        uint64_t last = UINT64_MAX;
        for (uint32_t c = flame.tree.at[i].child; c != TD_CALL_NONE; c = flame.tree.at[c].next) {
            sum += flame.tree.at[c].total;
            assert_true(flame.tree.at[c].total <= last && c > i && flame.tree.at[c].parent == i);
            last = flame.tree.at[c].total;
        }
        assert_int_equal(sum, flame.tree.at[i].total);
    }
    for (v.track = 0; v.track < td_dict_track_count(td_trace_dict(trace)); v.track++) {
        uint32_t top = 0;
        for (uint32_t c = choice->by_track ? flame.tree.at[0].child : TD_CALL_NONE; c != TD_CALL_NONE;
             c = flame.tree.at[c].next)
            top = flame.tree.at[c].lane == v.track + 1 ? c : top;
        for (size_t i = 0; i < td_trace_row_zones(trace, v.track, 0); i++)
            visit_zone(&v, 0, i, top);
    }
    for (size_t i = 0; i < flame.tree.count; i++) /* nothing else is in it */
        assert_true(!flame.tree.at[i].self && !flame.tree.at[i].zones);
    td_flame_free(&flame);
}

static void trees_equal_the_sums_zone_by_zone(void **state)
{
    struct td_trace *trace = demo_trace(2);
    assert_non_null(trace);
    check(trace, &whole);
    check(trace, &by_track);
    srand(1);
    for (int i = 0; i < 40; i++) {
        const int64_t from = rand() % 6000000;
        const struct td_zone_tree_choice part = {from, from + rand() % (i % 2 ? 20000 : 3000000), NULL,
                                                 i % 3 == 0, 0};
        check(trace, &part);
    }
    td_trace_destroy(trace);
}

static void many_parts_give_the_same_tree(void **state)
{
    enum { OUTER = 50000 };
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_dict *dict = td_trace_fill_dict(trace);
    const struct td_track track = {.thread = 1};
    const struct td_srcloc outer = {.name = td_dict_cstring(dict, "outer")},
                           inner = {.name = td_dict_cstring(dict, "inner")};
    const uint32_t places[] = {td_dict_srcloc(dict, &outer), td_dict_srcloc(dict, &inner)};
    struct td_fill fill;
    assert_int_equal(td_fill_begin(&fill, trace, td_dict_track(dict, &track), NULL), 0);
    for (int64_t i = 0; i < OUTER; i++) {
        td_fill_enter(&fill, i * 100, -1, places[0], 0);
        td_fill_down(&fill);
        td_fill_enter(&fill, i * 100, 60, places[1], 0);
        td_fill_leave(&fill, 90);
    }
    td_fill_end(&fill);
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    struct td_flame flame = flame_of(trace, &whole);
    assert_int_equal(flame.tree.count, 3);
    assert_int_equal(flame.tree.at[1].zones, OUTER);
    assert_int_equal(flame.tree.at[1].self, OUTER * 30);
    assert_int_equal(flame.tree.at[2].zones, OUTER);
    assert_int_equal(flame.tree.at[2].self, OUTER * 60);
    td_flame_free(&flame);
    /* From the middle of the 101st outer zone to that of a zone in another part. */
    const struct td_zone_tree_choice part = {10050, 4000075, NULL, false, 0};
    flame = flame_of(trace, &part);
    assert_int_equal(flame.tree.at[1].zones, 40001 - 100);
    assert_int_equal(flame.tree.at[2].self, 10 + 39900 * 60);
    assert_int_equal(flame.tree.at[1].self, 30 + 39899 * 30 + 15);
    td_flame_free(&flame);
    td_trace_destroy(trace);
}

static void only_chosen_tracks_are_summed(void **state)
{
    struct td_trace *trace = demo_trace(1);
    uint8_t tracks[4096] = {0};
    const uint32_t count = td_dict_track_count(td_trace_dict(trace));
    tracks[2] = 1;
    const struct td_lane_choice lanes = {tracks, count};
    const struct td_zone_tree_choice one = {INT64_MIN, INT64_MAX, &lanes, true, 0};
    struct td_flame flame = flame_of(trace, &one);
    assert_int_equal(flame.tree.at[flame.tree.at[0].child].lane, 3);
    assert_int_equal(flame.tree.at[flame.tree.at[0].child].next, TD_CALL_NONE);
    td_flame_free(&flame);
    td_trace_destroy(trace);
}

/* ---- a tree that is known ---- */

/* a(100: b 30 (a 10, c 5), c 20), b(40: c 15); two tracks, the second with b(7) only. */
static struct td_trace *known_trace(int64_t longer)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_dict *dict = td_trace_fill_dict(trace);
    uint32_t place[4];
    static const char *const names[] = {"a", "b;x", "c", "d"};
    for (int i = 0; i < 4; i++) {
        const struct td_srcloc at = {.name = td_dict_cstring(dict, names[i]), .line = (uint32_t)i + 1};
        place[i] = td_dict_srcloc(dict, &at);
    }
    struct td_fill fill;
    struct td_track track = {.thread = 1, .name = td_dict_cstring(dict, "one")};
    assert_int_equal(td_fill_begin(&fill, trace, td_dict_track(dict, &track), NULL), 0);
    td_fill_enter(&fill, 0, 100 + longer, place[0], 0);
    td_fill_down(&fill);
    td_fill_enter(&fill, 10, 30, place[1], 0);
    td_fill_down(&fill);
    td_fill_enter(&fill, 10, 10, place[0], 0);
    td_fill_enter(&fill, 20, 5, place[2], 0);
    td_fill_leave(&fill, 30);
    td_fill_enter(&fill, 50, 20, place[longer ? 3 : 2], 0);
    td_fill_leave(&fill, 100 + longer);
    td_fill_enter(&fill, 200, 40, place[1], 0);
    td_fill_down(&fill);
    td_fill_enter(&fill, 210, 15, place[2], 0);
    td_fill_leave(&fill, 40);
    td_fill_end(&fill);
    track = (struct td_track){.thread = 2, .name = td_dict_cstring(dict, "two")};
    assert_int_equal(td_fill_begin(&fill, trace, td_dict_track(dict, &track), NULL), 0);
    td_fill_enter(&fill, 5, 7, place[1], 0);
    td_fill_end(&fill);
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    return trace;
}

static void expect_folded(const struct td_flame *flame, uint32_t top, const char *expected)
{
    char *text = folded(flame, top);
    assert_string_equal(text, expected);
    free(text);
}

static void folded_stacks_have_the_own_times(void **state)
{
    struct td_trace *trace = known_trace(0);
    struct td_flame flame = flame_of(trace, &whole);
    expect_folded(&flame, 0, "a 50\na;b:x 15\na;b:x;a 10\na;b:x;c 5\na;c 20\nb:x 32\nb:x;c 15\n");
    expect_folded(&flame, child_of(&flame, 0, "b;x"), "b:x 32\nb:x;c 15\n");
    td_flame_free(&flame);
    flame = flame_of(trace, &by_track);
    expect_folded(&flame, 0,
                  "one;a 50\none;a;b:x 15\none;a;b:x;a 10\none;a;b:x;c 5\none;a;c 20\none;b:x 25\none;b:x;c "
                  "15\ntwo;b:x 7\n");
    td_flame_free(&flame);
    const struct td_zone_tree_choice part = {15, 55, NULL, false, 0};
    flame = flame_of(trace, &part);
    expect_folded(&flame, 0, "a 10\na;b:x 15\na;b:x;a 5\na;b:x;c 5\na;c 5\n");
    td_flame_free(&flame);
    td_trace_destroy(trace);
}

static void a_limit_counts_zones_as_those_around_them(void **state)
{
    struct td_trace *trace = known_trace(0);
    struct td_call_tree tree;
    uint64_t left_out = 0;
    const struct td_zone_tree_choice few = {INT64_MIN, INT64_MAX, NULL, false, 2};
    assert_int_equal(td_zone_tree_make(trace, &few, NULL, &tree, &left_out), 0);
    assert_int_equal(tree.count, td_parallel_threads(0) > 1 ? tree.count : 2);
    assert_true(left_out >= 4);
    assert_int_equal(tree.at[0].total, 147);
    td_call_tree_free(&tree);
    td_trace_destroy(trace);
}

static void a_difference_has_both_totals(void **state)
{
    struct td_trace *trace = known_trace(0), *longer = known_trace(60);
    struct td_flame before = flame_of(trace, &whole), now = flame_of(longer, &whole);
    assert_int_equal(td_flame_compare(&now, &before), 0);
    const uint32_t a = child_of(&now, 0, "a");
    assert_int_equal(now.tree.at[0].total, 207);
    assert_int_equal(now.other[0], 147);
    assert_int_equal(now.tree.at[a].total, 160);
    assert_int_equal(now.other[a], 100);
    uint32_t nodes = 0;
    for (uint32_t at = 0; at != TD_CALL_NONE; at = td_call_tree_next(&now.tree, at, 0, true))
        nodes++;
    assert_int_equal(nodes, now.tree.count);
    const uint32_t gone = child_of(&now, a, "c"), added = child_of(&now, a, "d");
    assert_int_equal(now.tree.at[gone].total, 0);
    assert_int_equal(now.other[gone], 20);
    assert_int_equal(now.tree.at[added].total, 20);
    assert_int_equal(now.other[added], 0);
    td_flame_free(&before);
    td_flame_free(&now);
    td_trace_destroy(trace);
    td_trace_destroy(longer);
}

static void around_a_name_are_its_callers_and_callees(void **state)
{
    struct td_trace *trace = known_trace(0);
    struct td_flame flame = flame_of(trace, &whole), made;
    const uint32_t b = flame.tree.at[child_of(&flame, 0, "b;x")].name,
                   a = flame.tree.at[child_of(&flame, 0, "a")].name;
    assert_int_equal(td_flame_around(&flame, b, true, &made), 0);
    expect_folded(&made, 0, "b:x 47\nb:x;a 30\n");
    assert_int_equal(made.tree.at[0].total, 77);
    td_flame_free(&made);
    assert_int_equal(td_flame_around(&flame, b, false, &made), 0);
    expect_folded(&made, 0, "b:x 47\nb:x;c 20\nb:x;a 10\n");
    assert_int_equal(made.tree.at[made.tree.at[0].child].zones, 3);
    td_flame_free(&made);
    /* The inner one is a part of the outer one. */
    assert_int_equal(td_flame_around(&flame, a, false, &made), 0);
    assert_int_equal(made.tree.at[0].total, 100);
    td_flame_free(&made);
    td_flame_free(&flame);
    td_trace_destroy(trace);
}

static void a_search_counts_each_part_once(void **state)
{
    struct td_trace *trace = known_trace(0);
    struct td_flame flame = flame_of(trace, &whole);
    uint8_t hits[16];
    assert_int_equal(td_flame_search(&flame, "a", hits), 100);
    assert_int_equal(td_flame_search(&flame, "b, c", hits), 97);
    assert_true(hits[flame.tree.at[child_of(&flame, 0, "b;x")].name]);
    assert_false(hits[flame.tree.at[child_of(&flame, 0, "a")].name]);
    assert_int_equal(td_flame_search(&flame, "", hits), 0);
    td_flame_free(&flame);
    td_trace_destroy(trace);
}

static void samples_are_a_tree_too(void **state)
{
    struct td_trace *trace = make_up_trace();
    const struct td_samples_choice all = {0};
    struct td_call_tree tree;
    struct td_flame flame;
    assert_int_equal(td_sample_tree_make(trace, &all, false, NULL, &tree), 0);
    assert_int_equal(td_flame_take(&flame, trace, &tree), 0);
    assert_int_equal(flame.tree.at[0].total, 110);
    const uint32_t in_main = child_of(&flame, 0, "main"), in_work = child_of(&flame, in_main, "work");
    assert_int_equal(flame.tree.at[in_work].total, 107);
    assert_int_equal(flame.tree.at[in_work].self, 40);
    assert_int_equal(flame.tree.at[child_of(&flame, in_work, "leaf")].total, 30);
    td_flame_free(&flame);
    assert_int_equal(td_sample_tree_make(trace, &all, true, NULL, &tree), 0);
    assert_int_equal(td_flame_take(&flame, trace, &tree), 0);
    uint64_t sums[2] = {0};
    for (uint32_t c = flame.tree.at[0].child; c != TD_CALL_NONE; c = flame.tree.at[c].next)
        sums[flame.tree.at[c].lane - 1] = flame.tree.at[c].total;
    assert_int_equal(sums[0], 100);
    assert_int_equal(sums[1], 10);
    td_flame_free(&flame);
    td_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_equal_the_sums_zone_by_zone),
        cmocka_unit_test(many_parts_give_the_same_tree),
        cmocka_unit_test(only_chosen_tracks_are_summed),
        cmocka_unit_test(folded_stacks_have_the_own_times),
        cmocka_unit_test(a_limit_counts_zones_as_those_around_them),
        cmocka_unit_test(a_difference_has_both_totals),
        cmocka_unit_test(around_a_name_are_its_callers_and_callees),
        cmocka_unit_test(a_search_counts_each_part_once),
        cmocka_unit_test(samples_are_a_tree_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
