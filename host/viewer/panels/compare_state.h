/* What the panel Compare keeps, and its work in the background: reading the other trace, counting lengths and
 * frames. */
#pragma once
#include "host/viewer/panels/compare.h"
#include "host/viewer/panels/compare_frames.h"
#include "host/viewer/panels/compare_ranges.h"
#include "host/viewer/panels/compare_source.h"
#include "host/file/load.h"
#include "host/viewer/panels/table_panel.h"

struct compare_state {
    struct td_table_list table;
    char path[1024];
    uint64_t request; /* 0: nothing was asked for yet */
    bool reopens;     /* the request is for a trace; else only for other ranges of those that are shown */
    char wants[2][TD_RANGE_NAME]; /* the ranges that were asked for; "": all */

    struct td_job load; /* reads `reads` and fills the `made` ones */
    char reads[1024];
    bool keeps; /* `other` is compared again, and not read */
    char ranges[2][TD_RANGE_NAME];
    struct td_annotations notes; /* of this trace */
    struct td_load_options options;
    struct td_trace *present;
    struct td_trace *made_trace;
    struct td_comparison made;
    struct td_err made_err;
    char made_salvaged[240];

    struct td_trace *other; /* that is shown; it may be the present one */
    char shown_ranges[2][TD_RANGE_NAME];
    struct td_named_ranges made_names[2], names[2]; /* of both traces */
    struct td_job *borrower;                        /* td_compare_lend(); NULL: none */
    struct td_comparison shown;
    char salvaged[240]; /* what it lacks; "": nothing */
    struct td_err err;
    /* What was shown before: many zones take long to free. */
    struct td_job free_dropped;
    uint64_t drops;
    struct td_trace *dropped_trace;
    struct td_comparison dropped;
    uint64_t loads; /* traces that were read */

    size_t chosen;      /* an entry, counted from 1; 0: none */
    bool shows_chosen;  /* the list is to show it */
    char followed[128]; /* the text of the search when `chosen` followed it last */
    struct td_track_change *tracks;
    size_t track_count;
    struct td_job count_lengths;
    struct td_length_bins made_bins, bins;
    bool has_bins;
    struct compare_frames frames;
    struct compare_source source;
    bool wide;    /* the panel is: it shows both */
    bool lengths; /* of a panel that is not wide: the lengths of the chosen name, and not the frames */
};

struct compare_state *td_compare_state_of(const struct td_view *view);
const struct td_compare_entry *td_compare_chosen(const struct compare_state *state);
/* Starts the work that is wanted, and takes what was made. */
void td_compare_update(struct td_view *view, struct compare_state *state);
/* Ends what is shown, which the jobs that count lengths and frames read. */
void td_compare_drop(struct compare_state *state);
/* Chooses an entry of the table, counted from 0. */
void td_compare_choose(struct compare_state *state, size_t entry);
bool td_compare_is_busy(const struct td_view *view);
void td_compare_free(struct td_view *view);
