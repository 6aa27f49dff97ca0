/* What the user has chosen for single rows of the timeline: ghost zones of a thread, and plots that share a row. They are
 * a part of the trace's state (trace_state.h). */
#pragma once
#include "host/base/err.h"

#include <stddef.h>
#include <stdint.h>

#define TD_ROW_PLOTS 8 /* at most in a row */

/* AS_SET: as the settings say. */
enum td_row_switch { TD_ROW_AS_SET, TD_ROW_ON, TD_ROW_OFF };

struct td_row_choices { /* all zero: none */
    uint8_t *ghosts;    /* of each track: enum td_row_switch */
    uint32_t *host; /* of each plot, counted from 1: the one in whose row it is drawn; 0: it has its own */
    uint32_t tracks, plots; /* the lengths; further ones have no choice */
};

static inline enum td_row_switch td_row_ghosts(const struct td_row_choices *choices, uint32_t track)
{
    return choices && track < choices->tracks ? (enum td_row_switch)choices->ghosts[track] : TD_ROW_AS_SET;
}
/* The plot in whose row it is drawn: itself, or another one. */
static inline uint32_t td_row_host(const struct td_row_choices *choices, uint32_t plot)
{
    return choices && plot < choices->plots && choices->host[plot] ? choices->host[plot] - 1 : plot;
}
/* Each 0 or TD_E_NOMEM. The rows are to be arranged anew. */
int td_row_set_ghosts(struct td_row_choices *choices, uint32_t track, enum td_row_switch to);
/* Draws `plot`, and those that were drawn in its row, in the row of `host`; with itself: in its own row again. */
int td_row_join(struct td_row_choices *choices, uint32_t plot, uint32_t host);
void td_row_choices_free(struct td_row_choices *choices);
