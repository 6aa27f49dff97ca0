/* What the panels about samples have in common: which samples count, and how the work for them is stopped. */
#pragma once
#include "host/query/code/call_tree.h"
#include "host/query/code/sample_tables.h"
#include "host/query/task/job.h"
#include "host/viewer/panels/list.h"
#include "host/viewer/timeline/view.h"

/* For a table of samples: those of lanes that pass the filter. Makes of->with, a struct td_samples_wanted. False: no
 * memory. */
bool td_sampled_ask(struct td_view *view, struct td_query_request *of);
/* The same for what is no table, of the chosen range. */
struct td_sampled {
    const struct td_trace *trace;
    struct td_samples_choice choice;
    struct td_samples_wanted *wanted; /* owned: what `choice` refers to */
};
bool td_sampled_choose(struct td_sampled *sampled, struct td_view *view);
void td_sampled_free(struct td_sampled *sampled);
/* A part of the key of a job: changes with the choice. */
uint64_t td_sampled_key(const struct td_view *view);
/* Whether functions of this place are to be dimmed: they are not the program's own. */
bool td_sampled_dims(const struct td_view *view, uint32_t file, uint32_t image, uint64_t address);
/* The time that samples stand for. */
double td_sampled_ns(const struct td_trace *trace, uint64_t samples);

/* What a call tree counts. */
enum td_tree_kind { TD_TREE_SAMPLES, TD_TREE_TIME, TD_TREE_BYTES, TD_TREE_KINDS };

/* A call tree as rows that open and close. */
struct td_tree_view { /* all zero: empty */
    struct td_list list;
    struct td_call_tree tree;
    uint8_t *open;  /* of each node */
    uint32_t *rows; /* the nodes that are shown */
    size_t row_count;
    enum td_tree_kind kind;
};
/* Takes the tree; its first levels are open, of bytes functions that call only one other. */
void td_tree_view_take(struct td_tree_view *view, struct td_call_tree *tree, enum td_tree_kind kind);
void td_tree_view_free(struct td_tree_view *view);
/* Returns the row that was clicked, or -1. */
int td_tree_view_draw(struct td_view *view, struct td_tree_view *tree, const struct td_rect *place);
/* Opens or closes a row. */
void td_tree_view_toggle(struct td_tree_view *tree, size_t row);
/* Right and left open and close, Enter shows the source. */
bool td_tree_view_key(struct td_view *view, struct td_tree_view *tree, const struct td_key_press *press);
/* The shown rows, as lines with tabs. */
char *td_tree_view_text(const struct td_view *view,
                        const struct td_tree_view *tree); /* as for struct td_panel */

/* A call tree that a job counts. */
struct td_sampled_tree { /* all zero: not drawn yet */
    struct td_job job;
    struct td_sampled sampled; /* the request of the job */
    struct td_call_tree_choice request;
    struct td_call_tree made;
    bool is_time; /* of `made`: counts are ns, not samples */
    struct td_tree_view view;
};
/* Draws the tree that a choice gives; `make` makes it of tree->sampled and tree->request, in a thread. */
void td_sampled_tree_draw(struct td_view *view, struct td_sampled_tree *tree,
                          const struct td_call_tree_choice *choice,
                          void (*make)(void *tree, struct td_job *job), const struct td_rect *place);
void td_sampled_tree_free(struct td_sampled_tree *tree);
