/* The state of the panel Source, and how its two lists are drawn. */
#pragma once
#include "host/query/code/dependencies.h"
#include "host/viewer/panels/source_data.h"

enum td_source_form { TD_FORM_BOTH, TD_FORM_TEXT, TD_FORM_CODE, TD_FORM_COUNT };

struct td_picks { /* rows of a list that are summed; all zero: none */
    uint8_t *rows;
    int count;  /* of the list */
    int picked; /* 0, or 2 and more */
    int anchor; /* where a range begins, counted from 1 */
};

struct td_source_panel {
    struct td_job job;
    struct td_source_request request;
    struct td_source_data made, shown;
    struct td_source_place place;
    struct td_list lines, insns;
    struct td_picks line_picks, insn_picks;
    bool in_code;                  /* the last click was on an instruction: it has the arrow keys */
    struct td_dependency *depends; /* of each instruction on that of insns.selected; NULL: not known */
    int depends_on;                /* whose they are */
    enum td_source_form form;
    bool any, started;
    bool att;        /* AT&T's notation */
    bool inlined;    /* lines have the samples of functions that are inlined there */
    bool called;     /* lines and instructions have the samples of functions that are called there */
    bool whole_file; /* lines have the samples of all functions */
    bool bytes;      /* of instructions are listed */
    bool registers;  /* that instructions depend on are listed */
    char processor[TD_PROCESSOR_BYTES]; /* whose costs instructions have; "": none */
};

/* source_lists.c */
struct td_list_drawing;
/* Draws a line of code in colours, with tabs as spaces. */
void td_source_draw_code(struct td_list_drawing *drawing, int column, enum td_language language,
                         td_lex_state state, const char *line, size_t bytes);
void td_source_draw_lines(struct td_view *view, struct td_source_panel *panel, const struct td_rect *place);
void td_source_draw_insns(struct td_view *view, struct td_source_panel *panel, const struct td_rect *place);

/* source_picks.c: a click on a row, or a step by a key, when `before` was selected. */
void td_picks_click(struct td_picks *picks, int rows, int before, int row, bool shift, bool ctrl);
/* Picks rows from `first` to `last`, counted from 0. */
void td_picks_range(struct td_picks *picks, int rows, int first, int last);
static inline bool td_picks_have(const struct td_picks *picks, size_t row)
{
    return picks->picked && row < (size_t)picks->count && picks->rows[row];
}
/* Whether rows of a list that is shown are picked. */
bool td_source_picked(const struct td_source_panel *panel);
/* Forgets what is picked, and dependencies: what is shown has changed. */
void td_source_unpick(struct td_source_panel *panel);
bool td_source_step(struct td_source_panel *panel, const struct td_key_press *press);
/* What is said of the picked lines or instructions. Returns `text`. */
const char *td_source_say_lines(const struct td_source_panel *panel, char *text, size_t bytes);
const char *td_source_say_insns(const struct td_source_panel *panel, char *text, size_t bytes);
/* Brings `depends` up to date. */
void td_source_depend(struct td_source_panel *panel);
void td_source_show_callers(struct td_view *view, const struct td_source_panel *panel);

/* source_listing.c: what is shown, or what of it is picked. NULL: nothing, or no memory; the caller frees it. */
char *td_source_listing(const struct td_view *view, const struct td_source_panel *panel);
