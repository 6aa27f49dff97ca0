#include "host/query/sums/find.h"
#include "host/base/clock.h"
#include "host/base/compare.h"
#include "host/base/grow.h"
#include "host/base/parallel.h"
#include "host/base/thread.h"
#include "host/base/wrap.h"
#include "host/trace/tables.h"
#include "host/trace/walk.h"
#include "host/query/table/text_filter.h"

#include <pthread.h>

#define PIECE_ZONES (UINT64_C(1) << 17) /* looked at between looks whether the search was ended */
#define GROW_MS     60                  /* between two looks at what has been found */
#define BLOCK       TD_MATCH_ZONES

enum { IS_NAMED = 1, IS_MATCH = 2 }; /* its name has the text; it belongs to the set */

/* Zones of a row. */
struct search_piece {
    uint32_t row; /* of the matches */
    uint64_t first, end;
};

/* How often zones of a location were found, and how long they are; atomic. */
struct place_sum {
    uint64_t count, total_ns;
};

struct td_search {
    const struct td_trace *trace;
    const struct td_dict *dict;
    char text[128];
    const char *only;
    struct td_matches *matches;
    struct search_piece *pieces;
    size_t piece_count, piece_capacity;
    uint8_t *places; /* of each location: IS_NAMED, IS_MATCH */
    uint32_t place_count;
    uint8_t *names; /* atomic, of each string: 0: not looked at, else 1, and IS_MATCH if it matches */
    uint32_t name_count;
    struct place_sum *sums; /* of each worker and location */
    unsigned workers;
    pthread_t thread;
    bool joined;
    int stop, done; /* atomic */
    int64_t taken_ms;
    uint64_t taken_count;
};

/* ---- what matches ---- */

static bool name_matches(const struct td_search *s, const char *name)
{
    return s->only ? !strcmp(name, s->only) : td_text_passes(s->text, name, NULL);
}

/* Zones with a name of their own. */
static bool own_name_matches(const struct td_search *s, uint32_t name)
{
    uint8_t known = name < s->name_count ? __atomic_load_n(&s->names[name], __ATOMIC_RELAXED) : 0;
    if (!known) {
        known = 1 | (name_matches(s, td_dict_text(s->dict, name)) ? IS_MATCH : 0);
        if (name < s->name_count)
            __atomic_store_n(&s->names[name], known, __ATOMIC_RELAXED);
    }
    return known & IS_MATCH;
}

static uint8_t judge_place(const struct td_search *s, uint32_t srcloc)
{
    const char *name = td_dict_zone_name(s->dict, srcloc);
    return (uint8_t)((td_text_passes(s->text, name, NULL) ? IS_NAMED : 0) |
                     (name_matches(s, name) ? IS_MATCH : 0));
}

static void add_to_sum(struct td_search *s, unsigned worker, uint32_t srcloc, int64_t duration_ns)
{
    if (srcloc >= s->place_count)
        return;
    struct place_sum *sum = &s->sums[(size_t)worker * s->place_count + srcloc];
    __atomic_store_n(&sum->count, sum->count + 1, __ATOMIC_RELAXED);
    if (duration_ns > 0)
        __atomic_store_n(&sum->total_ns, sum->total_ns + (uint64_t)duration_ns, __ATOMIC_RELAXED);
}

/* ---- looking at zones ---- */

/* Zones at .. at + n - 1 of what was read, which are those of a word. */
static void look_at_word(struct td_search *s, unsigned worker, const struct td_match_row *row,
                         const struct td_zones *zones, uint32_t at, uint32_t n)
{
    const struct td_series *table = td_trace_table(s->trace, TD_TABLE_EXTRA);
    uint64_t bits = 0;
    double ns = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t srcloc = (uint32_t)zones->column[TD_ZONE_SRCLOC][at + i];
        const int64_t extra = zones->column[TD_ZONE_EXTRA][at + i];
        const int64_t duration = zones->column[TD_ZONE_DURATION][at + i];
        const uint8_t found = srcloc < s->place_count ? s->places[srcloc] : judge_place(s, srcloc);
        if (found & IS_NAMED)
            add_to_sum(s, worker, srcloc, duration);
        uint32_t name = 0;
        if (extra > 0 && (uint64_t)extra < td_series_count(table))
            name = (uint32_t)td_series_get(table, (uint64_t)extra, TD_EXTRA_NAME);
        if (name ? own_name_matches(s, name) : (found & IS_MATCH) != 0) {
            bits |= UINT64_C(1) << i;
            ns += duration > 0 ? (double)duration : 0;
        }
    }
    if (!bits)
        return;
    const uint64_t word = (zones->first + at) / BLOCK;
    row->ns[word] = (float)ns;
    __atomic_store_n(&row->bits[word], bits, __ATOMIC_RELEASE);
    __atomic_add_fetch(&s->matches->count, (uint64_t)__builtin_popcountll(bits), __ATOMIC_RELAXED);
}

static int look_at_piece(void *self, size_t item, unsigned worker)
{
    struct td_search *s = self;
    const struct search_piece *piece = &s->pieces[item];
    const struct td_match_row *row = &s->matches->rows[piece->row];
    const unsigned columns = 1u << TD_ZONE_SRCLOC | 1u << TD_ZONE_EXTRA | 1u << TD_ZONE_DURATION;
    struct td_zones zones;
    uint32_t n;
    if (__atomic_load_n(&s->stop, __ATOMIC_RELAXED))
        return 0;
    for (uint64_t at = piece->first; at < piece->end; at += n) {
        n = td_trace_zones_read(s->trace, row->track, row->row, at, columns, &zones);
        if (!n)
            break;
        if (n > piece->end - at)
            n = (uint32_t)(piece->end - at);
        for (uint32_t w = 0; w < n; w += BLOCK)
            look_at_word(s, worker, row, &zones, w, n - w < BLOCK ? n - w : BLOCK);
    }
    return 0;
}

/* Large rows are divided. */
static int make_pieces(struct td_search *s)
{
    for (uint32_t r = 0; r < s->matches->row_count; r++) {
        const uint64_t zones = s->matches->rows[r].zones;
        for (uint64_t first = 0; first < zones; first += PIECE_ZONES) {
            const uint64_t end = first + PIECE_ZONES < zones ? first + PIECE_ZONES : zones;
            if (TD_APPEND(s->pieces, s->piece_count, s->piece_capacity,
                          (struct search_piece){r, first, end}) < 0)
                return TD_E_NOMEM;
        }
    }
    return 0;
}

static void *run_search(void *self)
{
    struct td_search *s = self;
    for (uint32_t i = 0; i < s->place_count; i++)
        s->places[i] = judge_place(s, i);
    td_parallel(s->workers, s->piece_count, look_at_piece, s);
    __atomic_store_n(&s->done, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* ---- the search ---- */

static void free_search(struct td_search *s)
{
    if (!s)
        return;
    td_matches_release(s->matches);
    free(s->pieces);
    free(s->places);
    free(s->names);
    free(s->sums);
    free(s);
}

static struct td_search *make_search(const struct td_find *find, const struct td_trace *trace)
{
    struct td_search *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->trace = trace;
    s->dict = td_trace_dict(trace);
    memcpy(s->text, find->text, sizeof s->text);
    s->only = find->only;
    s->place_count = td_dict_srcloc_count(s->dict);
    s->name_count = td_dict_string_count(s->dict);
    s->workers = td_parallel_threads(0);
    s->matches = td_matches_create(trace);
    s->places = calloc((size_t)s->place_count + 1, 1);
    s->names = calloc((size_t)s->name_count + 1, 1);
    s->sums = calloc((size_t)s->place_count * s->workers + 1, sizeof *s->sums);
    if (!s->matches || !s->places || !s->names || !s->sums || make_pieces(s) < 0) {
        free_search(s);
        return NULL;
    }
    return s;
}

void td_find_stop(struct td_find *find)
{
    struct td_search *s = find->search;
    if (!s)
        return;
    __atomic_store_n(&s->stop, 1, __ATOMIC_RELAXED);
    if (!s->joined)
        pthread_join(s->thread, NULL);
    free_search(s);
    find->search = NULL;
}

static void forget_result(struct td_find *find)
{
    td_matches_release(find->matches);
    find->matches = NULL;
    find->name_count = 0;
    find->zones = 0;
    find->generation++;
}

int td_find_start(struct td_find *find, const struct td_trace *trace, struct td_err *err)
{
    td_find_stop(find);
    find->active = find->text[0] != 0;
    if (!find->active) {
        find->only = NULL;
        forget_result(find);
        return 0;
    }
    find->search = make_search(find, trace);
    if (!find->search)
        return td_fail_no_memory(err, "while searching zones");
    if (td_thread_create(&find->search->thread, NULL, run_search, find->search) == 0)
        return 0;
    free_search(find->search);
    find->search = NULL;
    return td_fail_no_memory(err, "while searching zones");
}

bool td_find_pending(const struct td_find *find)
{
    return find->search != NULL;
}

/* ---- names ---- */

TD_COMPARE(compare_names, struct td_find_name, TD_UP_TEXT(name))

TD_COMPARE(compare_totals, struct td_find_name, TD_DOWN(total_ns) TD_UP_TEXT(name))

/* Several locations may have the same name. */
static void join_names(struct td_find *find)
{
    size_t count = 0;
    if (!find->name_count)
        return;
    qsort(find->names, find->name_count, sizeof *find->names, compare_names);
    for (size_t i = 0; i < find->name_count; i++) {
        struct td_find_name *last = count ? &find->names[count - 1] : NULL;
        if (last && !strcmp(last->name, find->names[i].name)) {
            last->count += find->names[i].count;
            last->total_ns = td_wrap_add(last->total_ns, find->names[i].total_ns);
            last->srcloc = find->names[i].srcloc;
        } else {
            find->names[count++] = find->names[i];
        }
    }
    find->name_count = count;
    qsort(find->names, count, sizeof *find->names, compare_totals);
}

static void list_names(struct td_find *find, const struct td_search *s)
{
    find->name_count = 0;
    find->zones = 0;
    for (uint32_t place = 0; place < s->place_count; place++) {
        uint64_t count = 0, total = 0;
        for (unsigned w = 0; w < s->workers; w++) {
            const struct place_sum *sum = &s->sums[(size_t)w * s->place_count + place];
            count += __atomic_load_n(&sum->count, __ATOMIC_RELAXED);
            total += __atomic_load_n(&sum->total_ns, __ATOMIC_RELAXED);
        }
        if (!count ||
            td_grow(&find->names, &find->name_capacity, find->name_count + 1, sizeof *find->names) < 0)
            continue;
        find->names[find->name_count++] =
            (struct td_find_name){td_dict_zone_name(s->dict, place), count, (int64_t)total, place};
        find->zones += count;
    }
    join_names(find);
}

bool td_find_take(struct td_find *find)
{
    struct td_search *s = find->search;
    if (!s)
        return false;
    const bool done = __atomic_load_n(&s->done, __ATOMIC_ACQUIRE);
    const uint64_t count = td_matches_count(s->matches);
    if (!done && (count == s->taken_count || td_mono_ms() - s->taken_ms < GROW_MS))
        return false;
    if (find->matches != s->matches) {
        td_matches_release(find->matches);
        find->matches = td_matches_share(s->matches);
    }
    s->taken_ms = td_mono_ms();
    s->taken_count = count;
    list_names(find, s);
    find->generation++;
    if (done)
        td_find_stop(find);
    return true;
}

int td_find_run(struct td_find *find, const struct td_trace *trace, struct td_err *err)
{
    int rc = td_find_start(find, trace, err);
    if (rc < 0 || !find->search)
        return rc;
    pthread_join(find->search->thread, NULL);
    find->search->joined = true;
    td_find_take(find);
    return 0;
}

void td_find_free(struct td_find *find)
{
    td_find_stop(find);
    free(find->names);
    td_matches_release(find->matches);
    *find = (struct td_find){0};
}
