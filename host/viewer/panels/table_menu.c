/* What the right button opens in a list: copies in every form, and which columns are listed. */
#include "host/query/table/text_form.h"
#include "host/viewer/panels/table_panel.h"
#include "host/base/stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LINE 22 /* the height of an entry */

static const char *const forms[TD_COPY_FORM_COUNT] = {
    [TD_COPY_LINES] = "Copy lines with tabs   Ctrl+C",
    [TD_COPY_CSV] = "Copy CSV",
    [TD_COPY_JSON] = "Copy JSON",
    [TD_COPY_TEXT] = "Copy text",
};

char *td_table_text(const struct td_table_list *s, enum td_copy_form form)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = s->shown ? open_memstream(&text, &bytes) : NULL;
    struct td_json j = {.to = f};
    struct td_query_order order = s->rows;
    int rc = 0;
    if (!f)
        return NULL;
    if (s->panel->most_copied && order.count > s->panel->most_copied)
        order.count = s->panel->most_copied;
    if (form == TD_COPY_LINES && s->panel->print_lines)
        s->panel->print_lines(f, s->shown, &order);
    else if (form == TD_COPY_LINES)
        td_query_lines(f, s->shown, &order);
    else if (form == TD_COPY_CSV)
        td_query_csv(f, s->shown, &order);
    else if (form == TD_COPY_TEXT)
        td_query_text(f, s->shown, &order, UINT64_MAX);
    else {
        td_json_object(&j, NULL);
        rc = td_query_json(&j, s->shown->table->name, s->shown, &order);
        td_json_end_object(&j);
    }
    if (td_text_close(f, &text) && rc == 0)
        return text;
    free(text);
    return NULL;
}

/* The forms come before the columns. */
static const char *entry_text(const struct td_table_list *s, size_t entry)
{
    return entry < TD_COPY_FORM_COUNT ? forms[entry] : s->choice.at[entry - TD_COPY_FORM_COUNT].column->title;
}

static void choose_entry(struct td_view *view, struct td_table_list *s, size_t entry)
{
    if (entry < TD_COPY_FORM_COUNT) {
        char *text = td_table_text(s, (enum td_copy_form)entry);
        if (text)
            td_ui_set_clipboard(view->ui, text);
        free(text);
        s->menu.open = false;
        return;
    }
    const uint32_t changed = s->left_out ^ UINT32_C(1) << (entry - TD_COPY_FORM_COUNT);
    if ((size_t)__builtin_popcount(changed) == s->choice.count) /* one is listed */
        return;
    s->left_out = changed;
    s->column_count = 0;
}

static void draw_entry(struct td_view *view, struct td_table_list *s, size_t entry,
                       const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    char id[40];
    bool hovered;
    const float pad = TD_U(view, 8), box = TD_U(view, 9), high = place->bottom - place->top,
                y = place->top + (high - box) / 2;
    snprintf(id, sizeof id, "entry %zu", entry);
    const bool clicked =
        td_ui_click_area(ui, id, place->left, place->top, place->right - place->left, high, &hovered);
    if (hovered)
        td_ui_rect(ui, place->left, place->top, place->right, place->bottom, 0xff39424f, 0);
    if (entry >= TD_COPY_FORM_COUNT && s->left_out >> (entry - TD_COPY_FORM_COUNT) & 1)
        td_ui_frame_rect(ui, place->left + pad, y, place->left + pad + box, y + box, TD_C(TEXT_FAINT), 0, 1);
    else if (entry >= TD_COPY_FORM_COUNT)
        td_ui_rect(ui, place->left + pad, y, place->left + pad + box, y + box, TD_C(ACCENT), 0);
    td_ui_text(ui, TD_FONT_TEXT, place->left + 2 * pad + box,
               place->top + (high - td_ui_text_height(ui, TD_FONT_TEXT)) / 2, TD_C(TEXT),
               entry_text(s, entry));
    if (clicked)
        choose_entry(view, s, entry);
}

void td_table_menu_draw(struct td_view *view, struct td_table_list *s)
{
    struct td_ui *ui = view->ui;
    if (!s->menu.open)
        return;
    const size_t entries = TD_COPY_FORM_COUNT + s->choice.count;
    const float line = TD_U(view, LINE), most = fmaxf(td_ui_height(ui) / line - 1, 1);
    const size_t rows = entries < (size_t)most ? entries : (size_t)most,
                 columns = (entries + rows - 1) / rows;
    float wide = 0;
    for (size_t i = 0; i < entries; i++)
        wide = fmaxf(wide, td_ui_text_width(ui, TD_FONT_TEXT, entry_text(s, i)));
    wide += TD_U(view, 42);
    const float all_wide = wide * (float)columns, high = line * (float)rows;
    const float x = fmaxf(fminf(s->menu.x, td_ui_width(ui) - all_wide), 0),
                y = fmaxf(fminf(s->menu.y, td_ui_height(ui) - high), 0);
    td_ui_region_begin(ui, "table menu", x, y, all_wide, high, TD_C(GROUP), TD_LAYER_TOP);
    for (size_t i = 0; i < entries; i++) {
        const float left = x + wide * (float)(i / rows), top = y + line * (float)(i % rows);
        draw_entry(view, s, i, &(struct td_rect){left, top, left + wide, top + line});
    }
    const bool outside = !td_ui_region_hovered(ui);
    td_ui_region_end(ui);
    if (outside && td_ui_mouse_pressed(ui, TD_MOUSE_LEFT))
        s->menu.open = false;
}
