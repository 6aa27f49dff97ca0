/* A panel that lists the rows of a table (host/query/table): limits, filter, groups, sorting by any column, Copy, keys,
 * progress. The panel's file describes it in a struct td_table_panel; the private state is a struct td_table_list. */
#ifndef TD_HOST_VIEWER_PANELS_TABLE_PANEL_H
#define TD_HOST_VIEWER_PANELS_TABLE_PANEL_H
#include "host/query/table/forms.h"
#include "host/viewer/panels/list.h"
#include "host/viewer/timeline/view.h"

struct td_table_panel {
    const struct td_query_table *table;
    enum td_panel_id id;
    const char *columns;    /* of the list, as for td_query_choose() */
    const char *sort;       /* the column by which it is sorted at first, numbers from the greatest down */
    const char *filter;     /* the columns in which the filter looks: one or two */
    const char *hint;       /* in the field of the filter */
    const char *row;        /* what a row is: "lock" */
    enum td_node_kind node; /* of the rows of the timeline that show the table's rows, and can be hidden */
    /* The groups that a button chooses from; the first has all rows. NULL: none. */
    const char *const *groups;
    int group_count;
    /* Whether the row is listed in the group; NULL: all are. */
    bool (*lists)(const struct td_query_rows *rows, uint64_t row, int group);
    /* The colour of the box before a name, which is the first column; NULL: no boxes. */
    td_rgba (*color)(const struct td_view *view, const struct td_query_rows *rows, uint64_t row);
    /* After the row of the timeline has been shown: by a click on the column, or by Enter (NULL). NULL: nothing more. */
    void (*show)(struct td_view *view, const struct td_query_rows *rows, uint64_t row, const char *column);
};

struct td_table_list { /* all zero: not opened yet */
    struct td_list list;
    struct td_job job;
    struct td_query_request of; /* of the job */
    struct td_query_rows *made, *shown;
    const struct td_query_table *table; /* for the job */
    struct td_query_choice choice;
    struct td_column columns[TD_LIST_COLUMNS];
    int column_count;
    struct td_query_order rows; /* those that are listed */
    int group, made_group;
    char filter[96], made_with[96];
};

void td_table_panel_draw(struct td_view *view, const struct td_table_panel *panel,
                         const struct td_rect *place);
bool td_table_panel_key(struct td_view *view, const struct td_table_panel *panel,
                        const struct td_key_press *press);
void td_table_panel_free(struct td_view *view, const struct td_table_panel *panel);

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
    static bool table_is_busy(const struct td_view *view)                                                    \
    {                                                                                                        \
        return ((const struct td_table_list *)view->panels.slot[(of).id].state)->job.running;                \
    }                                                                                                        \
    static void free_table(struct td_view *view)                                                             \
    {                                                                                                        \
        td_table_panel_free(view, &(of));                                                                    \
    }
#define TD_TABLE_PANEL_FUNCTIONS                                                                             \
    .state_bytes = sizeof(struct td_table_list), .draw = draw_table, .free_state = free_table,               \
    .is_busy = table_is_busy, .take_key = take_table_key
#endif
