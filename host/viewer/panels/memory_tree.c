/* The call stacks of allocations as a tree of functions. */
#include "host/base/cell_text.h"
#include "host/viewer/panels/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DEPTH 200 /* of a row that is listed */

enum tree_column { FUNCTION, BYTES, SHARE, COUNT, OWN_BYTES, OWN_COUNT, SOURCE, COLUMNS };

static const struct td_column columns[COLUMNS] = {
    [FUNCTION] = {.title = "Function", .fixed = true},
    [BYTES] = {.title = "Bytes", .width = 96, .right = true, .fixed = true},
    [SHARE] = {.title = "Share", .width = 76, .right = true, .fixed = true},
    [COUNT] = {.title = "Allocations", .width = 96, .right = true, .fixed = true},
    [OWN_BYTES] = {.title = "Bytes here", .width = 96, .right = true, .fixed = true},
    [OWN_COUNT] = {.title = "Here", .width = 80, .right = true, .fixed = true},
    [SOURCE] = {.title = "Source", .width = 240, .fixed = true},
};

static void free_tree(struct memory_tree *tree)
{
    td_stack_tree_free(&tree->tree);
    td_memory_stacks_free(&tree->weights);
}

static void make_tree(void *self, struct td_job *job)
{
    struct memory_tree_job *s = self;
    free_tree(&s->made);
    /* Without memory the tree is empty. */
    if (td_memory_stacks_make(&s->made.weights, &s->request, s->part, job) < 0 ||
        td_stack_tree_make(&s->made.tree, s->request.trace, s->made.weights.of, s->made.weights.count,
                           s->order, s->by_name) < 0)
        free_tree(&s->made);
}

/* ---- rows ---- */

static void list_rows(struct memory_panel *s)
{
    const struct td_stack_tree *tree = &s->tree.shown.tree;
    s->row_count = 0;
    if (!s->rows || !tree->count)
        return;
    uint32_t at = tree->node[0].child;
    unsigned depth = 0;
    while (at) {
        const struct td_stack_node *n = &tree->node[at];
        s->depth[s->row_count] = (uint8_t)(depth < MOST_DEPTH ? depth : MOST_DEPTH);
        s->rows[s->row_count++] = at;
        if (n->child && s->opened[at]) {
            at = n->child;
            depth++;
            continue;
        }
        while (at && !tree->node[at].next) {
            at = tree->node[at].parent;
            depth -= depth > 0;
        }
        at = at ? tree->node[at].next : 0;
    }
}

/* Opens functions as long as each calls only one other. */
static void open_chain(struct memory_panel *s, uint32_t node)
{
    const struct td_stack_node *nodes = s->tree.shown.tree.node;
    for (; nodes[node].child; node = nodes[node].child) {
        s->opened[node] = 1;
        if (nodes[nodes[node].child].next)
            return;
    }
}

static void take_tree(struct memory_panel *s)
{
    const uint32_t count = s->tree.shown.tree.count;
    free(s->opened);
    free(s->rows);
    free(s->depth);
    s->opened = calloc((size_t)count + 1, 1);
    s->rows = malloc(((size_t)count + 1) * sizeof *s->rows);
    s->depth = malloc((size_t)count + 1);
    if (!s->opened || !s->rows || !s->depth) {
        free(s->rows);
        s->rows = NULL;
    } else {
        const struct td_stack_node *nodes = s->tree.shown.tree.node;
        for (uint32_t root = count ? nodes[0].child : 0; root; root = nodes[root].next)
            open_chain(s, root);
    }
    s->tree_list.selected = 0;
    list_rows(s);
}

static void update_tree(struct td_view *view, struct memory_panel *s)
{
    bool fresh;
    struct memory_tree_job *t = &s->tree;
    const uint64_t key =
        td_mix64(memory_key(view) + 1) + (uint64_t)s->part * 4 + (uint64_t)s->order * 2 + s->each_place;
    enum td_job_state state = td_job_want(&t->job, key, &fresh);
    if (fresh) {
        TD_JOB_TAKE(&t->shown, &t->made, free_tree);
        t->any = true;
        take_tree(s);
    }
    if (state != TD_JOB_WANTED)
        return;
    t->request = memory_range(view);
    t->part = s->part;
    t->order = s->order;
    t->by_name = !s->each_place;
    td_job_start(&t->job, key, make_tree, t);
}

/* Opens or closes the function of a row. */
static void toggle_row(struct memory_panel *s, int row)
{
    const uint32_t node = s->rows[row];
    if (s->opened[node])
        s->opened[node] = 0;
    else
        open_chain(s, node);
    list_rows(s);
}

/* Lists the allocations whose call stacks pass the function of a row. */
static void show_allocations(struct memory_panel *s, int row)
{
    const struct memory_tree *t = &s->tree.shown;
    uint32_t *stacks = realloc(s->stacks, (t->weights.count + 1) * sizeof *stacks);
    if (!stacks)
        return;
    s->stacks = stacks;
    s->stack_count = 0;
    for (size_t i = 0; i < t->weights.count; i++)
        if (td_stack_tree_passes(&t->tree, i, s->rows[row]))
            s->stacks[s->stack_count++] = t->weights.of[i].stack;
    s->stacks_version++;
    s->page = MEMORY_ALLOCATIONS;
}

/* ---- drawing ---- */

static const char *name_of_node(const struct td_view *view, const struct td_stack_node *n, char *room,
                                size_t bytes)
{
    if (n->function && *td_dict_text(view->model.dict, n->function))
        return td_dict_text(view->model.dict, n->function);
    snprintf(room, bytes, "0x%" PRIx64, td_frame_address(n->frame));
    return room;
}

static void draw_function(struct td_list_drawing *d, const struct td_stack_node *n, unsigned depth,
                          bool opened)
{
    struct td_view *view = d->view;
    struct td_rect cell;
    char text[32];
    if (!td_list_cell(d, FUNCTION, &cell))
        return;
    const float step = TD_U(view, 14), r = TD_U(view, 3), middle = (cell.top + cell.bottom) / 2;
    const float x = fminf(cell.left + step * (float)depth, cell.right - TD_U(view, 60));
    const float shut[6] = {x, middle - r, x, middle + r, x + r * 1.4f, middle},
                open[6] = {x - r * .3f,      middle - r * .6f, x + r * 1.7f,
                           middle - r * .6f, x + r * .7f,      middle + r * .8f};
    if (n->child)
        td_ui_triangle(view->ui, opened ? open : shut, TD_C(ACCENT));
    td_ui_text_fit(view->ui, TD_FONT_TEXT, x + TD_U(view, 12),
                   cell.top + (d->height - td_ui_text_height(view->ui, TD_FONT_TEXT)) / 2,
                   cell.right - x - TD_U(view, 12), TD_C(TEXT), name_of_node(view, n, text, sizeof text));
}

static void draw_row(struct td_list_drawing *d, const struct memory_panel *s, int row)
{
    struct td_view *view = d->view;
    const struct td_stack_tree *tree = &s->tree.shown.tree;
    const struct td_stack_node *n = &tree->node[s->rows[row]];
    char text[320];
    const double share = tree->node[0].bytes > 0 ? (double)n->bytes / (double)tree->node[0].bytes : 0;
    td_list_bar(d, SHARE, (float)share, 0xff31495a);
    draw_function(d, n, s->depth[row], s->opened[s->rows[row]]);
    td_list_text(d, BYTES, TD_C(TEXT), td_format_value(text, (double)n->bytes, 1));
    snprintf(text, sizeof text, "%.1f %%", share * 100);
    td_list_text(d, SHARE, TD_C(TEXT), text);
    td_list_text(d, COUNT, TD_C(TEXT_DIM), td_format_count(text, n->count));
    if (n->own_count) {
        td_list_text(d, OWN_BYTES, TD_C(ACCENT), td_format_value(text, (double)n->own_bytes, 1));
        td_list_text(d, OWN_COUNT, TD_C(ACCENT), td_format_count(text, n->own_count));
    }
    const char *file = td_dict_text(view->model.dict, n->file);
    snprintf(text, sizeof text, "%.280s:%" PRIu32, file, n->line);
    td_list_text(d, SOURCE, TD_C(TEXT_FAINT), *file ? text : "");
}

static void draw_state(struct td_view *view, const struct memory_panel *s, const struct td_rect *place)
{
    const struct td_stack_tree *tree = &s->tree.shown.tree;
    char text[300], count[TD_FORMAT_BYTES], bytes[TD_FORMAT_BYTES];
    const struct td_stack_node none = {0}, *root = tree->count ? tree->node : &none;
    snprintf(text, sizeof text,
             "%s allocations, %s%s. Click: opens; Ctrl+click: lists the allocations of the function",
             td_format_count(count, root->count), td_format_value(bytes, (double)root->bytes, 1),
             root->own_count ? ", in part without a call stack" : "");
    if (!s->tree.any)
        snprintf(text, sizeof text, "counting, %.0f %%", (double)td_job_progress(&s->tree.job) * 100);
    td_ui_text_fit(view->ui, TD_FONT_SMALL, place->left + TD_U(view, 8), place->top + TD_U(view, 3),
                   place->right - place->left, TD_C(TEXT_FAINT), text);
}

void memory_draw_tree(struct td_view *view, const struct td_rect *place)
{
    struct memory_panel *s = memory_panel_of(view);
    struct td_list_drawing d;
    struct td_rect rows = *place;
    int chosen = -1;
    update_tree(view, s);
    draw_state(view, s, place);
    rows.top += TD_U(view, 18);
    for (int i = td_list_begin(view, &s->tree_list, columns, COLUMNS, (int)s->row_count, &rows, &d);
         i < d.last; i++) {
        if (td_list_row(&d, i) & TD_ROW_CLICKED)
            chosen = i;
        draw_row(&d, s, i);
    }
    td_list_end(&d);
    if (chosen >= 0 && td_ui_ctrl(view->ui))
        show_allocations(s, chosen);
    else if (chosen >= 0)
        toggle_row(s, chosen);
}

bool memory_tree_key(struct td_view *view, const struct td_key_press *press)
{
    struct memory_panel *s = memory_panel_of(view);
    bool enter;
    if (!td_list_key(&s->tree_list, press, (int)s->row_count, &enter))
        return false;
    if (enter && press->ctrl)
        show_allocations(s, s->tree_list.selected - 1);
    else if (enter)
        toggle_row(s, s->tree_list.selected - 1);
    return true;
}

void memory_copy_tree(struct td_view *view)
{
    const struct memory_panel *s = memory_panel_of(view);
    char *text = NULL, name[32];
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (!f)
        return;
    fprintf(f, "depth\tfunction\tbytes\tallocations\tbytes_here\tallocations_here\tfile\tline\n");
    for (size_t i = 0; i < s->row_count; i++) {
        const struct td_stack_node *n = &s->tree.shown.tree.node[s->rows[i]];
        fprintf(f, "%d\t%s\t%" PRId64 "\t%" PRIu64 "\t%" PRId64 "\t%" PRIu64 "\t%s\t%" PRIu32 "\n",
                s->depth[i], TD_CELL(name_of_node(view, n, name, sizeof name)), n->bytes, n->count,
                n->own_bytes, n->own_count, TD_CELL(td_dict_text(view->model.dict, n->file)), n->line);
    }
    if (fclose(f) == 0)
        td_ui_set_clipboard(view->ui, text);
    free(text);
}

void memory_free_tree(struct memory_panel *s)
{
    td_job_stop(&s->tree.job);
    free_tree(&s->tree.made);
    free_tree(&s->tree.shown);
    free(s->opened);
    free(s->rows);
    free(s->depth);
}
