/* What the panel Memory shows of random allocations, against a plain calculation, and its pages in a window. */
#include "host/trace/fill.h"
#include "host/query/rows/memory_map.h"
#include "host/query/rows/memory_pool.h"
#include "host/query/rows/zone_events.h"
#include "host/query/table/forms.h"
#include "host/query/table/value_text.h"
#include "host/viewer/panels/memory.h"
#include "host/viewer/panels/memory_pages.h"
#include "tests/viewer/mouse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALLOCATIONS 3000
#define STACKS      6
#define END_NS      100000

static struct td_allocation all[ALLOCATIONS];

/* Functions 1, 2 and 3 call each other in six ways; frame ids are their numbers. */
static uint32_t make_stack(struct td_trace *trace, int way)
{
    static const uint64_t frames[STACKS][3] = {{1, 2, 3}, {2, 3, 0}, {1, 3, 0},
                                               {3, 0, 0}, {1, 2, 0}, {2, 1, 3}};
    size_t count = 3;
    while (!frames[way][count - 1])
        count--;
    return td_trace_fill_stack(trace, frames[way], count);
}

static void name_functions(struct td_trace *trace)
{
    struct td_dict *dict = td_trace_fill_dict(trace);
    struct td_series *frames = td_trace_fill_table(trace, TD_TABLE_STACK_FRAME),
                     *lines = td_trace_fill_table(trace, TD_TABLE_STACK_LINE);
    static const char *const names[] = {"take", "load", "main"};
    for (int i = 0; i < 3; i++) {
        const int64_t line[TD_STACK_LINE_COLUMN_COUNT] = {
            [TD_STACK_LINE_FUNCTION] = td_dict_cstring(dict, names[i]), [TD_STACK_LINE_LINE] = 10 + i};
        const int64_t frame[TD_STACK_FRAME_COLUMN_COUNT] = {
            [TD_STACK_FRAME_FRAME] = i + 1, [TD_STACK_FRAME_END] = i + 1};
        assert_int_equal(td_series_append(lines, line), 0);
        assert_int_equal(td_series_append(frames, frame), 0);
    }
}

static struct td_trace *make_trace(void)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    const int64_t pool[TD_POOL_COLUMN_COUNT] = {0};
    assert_int_equal(td_series_append(td_trace_fill_table(trace, TD_TABLE_POOL), pool), 0);
    struct td_series *rows = td_trace_fill_list(trace, TD_TABLE_MEMORY, 0);
    uint32_t stacks[STACKS];
    const struct td_track thread = {.thread = 7,
                                    .name = td_dict_cstring(td_trace_fill_dict(trace), "Worker")};
    td_dict_track(td_trace_fill_dict(trace), &thread);
    td_dict_track(td_trace_fill_dict(trace), &(struct td_track){.thread = 8});
    name_functions(trace);
    for (int i = 0; i < STACKS; i++)
        stacks[i] = make_stack(trace, i);
    srand(5);
    int64_t now = 10;
    for (int i = 0; i < ALLOCATIONS; i++) {
        now += rand() % 3 ? rand() % 40 : 0;
        struct td_allocation *a = &all[i];
        *a = (struct td_allocation){.row = (uint64_t)i,
                                    .address = 0x10000 + (uint64_t)(rand() % 4000) * 64 +
                                               (rand() % 9 ? 0 : UINT64_C(1) << 40),
                                    .bytes = 1 + rand() % 5000,
                                    .time_ns = now,
                                    .free_ns = rand() % 4 ? now + rand() % 9000 : -1,
                                    .thread = 7,
                                    .free_thread = 7,
                                    .stack = rand() % 10 ? stacks[rand() % STACKS] : 0};
        const int64_t row[TD_MEMORY_COLUMN_COUNT] = {[TD_MEMORY_ADDRESS] = (int64_t)a->address,
                                                     [TD_MEMORY_SIZE] = a->bytes,
                                                     [TD_MEMORY_TIME] = a->time_ns,
                                                     [TD_MEMORY_FREE_TIME] = a->free_ns,
                                                     [TD_MEMORY_THREAD] = (int64_t)a->thread,
                                                     [TD_MEMORY_FREE_THREAD] = (int64_t)a->free_thread,
                                                     [TD_MEMORY_STACK] = a->stack};
        assert_int_equal(td_series_append(rows, row), 0);
    }
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    return trace;
}

static bool in_range(const struct td_allocation *a, const struct td_memory_range *r)
{
    return a->time_ns >= r->from_ns && a->time_ns <= r->to_ns;
}

/* The bytes of the range's allocations that are in use after all that happened until time_ns. */
static int64_t use_at(const struct td_memory_range *r, int64_t time_ns)
{
    int64_t use = 0;
    for (int i = 0; i < ALLOCATIONS; i++)
        if (in_range(&all[i], r) && all[i].time_ns <= time_ns &&
            (all[i].free_ns < 0 || all[i].free_ns > time_ns))
            use += all[i].bytes;
    return use;
}

static void check_sums(const struct td_memory_range *r)
{
    struct td_memory_sums sums;
    uint64_t count = 0, active = 0, low = UINT64_MAX, high = 0;
    int64_t bytes = 0, active_bytes = 0;
    assert_int_equal(td_memory_sums_make(&sums, r, NULL), 0);
    for (int i = 0; i < ALLOCATIONS; i++) {
        const struct td_allocation *a = &all[i];
        if (!in_range(a, r))
            continue;
        const bool is_active = a->free_ns < 0 || a->free_ns > r->to_ns;
        count++;
        bytes += a->bytes;
        active += is_active;
        active_bytes += is_active ? a->bytes : 0;
        low = a->address < low ? a->address : low;
        high = a->address + (uint64_t)a->bytes > high ? a->address + (uint64_t)a->bytes : high;
    }
    assert_int_equal(sums.count, count);
    assert_int_equal(sums.active, active);
    assert_int_equal(sums.bytes, bytes);
    assert_int_equal(sums.active_bytes, active_bytes);
    assert_int_equal(sums.low, low);
    assert_int_equal(sums.high, high);
    int64_t peak = 0;
    for (int64_t t = 0; t < END_NS; t += 37) {
        const size_t at = td_usage_at(&sums, t);
        if (t > r->to_ns)
            break;
        assert_int_equal(at == SIZE_MAX ? 0 : sums.usage[at].last, use_at(r, t));
    }
    for (int i = 0; i < ALLOCATIONS; i++)
        if (in_range(&all[i], r)) {
            const int64_t use = use_at(r, all[i].time_ns);
            peak = use > peak ? use : peak;
        }
    assert_true(sums.peak_bytes >=
                peak); /* of equal times, releases come first, and each allocation counts */
    td_memory_sums_free(&sums);
}

static void sums_and_use_equal_a_count(void **state)
{
    struct td_trace *trace = make_trace();
    check_sums(&(struct td_memory_range){trace, 0, INT64_MIN, INT64_MAX});
    check_sums(&(struct td_memory_range){trace, 0, 5000, 30000});
    struct td_memory_sums none;
    assert_int_equal(td_memory_sums_make(&none, &(struct td_memory_range){trace, 0, 1, 2}, NULL), 0);
    assert_true(!none.count && !none.points && !none.peak_bytes);
    td_memory_sums_free(&none);
    td_trace_destroy(trace);
}

static void lists_have_what_passes_in_order(void **state)
{
    struct td_trace *trace = make_trace();
    const struct td_memory_range r = {trace, 0, 2000, 40000};
    uint8_t stacks[STACKS + 1] = {0};
    stacks[all[0].stack] = stacks[all[1].stack] = 1;
    static const char *const columns[] = {"address", "bytes", "time_ns", "duration_ns"};
    for (int way = 0; way < 4 * 2 * 3 * 4; way++) {
        const enum td_allocation_part part = (enum td_allocation_part)(way / 8 % 3);
        struct td_query_request of = {trace, r.from_ns, r.to_ns, END_NS, 0, NULL, NULL};
        struct td_allocations_wanted *w = calloc(1, sizeof *w + sizeof stacks);
        struct td_query_order order;
        int64_t expected = 0, last = 0;
        int rc;
        assert_non_null(w);
        *w = (struct td_allocations_wanted){.part = part,
                                            .at = way / 24 % 2,
                                            .address = all[1500].address + 1,
                                            .stack_count = way / 48 ? sizeof stacks : 0};
        memcpy(w->stacks, stacks, sizeof stacks);
        of.with = w;
        struct td_query_rows *rows = td_query_make(&td_table_allocations, &of, &rc);
        assert_non_null(rows);
        for (int i = 0; i < ALLOCATIONS; i++) {
            const struct td_allocation *a = &all[i];
            const bool active = a->free_ns < 0 || a->free_ns > r.to_ns;
            const bool passes =
                in_range(a, &r) && (!part || active == (part == TD_ALLOCATIONS_ACTIVE)) &&
                (!w->at || (w->address >= a->address && w->address < a->address + (uint64_t)a->bytes)) &&
                (!w->stack_count || stacks[a->stack]);
            expected += passes ? a->bytes : 0;
            const uint64_t at = td_allocations_find(rows, (uint64_t)i);
            assert_int_equal(at < rows->count, passes);
            if (passes)
                assert_int_equal(td_allocations_at(rows, at).row, i);
        }
        assert_int_equal(td_allocations_bytes(rows), expected);
        assert_int_equal(td_query_order_all(&order, rows), 0);
        td_query_order_sort(&order, rows, td_query_column_named(rows->table, columns[way % 4]), way / 4 % 2);
        for (uint64_t i = 0; i < order.count && way % 4; i++) {
            const int64_t value = td_query_int(rows, order.rows[i], columns[way % 4]);
            assert_true(!i || (way / 4 % 2 ? last >= value : last <= value));
            last = value;
        }
        td_query_order_free(&order);
        td_query_free(rows);
    }
    td_trace_destroy(trace);
}

static void cells_of_the_map_are_what_happened_there(void **state)
{
    struct td_trace *trace = make_trace();
    const struct td_memory_range r = {trace, 0, INT64_MIN, INT64_MAX};
    struct td_memory_map map;
    assert_int_equal(td_memory_map_make(&map, &r, NULL), 0);
    assert_true(map.pages > 0 && map.pages <= TD_MAP_PAGES);
    const uint64_t bytes = map.page_bytes / TD_MAP_CELLS;
    for (size_t p = 0; p < map.pages; p++) {
        assert_true(!p || map.page[p] > map.page[p - 1]);
        for (unsigned c = 0; c < TD_MAP_CELLS; c += 3) {
            const uint64_t low = map.page[p] * map.page_bytes + c * bytes, high = low + bytes;
            struct td_map_cell want = {.time_ns = INT64_MIN};
            for (int i = 0; i < ALLOCATIONS; i++) {
                const struct td_allocation *a = &all[i];
                const bool active = a->free_ns < 0;
                const int64_t time = active ? a->time_ns : a->free_ns;
                if (a->address >= high || a->address + (uint64_t)a->bytes <= low)
                    continue;
                if (active > want.active || (active == want.active && time > want.time_ns))
                    want = (struct td_map_cell){time, active};
            }
            const struct td_map_cell *cell = &map.cell[p * TD_MAP_CELLS + c];
            assert_true(cell->time_ns == want.time_ns && cell->active == want.active);
        }
    }
    td_memory_map_free(&map);
    td_trace_destroy(trace);
}

/* The weight of all stacks whose frames begin (or end) as the path. */
static void check_node(const struct td_call_tree *tree, uint32_t node)
{
    int64_t bytes = tree->at[node].own_bytes, last = INT64_MAX;
    uint64_t count = tree->at[node].self;
    for (uint32_t child = tree->at[node].child; child != TD_CALL_NONE; child = tree->at[child].next) {
        assert_int_equal(tree->at[child].parent, node);
        assert_true(tree->at[child].bytes <= last);
        last = tree->at[child].bytes;
        bytes += tree->at[child].bytes;
        count += tree->at[child].total;
        check_node(tree, child);
    }
    assert_int_equal(tree->at[node].bytes, bytes);
    assert_int_equal(tree->at[node].total, count);
}

static void trees_have_all_allocations(void **state)
{
    struct td_trace *trace = make_trace();
    const struct td_memory_range r = {trace, 0, INT64_MIN, INT64_MAX};
    for (int part = 0; part < TD_ALLOCATION_PARTS; part++) {
        struct td_stack_counts counts;
        int64_t bytes = 0, without = 0;
        assert_int_equal(td_memory_stacks_make(&counts, &r, (enum td_allocation_part)part, NULL), 0);
        for (int i = 0; i < ALLOCATIONS; i++)
            if (!part || (all[i].free_ns < 0) == (part == TD_ALLOCATIONS_ACTIVE)) {
                bytes += all[i].bytes;
                without += all[i].stack ? 0 : all[i].bytes;
            }
        for (int inwards = 0; inwards < 2; inwards++) {
            struct td_call_tree tree;
            const struct td_call_tree_choice choice = {
                .inwards = inwards, .inlines = true, .same = TD_SAME_NAME};
            assert_int_equal(td_call_tree_make(trace, &counts, &choice, NULL, &tree, NULL), 0);
            check_node(&tree, 0);
            assert_int_equal(tree.at[0].bytes, bytes);
            assert_int_equal(tree.at[0].own_bytes, without);
            /* From the entry: main and load, at which stacks end as their outermost function; from the place: all. */
            int roots = 0;
            for (uint32_t c = tree.at[0].child; c != TD_CALL_NONE; c = tree.at[c].next)
                roots++;
            assert_int_equal(roots, inwards ? 2 : 3);
            for (uint32_t n = 1; n < tree.count; n++) {
                int64_t through = 0;
                for (uint32_t s = 0; s < counts.stacks; s++)
                    through += td_call_tree_passes(&tree, s, n) ? counts.bytes[s] : 0;
                assert_int_equal(through, tree.at[n].bytes);
            }
            td_call_tree_free(&tree);
        }
        td_stack_counts_free(&counts);
    }
    td_trace_destroy(trace);
}

/* Thread 7 runs from 100 to 200 on CPU 1, from 250 to 300 there, from 320 to 400 on CPU 2. */
static void add_runs(struct td_trace *trace)
{
    static const int64_t runs[][3] = {{100, 200, 1}, {250, 300, 1}, {320, 400, 2}};
    const int64_t thread[TD_SWITCH_THREAD_COLUMN_COUNT] = {7};
    td_dict_track(td_trace_fill_dict(trace), &(struct td_track){.thread = 7});
    assert_int_equal(td_series_append(td_trace_fill_table(trace, TD_TABLE_SWITCH_THREAD), thread), 0);
    for (int i = 0; i < 3; i++) {
        const int64_t row[TD_SWITCH_COLUMN_COUNT] = {[TD_SWITCH_WAKEUP] = runs[i][0],
                                                     [TD_SWITCH_START] = runs[i][0],
                                                     [TD_SWITCH_END] = runs[i][1],
                                                     [TD_SWITCH_CPU] = runs[i][2]};
        assert_int_equal(td_series_append(td_trace_fill_list(trace, TD_TABLE_SWITCH, 0), row), 0);
    }
}

/* Thread 7 runs fiber 9 from 200 to 300 on CPU 1, allocates at 150, 250 and 350, and is sampled in take(), load()
 * and take() then. */
static struct td_trace *make_fiber_trace(void)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    const int64_t threads[][TD_SWITCH_THREAD_COLUMN_COUNT] = {{9}, {7}};
    const int64_t runs[][TD_SWITCH_COLUMN_COUNT] = {
        {[TD_SWITCH_START] = 200, [TD_SWITCH_END] = 300, [TD_SWITCH_FIBER_THREAD] = 7},
        {[TD_SWITCH_START] = 100, [TD_SWITCH_END] = 400, [TD_SWITCH_CPU] = 1}};
    td_dict_track(td_trace_fill_dict(trace), &(struct td_track){.thread = 7});
    td_dict_track(td_trace_fill_dict(trace), &(struct td_track){.thread = 9, .fiber = 1});
    for (int i = 0; i < 2; i++) {
        assert_int_equal(td_series_append(td_trace_fill_table(trace, TD_TABLE_SWITCH_THREAD), threads[i]), 0);
        assert_int_equal(td_series_append(td_trace_fill_list(trace, TD_TABLE_SWITCH, (uint64_t)i), runs[i]),
                         0);
    }
    uint32_t stacks[2];
    name_functions(trace);
    for (int i = 0; i < 2; i++)
        stacks[i] = td_trace_fill_stack(trace, &(uint64_t){(uint64_t)i + 1}, 1);
    for (int64_t time = 150; time < 400; time += 100) {
        const int64_t row[TD_MEMORY_COLUMN_COUNT] = {[TD_MEMORY_TIME] = time,
                                                     [TD_MEMORY_FREE_TIME] = -1,
                                                     [TD_MEMORY_THREAD] = 7,
                                                     [TD_MEMORY_SIZE] = time};
        const int64_t sample[TD_SAMPLE_COLUMN_COUNT] = {
            [TD_SAMPLE_TIME] = time, [TD_SAMPLE_STACK] = stacks[time == 250]};
        assert_int_equal(td_series_append(td_trace_fill_list(trace, TD_TABLE_MEMORY, 0), row), 0);
        assert_int_equal(td_series_append(td_trace_fill_list(trace, TD_TABLE_SAMPLE, 0), sample), 0);
    }
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    return trace;
}

static void what_a_thread_did_in_a_fiber_is_of_the_fibers_zone(void **state)
{
    struct td_trace *trace = make_fiber_trace();
    static struct td_zone_events e;
    assert_int_equal(td_zone_events_make(&e, trace, 1, 100, 400, NULL), 0);
    assert_true(e.allocations == 1 && e.allocated_bytes == 250);
    assert_true(e.symbols.samples == 1 && e.symbols.count == 1);
    assert_string_equal(td_symbol_sum_name(trace, &e.symbols.at[0]), "load");
    assert_true(e.cpus == 1 && e.cpu[0].cpu == 1 && e.cpu[0].ns == 100);
    td_zone_events_free(&e);
    assert_int_equal(td_zone_events_make(&e, trace, 0, 100, 400, NULL), 0);
    assert_true(e.allocations == 2 && e.allocated_bytes == 150 + 350);
    assert_true(e.symbols.samples == 2 && e.symbols.count == 1);
    assert_string_equal(td_symbol_sum_name(trace, &e.symbols.at[0]), "take");
    td_zone_events_free(&e);
    td_trace_destroy(trace);
}

static void a_zone_has_the_allocations_and_waits_of_its_thread(void **state)
{
    struct td_trace *trace = make_trace();
    const int64_t from = 3000, to = 20000;
    uint64_t allocations = 0, frees = 0;
    int64_t allocated = 0, freed = 0;
    static struct td_zone_events e;
    assert_int_equal(td_zone_events_make(&e, trace, 0, from, to, NULL), 0);
    for (int i = 0; i < ALLOCATIONS; i++) {
        const bool made = all[i].time_ns >= from && all[i].time_ns <= to,
                   gone = all[i].free_ns >= from && all[i].free_ns <= to;
        allocations += made;
        allocated += made ? all[i].bytes : 0;
        frees += gone;
        freed += gone ? all[i].bytes : 0;
    }
    assert_true(e.allocations == allocations && e.frees == frees && e.listed == TD_ZONE_EVENTS);
    assert_true(e.allocated_bytes == allocated && e.freed_bytes == freed && !e.waits);
    assert_int_equal(td_zone_events_make(&e, trace, 1, from, to, NULL), 0);
    assert_true(!e.allocations && !e.frees && !e.listed);
    td_trace_destroy(trace);

    trace = td_trace_create(td_dict_create());
    add_runs(trace);
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    assert_int_equal(td_zone_events_make(&e, trace, 0, 110, 310, NULL), 0);
    assert_true(e.waits == 2 && e.waited_ns == 50 + 10 && e.migrations == 1 && e.waits_listed == 2);
    assert_true(e.wait[1].start_ns == 300 && e.wait[1].end_ns == 320 && e.wait[1].to_cpu == 2);
    assert_true(e.cpus == 1 && e.cpu[0].cpu == 1 && e.cpu[0].runs == 2 && e.cpu[0].ns == 90 + 50);
    assert_int_equal(td_zone_events_make(&e, trace, 0, 210, 240, NULL), 0);
    assert_true(e.waits == 1 && e.waited_ns == 30);
    assert_int_equal(td_zone_events_make(&e, trace, 0, 110, 190, NULL), 0);
    assert_int_equal(e.waits, 0);
    td_trace_destroy(trace);
}

/* ---- the panel ---- */

static int setup(void **state)
{
    static struct fixture f;
    return open_window(state, &f, make_trace(), 1280, 700);
}

/* Until nothing is counted any more. */
static void finish(struct fixture *f)
{
    settle(f);
    td_driver_settle(&f->view);
    settle(f);
}

static void press(struct fixture *f, int key, bool shift)
{
    struct td_key_press press = {.key = key, .shift = shift};
    td_panels_key(&f->view, &press);
    finish(f);
}

static void pages_show_the_pool(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    td_panels_key(&f->view, &(struct td_key_press){.key = 'm', .ctrl = true});
    finish(f);
    assert_true(td_panel_is_open(&f->view, TD_PANEL_MEMORY));
    const struct memory_panel *s = memory_panel_of(&f->view);
    finish(f);
    assert_int_equal(s->sums.shown.count, ALLOCATIONS);
    assert_int_equal(s->list.rows.count, ALLOCATIONS);
    press(f, TD_KEY_END, false);
    assert_int_equal(memory_selected(&f->view), ALLOCATIONS);
    assert_true(f->view.selection.spot.used &&
                f->view.selection.spot.start_ns == all[ALLOCATIONS - 1].time_ns);
    press(f, 'y', false);
    assert_int_equal(s->page, MEMORY_ACTIVE);
    assert_int_equal(s->list.rows.count, s->sums.shown.active);
    press(f, 'y', false);
    assert_int_equal(s->page, MEMORY_MAP);
    assert_true(s->map.shown.pages > 0);
    press(f, 'y', false);
    assert_int_equal(s->page, MEMORY_TREE);
    const size_t opened = s->tree.view.row_count;
    assert_true(opened >= 2);
    press(f, TD_KEY_DOWN, false);
    press(f, TD_KEY_ENTER, false);
    assert_true(s->tree.view.row_count != opened);
    const int64_t bytes = s->tree.view.tree.at[s->tree.view.rows[0]].bytes;
    struct td_key_press enter = {.key = TD_KEY_ENTER, .ctrl = true};
    td_panels_key(&f->view, &enter);
    finish(f);
    assert_int_equal(s->page, MEMORY_ALLOCATIONS);
    assert_int_equal(td_allocations_bytes(s->list.shown), bytes);
}

static void the_use_of_a_pool_is_a_row(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    const int node = td_layout_row_node(&f->view.layout, TD_NODE_MEMORY, 0);
    assert_true(node >= 0);
    assert_string_equal(f->view.layout.nodes[node].label, "Memory: Default");
    const struct td_memory_range r = {f->view.model.trace, 0, INT64_MIN, INT64_MAX};
    const struct td_memory_sums *shown;
    while (!(shown = td_memory_curve_get(&f->view.drawn.memory, f->view.model.trace, 0, 1)))
        td_ui_poll(f->ui, 5);
    int64_t low, most;
    for (int64_t t = all[0].time_ns; t < all[ALLOCATIONS - 1].time_ns; t += 997) {
        assert_true(td_usage_between(shown, t, t, &low, &most));
        assert_true(low <= use_at(&r, t) && use_at(&r, t) <= most);
    }
    assert_false(td_usage_between(shown, all[0].time_ns - 2, all[0].time_ns - 1, &low, &most));
    f->view.hover.pool = 1;
    assert_true(td_panel_click(&f->view, TD_PANEL_MEMORY));
    finish(f);
    assert_true(td_panel_is_open(&f->view, TD_PANEL_MEMORY));
    assert_int_equal(memory_panel_of(&f->view)->sums.shown.peak_bytes, shown->peak_bytes);
}

static void the_allocation_at_a_time_is_the_nearest(void **state)
{
    struct td_trace *trace = make_trace();
    for (int64_t t = all[0].time_ns - 30; t < all[ALLOCATIONS - 1].time_ns + 9000; t += 331) {
        int64_t nearest = INT64_MAX;
        for (int i = 0; i < ALLOCATIONS; i++) {
            const int64_t made = llabs(all[i].time_ns - t), freed = llabs(all[i].free_ns - t);
            nearest = made < nearest ? made : nearest;
            /* What is made later cannot be freed by then. */
            nearest = all[i].free_ns >= 0 && all[i].time_ns < t && freed < nearest ? freed : nearest;
        }
        const uint64_t row = td_allocation_near(trace, 0, (double)t, 20);
        assert_int_equal(row == UINT64_MAX, nearest > 20);
        if (row == UINT64_MAX)
            continue;
        const int64_t made = llabs(all[row].time_ns - t), freed = llabs(all[row].free_ns - t);
        assert_int_equal(all[row].free_ns >= 0 && freed < made ? freed : made, nearest);
    }
    td_trace_destroy(trace);
}

static void a_click_on_the_row_of_a_pool_shows_how_long_the_allocation_lived(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    const struct memory_panel *s = memory_panel_of(&f->view);
    const int node = td_layout_row_node(&f->view.layout, TD_NODE_MEMORY, 0);
    int row = 0;
    while (all[row].free_ns < all[row].time_ns + 5000 || all[row].time_ns < 20000)
        row++;
    assert_int_equal(td_memory_do(&f->view, "address", "1", NULL), 0); /* the list has none */
    f->view.hover.pool = 1;
    f->view.hover.allocation = (uint64_t)row + 1;
    assert_true(td_panel_click(&f->view, TD_PANEL_MEMORY));
    finish(f);
    assert_int_equal(f->view.selection.allocation, row + 1);
    assert_int_equal(td_table_row(&s->list, (uint64_t)s->list.list.selected - 1), row);
    /* It is drawn from where it was made to where it was freed. */
    td_camera_set_range(&f->view.camera, (double)all[row].time_ns - 1000, (double)all[row].free_ns + 1000,
                        true);
    finish(f);
    const float y = td_view_node_y(&f->view, &f->view.layout.nodes[node]);
    const float middle =
        (td_view_x(&f->view, (double)all[row].time_ns) + td_view_x(&f->view, (double)all[row].free_ns)) / 2;
    assert_true(middle > f->view.area.left && y >= f->view.area.top);
    size_t changed = 0;
    int wide, high;
    unsigned char *with = take_picture(f, &wide, &high);
    f->view.selection.allocation = 0;
    finish(f);
    unsigned char *without = take_picture(f, &wide, &high);
    const int from = (int)td_view_x(&f->view, (double)all[row].time_ns),
              to = (int)td_view_x(&f->view, (double)all[row].free_ns);
    for (int x = (int)f->view.area.left + 90; x < (int)f->view.area.right; x++) {
        const size_t at = 3 * ((size_t)(y + 6) * (size_t)wide + (size_t)x);
        const bool differs = memcmp(with + at, without + at, 3) != 0;
        changed += differs;
        if (x < from - 2 || x > to + 2)
            assert_false(differs);
    }
    assert_true(changed + 90 > (size_t)(to - from));
    stbi_image_free(with);
    stbi_image_free(without);
}

static void commands_choose_page_pool_and_address(void **state)
{
    struct fixture *f = *state;
    struct td_err err = {0};
    if (!f)
        return;
    const struct memory_panel *s = memory_panel_of(&f->view);
    char address[32];
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)all[1500].address);
    assert_int_equal(td_memory_do(&f->view, "address", address, &err), 0);
    finish(f);
    assert_true(s->list.rows.count > 0 && s->list.rows.count < ALLOCATIONS / 2);
    assert_int_equal(td_memory_do(&f->view, "map", NULL, &err), 0);
    assert_int_equal(td_memory_do(&f->view, "pool", "Default", &err), 0);
    assert_true(td_memory_do(&f->view, "pool", "no such", &err) < 0);
    assert_true(td_memory_do(&f->view, "map", "1", &err) < 0);
    assert_true(td_memory_do(&f->view, "address", NULL, &err) < 0);
    assert_true(td_memory_do(&f->view, "nothing", NULL, &err) < 0);
    for (size_t i = 0; td_memory_action(i); i++)
        assert_true(strlen(td_memory_action(i)) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_use_equal_a_count),
        cmocka_unit_test(lists_have_what_passes_in_order),
        cmocka_unit_test(cells_of_the_map_are_what_happened_there),
        cmocka_unit_test(trees_have_all_allocations),
        cmocka_unit_test(a_zone_has_the_allocations_and_waits_of_its_thread),
        cmocka_unit_test(what_a_thread_did_in_a_fiber_is_of_the_fibers_zone),
        cmocka_unit_test_setup_teardown(pages_show_the_pool, setup, teardown),
        cmocka_unit_test_setup_teardown(the_use_of_a_pool_is_a_row, setup, teardown),
        cmocka_unit_test(the_allocation_at_a_time_is_the_nearest),
        cmocka_unit_test_setup_teardown(a_click_on_the_row_of_a_pool_shows_how_long_the_allocation_lived,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(commands_choose_page_pool_and_address, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
