#include "host/viewer/panels/flame_picture.h"
#include "host/base/plain_text.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_BOX   1.5f /* pixels; narrower ones are not drawn */
#define LEAST_LABEL 22
#define MOST_PATH   4096

/* ---- taking ---- */

static uint32_t child_named(const struct td_flame *flame, uint32_t parent, const char *name)
{
    for (uint32_t at = flame->tree.at[parent].child; at != TD_CALL_NONE; at = flame->tree.at[at].next)
        if (!strcmp(td_flame_name(flame, at), name))
            return at;
    return TD_CALL_NONE;
}

/* The node of `to` with the names that lead to `node` in `from`, or the last one of them. */
static uint32_t same_node(const struct td_flame *to, const struct td_flame *from, uint32_t node)
{
    uint32_t path[MOST_PATH], depth = 0, at = 0;
    for (; node && depth < MOST_PATH; node = from->tree.at[node].parent)
        path[depth++] = node;
    if (node)
        return 0;
    while (depth) {
        const uint32_t child = child_named(to, at, td_flame_name(from, path[--depth]));
        if (child == TD_CALL_NONE)
            return at;
        at = child;
    }
    return at;
}

void flame_picture_free(struct flame_picture *p)
{
    td_flame_free(&p->flame);
    free(p->cursor);
    free(p->hits);
    *p = (struct flame_picture){.chosen = TD_CALL_NONE};
}

void flame_picture_take(struct flame_picture *p, struct td_flame *flame, bool around)
{
    const struct td_call_tree *tree = &flame->tree;
    const float scroll = p->scroll;
    const uint32_t first = around && tree->count ? tree->at[0].child : 0;
    uint32_t depths = 0, top = first;
    for (size_t i = 0; i < tree->count; i++)
        depths = tree->at[i].depth > depths ? tree->at[i].depth : depths;
    double *cursor = malloc(((size_t)depths + 2) * sizeof *cursor);
    uint8_t *hits = calloc((size_t)flame->names.names.pool.count + 1, 1);
    if (!cursor || !hits || !tree->count || first == TD_CALL_NONE) {
        free(cursor);
        free(hits);
        td_flame_free(flame);
        flame_picture_free(p);
        return;
    }
    if (p->flame.tree.count && p->top != p->first)
        top = same_node(flame, &p->flame, p->top);
    flame_picture_free(p);
    *p = (struct flame_picture){.flame = *flame,
                                .cursor = cursor,
                                .depths = depths,
                                .hits = hits,
                                .first = first,
                                .top = top ? top : first,
                                .chosen = TD_CALL_NONE,
                                .scroll = scroll};
    *flame = (struct td_flame){0};
}

void flame_picture_search(const struct flame_picture *p, const char *filter, uint8_t **hits, uint64_t *sum)
{
    free(*hits);
    *hits = p->flame.tree.count ? calloc((size_t)p->flame.names.names.pool.count + 1, 1) : NULL;
    *sum = *hits ? td_flame_search(&p->flame, filter, *hits) : 0;
}

void flame_picture_take_hits(struct flame_picture *p, uint8_t **hits, uint64_t sum)
{
    if (!*hits)
        return;
    free(p->hits);
    p->hits = *hits;
    p->hit_sum = sum;
    *hits = NULL;
}

void flame_picture_zoom(struct flame_picture *p, uint32_t node)
{
    p->top = node < p->first ? p->first : node;
    p->shows_top = true;
}

void flame_picture_step(struct flame_picture *p, int inwards, int beside)
{
    const struct td_call_node *nodes = p->flame.tree.at;
    uint32_t to = p->chosen;
    if (!p->flame.tree.count)
        return;
    if (p->chosen == TD_CALL_NONE) {
        p->chosen = p->top;
        return;
    }
    if (inwards > 0)
        to = nodes[p->chosen].child;
    else if (inwards < 0 && p->chosen != p->first)
        to = nodes[p->chosen].parent;
    else if (beside > 0)
        to = nodes[p->chosen].next;
    else if (beside < 0 && p->chosen != p->first)
        for (uint32_t c = nodes[nodes[p->chosen].parent].child; c != p->chosen; c = nodes[c].next)
            to = c;
    if (to != TD_CALL_NONE && nodes[to].total)
        p->chosen = to;
}

/* ---- drawing ---- */

struct flame_drawing {
    struct td_view *view;
    struct flame_picture *p;
    const struct flame_look *look;
    struct td_rect place;
    float row; /* height */
    int first_row, rows;
    float mouse_x, mouse_y; /* NAN: elsewhere */
    uint32_t hovered;
    double scale; /* pixels for each of the total */
};

static td_rgba change_color(double now, double before)
{
    const double most = fmax(now, before), change = most > 0 ? (now - before) / most : 0;
    const td_rgba full = change > 0 ? 0xffe0524b : 0xff4a90e2;
    return td_color_mix(0xff9aa2ae, full, (float)sqrt(fabs(change)));
}

static td_rgba color_of(const struct flame_drawing *d, uint32_t node)
{
    const struct td_flame *f = &d->p->flame;
    const struct td_call_node *n = &f->tree.at[node];
    bool fixed;
    if (f->other) {
        const double a = (double)n->total, b = (double)f->other[node];
        return d->look->swapped ? change_color(b, a) : change_color(a, b);
    }
    if (!node || n->lane)
        return TD_C(TEXT_DIM);
    return n->zones && td_dict_zone_string(d->view->model.dict, n->place)
               ? td_color_of_srcloc(d->view->model.dict, td_view_coloring(d->view), n->place, &fixed)
               : td_color_of_name(td_flame_name(f, node));
}

/* False: it is not in the visible rows. */
static bool row_place(const struct flame_drawing *d, uint32_t depth, float *y0, float *y1)
{
    const int row = (int)(depth - d->p->flame.tree.at[d->p->first].depth) - d->first_row;
    if (row < 0 || row >= d->rows)
        return false;
    *y0 = d->look->upwards ? d->place.bottom - d->row * (float)(row + 1) : d->place.top + d->row * (float)row;
    *y1 = *y0 + d->row - 1;
    return true;
}

static void draw_box(struct flame_drawing *d, uint32_t node, float x0, float x1, bool around)
{
    struct td_ui *ui = d->view->ui;
    const struct td_flame *f = &d->p->flame;
    float y0, y1;
    if (!row_place(d, f->tree.at[node].depth, &y0, &y1))
        return;
    td_rgba fill = color_of(d, node);
    const bool hit = d->p->hits[f->tree.at[node].name];
    if (d->look->searched)
        fill = hit ? TD_C(MATCH) : td_color_mix(fill, TD_C(PANEL), .72f);
    else if (around)
        fill = td_color_mix(fill, TD_C(PANEL), .45f);
    const float gap = x1 - x0 > 3 ? 1 : 0;
    td_ui_rect(ui, x0, y0, x1 - gap, y1, fill, 0);
    if (x1 - x0 >= TD_U(d->view, LEAST_LABEL)) {
        const char *name = node ? td_flame_name(f, node) : "all";
        const float pad = TD_U(d->view, 3), high = td_ui_text_height(ui, TD_FONT_SMALL);
        char plain[240];
        td_plain_copy(plain, sizeof plain, *name ? name : "???");
        td_ui_text_fit(ui, TD_FONT_SMALL, x0 + pad, y0 + (d->row - 1 - high) / 2, x1 - x0 - 2 * pad,
                       td_color_text_on(fill), plain);
    }
    if (d->mouse_x >= x0 && d->mouse_x < x1 && d->mouse_y >= y0 && d->mouse_y < y1 + 1)
        d->hovered = node;
    if (d->hovered == node || d->p->chosen == node)
        td_ui_frame_rect(ui, x0, y0, x1 - gap, y1, d->p->chosen == node ? TD_C(ACCENT) : TD_C(SELECTED), 0,
                         1);
}

/* Boxes get narrower from child to child: the first one that is too narrow ends the row. */
static void draw_inside(struct flame_drawing *d)
{
    const struct flame_picture *p = d->p;
    const struct td_call_tree *tree = &p->flame.tree;
    const uint32_t base = tree->at[p->top].depth;
    const uint32_t deepest = tree->at[p->first].depth + (uint32_t)(d->first_row + d->rows);
    bool inside = true;
    p->cursor[base + 1] = d->place.left;
    for (uint32_t at = p->top; (at = td_call_tree_next(tree, at, p->top, inside)) != TD_CALL_NONE;) {
        const struct td_call_node *n = &tree->at[at];
        const double x0 = p->cursor[n->depth], wide = (double)n->total * d->scale;
        inside = wide >= LEAST_BOX;
        if (!inside) { /* nor do those after it have room */
            at = n->parent;
            if (at == p->top)
                break;
            continue;
        }
        p->cursor[n->depth] = x0 + wide;
        p->cursor[n->depth + 1] = x0;
        draw_box(d, at, (float)x0, (float)(x0 + wide), false);
        inside = n->depth < deepest;
    }
}

static void scroll(struct flame_drawing *d)
{
    struct flame_picture *p = d->p;
    const int all = (int)(p->depths - p->flame.tree.at[p->first].depth) + 1;
    const float most = (float)(all > d->rows ? all - d->rows : 0);
    const float x = d->mouse_x, y = d->mouse_y;
    if (x >= d->place.left && x < d->place.right && y >= d->place.top && y < d->place.bottom)
        p->scroll -= td_ui_wheel_y(d->view->ui) * (d->look->upwards ? -3 : 3);
    const float top = (float)(p->flame.tree.at[p->top].depth - p->flame.tree.at[p->first].depth);
    if (p->shows_top && (top < p->scroll || top > p->scroll + (float)d->rows / 2))
        p->scroll = top > 2 ? top - 2 : 0;
    p->shows_top = false;
    p->scroll = fminf(fmaxf(p->scroll, 0), most);
    d->first_row = (int)p->scroll;
}

const char *flame_total_text(const struct flame_look *look, double total, char *text, size_t bytes)
{
    char number[TD_FORMAT_BYTES], time[TD_FORMAT_BYTES];
    if (!look->is_samples)
        snprintf(text, bytes, "%s", td_format_ns(number, total));
    else if (look->sample_ns > 0)
        snprintf(text, bytes, "%s samples, %s", td_format_count(number, (uint64_t)total),
                 td_format_ns(time, total * look->sample_ns));
    else
        snprintf(text, bytes, "%s samples", td_format_count(number, (uint64_t)total));
    return text;
}

static void set_tip(const struct flame_drawing *d, uint32_t node)
{
    const struct td_flame *f = &d->p->flame;
    const struct td_call_node *n = &f->tree.at[node], *first = &f->tree.at[d->p->first],
                              *top = &f->tree.at[d->p->top];
    char total[120], self[120], count[TD_FORMAT_BYTES], more[400] = "";
    const double all = (double)first->total, zoomed = (double)top->total;
    size_t used = 0;
    if (n->zones) {
        char mean[TD_FORMAT_BYTES];
        used = (size_t)snprintf(more, sizeof more, "zones\t%s\nmean\t%s\n", td_format_count(count, n->zones),
                                td_format_ns(mean, (double)n->total / (double)n->zones));
    }
    if (d->p->top != d->p->first)
        used += (size_t)snprintf(more + used, sizeof more - used, "of the zoomed\t%.2f %%\n",
                                 zoomed > 0 ? (double)n->total / zoomed * 100 : 0);
    if (f->other) {
        const double other = (double)f->other[node],
                     change = d->look->swapped ? other - (double)n->total : (double)n->total - other;
        char before[120], by[120];
        snprintf(more + used, sizeof more - used, "%s\t%s\nchange\t%s%s\n",
                 d->look->swapped ? "in this trace" : "in the other trace",
                 flame_total_text(d->look, other, before, sizeof before), change < 0 ? "-" : "+",
                 flame_total_text(d->look, fabs(change), by, sizeof by));
    }
    const char *name = node ? td_flame_name(f, node) : "all";
    td_tip(d->view, *name ? TD_PLAIN(name) : "???", "total\t%s\nof all\t%.2f %%\nitself\t%s\n%s",
           flame_total_text(d->look, (double)n->total, total, sizeof total),
           all > 0 ? (double)n->total / all * 100 : 0,
           flame_total_text(d->look, (double)n->self, self, sizeof self), more);
}

uint32_t flame_picture_draw(struct td_view *view, struct flame_picture *p, const struct flame_look *look,
                            const struct td_rect *place)
{
    struct flame_drawing d = {.view = view,
                              .p = p,
                              .look = look,
                              .place = *place,
                              .row = FLAME_ROW(view),
                              .mouse_x = td_ui_region_hovered(view->ui) ? td_ui_mouse_x(view->ui) : NAN,
                              .mouse_y = td_ui_mouse_y(view->ui),
                              .hovered = TD_CALL_NONE};
    d.rows = (int)((place->bottom - place->top) / d.row);
    if (!p->flame.tree.count || d.rows < 1 || place->right - place->left < 1)
        return TD_CALL_NONE;
    const struct td_call_node *nodes = p->flame.tree.at;
    scroll(&d);
    d.scale = nodes[p->top].total ? (double)(place->right - place->left) / (double)nodes[p->top].total : 0;
    td_ui_clip(view->ui, place->left, place->top, place->right, place->bottom);
    for (uint32_t at = p->top;; at = nodes[at].parent) {
        draw_box(&d, at, place->left, place->right, at != p->top);
        if (at == p->first)
            break;
    }
    draw_inside(&d);
    td_ui_unclip(view->ui);
    if (d.hovered != TD_CALL_NONE)
        set_tip(&d, d.hovered);
    return d.hovered;
}
