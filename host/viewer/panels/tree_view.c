/* Draws call trees for the panels about samples. */
#include "host/base/cell_text.h"
#include "host/viewer/panels/sampled.h"
#include "host/viewer/panels/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define OPEN_LEVELS 6

enum tree_column { FUNCTION, TOTAL, SHARE, SELF, SOURCE, IMAGE, COLUMNS };

static const struct td_column columns[COLUMNS] = {
    [FUNCTION] = {.title = "Function", .fixed = true},
    [TOTAL] = {.title = "Samples", .width = 100, .right = true, .fixed = true},
    [SHARE] = {.title = "Share", .width = 76, .right = true, .fixed = true},
    [SELF] = {.title = "Itself", .width = 100, .right = true, .fixed = true},
    [SOURCE] = {.title = "Source", .width = 260, .fixed = true},
    [IMAGE] = {.title = "Image", .width = 150, .fixed = true},
};

static void make_rows(struct td_tree_view *t)
{
    uint32_t at = t->tree.count ? t->tree.at[0].child : TD_CALL_NONE;
    t->row_count = 0;
    while (at != TD_CALL_NONE) {
        const struct td_call_node *node = &t->tree.at[at];
        t->rows[t->row_count++] = at;
        if (node->child != TD_CALL_NONE && t->open[at]) {
            at = node->child;
            continue;
        }
        while (at != TD_CALL_NONE && t->tree.at[at].next == TD_CALL_NONE)
            at = t->tree.at[at].parent ? t->tree.at[at].parent : TD_CALL_NONE;
        at = at == TD_CALL_NONE ? at : t->tree.at[at].next;
    }
}

static void free_tree(struct td_tree_view *t)
{
    const struct td_list list = t->list;
    td_call_tree_free(&t->tree);
    free(t->open);
    free(t->rows);
    *t = (struct td_tree_view){.list = list};
    t->list.selected = 0;
}

/* Takes the tree; its first levels are open. */
static void take_tree(struct td_tree_view *t, struct td_call_tree *tree, bool is_time)
{
    free_tree(t);
    t->open = malloc(tree->count + 1);
    t->rows = malloc((tree->count + 1) * sizeof *t->rows);
    if (!t->open || !t->rows) {
        td_call_tree_free(tree);
        free_tree(t);
        return;
    }
    t->tree = *tree;
    *tree = (struct td_call_tree){0};
    t->is_time = is_time;
    for (size_t i = 0; i < t->tree.count; i++)
        t->open[i] = t->tree.at[i].depth < OPEN_LEVELS;
    make_rows(t);
}

static const char *name_of(const struct td_view *view, const struct td_call_node *node, char room[32])
{
    const char *name = td_dict_text(view->model.dict, node->name);
    if (*name)
        return name;
    snprintf(room, 32, "0x%" PRIx64, node->address);
    return room;
}

static const char *format_count(const struct td_tree_view *t, uint64_t count, char text[TD_FORMAT_BYTES])
{
    return t->is_time ? td_format_ns(text, (double)count) : td_format_count(text, count);
}

static void toggle(struct td_tree_view *t, size_t row)
{
    t->open[t->rows[row]] = !t->open[t->rows[row]];
    make_rows(t);
}

static void show_source(struct td_view *view, const struct td_tree_view *t, size_t row)
{
    const struct td_call_node *n = &t->tree.at[t->rows[row]];
    td_view_show_source(view, (struct td_source_place){n->file, n->line, n->symbol, n->address, 0});
}

static void draw_row(struct td_list_drawing *d, const struct td_tree_view *t, uint32_t at)
{
    const struct td_view *view = d->view;
    const struct td_call_node *n = &t->tree.at[at];
    const double all = (double)t->tree.at[0].total;
    const double share = all > 0 ? (double)n->total / all : 0;
    char text[400], room[32];
    const td_rgba color = n->is_kernel ? 0xffff8f86u : n->is_inlined ? TD_C(TEXT_DIM) : TD_C(TEXT);
    snprintf(text, sizeof text, "%*s%s %.300s", (int)(n->depth - 1) * 3, "",
             n->child == TD_CALL_NONE ? " "
             : t->open[at]            ? "-"
                                      : "+",
             name_of(view, n, room));
    td_list_bar(d, SHARE, (float)share, 0xff31495a);
    td_list_text(d, FUNCTION, color, text);
    td_list_text(d, TOTAL, TD_C(TEXT), format_count(t, n->total, text));
    td_list_text(d, SELF, TD_C(TEXT_DIM), n->self ? format_count(t, n->self, text) : "");
    snprintf(text, sizeof text, "%.2f %%", share * 100);
    td_list_text(d, SHARE, TD_C(TEXT), text);
    const char *file = td_dict_text(view->model.dict, n->file);
    snprintf(text, sizeof text, "%.300s:%" PRIu32, file, n->line);
    td_list_text(d, SOURCE, TD_C(TEXT_FAINT), *file ? text : "");
    td_list_text(d, IMAGE, TD_C(TEXT_FAINT), td_dict_text(view->model.dict, n->image));
}

static void draw_tree(struct td_view *view, struct td_tree_view *t, const struct td_rect *place)
{
    struct td_column shown[COLUMNS];
    struct td_list_drawing d;
    int chosen = -1;
    for (int c = 0; c < COLUMNS; c++)
        shown[c] = columns[c];
    if (t->is_time)
        shown[TOTAL].title = "Waited";
    for (int i = td_list_begin(view, &t->list, shown, COLUMNS, (int)t->row_count, place, &d); i < d.last;
         i++) {
        if (td_list_row(&d, i) & TD_ROW_CLICKED)
            chosen = i;
        draw_row(&d, t, t->rows[i]);
    }
    td_list_end(&d);
    if (chosen >= 0)
        toggle(t, (size_t)chosen);
}

bool td_tree_view_key(struct td_view *view, struct td_tree_view *t, const struct td_key_press *press)
{
    bool enter;
    const size_t row = (size_t)t->list.selected - 1;
    if (t->list.selected && row < t->row_count && (press->key == TD_KEY_RIGHT || press->key == TD_KEY_LEFT)) {
        if ((t->open[t->rows[row]] != 0) != (press->key == TD_KEY_RIGHT))
            toggle(t, row);
        return true;
    }
    if (!td_list_key(&t->list, press, (int)t->row_count, &enter))
        return false;
    if (enter && t->list.selected)
        show_source(view, t, (size_t)t->list.selected - 1);
    return true;
}

void td_tree_view_copy(struct td_view *view, const struct td_tree_view *t)
{
    char *text = NULL, room[32];
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (!f)
        return;
    fprintf(f, "depth\tfunction\t%s\tself\tfile\tline\n", t->is_time ? "total_ns" : "samples");
    for (size_t i = 0; i < t->row_count; i++) {
        const struct td_call_node *n = &t->tree.at[t->rows[i]];
        fprintf(f, "%" PRIu32 "\t%s\t%" PRIu64 "\t%" PRIu64 "\t%s\t%" PRIu32 "\n", n->depth,
                TD_CELL(name_of(view, n, room)), n->total, n->self,
                TD_CELL(td_dict_text(view->model.dict, n->file)), n->line);
    }
    if (fclose(f) == 0)
        td_ui_set_clipboard(view->ui, text);
    free(text);
}

/* ---- with its job ---- */

void td_sampled_tree_draw(struct td_view *view, struct td_sampled_tree *tree,
                          const struct td_call_tree_choice *choice,
                          void (*make)(void *tree, struct td_job *job), const struct td_rect *place)
{
    const uint64_t key = td_mix64(td_mix64(td_sampled_key(view) ^ choice->key) + choice->inwards);
    bool fresh;
    const enum td_job_state state = td_job_want(&tree->job, key, &fresh);
    if (fresh)
        take_tree(&tree->view, &tree->made, tree->is_time);
    if (state == TD_JOB_WANTED) {
        td_sampled_free(&tree->sampled);
        td_call_tree_free(&tree->made);
        tree->request = *choice;
        if (td_sampled_choose(&tree->sampled, view))
            td_job_start(&tree->job, key, make, tree);
    }
    draw_tree(view, &tree->view, place);
}

void td_sampled_tree_free(struct td_sampled_tree *tree)
{
    td_job_stop(&tree->job);
    td_sampled_free(&tree->sampled);
    td_call_tree_free(&tree->made);
    free_tree(&tree->view);
}
