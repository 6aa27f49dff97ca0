/* A list with columns in a panel: a head that sorts by a click, rows of equal height of which only the visible ones are
 * drawn, one selected row that the arrow keys move. The caller draws the cells:
 *
 *     struct td_list_drawing d;
 *     for (int i = td_list_begin(view, &state->list, columns, count, rows, &place, &d); i < d.last; i++) {
 *         if (td_list_row(&d, i) & TD_ROW_CLICKED) ...
 *         td_list_text(&d, NAME, TD_C(TEXT), name);
 *     }
 *     td_list_end(&d);
 *
 * Columns that do not fit are left out, the last ones first. */
#pragma once
#include "host/viewer/model/panel.h"
#include "host/viewer/ui/color.h"

#define TD_LIST_COLUMNS 16

struct td_column {
    const char *title;
    float width; /* at 96 dpi; 0: what the others leave, for one column */
    bool right;  /* numbers: at the right edge; their first sort order is descending */
    bool fixed;  /* no sort order */
};

struct td_list { /* all zero: sorted by the first column, nothing selected */
    int sort;    /* a column */
    bool descending;
    int selected; /* row, counted from 1; 0: none */
    bool show;    /* scroll to the selected row in the next frame */
    int reveal;   /* this row, counted from 1, becomes the first visible one in the next frame; 0: none */
    int page;     /* rows that were visible last */
};

struct td_list_drawing {
    struct td_view *view;
    struct td_list *list;
    const struct td_column *columns;
    struct td_rect place;
    int count, first, last, row;
    float x[TD_LIST_COLUMNS + 1]; /* left edges; a column that is left out has no width */
    float top, y, height;         /* of row `first`; of the present row */
    bool sorted;                  /* the user has changed the order in this frame */
};

enum { TD_ROW_HOVERED = 1, TD_ROW_CLICKED = 2 };

/* Returns the first visible row. */
int td_list_begin(struct td_view *view, struct td_list *list, const struct td_column *columns, int count,
                  int rows, const struct td_rect *place, struct td_list_drawing *d);
/* Begins a row; returns a sum of TD_ROW_*. A click selects it. */
int td_list_row(struct td_list_drawing *d, int row);
void td_list_text(struct td_list_drawing *d, int column, td_rgba color, const char *text);
/* A duration: those of a column are below each other by their decimal points and their units, if there is room. */
void td_list_duration(struct td_list_drawing *d, int column, td_rgba color, const char *text);
/* Text after a small box of colour. */
void td_list_name(struct td_list_drawing *d, int column, td_rgba box, td_rgba color, const char *text);
/* A bar below the text of the cell; part: 0 to 1. */
void td_list_bar(struct td_list_drawing *d, int column, float part, td_rgba color);
/* The place of a cell for what a panel draws itself; false: the column is left out. */
bool td_list_cell(const struct td_list_drawing *d, int column, struct td_rect *cell);
void td_list_end(struct td_list_drawing *d);
/* Arrows, page up and down, Home, End. True: the selected row has changed, or Enter was pressed (then *enter). */
bool td_list_key(struct td_list *list, const struct td_key_press *press, int rows, bool *enter);

/* A button above a list, as wide as its label, with its right edge at *right, which becomes the place of the next one.
 * Not drawn if it would reach over `left`. `on`: it is lit. Returns whether it was pressed. */
bool td_tool_button(struct td_view *view, float left, float *right, float y, const char *label, bool on);
/* A word at *x, which becomes the place of the next one; it is lit while it is on. If it would reach over *right, it is
 * not drawn, and what comes after it neither: *right becomes *x. `tip`: NULL: none. Returns whether it was clicked. */
bool td_tool_word(struct td_view *view, float *x, float *right, float y, const char *id, const char *label,
                  bool on, const char *tip);
float td_tool_word_width(const struct td_view *view, const char *label);
