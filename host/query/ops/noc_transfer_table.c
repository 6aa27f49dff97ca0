#include "host/query/table/tables.h"
#include "host/report/noc/noc_transfers.h"

struct transfer_rows {
    struct td_query_rows rows;
    struct td_noc_transfers transfers;
};
#define ROWS struct transfer_rows
#define T    (&r->transfers.list[i])

static struct td_query_value tile_of(struct td_noc_place place, char *room)
{
    snprintf(room, TD_QUERY_ROOM, "%u,%u", place.x, place.y);
    return td_is_text(room);
}

static struct td_query_value done_at(const struct td_noc_transfer *t, bool from_start)
{
    return td_is_known(t->done_ns != TD_OPEN, td_is_int(t->done_ns - (from_start ? t->time_ns : 0)));
}

/* clang-format off */
#define TRANSFER_COLUMNS(X)                                                                          \
    X(time_ns,     "Time",     TIME,     106, td_is_int(T->time_ns))                                 \
    X(done_ns,     "Done",     TIME,     106, done_at(T, false))                                     \
    X(duration_ns, "Duration", DURATION, 92,  done_at(T, true))                                      \
    X(type,        "Type",     TEXT,     150, td_is_text(td_tt_noc_type_name((enum td_tt_noc_type)T->type))) \
    X(bytes,       "Size",     BYTES,    92,  td_is_uint(T->bytes))                                  \
    X(noc,         "NoC",      ID,       60,  td_is_uint(T->noc))                                    \
    X(chip,        "Chip",     ID,       60,  td_is_uint(T->chip))                                   \
    X(from_tile,   "From",     TEXT,     76,  tile_of(T->from, room))                                \
    X(to_tile,     "To",       TEXT,     76,  tile_of(T->to, room))                                  \
    X(last_tile,   "To last",  TEXT,     76,  tile_of(T->to_last, room))                             \
    X(multicast,   "Multicast", BOOL,    76,  td_is_bool(td_noc_is_multicast(T)))                    \
    X(track,       "Core",     TRACK,    190, td_is_uint(T->track))
/* clang-format on */
TD_QUERY_COLUMNS(TRANSFER_COLUMNS)

static int make_transfers(struct td_query_rows *rows)
{
    struct transfer_rows *r = (void *)rows;
    const struct td_progress progress = td_job_progress_of(rows->of.job);
    const int rc =
        td_noc_transfers_make(&r->transfers, rows->of.trace, rows->of.job ? &progress : NULL, NULL);
    rows->count = r->transfers.count;
    return rc;
}

TD_QUERY_FREES(free_transfers, td_noc_transfers_free(&r->transfers))

static struct td_query_place place_of_transfer(const struct td_query_rows *rows, uint64_t i)
{
    const struct transfer_rows *r = (const void *)rows;
    return td_at_range(T->track, T->time_ns, T->done_ns == TD_OPEN ? T->time_ns : T->done_ns);
}

const struct td_query_table td_table_noc_transfers = {
    .name = "noc_transfers",
    .about = "a transfer of a core over the NoC",
    TD_QUERY_WITH_COLUMNS,
    .make = make_transfers,
    .free = free_transfers,
    .place_of_row = place_of_transfer,
};
