/* Draws how busy the tracks of closed groups are, and the overview of the whole trace. */
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>

#define DENSITY_PIXELS  3.f /* the least width of a cell; the most is twice as much */
#define OVERVIEW_PIXELS 2.f
#define OVERVIEW_NODE   0xffffffu
#define MAX_CELLS       8192
#define MESSAGE_PIXELS  5.f /* between marks of messages */
#define MAX_MESSAGES    1024

/* Groups count the lanes that have rows when they are open, the overview counts all. */
static bool is_counted(const struct td_node *node, bool whole)
{
    return node->kind == TD_NODE_TRACK && node->rows && (whole || node->visible);
}

static void add_tracks(const struct td_layout *layout, int first, int end, bool whole,
                       struct td_track_list *list)
{
    for (int i = first; i < end; i++)
        if (is_counted(&layout->nodes[i], whole))
            list->tracks[list->count++] = layout->nodes[i].number;
}

/* The tracks of a node, or (number == layout.count) of the whole trace. */
static struct td_track_list *track_list_of(struct td_view *view, int number)
{
    const struct td_layout *layout = &view->layout;
    const bool whole = number == layout->count;
    if (view->rows.lists[number])
        return view->rows.lists[number];
    const int first = whole ? 0 : number, end = whole ? layout->count : layout->nodes[number].end;
    uint32_t count = 0;
    for (int i = first; i < end; i++)
        count += is_counted(&layout->nodes[i], whole);
    struct td_track_list *list = td_track_list_create(count);
    if (list) {
        list->count = 0;
        add_tracks(layout, first, end, whole, list);
    }
    view->rows.lists[number] = list;
    return list;
}

/* Numbers of nodes change when the rows are arranged anew. */
static uint32_t group_id(const struct td_view *view, uint32_t node)
{
    return (view->rows.arrangement & 0xff) << 24 | (node & OVERVIEW_NODE);
}

/* ---- closed groups ---- */

#define MAX_HEIGHT 255 /* of bars, in pixels */

/* Neighbouring cells that look the same are drawn as one. Heights are whole pixels. */
struct density_bar {
    float x0, x1;
    uint8_t work, wait, match;
    bool lost;
};

/* A mark of messages stands for those of one cell or several. */
struct message_mark {
    float x0, x1;
    double from_ns, to_ns;
};

struct density_row {
    struct td_view *view;
    float y1;
    int height;                         /* of the bars */
    td_rgba busy[MAX_HEIGHT + 1], wait; /* colours of bars by height */
    struct density_bar bar;             /* x1 <= x0: none */
    struct message_mark messages[MAX_MESSAGES];
    int message_count;
    float mouse_x; /* over this row; -1: elsewhere */
    struct {
        bool used;
        float busy, wait; /* shares */
        double from_ns, to_ns;
    } pointed; /* the cell under the mouse */
};

static void draw_bar(struct density_row *row)
{
    struct td_ui *ui = row->view->ui;
    const struct density_bar *b = &row->bar;
    const float top = row->y1 - (float)b->work;
    if (b->x1 <= b->x0)
        return;
    row->view->drawn.count++;
    if (b->work)
        td_ui_rect(ui, b->x0, top, b->x1, row->y1, row->busy[b->work + b->wait], 0);
    if (b->wait)
        td_ui_rect(ui, b->x0, top - (float)b->wait, b->x1, top, row->wait, 0);
    if (b->match)
        td_ui_rect(ui, b->x0, row->y1 - (float)b->match, b->x1, row->y1, TD_C(MATCH), 0);
    if (b->lost)
        td_ui_rect(ui, b->x0, row->y1 - TD_U(row->view, 2), fmaxf(b->x1, b->x0 + TD_U(row->view, 2)),
                   row->y1 + TD_U(row->view, 2), TD_C(LOST), 0);
}

static void add_bar(struct density_row *row, const struct density_bar *bar)
{
    struct density_bar *last = &row->bar;
    if (last->x1 >= bar->x0 && last->work == bar->work && last->wait == bar->wait &&
        last->match == bar->match && last->lost == bar->lost) {
        last->x1 = bar->x1;
        return;
    }
    draw_bar(row);
    *last = *bar;
}

static void add_message(struct density_row *row, const struct message_mark *mark)
{
    const int n = row->message_count;
    struct message_mark *last = n ? &row->messages[n - 1] : NULL;
    if (last && mark->x0 < last->x0 + TD_U(row->view, MESSAGE_PIXELS)) {
        last->x1 = mark->x1;
        last->to_ns = mark->to_ns;
    } else if (n < MAX_MESSAGES) {
        row->messages[row->message_count++] = *mark;
    }
}

/* Above the bars. */
static void draw_messages(struct density_row *row, int number, float y)
{
    struct td_view *view = row->view;
    const float half = TD_U(view, 2.5f), mx = td_ui_mouse_x(view->ui), my = td_ui_mouse_y(view->ui);
    for (int i = 0; i < row->message_count; i++) {
        const struct message_mark *mark = &row->messages[i];
        const float x = mark->x0;
        const float down[6] = {x - half, y + 1, x + half, y + 1, x, y + 1 + 2 * half};
        td_ui_triangle(view->ui, down, TD_C(MESSAGE));
        if (view->hover.node == number && mx > x - 2 * half && mx < fmaxf(x + 2 * half, mark->x1 + 1) &&
            my < y + 4 * half)
            td_closed_message_tip(view, number, mark->from_ns, mark->to_ns);
    }
}

static int height_of(uint32_t share, uint32_t most, int height)
{
    return (int)((share * (uint32_t)height + most / 2) / most);
}

static void draw_cells(void *self, const struct td_band *band, const struct td_band_key *key, double from_ns,
                       double to_ns)
{
    struct density_row *row = self;
    const struct td_view *view = row->view;
    const double cell_ns = td_band_cell_ns(key->level), start_ns = td_band_start_ns(key);
    from_ns = fmax(from_ns, view->camera.start_ns);
    to_ns = fmin(to_ns, view->camera.end_ns);
    if (from_ns >= to_ns)
        return;
    const uint32_t first = (uint32_t)((from_ns - start_ns) / cell_ns);
    const uint32_t end = (uint32_t)fmin(ceil((to_ns - start_ns) / cell_ns), band->data.count);
    const uint8_t *match = view->find.active ? band->match : NULL;
    /* All of these are on the screen: no need to limit each. */
    const double step = cell_ns / view->area.ns_per_pixel;
    const double left = (start_ns - view->area.origin_ns) / view->area.ns_per_pixel + .5 + 65536;
    float x1 = view->area.left + (float)((int)(left + first * step) - 65536);
    for (uint32_t c = first; c < end; c++) {
        const struct td_cell *cell = &band->data.cells[c];
        const float x0 = x1;
        x1 = view->area.left + (float)((int)(left + (c + 1) * step) - 65536);
        const bool lost = cell->flags & TD_SRCLOC_LOST;
        if (cell->flags & TD_CELL_MESSAGE)
            add_message(row,
                        &(struct message_mark){x0, x1, start_ns + c * cell_ns, start_ns + (c + 1) * cell_ns});
        if (row->mouse_x >= x0 && row->mouse_x < x1) {
            row->pointed.used = true;
            row->pointed.busy = (float)cell->busy / TD_BAND_SHARE;
            row->pointed.wait = (float)cell->wait / TD_BAND_SHARE;
            row->pointed.from_ns = start_ns + c * cell_ns;
            row->pointed.to_ns = row->pointed.from_ns + cell_ns;
        }
        if (!cell->busy && !lost)
            continue;
        const int wait = height_of(cell->wait, TD_BAND_SHARE, row->height);
        int work = height_of(cell->busy, TD_BAND_SHARE, row->height) - wait, found = 0;
        if (cell->busy && work + wait < 1)
            work = 1;
        if (match && match[c]) {
            found = height_of(match[c], 255, row->height);
            found = found < 2 ? 2 : found;
        }
        add_bar(row, &(struct density_bar){x0, x1, (uint8_t)work, (uint8_t)wait, (uint8_t)found, lost});
    }
}

static void choose_colors(struct density_row *row, const struct td_node *node)
{
    const td_rgba busy = node->is_device ? TD_C(DENSITY) : td_color_mix(TD_C(DENSITY), TD_C(HOST), .8f);
    const float dim = row->view->find.active ? .4f : 1;
    for (int h = 0; h <= row->height; h++)
        row->busy[h] = td_color_mix(TD_C(GROUP), busy, dim * (.45f + .5f * (float)h / (float)row->height));
    row->wait = td_color_mix(TD_C(GROUP), TD_C(WAIT), .42f * dim);
}

/* What is closed has no zones to point at. */
static void set_cell_tip(const struct density_row *row, const struct td_node *node)
{
    char from[TD_FORMAT_BYTES], to[TD_FORMAT_BYTES], title[140];
    if (!row->pointed.used || row->view->hover.tip[0])
        return;
    snprintf(title, sizeof title, "%s (closed)", node->label);
    td_tip(row->view, title,
           "here\t%s to %s\nbusy\t%.1f %%\nwaits\t%.1f %%\nA click on the label opens it.\n",
           td_format_time(from, row->pointed.from_ns, row->pointed.to_ns - row->pointed.from_ns),
           td_format_time(to, row->pointed.to_ns, row->pointed.to_ns - row->pointed.from_ns),
           (double)row->pointed.busy * 100, (double)row->pointed.wait * 100);
}

void td_draw_density(struct td_view *view, int number, float y, float height)
{
    static struct density_row row; /* large; one thread draws */
    struct td_track_list *list = track_list_of(view, number);
    if (!list || !list->count)
        return;
    row.view = view;
    row.y1 = y + height - TD_U(view, 3);
    row.bar = (struct density_bar){0};
    row.message_count = 0;
    row.pointed.used = false;
    row.mouse_x = td_view_is_over(view, &view->layout.nodes[number]) ? td_ui_mouse_x(view->ui) : -1;
    row.height = (int)fminf(fmaxf(height - TD_U(view, 6), 1), MAX_HEIGHT);
    choose_colors(&row, &view->layout.nodes[number]);
    td_draw_bands(view, group_id(view, (uint32_t)number), TD_BAND_GROUP, list, view->camera.start_ns,
                  view->camera.end_ns, view->area.ns_per_pixel * TD_U(view, DENSITY_PIXELS), draw_cells,
                  &row);
    draw_bar(&row);
    draw_messages(&row, number, y);
    set_cell_tip(&row, &view->layout.nodes[number]);
}

/* ---- the overview ---- */

struct overview {
    float left;
    double start_ns, pixels_per_ns;
    float busy[MAX_CELLS]; /* of each column of pixels */
    bool lost[MAX_CELLS], match[MAX_CELLS];
    int columns;
    float most;
};

/* Scales the cells of the bands to the columns. */
static void add_to_overview(void *self, const struct td_band *band, const struct td_band_key *key,
                            double from_ns, double to_ns)
{
    struct overview *o = self;
    const double cell_ns = td_band_cell_ns(key->level), start_ns = td_band_start_ns(key);
    for (uint32_t c = 0; c < band->data.count; c++) {
        const double from = fmax(start_ns + c * cell_ns, from_ns),
                     to = fmin(start_ns + (c + 1) * cell_ns, to_ns);
        const int first = (int)fmax((from - o->start_ns) * o->pixels_per_ns, 0);
        const int end = (int)fmin(ceil((to - o->start_ns) * o->pixels_per_ns), o->columns);
        const struct td_cell *cell = &band->data.cells[c];
        for (int x = first; from < to && x < end; x++) {
            o->busy[x] = fmaxf(o->busy[x], (float)cell->busy);
            o->lost[x] |= (cell->flags & TD_SRCLOC_LOST) != 0;
            o->match[x] |= band->match && band->match[c];
            o->most = fmaxf(o->most, o->busy[x]);
        }
    }
}

static void draw_columns(struct td_view *view, const struct overview *o, float y, float height, float x0,
                         float x1)
{
    const float base = y + height - TD_U(view, 2), room = height - TD_U(view, 6);
    for (int c = 0, next; c < o->columns; c = next) {
        const float high = o->busy[c] > 0 ? fmaxf(roundf(o->busy[c] / o->most * room), 1) : 0;
        const float left = view->area.left + (float)c;
        const bool inside = left + 1 > x0 && left < x1;
        for (next = c + 1; next < o->columns; next++) {
            const float other = view->area.left + (float)next;
            if (o->busy[next] != o->busy[c] || (other + 1 > x0 && other < x1) != inside)
                break;
        }
        if (high > 0)
            td_ui_rect(view->ui, left, base - high, view->area.left + (float)next, base,
                       inside ? TD_C(DENSITY) : td_color_mix(TD_C(BACK), TD_C(DENSITY), .4f), 0);
    }
    for (int c = 0; c < o->columns; c++) {
        const float left = view->area.left + (float)c;
        if (view->find.active && o->match[c])
            td_ui_rect(view->ui, left, base, left + 1, base + TD_U(view, 2), TD_C(MATCH), 0);
        if (o->lost[c])
            td_ui_rect(view->ui, left, y + 1, left + TD_U(view, 2), y + TD_U(view, 5), TD_C(LOST), 0);
    }
}

void td_draw_overview(struct td_view *view, float y, float height)
{
    static struct overview o; /* large; one thread draws */
    struct td_ui *ui = view->ui;
    const float wide = view->area.right - view->area.left, bottom = y + height;
    const double full = view->camera.full_end_ns - view->camera.full_start_ns;
    td_ui_rect(ui, view->area.panel.left, y, view->area.panel.right, bottom, TD_C(GUTTER), 0);
    struct td_track_list *list = track_list_of(view, view->layout.count);
    if (wide < TD_U(view, OVERVIEW_PIXELS) || !list)
        return;
    td_ui_text(ui, TD_FONT_SMALL, view->area.panel.left + TD_U(view, 12),
               y + (height - td_ui_text_height(ui, TD_FONT_SMALL)) / 2, TD_C(TEXT_FAINT), "Overview");
    o = (struct overview){.start_ns = view->camera.full_start_ns, .pixels_per_ns = wide / full};
    o.columns = (int)fminf(wide, MAX_CELLS);
    td_draw_bands(view, group_id(view, OVERVIEW_NODE), TD_BAND_GROUP, list, view->camera.full_start_ns,
                  view->camera.full_end_ns, full / wide * TD_U(view, OVERVIEW_PIXELS), add_to_overview, &o);
    float x0 =
        view->area.left + (float)((view->camera.start_ns - view->camera.full_start_ns) * o.pixels_per_ns);
    float x1 =
        view->area.left + (float)((view->camera.end_ns - view->camera.full_start_ns) * o.pixels_per_ns);
    x0 = fmaxf(x0, view->area.left);
    x1 = fminf(fmaxf(x1, x0 + TD_U(view, 3)), view->area.right);
    td_ui_rect(ui, x0, y, x1, bottom, TD_C(GROUP), 0);
    draw_columns(view, &o, y, height, x0, x1);
    if (x1 - x0 < wide - 2) {
        td_ui_rect(ui, x0, y, x0 + TD_U(view, 1.5f), bottom, TD_C(ACCENT), 0);
        td_ui_rect(ui, x1 - TD_U(view, 1.5f), y, x1, bottom, TD_C(ACCENT), 0);
    }
    td_ui_rect(ui, view->area.panel.left, bottom - 1, view->area.panel.right, bottom, TD_C(EDGE), 0);
}
