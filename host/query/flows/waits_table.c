#include "host/query/flows/waits_table.h"
#include "host/query/table/track_name.h"

#include <stdlib.h>

struct wait_rows {
    struct td_query_rows rows;
    struct td_flows flows; /* that are counted */
    struct td_waits waits;
    struct td_wait_pair *rest; /* for each track that waited longer than its flows explain */
};
#define ROWS struct wait_rows

struct td_waits_wanted *td_waits_want(const struct td_flows *flows)
{
    struct td_waits_wanted *wanted = calloc(1, sizeof *wanted);
    if (wanted)
        wanted->flows = td_flows_share(flows);
    return wanted;
}

int td_waits_want_rest(struct td_waits_wanted *wanted, const struct td_sums *sums)
{
    wanted->waited_ns = malloc(((size_t)sums->tracks + 1) * sizeof *wanted->waited_ns);
    wanted->tracks = wanted->waited_ns ? sums->tracks : 0;
    for (uint32_t t = 0; t < wanted->tracks; t++)
        wanted->waited_ns[t] = sums->lane[t].wait_ns;
    return wanted->waited_ns ? 0 : TD_E_NOMEM;
}

void td_waits_wanted_free(void *with)
{
    struct td_waits_wanted *wanted = with;
    if (!wanted)
        return;
    td_flows_free(&wanted->flows);
    free(wanted->waited_ns);
    free(wanted);
}

int td_waits_find(const struct td_query_request *of, struct td_flows *flows, struct td_waits *waits)
{
    const struct td_waits_wanted *wanted = of->with;
    const struct td_progress progress = td_job_progress_of(of->job);
    int rc = 0;
    if (wanted)
        *flows = td_flows_share(&wanted->flows);
    else
        rc = td_flows_build(flows, of->trace, NULL);
    return rc ? rc
              : td_waits_make(waits, of->trace, flows, of->from_ns, of->to_ns, of->now_ns,
                              of->job ? &progress : NULL);
}

static void free_waits(struct td_query_rows *rows)
{
    struct wait_rows *r = (void *)rows;
    td_waits_free(&r->waits);
    td_flows_free(&r->flows);
    free(r->rest);
}

const struct td_waits *td_waits_of(const struct td_query_rows *rows)
{
    return &((const struct wait_rows *)rows)->waits;
}

/* ---- pairs ---- */

struct td_wait_pair td_waits_pair(const struct td_query_rows *rows, uint64_t row)
{
    const struct wait_rows *r = (const void *)rows;
    return row < r->waits.pair_count ? r->waits.pairs[row] : r->rest[row - r->waits.pair_count];
}

static double mean_of(struct td_wait_pair pair)
{
    return pair.count ? (double)pair.waited_ns / (double)pair.count : 0;
}

static struct td_query_value giver_of(struct td_wait_pair pair)
{
    return pair.giver == TD_NO_TRACK ? td_is_said("no flow says") : td_is_uint(pair.giver);
}

/* clang-format off */
#define WAIT_COLUMNS(X)                                                                                          \
    X(waiter,     "Who waited", TRACK,    210, td_is_uint(td_waits_pair(rows, i).waiter))                        \
    X(giver,      "For whom",   TRACK,    0,   giver_of(td_waits_pair(rows, i)))                                 \
    X(waited_ns,  "Waited",     DURATION, 100, td_is_int(td_waits_pair(rows, i).waited_ns))                      \
    X(flows,      "Flows",      COUNT,    90,  td_is_uint(td_waits_pair(rows, i).count))                         \
    X(mean_ns,    "Mean",       MEAN,     90,  td_is_real(mean_of(td_waits_pair(rows, i))))                      \
    X(longest_ns, "Longest",    DURATION, 90,  td_is_int(td_waits_pair(rows, i).longest_ns))
/* clang-format on */
TD_QUERY_COLUMNS(WAIT_COLUMNS)

/* What is left of the time that each track waited. */
static int add_rest(struct wait_rows *r, const struct td_waits_wanted *wanted)
{
    int64_t *left_ns = calloc((size_t)wanted->tracks + 1, sizeof *left_ns);
    r->rest = calloc((size_t)wanted->tracks + 1, sizeof *r->rest);
    if (left_ns && r->rest) {
        for (uint32_t t = 0; t < wanted->tracks; t++)
            left_ns[t] = wanted->waited_ns[t];
        for (size_t i = 0; i < r->waits.pair_count; i++)
            if (r->waits.pairs[i].waiter < wanted->tracks)
                left_ns[r->waits.pairs[i].waiter] -= r->waits.pairs[i].waited_ns;
        for (uint32_t t = 0; t < wanted->tracks; t++)
            if (left_ns[t] > 0)
                r->rest[r->rows.count++ - r->waits.pair_count] =
                    (struct td_wait_pair){.waiter = t, .giver = TD_NO_TRACK, .waited_ns = left_ns[t]};
    }
    free(left_ns);
    return left_ns && r->rest ? 0 : TD_E_NOMEM;
}

static int make_waits(struct td_query_rows *rows)
{
    struct wait_rows *r = (void *)rows;
    const struct td_waits_wanted *wanted = rows->of.with;
    const int rc = td_waits_find(&rows->of, &r->flows, &r->waits);
    rows->count = r->waits.pair_count;
    return rc || !wanted || !wanted->waited_ns ? rc : add_rest(r, wanted);
}

static struct td_query_place place_of_pair(const struct td_query_rows *rows, uint64_t row)
{
    return td_at_track(td_waits_pair(rows, row).waiter);
}

const struct td_query_table td_table_waits = {
    .name = "waits",
    .about = "a track that waited for another one",
    TD_QUERY_WITH_COLUMNS,
    .make = make_waits,
    .free = free_waits,
    .free_with = td_waits_wanted_free,
    .place_of_row = place_of_pair,
    .json = "waiter giver flows waited_ns longest_ns",
    .lines = "waiter giver flows waited_ns longest_ns",
    .text = "waited=waiter:34 for=giver:34 flows:9 total=waited_ns:12 longest=longest_ns:12",
};
