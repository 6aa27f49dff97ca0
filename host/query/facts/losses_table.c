/* The table of what the trace lacks. A request may be with the zones that mark losses, a struct td_marks on the heap; else
 * the zones of the trace are read for them. */
#include "host/query/facts/losses.h"
#include "host/query/table/tables.h"
#include "host/query/table/track_name.h"

#include <stdlib.h>

struct loss_rows {
    struct td_query_rows rows;
    struct td_losses losses;
};
#define ROWS struct loss_rows

/* clang-format off */
#define LOSS_COLUMNS(X)                                                                                                 \
    X(kind,      "Kind",   TEXT,     160, td_is_text(td_loss_title(LOSS.kind)))                                         \
    X(time_ns,   "Time",   TIME,     120, td_is_part(LOSS.start_ns != TD_UNKNOWN_NS, td_is_int(LOSS.start_ns)))         \
    X(what,      "What",   TEXT,     0,   td_is_text(LOSS.text))                                                        \
    X(length_ns, "Length", DURATION, 90,                                                                                \
      LOSS.length_ns == TD_OPEN ? td_is_said("to the end") : td_is_part(LOSS.length_ns != 0, td_is_int(LOSS.length_ns))) \
    X(lost,      "Lost",   COUNT,    90,  td_is_part(LOSS.count != 0, td_is_uint(LOSS.count)))                          \
    X(track,     "Track",  TRACK,    190, td_is_uint(LOSS.track))
/* clang-format on */
#define LOSS (r->losses.list[i])
TD_QUERY_COLUMNS(LOSS_COLUMNS)

static int make_losses(struct td_query_rows *rows)
{
    struct loss_rows *r = (void *)rows;
    struct td_marks marks = {0};
    int rc = rows->of.with ? 0 : td_marks_lost(&marks, rows->of.trace, NULL);
    if (rc == 0)
        rc = td_losses_make(&r->losses, rows->of.trace, rows->of.with ? rows->of.with : &marks, rows->of.job);
    td_marks_free(&marks);
    rows->count = r->losses.count;
    return rc;
}

TD_QUERY_FREES(free_losses, td_losses_free(&r->losses))

static void free_marks(void *with)
{
    if (with)
        td_marks_free(with);
    free(with);
}

/* The zone that marks it, else its time, else its track. */
static struct td_query_place place_of_loss(const struct td_query_rows *rows, uint64_t i)
{
    const struct loss_rows *r = (const void *)rows;
    if (td_ref_valid(LOSS.zone))
        return td_at_zone(LOSS.zone.track, LOSS.zone.row, LOSS.zone.index);
    if (LOSS.start_ns != TD_UNKNOWN_NS)
        return td_at_range(LOSS.track, LOSS.start_ns, LOSS.start_ns);
    if (LOSS.track != TD_NO_TRACK)
        return td_at_track(LOSS.track);
    return (struct td_query_place){.track = TD_NO_TRACK};
}

const struct td_losses *td_losses_of(const struct td_query_rows *rows)
{
    return &((const struct loss_rows *)rows)->losses;
}

const struct td_query_table td_table_losses = {
    .name = "losses",
    .about = "something that the trace lacks, or that is wrong with it",
    TD_QUERY_WITH_COLUMNS,
    .make = make_losses,
    .free = free_losses,
    .free_with = free_marks,
    .place_of_row = place_of_loss,
    .lines = "kind time_ns length_ns lost track what",
};
