#include "host/viewer/timeline/menu.h"
#include "host/base/plain_text.h"
#include "host/viewer/timeline/view.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct td_menu *td_menu_begin(struct td_view *view, float x, float y)
{
    struct td_menu *menu = td_panel_state(view, TD_PANEL_MENU);
    view->panels.slot[TD_PANEL_MENU].open = true;
    menu->x = x;
    menu->y = y;
    menu->count = 0;
    menu->chosen = -1;
    menu->separates = false;
    menu->zone = TD_NO_ZONE;
    menu->mouse_x = td_ui_mouse_x(view->ui);
    menu->mouse_y = td_ui_mouse_y(view->ui);
    return menu;
}

static struct td_menu_entry *add_entry(struct td_menu *menu, const char *text)
{
    if (menu->count == TD_MENU_ENTRIES)
        return NULL;
    struct td_menu_entry *entry = &menu->entries[menu->count++];
    *entry = (struct td_menu_entry){.separated = menu->separates};
    td_plain_copy(entry->text, sizeof entry->text, text);
    menu->separates = false;
    return entry;
}

void td_menu_head(struct td_menu *menu, const char *text)
{
    td_menu_separate(menu);
    add_entry(menu, text);
}

void td_menu_separate(struct td_menu *menu)
{
    menu->separates = menu->count > 0;
}

struct td_menu_entry *td_menu_add(struct td_menu *menu, const char *text, const char *keys, const char *line,
                                  ...)
{
    struct td_menu_entry *entry = add_entry(menu, text);
    va_list args;
    if (!entry)
        return NULL;
    va_start(args, line);
    const int bytes = vsnprintf(entry->line, sizeof entry->line, line, args);
    va_end(args);
    entry->keys = keys;
    entry->opens = !strncmp(entry->line, "menu ", 5);
    if (bytes < (int)sizeof entry->line)
        return entry;
    menu->count--; /* half of a command would be another one */
    return NULL;
}

const char *td_menu_word(char to[TD_MENU_WORD], const char *text)
{
    size_t used = 0;
    to[used++] = '"';
    for (; *text && used + 3 < TD_MENU_WORD; text++) {
        if (*text == '"' || *text == '\\')
            to[used++] = '\\';
        to[used++] = *text;
    }
    to[used++] = '"';
    to[used] = 0;
    return to;
}
