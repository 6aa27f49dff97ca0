/* What a view knows of its trace is read and brought up to date; its rows are arranged by that. */
#pragma once
#include "host/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_view;

int td_view_read_facts(struct td_view *view, struct td_err *err);
/* Arranges them anew if the settings of rows have changed. */
void td_view_check_rows(struct td_view *view);
/* row_kinds.c: names the kinds of rows that the trace has and a setting hides; false: none. Shows all of them. */
bool td_view_hidden_kinds(const struct td_view *view, char *text, size_t bytes);
void td_view_show_kinds(struct td_view *view);
/* Arranges the rows anew, as the grouping and the order of lanes say. 0; TD_E_NOMEM: nothing has changed. */
int td_view_arrange_rows(struct td_view *view, struct td_err *err);
void td_view_free_facts(struct td_view *view);
/* The range of values in which the plot is drawn. */
void td_view_plot_range(const struct td_view *view, uint32_t plot, double *low, double *high);
/* Takes what a live session has added; to be called before a frame, some times a second. True: something has
 * changed. */
bool td_view_refresh(struct td_view *view);
/* No thread reads the trace, which is to be finished, until td_view_take_loaded(). No frame is to be drawn. */
void td_view_rest(struct td_view *view);
/* The file has been read, and its trace is finished. */
void td_view_take_loaded(struct td_view *view);
