/* The tree of tracks and the heights of its rows. */
#include "host/viewer/layout.h"
#include "host/trace/fill.h"
#include "host/trace/tables.h"
#include "proto/track.h"
#include "tests/viewer/demo_trace.h"

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
    if (!f.trace || td_layout_build(&f.layout, f.trace, &(struct td_messages){0}, NULL) < 0)
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
    assert_int_equal(td_layout_build(&layout, trace, &(struct td_messages){0}, NULL), 0);
    static const char *const labels[] = {"Device", "row 8", "row 7", "GPU context 1", "queue"};
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
    assert_int_equal(td_layout_build(&layout, trace, &(struct td_messages){0}, NULL), 0);
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
    assert_int_equal(td_layout_build(&layout, trace, &(struct td_messages){0}, NULL), 0);
    td_layout_place(&layout, &metrics);
    assert_int_equal(layout.count, 0);
    assert_int_equal(td_layout_at(&layout, 0), 0);
    td_layout_collapse(&layout, 1);
    td_layout_free(&layout);
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
        cmocka_unit_test(cores_of_a_served_trace_are_in_their_tile),
        cmocka_unit_test(a_trace_without_content_has_an_empty_layout),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
