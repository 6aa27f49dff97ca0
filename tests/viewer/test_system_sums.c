/* What is computed of context switches, processors and samples, without a window: sums, bands, ghost zones. */
#include "host/trace/tables.h"
#include "host/query/code/ghosts.h"
#include "host/query/flows/scan.h"
#include "host/query/code/stack_lines.h"
#include "host/query/rows/zone_events.h"
#include "tests/viewer/mouse.h"
#include "tests/viewer/system_trace.h"

#include <string.h>
#include <time.h>

static uint64_t draw_number(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *seed >> 33;
}

static void sums_of_runs_equal_those_row_by_row(void **state)
{
    struct td_trace *trace = system_trace(&SYSTEM_SMALL);
    struct td_switches s;
    uint64_t seed = 3;
    (void)state;
    assert_non_null(trace);
    td_switches_init(&s);
    assert_int_equal(td_switches_update(&s, trace, UINT64_MAX), 0);
    assert_int_equal(td_switches_update(&s, trace, UINT64_MAX), 0); /* changes nothing */
    assert_int_equal(s.cpu_count, SYSTEM_SMALL.cpus);
    for (uint32_t i = 0; i < 6 + SYSTEM_SMALL.cpus; i++) {
        const struct td_busy *b = i < 6 ? td_switches_of(&s, i) : td_switches_cpu(&s, i - 6);
        assert_true(b && td_series_count(b->rows) > 100);
        const int64_t last = td_series_get(b->rows, td_series_count(b->rows) - 1, b->end);
        for (int k = 0; k < 200; k++) {
            const int64_t at = (int64_t)(draw_number(&seed) % (uint64_t)(last + 1000));
            const struct td_busy_times a = td_busy_until(b, at, last), e = system_time_until(b, at);
            assert_int_equal(a.own_ns, e.own_ns);
            assert_int_equal(a.other_ns, e.other_ns);
            const uint64_t row = td_busy_from(b, (uint64_t)k % 3, at);
            assert_true(row == td_series_count(b->rows) || td_series_get(b->rows, row, b->start) >= at);
            assert_true(row <= (uint64_t)k % 3 || td_series_get(b->rows, row - 1, b->start) < at);
        }
    }
    td_switches_free(&s);
    td_trace_destroy(trace);
}

/* As those of a growing trace are. */
static void what_is_read_in_parts_is_what_is_read_at_once(void **state)
{
    struct td_trace *trace = system_trace(&SYSTEM_SMALL);
    struct td_switches whole, parts;
    uint64_t seed = 4, depth_count, count = 0, next = 0;
    uint16_t *depths = td_ghosts_depths(trace, &depth_count), *in_parts = NULL;
    unsigned steps = 0;
    (void)state;
    td_switches_init(&whole);
    td_switches_init(&parts);
    assert_int_equal(td_switches_update(&whole, trace, UINT64_MAX), 0);
    for (int rc = 1; rc; steps++) {
        rc = td_switches_update(&parts, trace, 100);
        assert_true(rc >= 0);
        for (uint32_t c = 0; c < SYSTEM_SMALL.cpus; c++) {
            const struct td_busy *a = td_switches_cpu(&whole, c), *b = td_switches_cpu(&parts, c);
            const uint64_t row = draw_number(&seed) % td_series_count(a->rows);
            const struct td_busy_times x = td_busy_before(a, row), y = td_busy_before(b, row);
            assert_true(x.own_ns == y.own_ns && x.other_ns == y.other_ns);
        }
    }
    assert_true(steps > 10);
    for (uint64_t i = 0; i < depth_count; i++)
        assert_int_equal(td_ghosts_depths_update(trace, &in_parts, &count, &next, 1), 0);
    assert_int_equal(count, depth_count);
    assert_memory_equal(in_parts, depths, count * sizeof *depths);
    td_switches_free(&whole);
    td_switches_free(&parts);
    free(depths);
    free(in_parts);
    td_trace_destroy(trace);
}

/* As those of a file are: the view knows all rows at once, and the scan counts them. */
static void what_the_scan_counts_is_what_is_read_at_once(void **state)
{
    struct td_trace *trace = system_trace(&SYSTEM_SMALL);
    struct td_switches whole, scanned;
    struct td_scan scan = {0};
    (void)state;
    td_switches_init(&whole);
    td_switches_init(&scanned);
    assert_int_equal(td_switches_update(&whole, trace, UINT64_MAX), 0);
    assert_int_equal(td_switches_update(&scanned, trace, 0), 1);
    for (uint32_t t = 0; t < SYSTEM_SMALL.threads; t++)
        assert_int_equal(td_switches_of(&whole, t) != NULL, td_switches_of(&scanned, t) != NULL);
    td_scan_start(&scan, trace, false, 1, &scanned);
    while (!td_scan_take(&scan))
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    for (uint32_t c = 0; c < SYSTEM_SMALL.cpus; c++) {
        const struct td_busy *a = td_switches_cpu(&whole, c), *b = td_switches_cpu(&scanned, c);
        assert_true(b->count > 1);
        assert_int_equal(b->count, a->count);
        assert_memory_equal(b->marks, a->marks, a->count * sizeof *a->marks);
    }
    for (uint32_t t = 0; t < SYSTEM_SMALL.threads; t++) {
        const struct td_busy *a = td_switches_of(&whole, t), *b = td_switches_of(&scanned, t);
        assert_int_equal(a ? b->count : 0, a ? a->count : 0);
        if (a)
            assert_memory_equal(b->marks, a->marks, a->count * sizeof *a->marks);
    }
    td_scan_free(&scan);
    td_switches_free(&whole);
    td_switches_free(&scanned);
    td_trace_destroy(trace);
}

struct zone_sums {
    int64_t cpu_ns[4], waited_ns;
    uint64_t runs[4], waits, samples, self[3], total[3];
};
static const char *const zone_functions[3] = {"hot_loop", "work", "main"};

static void count_runs(struct zone_sums *sums, const struct td_series *rows, int64_t from, int64_t to)
{
    for (uint64_t i = 0; i < td_series_count(rows); i++) {
        const int64_t start = td_series_get(rows, i, TD_SWITCH_START),
                      end = td_series_get(rows, i, TD_SWITCH_END),
                      cpu = td_series_get(rows, i, TD_SWITCH_CPU);
        if (end <= from || start >= to)
            continue;
        sums->cpu_ns[cpu] += (end < to ? end : to) - (start > from ? start : from);
        sums->runs[cpu]++;
    }
}

/* Samples at context switches do not count. */
static void count_samples(struct zone_sums *sums, const struct td_trace *trace, uint32_t track, int64_t from,
                          int64_t to)
{
    const struct td_series *samples = td_trace_list(trace, TD_TABLE_SAMPLE, track),
                           *stops = td_trace_list(trace, TD_TABLE_SWITCH_SAMPLE, track);
    for (uint64_t i = 0; i < td_series_count(samples); i++) {
        const int64_t at = td_series_get(samples, i, TD_SAMPLE_TIME);
        const uint64_t stop = td_series_after(stops, TD_SWITCH_SAMPLE_TIME, at);
        struct td_stack_place lines[16];
        size_t all;
        if (at < from || at > to || (stop && td_series_get(stops, stop - 1, TD_SWITCH_SAMPLE_TIME) == at))
            continue;
        const size_t count =
            td_stack_lines(trace, (uint32_t)td_series_get(samples, i, TD_SAMPLE_STACK), lines, 16, &all);
        sums->samples++;
        for (int f = 0; f < 3; f++) {
            bool in = false;
            for (size_t l = 0; l < count; l++)
                in |= !strcmp(lines[l].function, zone_functions[f]);
            sums->total[f] += in;
            sums->self[f] += !strcmp(lines[0].function, zone_functions[f]);
        }
    }
}

static void check_zone_events(const struct td_trace *trace, uint32_t track, const struct td_zone *zone)
{
    static struct td_zone_events e;
    struct zone_sums sums = {0};
    int64_t ran = 0;
    assert_int_equal(td_zone_events_make(&e, trace, track, zone->start_ns, zone->end_ns, NULL), 0);
    count_runs(&sums, td_trace_list(trace, TD_TABLE_SWITCH, track), zone->start_ns, zone->end_ns);
    count_samples(&sums, trace, track, zone->start_ns, zone->end_ns);
    for (size_t i = 0; i < e.cpus; i++) {
        assert_true(e.cpu[i].ns == sums.cpu_ns[e.cpu[i].cpu] && e.cpu[i].runs == sums.runs[e.cpu[i].cpu]);
        assert_true(!i || e.cpu[i - 1].ns >= e.cpu[i].ns);
        ran += e.cpu[i].ns;
    }
    assert_int_equal(ran + e.waited_ns, zone->end_ns - zone->start_ns);
    assert_int_equal(e.symbols.samples, sums.samples);
    for (int f = 0; f < 3; f++) {
        const struct td_symbol_sum *sum = td_symbol_sums_find(&e.symbols, trace, zone_functions[f], NULL);
        assert_true((sum ? sum->self : 0) == sums.self[f] && (sum ? sum->total : 0) == sums.total[f]);
    }
    td_zone_events_free(&e);
}

static void a_zone_has_the_runs_and_samples_of_its_thread(void **state)
{
    struct td_trace *trace = system_trace(&SYSTEM_SMALL);
    (void)state;
    for (size_t i = 0; i < td_trace_row_zones(trace, 0, 0); i++) {
        const struct td_zone zone = td_trace_zone(trace, 0, 0, i);
        check_zone_events(trace, 0, &zone);
    }
    assert_string_equal(td_switches_distance(trace, 0, 1), "");
    assert_string_equal(td_switches_distance(trace, 1, 2), ", other core");
    assert_string_equal(td_switches_distance(trace, 1, 99), "");
    td_trace_destroy(trace);
}

/* The band's source and switches of a small trace. */
struct runs {
    struct td_trace *trace;
    struct td_switches switches;
    struct td_band_source *source;
};

static void open_runs(struct runs *r)
{
    r->trace = system_trace(&SYSTEM_SMALL);
    assert_non_null(r->trace);
    td_switches_init(&r->switches);
    assert_int_equal(td_switches_update(&r->switches, r->trace, UINT64_MAX), 0);
    r->source = td_band_source_create(r->trace);
    td_band_source_use(r->source, &(struct td_band_parts){.switches = &r->switches});
}

static void close_runs(struct runs *r)
{
    td_band_source_destroy(r->source);
    td_switches_free(&r->switches);
    td_trace_destroy(r->trace);
}

static void shares_of_processors_equal_those_row_by_row(void **state)
{
    struct runs r;
    (void)state;
    open_runs(&r);
    for (int level = 14; level < 20; level++) {
        const struct td_band_key key = {0, TD_BAND_USAGE, level, td_band_index_at(level, 30e6)};
        const double cell_ns = td_band_cell_ns(level), start_ns = td_band_start_ns(&key);
        struct td_band_data data;
        assert_int_equal(td_band_make_list(r.source, &key, 0, &data), 0);
        assert_int_equal(data.count, TD_BAND_CELLS);
        for (uint32_t i = 0; i < TD_BAND_CELLS; i++) {
            double own = 0, other = 0;
            for (uint32_t c = 0; c < SYSTEM_SMALL.cpus; c++) {
                const struct td_busy *b = td_switches_cpu(&r.switches, c);
                const struct td_busy_times x = system_time_until(b, (int64_t)(start_ns + i * cell_ns)),
                                           y = system_time_until(b, (int64_t)(start_ns + (i + 1) * cell_ns));
                own += (double)(y.own_ns - x.own_ns) / cell_ns / SYSTEM_SMALL.cpus;
                other += (double)(y.other_ns - x.other_ns) / cell_ns / SYSTEM_SMALL.cpus;
            }
            const double all = (double)data.cells[i].busy / TD_BAND_SHARE,
                         others = (double)data.cells[i].wait / TD_BAND_SHARE;
            assert_true(fabs(own + other - all) < 1e-4 && fabs(other - others) < 1e-4);
        }
        td_band_data_free(&data);
    }
    close_runs(&r);
}

/* Checks an item that begins at a row; returns the row after it. */
static uint64_t check_runs(const struct td_busy *b, const struct td_band_key *key,
                           const struct td_band_item *item)
{
    const double cell_ns = td_band_cell_ns(key->level);
    const int64_t start = td_series_get(b->rows, item->first, b->start);
    const uint64_t end = item->first + item->count;
    const int64_t last = td_series_get(b->rows, end - 1, b->end);
    const double cell_end = (floor((double)start / cell_ns) + 1) * cell_ns;
    assert_int_equal(item->start_ns, start);
    assert_true((double)td_series_get(b->rows, end - 1, b->start) < cell_end);
    assert_true(end == td_series_count(b->rows) || (double)td_series_get(b->rows, end, b->start) >= cell_end);
    assert_int_equal(!!(item->flags & TD_ITEM_ZONE), item->count == 1);
    if (item->count == 1) {
        assert_int_equal(item->end_ns, last);
        return end;
    }
    const struct td_busy_times x = system_time_until(b, start), y = system_time_until(b, last);
    const double whole = fmax((double)last, cell_end) - (double)start;
    assert_true(fabs((double)(y.own_ns - x.own_ns) / whole - item->coverage / 255.) < .005);
    if (key->row == TD_BAND_CPU)
        assert_true(
            fabs((double)(y.own_ns + y.other_ns - x.own_ns - x.other_ns) / whole - item->used / 255.) < .005);
    return end;
}

static void bands_have_all_runs_in_order(void **state)
{
    struct runs r;
    int single = 0, several = 0;
    (void)state;
    open_runs(&r);
    for (uint32_t i = 0; i < 3 + SYSTEM_SMALL.cpus; i++) {
        const struct td_busy *b =
            i < 3 ? td_switches_of(&r.switches, i) : td_switches_cpu(&r.switches, i - 3);
        for (int level = 16; level < 23; level += 2) {
            struct td_band_key key = {i < 3 ? i : i - 3, i < 3 ? TD_BAND_SWITCHES : TD_BAND_CPU, level, 0};
            uint64_t next = 0;
            for (bool complete = true; complete; key.index++) {
                struct td_band_data data;
                assert_int_equal(td_band_make_list(r.source, &key, 0, &data), 0);
                for (uint32_t k = 0; k < data.count; k++) {
                    assert_int_equal(data.items[k].first, next);
                    next = check_runs(b, &key, &data.items[k]);
                    single += data.items[k].count == 1;
                    several += data.items[k].count > 1;
                }
                complete = data.complete;
                td_band_data_free(&data);
            }
            assert_int_equal(next, td_series_count(b->rows));
        }
    }
    assert_true(single > 100 && several > 100);
    close_runs(&r);
}

static void threads_are_known_by_their_program(void **state)
{
    struct td_trace *trace = system_trace(&SYSTEM_SMALL);
    struct td_switches s;
    char name[40];
    (void)state;
    td_switches_init(&s);
    assert_int_equal(td_switches_update(&s, trace, UINT64_MAX), 0);
    assert_int_equal(td_switches_runner(&s, SYSTEM_PID + 2), TD_RUNNER_TRACK);
    assert_int_equal(td_switches_runner(&s, SYSTEM_PID + SYSTEM_SMALL.threads), TD_RUNNER_OWN);
    assert_int_equal(td_switches_runner(&s, 5001), TD_RUNNER_OTHER);
    assert_string_equal(td_switches_thread_name(&s, SYSTEM_PID + 2), "worker 2");
    assert_string_equal(td_switches_thread_name(&s, 5001), "other 1");
    assert_string_equal(td_switches_program(&s, 5001), "browser");
    assert_string_equal(td_switches_program(&s, SYSTEM_PID), "program");
    td_switches_cpu_name(trace, 3, name, sizeof name);
    assert_string_equal(name, "[0:1] CPU 3");
    assert_string_equal(td_switch_reason(100, 104), "sleeps (S)");
    assert_string_equal(td_switch_reason(13, 5), "WrUserRequest");
    assert_string_equal(td_switch_reason(100, -1), "not known");
    td_switches_free(&s);
    td_trace_destroy(trace);
}

/* The functions of a stack from the outside, as the names of the ghost zones over a sample. */
static void check_sample(const struct td_trace *trace, const struct td_ghosts *g, int64_t at, uint32_t stack)
{
    struct td_stack_place lines[16];
    size_t all, count = td_stack_lines(trace, stack, lines, 16, &all);
    char room[32];
    assert_int_equal(count, all);
    for (uint32_t r = 0; r < g->row_count; r++) {
        const size_t i = td_ghosts_after(&g->rows[r], 0, (double)at);
        const bool over = i < g->rows[r].count && g->rows[r].zones[i].start_ns <= at;
        assert_int_equal(over, r < count);
        if (!over)
            continue;
        const struct td_ghost *zone = &g->rows[r].zones[i];
        const struct td_stack_place *p = &lines[count - 1 - r];
        assert_string_equal(td_ghost_name(trace, zone, room), p->function);
        assert_int_equal(td_ghost_is_inline(trace, zone), p->is_inline);
        assert_int_equal(td_ghost_is_kernel(trace, zone), p->is_kernel);
    }
}

static void ghost_zones_are_the_sampled_functions(void **state)
{
    struct td_trace *trace = system_trace(&SYSTEM_SMALL);
    uint64_t depth_count;
    uint16_t *depths = td_ghosts_depths(trace, &depth_count);
    (void)state;
    for (uint32_t t = 0; t < SYSTEM_SMALL.threads; t++) {
        const struct td_series *samples = td_trace_list(trace, TD_TABLE_SAMPLE, t),
                               *waits = td_trace_list(trace, TD_TABLE_SWITCH_SAMPLE, t);
        struct td_ghosts g;
        uint64_t running = 0;
        int64_t covered = 0, zones = 0, last = -1;
        assert_int_equal(td_ghosts_make(&g, trace, t, NULL), 0);
        assert_int_equal(g.row_count, td_ghosts_rows(trace, t, depths, depth_count));
        for (uint64_t i = 0, w = 0; i < td_series_count(samples); i++) {
            const int64_t at = td_series_get(samples, i, TD_SAMPLE_TIME);
            if (w < td_series_count(waits) && td_series_get(waits, w, TD_SWITCH_SAMPLE_TIME) == at) {
                w++;
                continue;
            }
            check_sample(trace, &g, at, (uint32_t)td_series_get(samples, i, TD_SAMPLE_STACK));
            if (last >= 0)
                covered += at - last > 2 * SYSTEM_PERIOD_NS ? SYSTEM_PERIOD_NS : at - last;
            last = at;
            running++;
        }
        assert_int_equal(g.samples, running);
        assert_true(running > 50);
        for (size_t i = 0; i < g.rows[0].count; i++) {
            zones += g.rows[0].zones[i].end_ns - g.rows[0].zones[i].start_ns;
            assert_true(!i || g.rows[0].zones[i - 1].end_ns <= g.rows[0].zones[i].start_ns);
        }
        assert_int_equal(zones, covered + SYSTEM_PERIOD_NS);
        td_ghosts_free(&g);
    }
    free(depths);
    td_trace_destroy(trace);
}

/* Each zone is in one item, and those that are long have one of their own. Returns the number of zones. */
static uint64_t check_ghost_band(const struct td_trace *trace, const struct td_ghost_row *row,
                                 const struct td_band_key *key, const struct td_band_data *data,
                                 uint64_t next)
{
    const double cell = td_band_cell_ns(key->level);
    for (uint32_t i = 0; i < data->count; i++) {
        const struct td_band_item *item = &data->items[i];
        const struct td_ghost *first = &row->zones[item->first];
        const bool is_long = (double)(first->end_ns - first->start_ns) >= cell;
        if (i == 0 && item->first + item->count <= next)
            continue; /* it began before the band */
        assert_int_equal(item->first, next);
        next += item->count;
        assert_int_equal(item->start_ns, first->start_ns);
        assert_int_equal(item->end_ns, row->zones[next - 1].end_ns);
        assert_true(item->line == first->line && item->entry == first->entry);
        assert_int_equal((item->flags & TD_ITEM_ZONE) != 0, is_long);
        assert_int_equal((item->flags & TD_ITEM_INLINED) != 0, td_ghost_is_inline(trace, first));
        assert_true(is_long ? item->count == 1
                            : item->count == 1 || floor((double)item->end_ns / cell) <=
                                                      floor((double)item->start_ns / cell) + 1);
    }
    return next;
}

static void bands_have_all_ghost_zones_in_order(void **state)
{
    struct td_trace *trace = system_trace(&SYSTEM_SMALL);
    struct td_ghost_cache cache;
    struct td_band_source *source = td_band_source_create(trace);
    struct td_band_data data;
    (void)state;
    td_ghost_cache_init(&cache);
    td_band_source_use(source, &(struct td_band_parts){.ghosts = &cache});
    struct td_band_key key = {.row = TD_BAND_GHOSTS};
    assert_int_equal(td_band_make_list(source, &key, 0, &data), TD_E_NOTFOUND);
    assert_false(td_ghost_cache_has(&cache, trace, 0));
    while (!td_ghost_cache_has(&cache, trace, 0)) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        td_ghost_cache_update(&cache);
    }
    struct td_track_ghosts *held = td_ghost_cache_hold(&cache, 0);
    for (uint32_t r = 0; r <= held->ghosts.row_count; r++)
        for (key.level = 10; key.level < 22; key.level++) {
            const struct td_ghost_row *row = &held->ghosts.rows[r];
            uint64_t next = 0;
            key.row = TD_BAND_GHOSTS - r;
            const double end_ns = row->count ? (double)row->zones[row->count - 1].end_ns : 0;
            for (key.index = 0; td_band_start_ns(&key) <= end_ns; key.index++) {
                assert_int_equal(td_band_make_list(source, &key, 0, &data), 0);
                next = check_ghost_band(trace, row, &key, &data, next);
                td_band_data_free(&data);
            }
            assert_int_equal(next, row->count);
        }
    assert_int_equal(held->ghosts.row_count, 4);
    td_ghost_cache_forget(&cache); /* who holds them keeps them */
    assert_true(held->ghosts.rows[0].count > 0);
    td_track_ghosts_release(held);
    td_ghost_cache_free(&cache);
    td_band_source_destroy(source);
    td_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_runs_equal_those_row_by_row),
        cmocka_unit_test(a_zone_has_the_runs_and_samples_of_its_thread),
        cmocka_unit_test(shares_of_processors_equal_those_row_by_row),
        cmocka_unit_test(bands_have_all_runs_in_order),
        cmocka_unit_test(threads_are_known_by_their_program),
        cmocka_unit_test(ghost_zones_are_the_sampled_functions),
        cmocka_unit_test(bands_have_all_ghost_zones_in_order),
        cmocka_unit_test(what_is_read_in_parts_is_what_is_read_at_once),
        cmocka_unit_test(what_the_scan_counts_is_what_is_read_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
