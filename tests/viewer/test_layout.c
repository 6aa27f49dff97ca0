/* The tree of tracks and the heights of its rows. */
#include "host/viewer/timeline/layout.h"
#include "host/file/file.h"
#include "host/trace/fill.h"
#include "host/trace/tables.h"
#include "proto/track.h"
#include "tests/query/demo_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

struct fixture {
    struct td_trace *trace;
    struct td_layout layout;
    struct td_metrics metrics;
};

static int setup(void **state)
{
    static struct fixture f;
    f.trace = demo_trace(2);
    f.metrics = td_metrics_for(1);
    if (!f.trace || td_layout_build(&f.layout, f.trace, &(struct td_messages){0}, NULL, NULL) < 0)
        return -1;
    td_layout_place(&f.layout, &f.metrics);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    td_layout_free(&f->layout);
    td_trace_destroy(f->trace);
    return 0;
}

static int find(const struct td_layout *layout, const char *label, int from)
{
    for (int i = from; i < layout->count; i++)
        if (!strcmp(layout->nodes[i].label, label))
            return i;
    return -1;
}

static void host_comes_first_then_chip_tile_core(void **state)
{
    struct fixture *f = *state;
    const struct td_layout *l = &f->layout;
    int frames = find(l, "Frames", 0), host = find(l, "Host", 0), main_thread = find(l, "Main thread", 0);
    int plots = find(l, "Plots", 0), chip = find(l, "Chip 0", 0), tile = find(l, "Tile 0,0", 0);
    assert_int_equal(frames, 0);
    assert_true(frames < host && host < main_thread && main_thread < plots && plots < chip && chip < tile);
    assert_int_equal(l->nodes[main_thread].parent, host);
    assert_int_equal(l->nodes[tile].parent, chip);
    assert_int_equal(l->nodes[chip].tracks, 20);
    assert_int_equal(l->nodes[tile].tracks, 5);
    assert_int_equal(l->nodes[chip].end, l->count);
    static const char *const cores[] = {"BRISC", "cb pages", "NCRISC", "TRISC0", "TRISC1", "TRISC2"};
    for (int i = 0; i < 6; i++) {
        assert_string_equal(l->nodes[tile + 1 + i].label, cores[i]);
        assert_int_equal(l->nodes[tile + 1 + i].parent, tile);
    }
    assert_int_equal(find(l, "Tile 1,0", 0), tile + 7);
}

static void plots_of_a_core_stand_below_it(void **state)
{
    struct fixture *f = *state;
    int plot = find(&f->layout, "cb pages", 0);
    assert_int_equal(f->layout.nodes[plot].kind, TD_NODE_PLOT);
    assert_string_equal(f->layout.nodes[plot - 1].label, "BRISC");
    assert_int_equal(find(&f->layout, "cb pages", plot + 1), -1);
}

static void rows_lie_below_each_other_without_gaps(void **state)
{
    struct fixture *f = *state;
    float y = 0;
    for (int s = 0; s < f->layout.shown_count; s++) {
        const struct td_node *n = &f->layout.nodes[f->layout.shown[s]];
        assert_true(n->y == y && n->height > 0);
        assert_int_equal(td_layout_at(&f->layout, y), s);
        assert_int_equal(td_layout_at(&f->layout, y + n->height - 1), s);
        y += n->height;
    }
    assert_true(f->layout.height == y);
    assert_int_equal(td_layout_at(&f->layout, y), f->layout.shown_count);
}

static void a_track_is_as_high_as_its_nesting_is_deep(void **state)
{
    struct fixture *f = *state;
    const struct td_node *n = &f->layout.nodes[find(&f->layout, "NCRISC", 0)];
    assert_int_equal(n->rows, td_trace_rows(f->trace, n->number));
    assert_true(n->height == (float)n->rows * f->metrics.row + 2 * f->metrics.pad);
    assert_true(td_layout_row_y(n, &f->metrics, 1) - td_layout_row_y(n, &f->metrics, 0) == f->metrics.row);
}

static void closing_tiles_hides_their_cores_and_opening_restores_all(void **state)
{
    struct fixture *f = *state;
    float before = f->layout.height;
    td_layout_collapse(&f->layout, 1);
    td_layout_place(&f->layout, &f->metrics);
    int tile = find(&f->layout, "Tile 0,0", 0), core = find(&f->layout, "BRISC", 0);
    assert_true(f->layout.nodes[tile].height == f->metrics.density);
    assert_true(f->layout.nodes[core].height == 0);
    assert_true(f->layout.nodes[find(&f->layout, "Main thread", 0)].height > 0);
    assert_true(f->layout.height < before);
    assert_true(td_layout_reveal(&f->layout, core));
    td_layout_place(&f->layout, &f->metrics);
    assert_true(f->layout.nodes[core].height > 0);
    assert_false(td_layout_reveal(&f->layout, core));
    td_layout_collapse(&f->layout, 0);
    td_layout_place(&f->layout, &f->metrics);
    assert_true(f->layout.height == before);
}

static void add_gpu_row(struct td_trace *trace, uint64_t thread, uint32_t context)
{
    uint32_t track =
        td_dict_track(td_trace_fill_dict(trace),
                      &(struct td_track){.thread = thread, .kind = TD_TRACK_GPU, .context = context});
    struct td_fill fill;
    assert_int_equal(td_fill_begin(&fill, trace, track, NULL), 0);
    td_fill_enter_gpu(&fill, 10, 5, 0, 0, &(struct td_fill_gpu){.cpu_duration_ns = -1});
    td_fill_end(&fill);
}

static void the_main_thread_comes_first_and_numbers_in_names_count(void **state)
{
    static const struct {
        uint64_t thread;
        const char *name;
    } threads[] = {{50, "worker 10"},   {51, ""}, {52, "worker 9"}, {53, "loader"},
                   {54, "Main thread"}, {49, ""}};
    static const char *const labels[] = {"Host",      "Main thread", "loader",   "worker 9",
                                         "worker 10", "thread 49",   "thread 51"};
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_dict *dict = td_trace_fill_dict(trace);
    struct td_sink sink = td_trace_sink(trace);
    td_trace_edit_info(trace)->pid = 54;
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        struct td_track t = {.thread = threads[i].thread,
                             .name = threads[i].name[0] ? td_dict_cstring(dict, threads[i].name) : 0};
        struct td_event event = {.kind = TD_EVENT_MESSAGE,
                                 .track = td_dict_track(dict, &t),
                                 .subject = td_dict_cstring(dict, "here")};
        sink.events(sink.self, &event, 1, NULL);
    }
    struct td_layout layout;
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    assert_int_equal(td_layout_build(&layout, trace, &(struct td_messages){0}, NULL, NULL), 0);
    assert_int_equal(layout.count, 7);
    for (int i = 0; i < 7; i++)
        assert_string_equal(layout.nodes[i].label, labels[i]);
    td_layout_free(&layout);
    td_trace_destroy(trace);
}

static void a_gpu_context_is_a_group_of_its_rows(void **state)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    int64_t named[TD_GPU_CONTEXT_COLUMN_COUNT] = {0};
    named[TD_GPU_CONTEXT_NAME] = td_dict_cstring(td_trace_fill_dict(trace), "Device");
    for (int i = 0; i < 2; i++, named[TD_GPU_CONTEXT_NAME] = 0)
        assert_int_equal(td_series_append(td_trace_fill_table(trace, TD_TABLE_GPU_CONTEXT), named), 0);
    add_gpu_row(trace, 0, 2);
    add_gpu_row(trace, 8, 1);
    add_gpu_row(trace, 7, 1);
    struct td_layout layout;
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    assert_int_equal(td_layout_build(&layout, trace, &(struct td_messages){0}, NULL, NULL), 0);
    static const char *const labels[] = {"Device", "row 7", "row 8", "GPU context 1", "queue"};
    assert_int_equal(layout.count, 5);
    for (int i = 0; i < 5; i++)
        assert_string_equal(layout.nodes[i].label, labels[i]);
    assert_string_equal(layout.nodes[0].detail, "GPU, 2 rows");
    assert_int_equal(layout.nodes[4].parent, 3);
    td_layout_free(&layout);
    td_trace_destroy(trace);
}

/* A recorder that serves cores sends them as threads, of which the ids say what they are. */
static void cores_of_a_served_trace_are_in_their_tile(void **state)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    const uint32_t id = td_track_id(2, 5, 7, 1);
    struct td_track core = {.thread = id, .chip = 2, .x = 5, .y = 7, .core = 1};
    core.name = td_dict_cstring(td_trace_fill_dict(trace), "chip 2 tile 5,7 NCRISC");
    struct td_fill fill;
    uint32_t track = td_dict_track(td_trace_fill_dict(trace), &core);
    assert_int_equal(td_fill_begin(&fill, trace, track, NULL), 0);
    td_fill_enter(&fill, 10, 5, 0, 0);
    td_fill_end(&fill);
    struct td_layout layout;
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    assert_int_equal(td_layout_build(&layout, trace, &(struct td_messages){0}, NULL, NULL), 0);
    static const char *const labels[] = {"Chip 2", "Tile 5,7", "NCRISC"};
    assert_int_equal(layout.count, 3);
    for (int i = 0; i < 3; i++)
        assert_string_equal(layout.nodes[i].label, labels[i]);
    td_layout_free(&layout);
    td_trace_destroy(trace);
}

static void a_trace_without_content_has_an_empty_layout(void **state)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_layout layout;
    struct td_metrics metrics = td_metrics_for(2);
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    assert_int_equal(td_layout_build(&layout, trace, &(struct td_messages){0}, NULL, NULL), 0);
    td_layout_place(&layout, &metrics);
    assert_int_equal(layout.count, 0);
    assert_int_equal(td_layout_at(&layout, 0), 0);
    td_layout_collapse(&layout, 1);
    td_layout_free(&layout);
    td_trace_destroy(trace);
}

static struct td_layout grouped(struct td_trace *trace, const struct td_arrangement *as)
{
    struct td_layout layout;
    struct td_metrics metrics = td_metrics_for(1);
    assert_int_equal(td_layout_build(&layout, trace, &(struct td_messages){0}, as, NULL), 0);
    td_layout_place(&layout, &metrics);
    return layout;
}

/* The tracks of the cores from top to bottom. */
static size_t cores_of(const struct td_layout *l, uint32_t *tracks)
{
    size_t count = 0;
    for (int s = 0; s < l->shown_count; s++) {
        const struct td_node *n = &l->nodes[l->shown[s]];
        if (n->kind == TD_NODE_TRACK && n->is_device)
            tracks[count++] = n->number;
    }
    return count;
}

static void cores_are_grouped_by_name(void **state)
{
    struct fixture *f = *state;
    const char *names[64], *const kinds[] = {"slow", "fast", ""};
    for (int i = 0; i < 64; i++)
        names[i] = kinds[i % 3];
    struct td_arrangement as = {.grouping = TD_GROUPING_KERNEL, .group = names, .tracks = 64};
    struct td_layout l = grouped(f->trace, &as);
    int none = find(&l, "(no kernel)", 0), fast = find(&l, "fast", 0), slow = find(&l, "slow", 0);
    assert_true(none > 0 && none < fast && fast < slow && find(&l, "Chip 0", 0) < 0);
    assert_int_equal(l.nodes[none].tracks + l.nodes[fast].tracks + l.nodes[slow].tracks, 20);
    for (int i = fast + 1; i < l.nodes[fast].end; i++)
        if (l.nodes[i].kind == TD_NODE_TRACK)
            assert_string_equal(names[l.nodes[i].number], "fast");
    td_layout_free(&l);
}

static void an_order_moves_cores_or_whole_tiles(void **state)
{
    struct fixture *f = *state;
    uint32_t before[64], after[64], rank[64];
    struct td_arrangement as = {.grouping = TD_GROUPING_FLAT, .rank = rank, .tracks = 64};
    struct td_layout grid = grouped(f->trace, NULL);
    size_t cores = cores_of(&grid, before);
    assert_int_equal(cores, 20);
    for (uint32_t i = 0; i < 64; i++)
        rank[i] = 64 - i;
    struct td_layout flat = grouped(f->trace, &as);
    assert_int_equal(cores_of(&flat, after), cores);
    for (size_t i = 1; i < cores; i++)
        assert_true(rank[after[i - 1]] < rank[after[i]]);
    assert_string_equal(flat.nodes[td_layout_track_node(&flat, after[0])].label, "0/1,1 TRISC2");
    /* In the grid, the tile whose best core comes first is first; its cores stay in their order. */
    as.grouping = TD_GROUPING_PLACE;
    struct td_layout tiles = grouped(f->trace, &as);
    cores_of(&tiles, after);
    assert_int_equal(find(&tiles, "Tile 1,1", 0), find(&tiles, "Chip 0", 0) + 1);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(after[i], before[15 + i]);
    td_layout_free(&grid);
    td_layout_free(&flat);
    td_layout_free(&tiles);
}

static void filtered_lanes_and_their_plots_have_no_rows(void **state)
{
    struct fixture *f = *state;
    struct td_layout l = grouped(f->trace, NULL);
    uint8_t passes[64] = {0};
    int core = find(&l, "TRISC1", find(&l, "Tile 1,0", 0)), plot = find(&l, "cb pages", 0);
    passes[l.nodes[core].number] = 1;
    td_layout_filter(&l, passes, 64);
    td_layout_place(&l, &f->metrics);
    uint32_t tracks[64];
    assert_int_equal(cores_of(&l, tracks), 1);
    assert_int_equal(tracks[0], l.nodes[core].number);
    assert_true(l.nodes[plot].height == 0 && l.nodes[find(&l, "Host", 0)].height == 0);
    assert_true(l.nodes[find(&l, "Tile 0,0", 0)].height == 0 && l.nodes[find(&l, "Tile 1,0", 0)].height > 0);
    assert_true(l.nodes[find(&l, "CPU usage", 0)].height > 0); /* it belongs to no lane */
    td_layout_filter(&l, NULL, 0);
    td_layout_place(&l, &f->metrics);
    assert_int_equal(l.shown_count, f->layout.count);
    td_layout_free(&l);
}

static void hidden_rows_come_back(void **state)
{
    struct fixture *f = *state;
    struct td_layout l = grouped(f->trace, NULL);
    int tile = find(&l, "Tile 0,0", 0), plots = find(&l, "Plots", 0);
    float all = l.height;
    td_layout_hide(&l, tile, true);
    td_layout_hide(&l, plots + 1, true);
    td_layout_place(&l, &f->metrics);
    assert_true(l.nodes[tile].height == 0 && l.nodes[tile + 3].height == 0 && l.height < all);
    assert_true(l.nodes[plots].height == 0); /* nothing else is in it */
    td_layout_hide(&l, tile, false);
    td_layout_hide(&l, plots + 1, false);
    td_layout_place(&l, &f->metrics);
    assert_true(l.height == all);
    td_layout_free(&l);
}

static void pinned_rows_are_above_the_others(void **state)
{
    struct fixture *f = *state;
    struct td_layout l = grouped(f->trace, NULL);
    uint8_t passes[64] = {0};
    float all = l.height;
    int tile = find(&l, "Tile 0,1", 0), core = find(&l, "TRISC0", 0);
    l.nodes[tile].pinned = l.nodes[core].pinned = true;
    l.nodes[find(&l, "Chip 0", 0)].collapsed = true;
    td_layout_place(&l, &f->metrics);
    assert_int_equal(l.pin_count, 7); /* a core, and a tile with five */
    assert_int_equal(l.pins[0], core);
    assert_true(l.nodes[core].y == 0 && l.nodes[tile].y == l.nodes[core].height);
    for (int p = 0; p < l.pin_count; p++)
        assert_true(l.nodes[l.pins[p]].in_pins && l.nodes[l.pins[p]].height > 0);
    l.nodes[find(&l, "Chip 0", 0)].collapsed = false;
    td_layout_filter(&l, passes, 64);
    td_layout_place(&l, &f->metrics);
    assert_int_equal(l.pin_count, 1); /* a pinned row stays, what is in a pinned group is filtered */
    td_layout_filter(&l, NULL, 0);
    td_layout_place(&l, &f->metrics);
    assert_true(l.height + l.pins_height == all);
    td_layout_free(&l);
}

static int count_kind(const struct td_layout *layout, enum td_node_kind kind)
{
    int count = 0;
    for (int i = 0; i < layout->count; i++)
        count += layout->nodes[i].kind == kind;
    return count;
}

/* A lock's row that is below a track: its thread waited for it while another one held it. */
static void check_locks_beside(const struct td_layout *layout, const struct td_trace *trace,
                               const struct td_locks *locks)
{
    for (int i = 0; i < layout->count; i++) {
        const struct td_node *node = &layout->nodes[i];
        if (node->kind != TD_NODE_LOCK || !node->below)
            continue;
        const struct td_node *of = node - node->below;
        assert_int_equal(of->kind, TD_NODE_TRACK);
        const uint64_t id = td_dict_get_track(td_trace_dict(trace), of->number)->thread;
        struct td_lock_segment s = {.event = UINT64_MAX};
        const struct td_series *threads = td_trace_list(trace, TD_TABLE_LOCK_THREAD, node->number);
        bool waited = false;
        while (td_lock_next(trace, node->number, &s))
            for (uint64_t t = 0; t < td_series_count(threads) && s.end_ns > s.start_ns; t++)
                waited |= (s.state.waiters >> t & 1) && s.state.holders &&
                          (uint64_t)td_series_get(threads, t, TD_LOCK_THREAD_THREAD) == id;
        assert_true(waited);
    }
}

static void plots_locks_and_gpus_have_rows_unless_they_are_left_out(void **state)
{
    struct td_trace *trace;
    struct td_locks locks = {0};
    struct td_err err = {0};
    (void)state;
    assert_int_equal(td_file_read(TD_SOURCE_DIR "/tests/data/trace/0.14.0/synthetic.tracy", &trace, &err), 0);
    assert_int_equal(td_locks_build(&locks, trace, &err), 0);
    int contended = 0, contexts = 0, plots = 0, not_waited = 0, waits = 0;
    for (uint64_t l = 0; l < locks.count; l++) {
        not_waited += !locks.lock[l].waiters;
        waits += __builtin_popcountll(locks.lock[l].waiters);
        contended += td_lock_times_until(&locks, trace, l, INT64_MAX).contended > 0;
    }
    for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(trace)); t++)
        contexts += td_dict_get_track(td_trace_dict(trace), t)->context && td_trace_track_zones(trace, t);
    for (uint32_t p = 0; p < td_dict_plot_count(td_trace_dict(trace)); p++)
        plots += td_trace_plot_points(trace, p) > 0;
    assert_true(contended > 0 && contended < (int)locks.count && contexts == 4 && plots > 0);
    static const struct {
        struct td_arrangement as;
        bool plots, gpus;
    } cases[] = {{{0}, true, true},
                 {{.no_plots = true, .locks = TD_LOCKS_CONTENDED}, false, true},
                 {{.no_contexts = true, .locks = TD_LOCKS_NONE}, true, false},
                 {{.locks = TD_LOCKS_BESIDE}, true, true}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct td_arrangement as = cases[c].as;
        struct td_layout layout;
        const int wanted[] = {(int)locks.count, contended, 0, not_waited + waits};
        as.lock_times = &locks;
        assert_int_equal(td_layout_build(&layout, trace, &(struct td_messages){0}, &as, NULL), 0);
        assert_int_equal(count_kind(&layout, TD_NODE_LOCK), wanted[as.locks]);
        assert_int_equal(count_kind(&layout, TD_NODE_PLOT), cases[c].plots ? plots : 0);
        assert_int_equal(count_kind(&layout, TD_NODE_MEMORY) > 0, cases[c].plots);
        int gpus = 0;
        for (int i = 0; i < layout.count; i++)
            gpus += layout.nodes[i].kind == TD_NODE_TRACK &&
                    td_dict_get_track(td_trace_dict(trace), layout.nodes[i].number)->context;
        assert_int_equal(gpus, cases[c].gpus ? contexts : 0);
        check_locks_beside(&layout, trace, &locks);
        td_layout_free(&layout);
    }
    td_locks_free(&locks);
    td_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_comes_first_then_chip_tile_core),
        cmocka_unit_test(plots_of_a_core_stand_below_it),
        cmocka_unit_test(rows_lie_below_each_other_without_gaps),
        cmocka_unit_test(a_track_is_as_high_as_its_nesting_is_deep),
        cmocka_unit_test(closing_tiles_hides_their_cores_and_opening_restores_all),
        cmocka_unit_test(a_gpu_context_is_a_group_of_its_rows),
        cmocka_unit_test(the_main_thread_comes_first_and_numbers_in_names_count),
        cmocka_unit_test(cores_of_a_served_trace_are_in_their_tile),
        cmocka_unit_test(a_trace_without_content_has_an_empty_layout),
        cmocka_unit_test(cores_are_grouped_by_name),
        cmocka_unit_test(an_order_moves_cores_or_whole_tiles),
        cmocka_unit_test(filtered_lanes_and_their_plots_have_no_rows),
        cmocka_unit_test(hidden_rows_come_back),
        cmocka_unit_test(pinned_rows_are_above_the_others),
        cmocka_unit_test(plots_locks_and_gpus_have_rows_unless_they_are_left_out),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
