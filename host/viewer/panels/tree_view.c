/* Draws call trees. */
#include "host/query/code/code_origin.h"
#include "host/base/cell_text.h"
#include "host/viewer/panels/sampled.h"
#include "host/viewer/panels/source.h"
#include "host/base/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define OPEN_LEVELS 6
#define MOST_DEPTH  30 /* by which a row is indented */

enum tree_column { FUNCTION, TOTAL, SHARE, COUNT, SELF, OWN_COUNT, SOURCE, IMAGE, COLUMNS };

static const struct {
    const char *title[TD_TREE_KINDS]; /* NULL: it has no such column */
    float width;
} columns[COLUMNS] = {
    [FUNCTION] = {{"Function", "Function", "Function"}, 0},
    [TOTAL] = {{"Samples", "Waited", "Bytes"}, 100},
    [SHARE] = {{"Share", "Share", "Share"}, 76},
    [COUNT] = {{NULL, NULL, "Allocations"}, 96},
    [SELF] = {{"Itself", "Itself", "Bytes here"}, 100},
    [OWN_COUNT] = {{NULL, NULL, "Here"}, 80},
    [SOURCE] = {{"Source", "Source", "Source"}, 260},
    [IMAGE] = {{"Image", "Image", NULL}, 150},
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

void td_tree_view_free(struct td_tree_view *t)
{
    const struct td_list list = t->list;
    td_call_tree_free(&t->tree);
    free(t->open);
    free(t->rows);
    *t = (struct td_tree_view){.list = list};
    t->list.selected = 0;
}

/* Opens functions as long as each calls only one other. */
static void open_chain(struct td_tree_view *t, uint32_t node)
{
    const struct td_call_node *nodes = t->tree.at;
    for (; nodes[node].child != TD_CALL_NONE; node = nodes[node].child) {
        t->open[node] = 1;
        if (nodes[nodes[node].child].next != TD_CALL_NONE)
            return;
    }
}

void td_tree_view_take(struct td_tree_view *t, struct td_call_tree *tree, enum td_tree_kind kind)
{
    td_tree_view_free(t);
    t->open = calloc(tree->count + 1, 1);
    t->rows = malloc((tree->count + 1) * sizeof *t->rows);
    if (!t->open || !t->rows) {
        td_call_tree_free(tree);
        td_tree_view_free(t);
        return;
    }
    t->tree = *tree;
    *tree = (struct td_call_tree){0};
    t->kind = kind;
    for (uint32_t i = 0; i < t->tree.count; i++)
        if (kind != TD_TREE_BYTES)
            t->open[i] = t->tree.at[i].depth < OPEN_LEVELS;
        else if (t->tree.at[i].depth == 1)
            open_chain(t, i);
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

static const char *format_sum(const struct td_tree_view *t, uint64_t count, int64_t bytes,
                              char text[TD_FORMAT_BYTES])
{
    return t->kind == TD_TREE_BYTES  ? td_format_value(text, (double)bytes, 1)
           : t->kind == TD_TREE_TIME ? td_format_ns(text, (double)count)
                                     : td_format_count(text, count);
}

void td_tree_view_toggle(struct td_tree_view *t, size_t row)
{
    const uint32_t node = t->rows[row];
    t->open[node] = !t->open[node];
    if (t->open[node] && t->kind == TD_TREE_BYTES)
        open_chain(t, node);
    make_rows(t);
}

static void show_source(struct td_view *view, const struct td_tree_view *t, size_t row)
{
    const struct td_call_node *n = &t->tree.at[t->rows[row]];
    td_view_show_source(view, (struct td_source_place){n->file, n->line, n->symbol, n->address, 0});
}

static double share_of(const struct td_tree_view *t, const struct td_call_node *n)
{
    const struct td_call_node *all = &t->tree.at[0];
    const bool bytes = t->kind == TD_TREE_BYTES;
    const double whole = bytes ? (double)all->bytes : (double)all->total;
    return whole > 0 ? (bytes ? (double)n->bytes : (double)n->total) / whole : 0;
}

static const char *text_of(const struct td_view *view, const struct td_tree_view *t, uint32_t at,
                           enum tree_column column, char text[400])
{
    const struct td_call_node *n = &t->tree.at[at];
    const char *file = td_dict_text(view->model.dict, n->file);
    char room[32];
    switch (column) {
    case FUNCTION:
        snprintf(text, 400, "%*s%s %.300s", (int)(n->depth < MOST_DEPTH ? n->depth - 1 : MOST_DEPTH) * 3, "",
                 n->child == TD_CALL_NONE ? " "
                 : t->open[at]            ? "-"
                                          : "+",
                 name_of(view, n, room));
        return text;
    case TOTAL:
        return format_sum(t, n->total, n->bytes, text);
    case SHARE:
        snprintf(text, 400, "%.2f %%", share_of(t, n) * 100);
        return text;
    case COUNT:
        return td_format_count(text, n->total);
    case SELF:
        return n->self ? format_sum(t, n->self, n->own_bytes, text) : "";
    case OWN_COUNT:
        return n->self ? td_format_count(text, n->self) : "";
    case SOURCE:
        snprintf(text, 400, "%.300s:%" PRIu32, file, n->line);
        return *file ? text : "";
    default:
        return td_dict_text(view->model.dict, n->image);
    }
}

static bool is_of_library(const struct td_view *view, const struct td_call_node *n)
{
    const struct td_dict *dict = view->model.dict;
    return n->name && td_code_origin_of(td_dict_text(dict, n->file), td_dict_text(dict, n->image),
                                        n->address) == TD_CODE_LIBRARY;
}

static td_rgba color_of(const struct td_view *view, const struct td_call_node *n, enum tree_column column)
{
    return column == FUNCTION && n->is_kernel                     ? TD_C(KERNEL)
           : td_sampled_dims(view, n->file, n->image, n->address) ? TD_C(TEXT_FAINT)
           : column == FUNCTION && is_of_library(view, n)         ? TD_C(LIBRARY)
           : column == FUNCTION && n->is_inlined                  ? TD_C(TEXT_DIM)
           : column <= SHARE                                      ? TD_C(TEXT)
           : column <= OWN_COUNT                                  ? TD_C(TEXT_DIM)
                                                                  : TD_C(TEXT_FAINT);
}

int td_tree_view_draw(struct td_view *view, struct td_tree_view *t, const struct td_rect *place)
{
    struct td_column shown[COLUMNS];
    enum tree_column of[COLUMNS];
    struct td_list_drawing d;
    int count = 0, chosen = -1;
    char text[400];
    for (enum tree_column c = FUNCTION; c < COLUMNS; c++)
        if (columns[c].title[t->kind]) {
            of[count] = c;
            shown[count++] = (struct td_column){columns[c].title[t->kind], columns[c].width,
                                                c >= TOTAL && c <= OWN_COUNT, true};
        }
    for (int i = td_list_begin(view, &t->list, shown, count, (int)t->row_count, place, &d); i < d.last; i++) {
        const struct td_call_node *n = &t->tree.at[t->rows[i]];
        if (td_list_row(&d, i) & TD_ROW_CLICKED)
            chosen = i;
        for (int c = 0; c < count; c++) {
            if (of[c] == SHARE)
                td_list_bar(&d, c, (float)share_of(t, n), TD_C(SHARE));
            td_list_text(&d, c, color_of(view, n, of[c]), text_of(view, t, t->rows[i], of[c], text));
        }
    }
    td_list_end(&d);
    return chosen;
}

bool td_tree_view_key(struct td_view *view, struct td_tree_view *t, const struct td_key_press *press)
{
    bool enter;
    const size_t row = (size_t)t->list.selected - 1;
    if (t->list.selected && row < t->row_count && (press->key == TD_KEY_RIGHT || press->key == TD_KEY_LEFT)) {
        if ((t->open[t->rows[row]] != 0) != (press->key == TD_KEY_RIGHT))
            td_tree_view_toggle(t, row);
        return true;
    }
    if (!td_list_key(&t->list, press, (int)t->row_count, &enter))
        return false;
    if (enter && t->list.selected)
        show_source(view, t, (size_t)t->list.selected - 1);
    return true;
}

char *td_tree_view_text(const struct td_view *view, const struct td_tree_view *t)
{
    char *text = NULL, room[32];
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (!f)
        return NULL;
    static const char *const heads[] = {"samples\tself", "total_ns\tself",
                                        "bytes\tallocations\tbytes_here\tallocations_here"};
    const bool has_bytes = t->kind == TD_TREE_BYTES;
    fprintf(f, "depth\tfunction\t%s\tfile\tline\n", heads[t->kind]);
    for (size_t i = 0; i < t->row_count; i++) {
        const struct td_call_node *n = &t->tree.at[t->rows[i]];
        fprintf(f, "%" PRIu32 "\t%s\t", n->depth - has_bytes, TD_CELL(name_of(view, n, room)));
        if (has_bytes)
            fprintf(f, "%" PRId64 "\t%" PRIu64 "\t%" PRId64 "\t%" PRIu64, n->bytes, n->total, n->own_bytes,
                    n->self);
        else
            fprintf(f, "%" PRIu64 "\t%" PRIu64, n->total, n->self);
        fprintf(f, "\t%s\t%" PRIu32 "\n", TD_CELL(td_dict_text(view->model.dict, n->file)), n->line);
    }
    if (td_text_close(f, &text))
        return text;
    free(text);
    return NULL;
}

/* ---- with its job ---- */

void td_sampled_tree_draw(struct td_view *view, struct td_sampled_tree *tree,
                          const struct td_call_tree_choice *choice,
                          void (*make)(void *tree, struct td_job *job), const struct td_rect *place)
{
    const uint64_t key = td_mix64(td_mix64(td_sampled_key(view) ^ choice->key ^ td_mix64(choice->address)) +
                                  choice->inwards + choice->anywhere * 2u);
    bool fresh;
    const enum td_job_state state = td_job_want(&tree->job, key, &fresh);
    if (fresh)
        td_tree_view_take(&tree->view, &tree->made, tree->is_time ? TD_TREE_TIME : TD_TREE_SAMPLES);
    if (state == TD_JOB_WANTED) {
        td_sampled_free(&tree->sampled);
        td_call_tree_free(&tree->made);
        tree->request = *choice;
        if (td_sampled_choose(&tree->sampled, view))
            td_job_start(&tree->job, key, make, tree);
    }
    const int chosen = td_tree_view_draw(view, &tree->view, place);
    if (chosen >= 0)
        td_tree_view_toggle(&tree->view, (size_t)chosen);
}

void td_sampled_tree_free(struct td_sampled_tree *tree)
{
    td_job_stop(&tree->job);
    td_sampled_free(&tree->sampled);
    td_call_tree_free(&tree->made);
    td_tree_view_free(&tree->view);
}
