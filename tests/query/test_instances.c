/* The zones of one name: sorted lengths, percentiles, bins, groups and lists, each against a plain calculation over
 * random traces. */
#include "host/query/sums/bins.h"
#include "host/query/sums/instance_groups.h"
#include "host/query/task/order.h"
#include "host/viewer/ui/color.h"
#include "proto/track.h"
#include "tests/query/demo_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed;

static uint64_t dice(uint64_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (seed >> 20) % below;
}

/* ---- a random trace ---- */

#define TRACKS 5
#define NAMES  4

static void push(const struct td_sink *sink, struct td_event event)
{
    sink->events(sink->self, &event, 1, NULL);
}

static void add_zones(struct td_dict *dict, const struct td_sink *sink, uint32_t track,
                      const uint32_t *locations, int64_t from, int64_t to, int depth)
{
    char text[32];
    for (int64_t at = from; depth && at < to;) {
        int64_t length = dice(4) ? (int64_t)dice(300) : (int64_t)dice((uint64_t)(to - from) / 3 + 1);
        length = at + length > to ? to - at : length;
        add_zones(dict, sink, track, locations, at, at + length, depth - 1);
        snprintf(text, sizeof text, "text %d", (int)dice(7));
        push(sink, (struct td_event){.kind = TD_EVENT_ZONE,
                                     .track = track,
                                     .time_ns = at,
                                     .value.end_ns = at + length,
                                     .srcloc = locations[dice(NAMES)],
                                     .subject = dice(3) ? td_dict_cstring(dict, text) : 0});
        at += length + (int64_t)dice(50) + 1;
    }
}

static struct td_trace *random_trace(uint64_t number)
{
    seed = number;
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_dict *dict = td_trace_fill_dict(trace);
    struct td_sink sink = td_trace_sink(trace);
    uint32_t locations[NAMES];
    for (int i = 0; i < NAMES; i++) {
        char name[16];
        snprintf(name, sizeof name, "zone %c", "ABCA"[i]); /* two locations have the same name */
        locations[i] = td_dict_srcloc(dict, &(struct td_srcloc){.name = td_dict_cstring(dict, name),
                                                                .file = td_dict_cstring(dict, "a.c"),
                                                                .line = (uint32_t)i + 1});
    }
    for (uint32_t t = 0; t < TRACKS; t++) {
        char name[64];
        struct td_track track = {.thread = 100 + t};
        snprintf(name, sizeof name, "thread %u", t);
        if (t) {
            track = (struct td_track){.thread = td_track_id(t / 4, t / 2, 0, t % 2),
                                      .kind = TD_TRACK_CORE,
                                      .chip = (uint16_t)(t / 4),
                                      .x = (uint16_t)(t / 2),
                                      .core = (uint8_t)(t % 2)};
            snprintf(name, sizeof name, TD_TRACK_NAME_FORMAT, t / 4, t / 2, 0u, t % 2 ? "NCRISC" : "BRISC");
        }
        track.name = td_dict_cstring(dict, name);
        add_zones(dict, &sink, td_dict_track(dict, &track), locations, (int64_t)dice(1000),
                  20000 + (int64_t)dice(200000), 4);
    }
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    return trace;
}

/* ---- the plain calculation ---- */

struct plain {
    struct td_zone_ref ref;
    int64_t length;
};

static int compare_lengths(const void *a, const void *b)
{
    int64_t x = ((const struct plain *)a)->length, y = ((const struct plain *)b)->length;
    return x < y ? -1 : x > y;
}

static struct plain *plain_of(const struct td_instances_wanted *want, size_t *count, uint64_t *empty)
{
    const struct td_dict *dict = td_trace_dict(want->trace);
    struct plain *list = NULL;
    *count = *empty = 0;
    for (uint32_t t = 0; t < td_dict_track_count(dict); t++)
        for (uint32_t r = 0; r < td_trace_rows(want->trace, t); r++)
            for (size_t i = 0; i < td_trace_row_zones(want->trace, t, r); i++) {
                struct td_zone zone = td_trace_zone(want->trace, t, r, i);
                if (!td_lane_chosen(want->lanes, t) || strcmp(td_zone_label(dict, &zone), want->name) ||
                    zone.start_ns < want->from_ns || zone.end_ns > want->to_ns)
                    continue;
                int64_t length = zone.end_ns - zone.start_ns;
                *empty += length == 0;
                if (!length)
                    continue;
                for (size_t c = zone.child_begin; want->length == TD_LENGTH_SELF && c < zone.child_end; c++) {
                    struct td_zone child = td_trace_zone(want->trace, t, r + 1, c);
                    length -= child.end_ns - child.start_ns;
                }
                if (!(*count & (*count - 1))) /* the list is full at powers of two */
                    list = realloc(list, (*count ? *count * 2 : 1) * sizeof *list);
                assert_non_null(list);
                list[(*count)++] = (struct plain){{t, r, i}, length};
            }
    return list;
}

static void check_instances(const struct td_instances_wanted *want)
{
    struct td_instances made;
    size_t count;
    uint64_t empty;
    int64_t total = 0;
    struct plain *plain = plain_of(want, &count, &empty);
    assert_int_equal(td_instances_make(&made, want, NULL), 0);
    assert_int_equal(made.count, count);
    assert_int_equal(made.empty, empty);
    for (size_t i = 0; i < count; i++) {
        assert_true(td_ref_equal(td_instances_ref(&made, i), plain[i].ref));
        assert_int_equal(td_instances_find(&made, plain[i].ref), i);
        assert_int_equal(td_instances_length_of(&made, i), plain[i].length);
    }
    if (count)
        qsort(plain, count, sizeof *plain, compare_lengths);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(td_instances_length(&made, i), plain[i].length);
        assert_int_equal(td_instances_sum(&made, i), total);
        total += plain[i].length;
        assert_true(!i || plain[i].length != plain[i - 1].length || made.order[i] > made.order[i - 1]);
    }
    assert_int_equal(made.total_ns, total);
    for (size_t p = 1; p <= 128 && count; p++) {
        size_t rank = p * count / 128 + (p * count % 128 != 0);
        assert_int_equal(td_instances_percentile(&made, (double)p / 128), plain[rank - 1].length);
    }
    td_instances_free(&made);
    free(plain);
}

static void lengths_are_exact_for_any_range_and_kind(void **state)
{
    for (uint64_t number = 1; number <= 10; number++) {
        struct td_trace *trace = random_trace(number);
        struct td_instances_wanted want = {trace, "zone A", INT64_MIN, INT64_MAX, TD_LENGTH_WHOLE, NULL};
        check_instances(&want);
        want.length = TD_LENGTH_SELF;
        check_instances(&want);
        want.from_ns = 5000;
        want.to_ns = 40000;
        want.name = "zone B";
        check_instances(&want);
        uint8_t passes[2] = {number % 2, 0};
        const struct td_lane_choice lanes = {passes, (uint32_t)(number % 3)};
        want.lanes = &lanes;
        check_instances(&want);
        want.name = "no such zone";
        check_instances(&want);
        td_trace_destroy(trace);
    }
}

/* Zones of up to 2^44 ns, of which a few or most have lengths that do not fit 32 bits. */
static void long_lengths_are_exact(void **state)
{
    for (unsigned most = 30; most <= 44; most += 7) {
        struct td_trace *trace = td_trace_create(td_dict_create());
        struct td_dict *dict = td_trace_fill_dict(trace);
        struct td_sink sink = td_trace_sink(trace);
        uint32_t location =
            td_dict_srcloc(dict, &(struct td_srcloc){.name = td_dict_cstring(dict, "zone A")});
        seed = most;
        for (uint32_t t = 0; t < 3; t++) {
            uint32_t track = td_dict_track(dict, &(struct td_track){.thread = 1 + t});
            int64_t now_ns = 10;
            for (int i = 0; i < 5000; i++) {
                int64_t length = (int64_t)dice(UINT64_C(1) << dice(most + 1));
                push(&sink, (struct td_event){.kind = TD_EVENT_ZONE,
                                              .track = track,
                                              .time_ns = now_ns,
                                              .value.end_ns = now_ns + length,
                                              .srcloc = location});
                now_ns += length + 1;
            }
        }
        assert_int_equal(td_trace_finish(trace, NULL), 0);
        struct td_instances_wanted want = {trace, "zone A", INT64_MIN, INT64_MAX, TD_LENGTH_WHOLE, NULL};
        struct td_instances made;
        check_instances(&want);
        assert_int_equal(td_instances_make(&made, &want, NULL), 0);
        assert_int_equal(made.length != NULL, most < 32);
        td_instances_free(&made);
        td_trace_destroy(trace);
    }
}

static void percentiles_equal_those_of_the_trace(void **state)
{
    struct td_trace *trace = demo_trace(3);
    const struct td_stat *stats;
    static const double fractions[] = {.5, .9, .99};
    int64_t values[3];
    size_t count = td_trace_stats(trace, &stats);
    uint32_t *groups = malloc(count * sizeof *groups);
    assert_true(groups && count > 4);
    for (size_t i = 0; i < count; i++) {
        struct td_instances made;
        struct td_instances_wanted want = {
            trace,           td_dict_zone_name(td_trace_dict(trace), stats[i].srcloc),
            INT64_MIN,       INT64_MAX,
            TD_LENGTH_WHOLE, NULL};
        for (size_t k = 0; k < count; k++)
            groups[k] = k == i ? 0 : TD_TRACE_NO_GROUP;
        assert_int_equal(td_trace_percentiles(trace, groups, 1, fractions, 3, values), 0);
        assert_int_equal(td_instances_make(&made, &want, NULL), 0);
        assert_int_equal(made.count, stats[i].timed);
        assert_int_equal(made.total_ns, stats[i].total_ns);
        /* The tools round the mean down. */
        assert_true(fabs(made.deviation_ns - stats[i].std_ns) <= 1 + stats[i].std_ns * 1e-6);
        assert_int_equal(made.count + made.empty + made.open, stats[i].count + stats[i].open);
        for (int f = 0; f < 3 && made.count; f++) {
            int64_t exact = td_instances_percentile(&made, fractions[f]);
            assert_in_range(llabs(exact - values[f]), 0, (uint64_t)exact / 1000);
        }
        td_instances_free(&made);
    }
    free(groups);
    td_trace_destroy(trace);
}

static void check_sorted(const int64_t *key, size_t count, const uint32_t *order, const int64_t *sums)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        assert_true(!i || key[order[i - 1]] < key[order[i]] ||
                    (key[order[i - 1]] == key[order[i]] && order[i - 1] < order[i]));
        sum += (uint64_t)key[order[i]];
        if (i % TD_ORDER_BLOCK == TD_ORDER_BLOCK - 1 || i == count - 1) {
            assert_true((uint64_t)sums[i / TD_ORDER_BLOCK] == sum);
            sum = 0;
        }
    }
}

/* Sorts the keys, and those that fit 32 bits as such. */
static void check_order(const int64_t *key, size_t count, uint32_t *order)
{
    int64_t *sums = malloc((count / TD_ORDER_BLOCK + 1) * sizeof *sums);
    uint32_t *narrow = malloc(count * sizeof *narrow);
    assert_true(sums && narrow);
    assert_int_equal(td_order_make((struct td_order_keys){.wide = key}, count, order, sums, NULL), 0);
    check_sorted(key, count, order, sums);
    assert_int_equal(td_order_make((struct td_order_keys){.wide = key}, count, order, NULL, NULL), 0);
    check_sorted(key, count, order, sums);
    bool fits = true;
    for (size_t i = 0; i < count; i++) {
        narrow[i] = (uint32_t)key[i];
        fits = fits && narrow[i] == key[i];
    }
    if (fits) {
        assert_int_equal(td_order_make((struct td_order_keys){.narrow = narrow}, count, order, sums, NULL),
                         0);
        check_sorted(key, count, order, sums);
    }
    free(narrow);
    free(sums);
}

static void any_keys_are_sorted_and_equal_ones_keep_their_order(void **state)
{
    enum { COUNT = 60000 };
    int64_t *key = malloc(COUNT * sizeof *key);
    uint32_t *order = malloc(COUNT * sizeof *order);
    assert_true(key && order);
    seed = 5;
    for (int kind = 0; kind < 8; kind++) {
        for (size_t i = 0; i < COUNT; i++) {
            int64_t any = (int64_t)(dice(UINT64_C(1) << 44) << 20 ^ dice(UINT64_C(1) << 44));
            const int64_t kinds[] = {7,
                                     any,
                                     any >> 50,
                                     (int64_t)i,
                                     INT64_MAX - (any & 0xfffff),
                                     (int64_t)1 << 40 | (any & 0xffff),
                                     any & 0xffffffff,
                                     any & 0xfff};
            key[i] = kinds[kind];
        }
        for (size_t count = COUNT; count; count /= 7)
            check_order(key, count, order);
    }
    free(order);
    free(key);
}

static void bins_count_every_zone_once(void **state)
{
    struct td_trace *trace = random_trace(3);
    struct td_instances_wanted want = {trace, "zone A", INT64_MIN, INT64_MAX, TD_LENGTH_WHOLE, NULL};
    struct td_instances made;
    static struct td_bins bins;
    assert_int_equal(td_instances_make(&made, &want, NULL), 0);
    const int64_t least = td_instances_length(&made, 0), most = td_instances_length(&made, made.count - 1);
    for (int log = 0; log < 2; log++)
        for (int count = 1; count < 1500; count = count * 3 + 1) {
            td_bins_make(&bins, &made, least, most, count, log);
            uint64_t number = 0, counts[TD_BINS_MOST];
            int64_t total = 0;
            assert_in_range(bins.count, 1, count);
            td_bins_count(&bins, &made, made.order, made.count, counts);
            for (int b = 0; b < bins.count; b++) {
                uint64_t in = 0;
                for (size_t i = 0; i < made.count; i++)
                    in += td_instances_length_of(&made, i) >= bins.edge[b] &&
                          td_instances_length_of(&made, i) < bins.edge[b + 1];
                assert_int_equal(bins.number[b], in);
                assert_int_equal(counts[b], in);
                number += in;
                total += bins.total_ns[b];
            }
            assert_int_equal(number, made.count);
            assert_int_equal(total, made.total_ns);
            for (double place = 0; place <= 1; place += .125)
                assert_true(td_bins_place(&bins, td_bins_length(&bins, place)) - place < 1e-9);
        }
    td_instances_free(&made);
    td_trace_destroy(trace);
}

/* The label that the instance's group should have. */
static void plain_label(const struct td_trace *trace, struct td_zone_ref ref, enum td_instance_by grouping,
                        char text[100])
{
    const struct td_dict *dict = td_trace_dict(trace);
    const struct td_track *t = td_dict_get_track(dict, ref.track);
    struct td_zone zone = td_trace_zone(trace, ref.track, ref.row, ref.index);
    const bool core = t->kind == TD_TRACK_CORE;
    snprintf(text, 100, "all");
    if (grouping == TD_INSTANCE_BY_TRACK)
        snprintf(text, 100, "%s", td_dict_text(dict, t->name));
    else if (grouping >= TD_INSTANCE_BY_KIND && grouping <= TD_INSTANCE_BY_CHIP && !core)
        snprintf(text, 100, "host threads");
    else if (grouping == TD_INSTANCE_BY_KIND)
        snprintf(text, 100, "%s", t->core ? "NCRISC" : "BRISC");
    else if (grouping == TD_INSTANCE_BY_TILE)
        snprintf(text, 100, "chip %u tile %u,%u", t->chip, t->x, t->y);
    else if (grouping == TD_INSTANCE_BY_CHIP)
        snprintf(text, 100, "chip %u", t->chip);
    else if (grouping == TD_INSTANCE_BY_TEXT)
        snprintf(text, 100, "%s", zone.text ? td_dict_text(dict, zone.text) : "no text");
    else if (grouping == TD_INSTANCE_BY_NAME)
        snprintf(text, 100, "%s", td_zone_label(dict, &zone));
    else if (grouping == TD_INSTANCE_BY_PLACE) {
        const struct td_srcloc *place = td_dict_get_srcloc(dict, zone.srcloc);
        const char *file = td_dict_text(dict, place->file), *slash = strrchr(file, '/');
        snprintf(text, 100, "%s:%u  %s  %s", slash ? slash + 1 : file, place->line,
                 td_dict_text(dict, place->function), file);
    } else if (grouping == TD_INSTANCE_BY_STACK)
        snprintf(text, 100, "no call stack");
    else if (grouping == TD_INSTANCE_BY_PARENT && !ref.row)
        snprintf(text, 100, "no parent");
    else if (grouping == TD_INSTANCE_BY_PARENT)
        for (size_t i = 0; i < td_trace_row_zones(trace, ref.track, ref.row - 1); i++) {
            struct td_zone parent = td_trace_zone(trace, ref.track, ref.row - 1, i);
            if (ref.index >= parent.child_begin && ref.index < parent.child_end)
                snprintf(text, 100, "%s", td_zone_label(dict, &parent));
        }
}

static void check_group(const struct td_trace *trace, const struct td_instances *made,
                        const struct td_instance_groups *groups, size_t g, size_t low, size_t high)
{
    const struct td_instance_group *group = &groups->group[g];
    int64_t *lengths = malloc((made->count + 1) * sizeof *lengths), total = 0;
    size_t count = 0;
    int64_t first_ns = INT64_MAX;
    assert_non_null(lengths);
    for (size_t i = 0; i < made->count; i++) {
        const struct td_zone_ref ref = td_instances_ref(made, i);
        const int64_t start_ns = td_trace_zone(trace, ref.track, ref.row, ref.index).start_ns;
        if (td_instance_group_of(groups, made, i) == g && start_ns < first_ns)
            first_ns = start_ns;
    }
    assert_int_equal(group->first_ns, first_ns);
    for (size_t r = low; r < high; r++)
        if (td_instance_group_of(groups, made, made->order[r]) == g)
            total += lengths[count++] = td_instances_length_of(made, made->order[r]);
    assert_int_equal(group->count, count);
    assert_int_equal(group->total_ns, total);
    if (count) {
        assert_int_equal(group->min_ns, lengths[0]);
        assert_int_equal(group->max_ns, lengths[count - 1]);
        assert_int_equal(group->low_ns, lengths[(count + 3) / 4 - 1]);
        assert_int_equal(group->median_ns, lengths[(count + 1) / 2 - 1]);
        assert_int_equal(group->high_ns, lengths[(3 * count + 3) / 4 - 1]);
        assert_int_equal(group->p99_ns, lengths[(99 * count + 99) / 100 - 1]);
    }
    size_t uncounted = count;
    for (int c = 0; c < TD_SHAPE_CELLS; c++) {
        uint32_t in_cell = 0;
        for (size_t i = 0; i < count; i++)
            in_cell += lengths[i] >= groups->shape_edge[c] && lengths[i] < groups->shape_edge[c + 1];
        assert_int_equal(groups->shape[g][c], in_cell);
        uncounted -= in_cell;
    }
    assert_int_equal(uncounted, 0);
    free(lengths);
}

static void groups_hold_what_their_label_says(void **state)
{
    for (uint64_t number = 1; number <= 4; number++) {
        struct td_trace *trace = random_trace(number);
        struct td_instances_wanted want = {trace, "zone A", INT64_MIN, INT64_MAX, TD_LENGTH_WHOLE, NULL};
        struct td_instances made;
        assert_int_equal(td_instances_make(&made, &want, NULL), 0);
        for (int grouping = 0; grouping < TD_INSTANCE_BY_COUNT; grouping++) {
            struct td_instance_groups groups;
            const size_t low = made.count / 5, high = number % 2 ? made.count : made.count - made.count / 7;
            char label[100], plain[100];
            assert_int_equal(td_instance_groups_make(&groups, trace, &made, grouping, low, high, NULL), 0);
            for (size_t i = 0; i < made.count; i++) {
                size_t g = td_instance_group_of(&groups, &made, i);
                td_instance_group_label(&groups, trace, &groups.group[g], label, sizeof label);
                plain_label(trace, td_instances_ref(&made, i), grouping, plain);
                assert_string_equal(label, plain);
            }
            for (size_t g = 0; g < groups.count; g++)
                check_group(trace, &made, &groups, g, low, high);
            td_instance_groups_free(&groups);
        }
        td_instances_free(&made);
        td_trace_destroy(trace);
    }
}

static int64_t start_of(const struct td_trace *trace, const struct td_instances *made, uint32_t number)
{
    struct td_zone_ref ref = td_instances_ref(made, number);
    return td_trace_zone(trace, ref.track, ref.row, ref.index).start_ns;
}

static const char *track_of(const struct td_trace *trace, const struct td_instances *made, uint32_t number)
{
    const struct td_dict *dict = td_trace_dict(trace);
    return td_dict_text(dict, td_dict_get_track(dict, td_instances_ref(made, number).track)->name);
}

static void check_lists(enum td_instance_by grouping)
{
    struct td_trace *trace = random_trace(11);
    struct td_instances_wanted want = {trace, "zone A", INT64_MIN, INT64_MAX, TD_LENGTH_WHOLE, NULL};
    struct td_instances made;
    struct td_instance_groups groups;
    assert_int_equal(td_instances_make(&made, &want, NULL), 0);
    assert_int_equal(td_instance_groups_make(&groups, trace, &made, grouping, 0, made.count, NULL), 0);
    for (int sort = TD_SORT_LENGTH; sort <= TD_SORT_TRACK; sort++)
        for (size_t g = 0; g <= groups.count; g++) {
            struct td_instance_list list;
            const size_t low = made.count / 3, high = made.count - 5;
            size_t listed = 0;
            assert_int_equal(td_instance_list_make(&list, trace, &made, &groups,
                                                   g < groups.count ? g : SIZE_MAX, low, high, sort, NULL),
                             0);
            for (size_t r = low; r < high; r++)
                listed += g == groups.count || td_instance_group_of(&groups, &made, made.order[r]) == g;
            assert_int_equal(list.count, listed);
            for (size_t i = 0; i < list.count; i++) {
                uint32_t a = i ? list.number[i - 1] : list.number[i], b = list.number[i];
                assert_true(g == groups.count || td_instance_group_of(&groups, &made, b) == g);
                assert_in_range(td_instances_length_of(&made, b), td_instances_length(&made, low),
                                td_instances_length(&made, high - 1));
                if (sort == TD_SORT_LENGTH)
                    assert_true(td_instances_length_of(&made, a) <= td_instances_length_of(&made, b));
                else if (sort == TD_SORT_TIME)
                    assert_true(start_of(trace, &made, a) <= start_of(trace, &made, b));
                else if (sort == TD_SORT_TRACK)
                    assert_true(strcmp(track_of(trace, &made, a), track_of(trace, &made, b)) <= 0);
            }
            td_instance_list_free(&list);
        }
    td_instance_groups_free(&groups);
    td_instances_free(&made);
    td_trace_destroy(trace);
}

static void lists_are_filtered_and_sorted(void **state)
{
    check_lists(TD_INSTANCE_BY_KIND);
    check_lists(TD_INSTANCE_BY_TEXT);
}

/* A group for each of more texts than groups can have. */
static void groups_beyond_the_limit_are_joined(void **state)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_dict *dict = td_trace_fill_dict(trace);
    struct td_sink sink = td_trace_sink(trace);
    uint32_t location = td_dict_srcloc(dict, &(struct td_srcloc){.name = td_dict_cstring(dict, "zone A")});
    uint32_t track = td_dict_track(dict, &(struct td_track){.thread = 1});
    const size_t zones = TD_INSTANCE_GROUPS + 100;
    for (size_t i = 0; i < zones; i++) {
        char text[32];
        snprintf(text, sizeof text, "%zu", i);
        push(&sink, (struct td_event){.kind = TD_EVENT_ZONE,
                                      .track = track,
                                      .time_ns = (int64_t)i * 10,
                                      .value.end_ns = (int64_t)i * 10 + 5,
                                      .srcloc = location,
                                      .subject = td_dict_cstring(dict, text)});
    }
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    struct td_instances made;
    struct td_instance_groups groups;
    struct td_instances_wanted want = {trace, "zone A", INT64_MIN, INT64_MAX, TD_LENGTH_WHOLE, NULL};
    assert_int_equal(td_instances_make(&made, &want, NULL), 0);
    assert_int_equal(td_instance_groups_make(&groups, trace, &made, TD_INSTANCE_BY_TEXT, 0, made.count, NULL),
                     0);
    assert_int_equal(groups.count, TD_INSTANCE_GROUPS);
    assert_true(groups.joined && groups.group[groups.count - 1].count == 101);
    td_instance_groups_free(&groups);
    td_instances_free(&made);
    td_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_are_exact_for_any_range_and_kind),
        cmocka_unit_test(long_lengths_are_exact),
        cmocka_unit_test(percentiles_equal_those_of_the_trace),
        cmocka_unit_test(any_keys_are_sorted_and_equal_ones_keep_their_order),
        cmocka_unit_test(bins_count_every_zone_once),
        cmocka_unit_test(groups_hold_what_their_label_says),
        cmocka_unit_test(lists_are_filtered_and_sorted),
        cmocka_unit_test(groups_beyond_the_limit_are_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
