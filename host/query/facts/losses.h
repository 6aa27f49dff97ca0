/* What a trace lacks, and what is wrong with it: gaps with dropped events, stalls, damage, faults, clocks that
 * were not synchronised, and the like. */
#pragma once
#include "host/query/task/job.h"
#include "host/query/sums/marks.h"

/* X(ID, title in lists, label in the bar), in the order of the bar. */
/* clang-format off */
#define TD_LOSSES(X)                                                   \
    X(CRASH,    "Crash",                  "CRASHED")                   \
    X(SALVAGED, "Damaged file",           "HALF FILE")                 \
    X(DROPPED,  "Dropped events",         "LOST")                      \
    X(STALL,    "Stall",                  "STALLS")                    \
    X(DAMAGE,   "Overwritten lane",       "DAMAGED")                   \
    X(FAULT,    "Fault",                  "FAULTS")                    \
    X(UNSYNCED, "Clock not synchronised", "CLOCKS")                    \
    X(MARKERS,  "Wrong markers",          "MARKERS")                   \
    X(BYTES,    "Undecoded bytes",        "BAD BYTES")                 \
    X(LINK,     "Lost on the link",       "LINK")                      \
    X(CLIENT,   "Lost by the client",     "CLIENT")                    \
    X(CHANGED,  "Corrected times",        "CORRECTED")
/* clang-format on */
enum td_loss_kind {
#define TD_X(id, title, label) TD_LOSS_##id,
    TD_LOSSES(TD_X)
#undef TD_X
        TD_LOSS_KINDS
};
const char *td_loss_title(enum td_loss_kind kind);
const char *td_loss_label(enum td_loss_kind kind);

struct td_loss {
    enum td_loss_kind kind;
    uint32_t track;          /* UINT32_MAX: of the whole trace */
    int64_t start_ns;        /* TD_UNKNOWN_NS: at no one time */
    int64_t length_ns;       /* TD_OPEN: it lasts */
    uint64_t count;          /* zones and other events, bytes, faults ...; 0: not known */
    const char *text;        /* owned by the trace; "": none */
    struct td_zone_ref zone; /* that shows it in the timeline; TD_NO_ZONE: none */
};

struct td_losses { /* all zero: none */
    struct td_loss *list;
    size_t count, capacity;
    bool cut; /* `marks` lacked some */
};

/* The list in the order of time, those without a time first. `marks` is the set of the zones that mark losses; `job`
 * may be NULL. 0, TD_E_NOMEM or TD_E_STOPPED; td_losses_free() frees the list in any case. */
int td_losses_make(struct td_losses *losses, const struct td_trace *trace, const struct td_marks *marks,
                   struct td_job *job);
void td_losses_free(struct td_losses *losses);
/* Of the table's rows. */
struct td_query_rows;
const struct td_losses *td_losses_of(const struct td_query_rows *rows);

/* How many of each kind, without reading zones: for the bar. Dropped events and stalls are those that the notes
 * of the trace count; without notes, gaps (as `marks` has them). */
struct td_loss_counts {
    uint64_t of[TD_LOSS_KINDS];
    bool any;
};
struct td_loss_counts td_losses_count(const struct td_trace *trace, const struct td_marks *marks);
