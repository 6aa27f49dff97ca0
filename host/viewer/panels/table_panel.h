/* A panel that lists the rows of a table (host/query/table): limits, filter, lanes, groups, buttons, sorting by any
 * column, choice of columns, copies in every form, keys, progress, and what a row is about in the timeline. The panel's
 * file describes it in a struct td_table_panel. A struct td_table_list is in the panel's private state: it is that, or
 * the panel says where in it. */
#pragma once
#include "host/query/table/forms.h"
#include "host/viewer/panels/sampled.h"
#include "host/viewer/timeline/view.h"

/* How a row was chosen. */
enum td_row_choice { TD_ROW_BY_ARROW, TD_ROW_BY_CLICK, TD_ROW_BY_ENTER };

struct td_table_button {
    int key; /* that presses it; 0: none */
    /* It is about an int of the panel's state, at `at`, which it brings to the next of `count` values, or, with 0 of
     * them, to `value`. */
    const char *const *labels; /* for each value; NULL: `title`, lit while the int is `value` */
    const char *title;
    int count, value;
    size_t at;
    /* Else: *on: it is lit. NULL: there is no such button now. */
    const char *(*label)(const struct td_view *view, bool *on);
    void (*press)(struct td_view *view);
};
/* A button that goes through the names of an array; one that sets what is 0 or 1, and is lit with `lit`; one that
 * chooses a value. */
#define TD_STEP_BUTTON(key, state, member, names)                                                            \
    {                                                                                                        \
        key, names, NULL, (int)(sizeof(names) / sizeof *(names)), 0, offsetof(state, member), NULL, NULL     \
    }
#define TD_SWITCH_BUTTON(key, state, member, lit, title)                                                     \
    {                                                                                                        \
        key, NULL, title, 2, lit, offsetof(state, member), NULL, NULL                                        \
    }
#define TD_CHOICE_BUTTON(key, state, member, value, title)                                                   \
    {                                                                                                        \
        key, NULL, title, 0, value, offsetof(state, member), NULL, NULL                                      \
    }
#define TD_BUTTON(key, label, press)                                                                         \
    {                                                                                                        \
        key, NULL, NULL, 0, 0, 0, label, press                                                               \
    }

/* A call tree that is shown in the place of the list. */
struct td_table_tree {
    size_t at; /* of the struct td_sampled_tree in the panel's state */
    /* The choice of the tree that is shown; false: the list is. */
    bool (*choose)(const struct td_view *view, struct td_call_tree_choice *choice);
    void (*make)(void *tree, struct td_job *job); /* as for td_sampled_tree_draw() */
};

struct td_row_look {
    td_rgba name, number, text; /* of names; of durations, shares and numbers; of the others */
    td_rgba box;                /* before a name; 0: none */
    bool lit;                   /* a mark at the left edge */
};

struct td_table_panel {
    const struct td_query_table *table;
    enum td_panel_id id;
    size_t at;              /* of the struct td_table_list in the panel's state */
    const char *columns;    /* of the list at first, as for td_query_choose() */
    const char *sort;       /* the first column of the order, numbers from the greatest down; NULL: as made */
    const char *name;       /* the column of names, which may have a box; NULL: the first */
    const char *filter;     /* the columns in which it looks, at most TD_TABLE_FILTERS; NULL: there is none */
    const char *hint;       /* in the field of the filter */
    const char *row, *rows; /* what a row is: "lock"; and several, if not that with an s */
    const char *empty;      /* what is said without rows; NULL: "0 locks" */
    const char *bar; /* a column with bars: shares, or parts of the greatest value in the list; NULL: none */
    /* The panel makes the rows in the order of the list, for these columns; they are shown at once, with no filter. NULL:
     * the list sorts them in a job, by any column. */
    const char *sorts;
    uint64_t most_copied; /* rows; 0: all */
    bool whole;           /* rows are of all of the trace: there are no limits to choose */
    bool by_lane;         /* rows that are about a lane that does not pass the filter of lanes are left out */
    bool has_node;        /* rows are also rows of the timeline, which can be hidden: */
    enum td_node_kind node;
    /* The groups that a button chooses from; the first has all rows. NULL: none. */
    const char *const *groups;
    int group_count;
    const struct td_table_button *buttons; /* {0} is the end; NULL: none */
    const struct td_table_tree *tree;      /* NULL: none */

    /* Draws a field of the panel's own, in the place of the filter's; returns its right edge. NULL: none. */
    float (*draw_field)(struct td_view *view, float x, float y, float width, float height);
    /* What rows depend on apart from the limits; NULL: nothing. */
    uint64_t (*key)(const struct td_view *view);
    /* Sets what the request is made with. False: no memory. NULL: nothing. */
    bool (*ask)(struct td_view *view, struct td_query_request *of);
    /* Whether the row is listed in the group, in any thread; NULL: all are. */
    bool (*lists)(const struct td_query_rows *rows, uint64_t row, int group);
    void (*look)(const struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                 struct td_row_look *look);
    /* Draws the cell; false: the list does. NULL: the list draws all. */
    bool (*draw)(struct td_list_drawing *d, const struct td_query_rows *rows, uint64_t row, int column,
                 const char *key);
    /* The row under the mouse. NULL: the timeline marks what it is about, and there is no tooltip. */
    void (*tip)(struct td_view *view, const struct td_query_rows *rows, uint64_t row);
    /* NULL: the timeline shows what the row is about; Enter zooms to it. */
    void (*choose)(struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                   enum td_row_choice how);
    /* The lines with tabs; NULL: those of the table. */
    void (*print_lines)(FILE *to, const struct td_query_rows *rows, const struct td_query_order *order);
    /* What the panel says of the rows. NULL: how many they are. */
    void (*describe)(const struct td_view *view, const struct td_query_rows *rows, uint64_t listed,
                     char *text, size_t bytes);
};

#define TD_TABLE_FILTERS     3
#define TD_TABLE_FILTER_TEXT 96

struct td_table_order { /* which rows are listed, and how */
    char filter[TD_TABLE_FILTER_TEXT];
    int group;
    const struct td_query_column *sort; /* NULL: as made */
    bool descending;
};

struct td_table_list { /* all zero: not opened yet */
    const struct td_table_panel *panel;
    struct td_list list;
    struct td_table_order order; /* as it is wanted */
    struct td_query_choice choice;
    uint32_t left_out; /* columns of `choice` that are not listed */
    const struct td_query_column *listed[TD_LIST_COLUMNS];
    struct td_column columns[TD_LIST_COLUMNS];
    int column_count; /* 0: to be listed anew */

    /* The request of the job, and what it makes: rows, unless those that are shown are only ordered anew. */
    struct td_job job;
    struct td_query_request of;
    struct td_table_order of_order;
    struct td_lane_choice lanes;
    bool makes;
    uint64_t made_key;
    struct td_query_rows *made;
    struct td_query_order made_order;
    double made_most;

    struct td_query_rows *shown;
    uint64_t shown_key;
    struct td_query_order rows; /* those that are listed */
    double most;                /* of the column with bars */
    const char *pointed;        /* the column at the mouse; NULL: none */
};

struct td_table_list *td_table_list_of(const struct td_view *view, const struct td_table_panel *panel);
/* Brings the rows up to date. They may also be read while the job runs. */
void td_table_panel_update(struct td_view *view, const struct td_table_panel *panel);
/* The same, and draws everything. */
void td_table_panel_draw(struct td_view *view, const struct td_table_panel *panel,
                         const struct td_rect *place);
/* For a panel that draws more: what is above the rows, whose upper edge it returns, and the rows. They bring nothing up
 * to date. */
#define TD_TABLE_TOOLS(view) TD_U(view, 30) /* their height */
float td_table_panel_draw_tools(struct td_view *view, const struct td_table_panel *panel,
                                const struct td_rect *place);
void td_table_panel_draw_rows(struct td_view *view, const struct td_table_panel *panel,
                              const struct td_rect *place);
bool td_table_panel_key(struct td_view *view, const struct td_table_panel *panel,
                        const struct td_key_press *press);
bool td_table_panel_is_busy(const struct td_view *view, const struct td_table_panel *panel);
void td_table_panel_free(struct td_view *view, const struct td_table_panel *panel);
/* Ends what a list shows, such as that its rows refer to; they are asked for again when it is drawn. */
void td_table_list_free(struct td_table_list *list);

#define TD_NO_ROW UINT64_MAX
/* The row of the table at a place of the list. */
static inline uint64_t td_table_row(const struct td_table_list *list, uint64_t at)
{
    return td_query_order_row(&list->rows, at);
}
/* The selected row of the table, or TD_NO_ROW. */
uint64_t td_table_selected(const struct td_table_list *list);
/* Selects and shows a row, or selects none if it is not listed. */
void td_table_select(struct td_table_list *list, uint64_t row);
/* Sorts by that column. */
void td_table_list_sort(struct td_table_list *list, const char *key, bool descending);
/* As if the user had chosen the row in that place of the list. */
void td_table_choose(struct td_view *view, const struct td_table_panel *panel, uint64_t at,
                     enum td_row_choice how);

/* table_times.c: to be called once a frame, before the list is drawn. */
void td_table_fit_times(const struct td_view *view, struct td_table_list *list);
/* table_menu.c: the copies, and the menu of the right button. */
char *td_table_text(const struct td_table_list *list, enum td_copy_form form); /* as for struct td_panel */
char *td_table_panel_copy(struct td_view *view, const struct td_table_panel *panel, enum td_copy_form form);
bool td_table_toggle_column(struct td_view *view, const struct td_table_panel *panel, const char *title);
void td_table_menu_open(struct td_view *view, const struct td_table_list *list, uint64_t row);

/* The functions of a td_panel whose description is the constant `of`. */
#define TD_TABLE_PANEL(of)                                                                                   \
    static void draw_table(struct td_view *view, const struct td_rect *place)                                \
    {                                                                                                        \
        td_table_panel_draw(view, &(of), place);                                                             \
    }                                                                                                        \
    static bool take_table_key(struct td_view *view, const struct td_key_press *press)                       \
    {                                                                                                        \
        return td_table_panel_key(view, &(of), press);                                                       \
    }                                                                                                        \
    static char *copy_table(struct td_view *view, enum td_copy_form form)                                    \
    {                                                                                                        \
        return td_table_panel_copy(view, &(of), form);                                                       \
    }                                                                                                        \
    static bool toggle_table_column(struct td_view *view, const char *title)                                 \
    {                                                                                                        \
        return td_table_toggle_column(view, &(of), title);                                                   \
    }                                                                                                        \
    static bool table_is_busy(const struct td_view *view)                                                    \
    {                                                                                                        \
        return td_table_panel_is_busy(view, &(of));                                                          \
    }                                                                                                        \
    static void free_table(struct td_view *view)                                                             \
    {                                                                                                        \
        td_table_panel_free(view, &(of));                                                                    \
    }
#define TD_TABLE_PANEL_FUNCTIONS                                                                             \
    .state_bytes = sizeof(struct td_table_list), .draw = draw_table, .free_state = free_table,               \
    .is_busy = table_is_busy, .copy = copy_table, .take_key = take_table_key,                                \
    .toggle_column = toggle_table_column
