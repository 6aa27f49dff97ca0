/* What the right button opens in a list: what its row is about, copies in every form, and which columns are listed. */
#include "host/query/table/text_form.h"
#include "host/query/table/track_name.h"
#include "host/query/table/value_text.h"
#include "host/viewer/panels/table_panel.h"
#include "host/viewer/timeline/menu.h"
#include "host/viewer/timeline/menu_parts.h"
#include "host/base/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static bool is_zone_name(const struct td_view *view, const char *name)
{
    const uint32_t places = td_dict_srcloc_count(view->model.dict);
    for (uint32_t i = 0; *name && i < places; i++)
        if (!strcmp(td_dict_zone_name(view->model.dict, i), name))
            return true;
    return false;
}

/* The cells of the row, with tabs between them. */
static void put_cells(const struct td_table_list *s, uint64_t row, char *to, size_t bytes)
{
    char room[2][TD_QUERY_ROOM];
    size_t used = 0;
    for (int c = s->panel->has_node; c < s->column_count && used < bytes; c++) {
        const struct td_query_value value = td_query_get(s->shown, row, s->listed[c], room[0]);
        used += (size_t)snprintf(to + used, bytes - used, "%s%s", used ? "\t" : "",
                                 td_query_value_text(s->shown, s->listed[c], &value, room[1]));
    }
}

static void add_row(struct td_view *view, struct td_menu *menu, const struct td_table_list *s, uint64_t row)
{
    const struct td_query_place place = td_query_place_of(s->shown, row);
    const struct td_query_column *column = s->listed[s->panel->has_node];
    char room[2][TD_QUERY_ROOM], cells[TD_MENU_WORD], word[TD_MENU_WORD];
    for (int c = 0; s->panel->name && c < s->column_count; c++)
        if (s->listed[c] && !strcmp(s->listed[c]->key, s->panel->name))
            column = s->listed[c];
    const struct td_query_value value = td_query_get(s->shown, row, column, room[0]);
    const char *name = td_query_value_text(s->shown, column, &value, room[1]);
    if (place.kind == TD_AT_ZONE) {
        td_menu_zone_parts(view, menu, (struct td_zone_ref){place.track, place.row, place.index});
    } else {
        td_menu_head(menu, name);
        if (place.kind == TD_AT_RANGE)
            td_menu_span_parts(menu, (double)place.start_ns, (double)place.end_ns);
        if (place.kind != TD_AT_NOTHING && place.track != TD_NO_TRACK)
            td_menu_add(menu, "Go to its row", NULL, "track #%u", place.track);
        if (is_zone_name(view, name)) {
            td_menu_add(menu, "Find it in the timeline", "click", "find %s", td_menu_word(word, name));
            td_menu_add(menu, "All zones of this name", "I", "find %s; next; open instances", word);
        }
    }
    put_cells(s, row, cells, sizeof cells);
    td_menu_add(menu, "Copy the line", NULL, "clipboard %s", td_menu_word(word, cells));
}

void td_table_menu_open(struct td_view *view, const struct td_table_list *s, uint64_t row)
{
    static const char *const forms[TD_COPY_FORM_COUNT] = {
        [TD_COPY_LINES] = "Copy lines with tabs",
        [TD_COPY_CSV] = "Copy CSV",
        [TD_COPY_JSON] = "Copy JSON",
        [TD_COPY_TEXT] = "Copy text",
    };
    static const char *const words[] = {
#define TD_X(id, word) word,
        TD_COPY_FORMS(TD_X)
#undef TD_X
    };
    const char *name = view->panels.table[s->panel->id]->name;
    struct td_menu *menu = td_menu_begin(view, td_ui_mouse_x(view->ui), td_ui_mouse_y(view->ui));
    if (row != TD_NO_ROW && s->shown)
        add_row(view, menu, s, row);
    td_menu_head(menu, "The list");
    for (int f = 0; f < TD_COPY_FORM_COUNT; f++)
        td_menu_add(menu, forms[f], f == TD_COPY_LINES ? "Ctrl+C" : NULL, "copy %s %s", name, words[f]);
    td_menu_head(menu, "Columns");
    for (size_t i = 0; i < s->choice.count; i++) {
        char word[TD_MENU_WORD];
        const char *title = s->choice.at[i].column->title;
        struct td_menu_entry *entry =
            td_menu_add(menu, title, NULL, "column %s %s", name, td_menu_word(word, title));
        if (entry)
            entry->mark = s->left_out >> i & 1 ? TD_MENU_OFF : TD_MENU_ON;
    }
}
