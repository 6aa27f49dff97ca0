#include "host/viewer/panels/list.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROW_HEIGHT  21
#define HEAD_HEIGHT 22
#define LEAST_REST  110 /* of the column that takes what the others leave */
#define PAD         8

/* ---- columns ---- */

static void place_columns(struct td_list_drawing *d, float left, float right)
{
    int shown = d->count;
    float fixed = 0, rest = 0;
    bool has_rest = false;
    for (int c = 0; c < d->count; c++) {
        fixed += TD_U(d->view, d->columns[c].width);
        has_rest |= d->columns[c].width <= 0;
    }
    float least = has_rest ? TD_U(d->view, LEAST_REST) : 0;
    while (shown > 1 && fixed + least > right - left)
        fixed -= TD_U(d->view, d->columns[--shown].width);
    rest = fmaxf(right - left - fixed, 0);
    for (int c = 0; c < d->count; c++) {
        float wide = d->columns[c].width > 0 ? TD_U(d->view, d->columns[c].width) : rest;
        d->x[c] = left;
        left += c < shown ? wide : 0;
    }
    d->x[d->count] = left;
}

static void draw_arrow(struct td_view *view, float x, float y, bool descending)
{
    float r = TD_U(view, 3), s = descending ? r : -r;
    float xy[6] = {x - r, y - s * .6f, x + r, y - s * .6f, x, y + s * .7f};
    td_ui_triangle(view->ui, xy, TD_C(ACCENT));
}

static void draw_head(struct td_list_drawing *d)
{
    struct td_view *view = d->view;
    struct td_ui *ui = view->ui;
    float top = d->place.top, high = TD_U(view, HEAD_HEIGHT), pad = TD_U(view, PAD);
    float y = top + (high - td_ui_text_height(ui, TD_FONT_SMALL)) / 2;
    td_ui_rect(ui, d->place.left, top, d->place.right, top + high, TD_C(GROUP), 0);
    for (int c = 0; c < d->count; c++) {
        float left = d->x[c], wide = d->x[c + 1] - left;
        const struct td_column *column = &d->columns[c];
        if (wide <= 0)
            continue;
        char id[64];
        bool hovered = false, sorts = d->list->sort == c && !column->fixed;
        snprintf(id, sizeof id, "head %d %.40s", c, column->title);
        if (td_ui_click_area(ui, id, left, top, wide, high, &hovered) && !column->fixed) {
            d->list->descending = sorts ? !d->list->descending : column->right;
            d->list->sort = c;
            d->sorted = true;
        }
        float room = wide - 2 * pad - (sorts ? TD_U(view, 10) : 0);
        td_rgba color = sorts || (hovered && !column->fixed) ? TD_C(TEXT) : TD_C(TEXT_DIM);
        float text = fminf(td_ui_text_width(ui, TD_FONT_SMALL, column->title), room);
        float x = column->right ? d->x[c + 1] - pad - text : left + pad;
        td_ui_text_fit(ui, TD_FONT_SMALL, x, y, room + 1, color, column->title);
        if (sorts)
            draw_arrow(view, column->right ? x - TD_U(view, 8) : x + text + TD_U(view, 9), top + high / 2,
                       d->list->descending);
    }
    td_ui_rect(ui, d->place.left, top + high - 1, d->place.right, top + high, TD_C(EDGE), 0);
}

/* ---- rows ---- */

int td_list_begin(struct td_view *view, struct td_list *list, const struct td_column *columns, int count,
                  int rows, const struct td_rect *place, struct td_list_drawing *d)
{
    *d = (struct td_list_drawing){
        .view = view, .list = list, .columns = columns, .place = *place, .count = count};
    float head = TD_U(view, HEAD_HEIGHT), row = roundf(TD_U(view, ROW_HEIGHT));
    float high = fmaxf(place->bottom - place->top - head, 1), wide = place->right - place->left;
    place_columns(d, place->left, place->right - TD_U(view, 12)); /* the scroll bar's room */
    d->height = row;
    draw_head(d);
    char id[48];
    snprintf(id, sizeof id, "rows %.40s", columns[0].title);
    td_ui_list_begin(view->ui, id, place->left, place->top + head, wide, high, rows, row, &d->first, &d->last,
                     &d->top);
    list->page = (int)(high / row);
    if (list->selected > rows)
        list->selected = 0;
    if (list->show && list->selected)
        td_ui_list_show(view->ui, (float)(list->selected - 1) * row, row);
    else if (list->reveal) /* as if the row filled the list: it becomes the first one */
        td_ui_list_show(view->ui, (float)(list->reveal - 1) * row, high);
    list->show = false;
    list->reveal = 0;
    return d->first;
}

int td_list_row(struct td_list_drawing *d, int row)
{
    struct td_ui *ui = d->view->ui;
    char id[24];
    bool hovered;
    d->row = row;
    d->y = d->top + d->height * (float)(row - d->first);
    snprintf(id, sizeof id, "row %d", row);
    bool clicked = td_ui_click_area(ui, id, d->place.left, d->y,
                                    d->place.right - d->place.left - TD_U(d->view, 12), d->height, &hovered);
    if (clicked)
        d->list->selected = row + 1;
    if (d->list->selected == row + 1)
        td_ui_rect(ui, d->place.left, d->y, d->place.right, d->y + d->height, TD_C(CHOSEN), 0);
    else if (hovered)
        td_ui_rect(ui, d->place.left, d->y, d->place.right, d->y + d->height, TD_C(LIT), 0);
    else if (row & 1)
        td_ui_rect(ui, d->place.left, d->y, d->place.right, d->y + d->height, TD_C(STRIPE), 0);
    return (hovered ? TD_ROW_HOVERED : 0) | (clicked ? TD_ROW_CLICKED : 0);
}

bool td_list_cell(const struct td_list_drawing *d, int column, struct td_rect *cell)
{
    float pad = TD_U(d->view, PAD);
    *cell = (struct td_rect){d->x[column] + pad, d->y, d->x[column + 1] - pad, d->y + d->height};
    return cell->right > cell->left;
}

void td_list_text(struct td_list_drawing *d, int column, td_rgba color, const char *text)
{
    struct td_ui *ui = d->view->ui;
    struct td_rect cell;
    if (!td_list_cell(d, column, &cell))
        return;
    float room = cell.right - cell.left, x = cell.left;
    if (d->columns[column].right)
        x = fmaxf(x, cell.right - td_ui_text_width(ui, TD_FONT_TEXT, text));
    td_ui_text_fit(ui, TD_FONT_TEXT, x, d->y + (d->height - td_ui_text_height(ui, TD_FONT_TEXT)) / 2,
                   room + 1, color, text);
}

void td_list_duration(struct td_list_drawing *d, int column, td_rgba color, const char *text)
{
    struct td_ui *ui = d->view->ui;
    struct td_rect cell;
    const char *unit = strrchr(text, ' '), *point = strchr(text, '.');
    char number[60];
    if (!d->columns[column].right || !unit || td_view_choice(d->view, TD_CHOICE_TIMES) != 0 ||
        !td_list_cell(d, column, &cell)) {
        td_list_text(d, column, color, text);
        return;
    }
    snprintf(number, sizeof number, "%.*s", (int)((point ? point : unit) - text), text);
    const float after = td_ui_text_width(ui, TD_FONT_TEXT, ".000 ms"),
                before = td_ui_text_width(ui, TD_FONT_TEXT, number), x = cell.right - after - before,
                y = d->y + (d->height - td_ui_text_height(ui, TD_FONT_TEXT)) / 2;
    if (x < cell.left) {
        td_list_text(d, column, color, text);
        return;
    }
    snprintf(number, sizeof number, "%.*s", (int)(unit - text), text);
    td_ui_text(ui, TD_FONT_TEXT, x, y, color, number);
    td_ui_text(ui, TD_FONT_TEXT, cell.right - td_ui_text_width(ui, TD_FONT_TEXT, unit + 1), y, color,
               unit + 1);
}

void td_list_name(struct td_list_drawing *d, int column, td_rgba box, td_rgba color, const char *text)
{
    struct td_ui *ui = d->view->ui;
    struct td_rect cell;
    if (!td_list_cell(d, column, &cell))
        return;
    float size = TD_U(d->view, 10), y = d->y + (d->height - size) / 2,
          x = cell.left + size + TD_U(d->view, 7);
    td_ui_rect(ui, cell.left, y, cell.left + size, y + size, box, TD_U(d->view, 2));
    td_ui_text_fit(ui, TD_FONT_TEXT, x, d->y + (d->height - td_ui_text_height(ui, TD_FONT_TEXT)) / 2,
                   cell.right - x, color, text);
}

void td_list_bar(struct td_list_drawing *d, int column, float part, td_rgba color)
{
    struct td_rect cell;
    if (!td_list_cell(d, column, &cell))
        return;
    float wide = (cell.right - cell.left) * fminf(fmaxf(part, 0), 1),
          high = fmaxf(roundf(TD_U(d->view, 3)), 2);
    float x = d->columns[column].right ? cell.right - wide : cell.left;
    td_ui_rect(d->view->ui, x, cell.bottom - high, x + wide, cell.bottom, color, 0);
}

void td_list_end(struct td_list_drawing *d)
{
    td_ui_list_end(d->view->ui);
}

bool td_list_key(struct td_list *list, const struct td_key_press *press, int rows, bool *enter)
{
    int row = list->selected - 1, page = list->page > 1 ? list->page - 1 : 1;
    *enter = false;
    switch (press->key) {
    case TD_KEY_UP:
        row--;
        break;
    case TD_KEY_DOWN:
        row++;
        break;
    case TD_KEY_PAGE_UP:
        row -= page;
        break;
    case TD_KEY_PAGE_DOWN:
        row += page;
        break;
    case TD_KEY_HOME:
        row = 0;
        break;
    case TD_KEY_END:
        row = rows - 1;
        break;
    case TD_KEY_ENTER:
        *enter = list->selected > 0;
        return *enter;
    default:
        return false;
    }
    if (rows > 0) {
        list->selected = 1 + (row < 0 ? 0 : row >= rows ? rows - 1 : row);
        list->show = true;
    }
    return rows > 0;
}

bool td_tool_button(struct td_view *view, float left, float *right, float y, const char *label, bool on)
{
    const float high = TD_U(view, 23),
                wide = td_ui_text_width(view->ui, TD_FONT_TEXT, label) + TD_U(view, 18);
    if (*right - wide < left)
        return false;
    const bool pressed = td_ui_button(view->ui, label, *right - wide, y, wide, high);
    if (on)
        td_ui_rect(view->ui, *right - wide, y + high - 2, *right, y + high, TD_C(ACCENT), 0);
    *right -= wide + TD_U(view, 8);
    return pressed;
}

#define WORD_PAD 6

float td_tool_word_width(const struct td_view *view, const char *label)
{
    return td_ui_text_width(view->ui, TD_FONT_SMALL, label) + 2 * TD_U(view, WORD_PAD);
}

bool td_tool_word(struct td_view *view, float *x, float *right, float y, const char *id, const char *label,
                  bool on, const char *tip)
{
    struct td_ui *ui = view->ui;
    const float left = *x, wide = td_tool_word_width(view, label), high = TD_U(view, 23);
    bool hovered;
    if (left + wide > *right) {
        *right = left;
        return false;
    }
    const bool clicked = td_ui_click_area(ui, id, left, y, wide, high, &hovered);
    if (on)
        td_ui_rect(ui, left, y, left + wide, y + high, TD_C(LIT), TD_U(view, 3));
    td_ui_text(ui, TD_FONT_SMALL, left + TD_U(view, WORD_PAD),
               y + (high - td_ui_text_height(ui, TD_FONT_SMALL)) / 2,
               on || hovered ? TD_C(TEXT) : TD_C(TEXT_FAINT), label);
    if (hovered && tip)
        td_tip(view, label, "%s\n", tip);
    *x += wide;
    return clicked;
}
