#include "host/viewer/panels/entries.h"

#include <stdio.h>

static void show_entries(struct td_view *view, uint64_t key, uint64_t address, uint64_t bytes,
                         const char *name)
{
    struct entries *s = td_panel_state(view, TD_PANEL_ENTRIES);
    s->key = key;
    s->address = address;
    s->bytes = bytes;
    snprintf(s->name, sizeof s->name, "%s", name);
    s->inwards = 0;
    td_panel_set_open(view, TD_PANEL_ENTRIES, true);
}

void td_view_show_entries(struct td_view *view, uint64_t key, const char *name)
{
    show_entries(view, key, 0, 0, name);
}

void td_view_show_entries_at(struct td_view *view, uint64_t address, uint64_t bytes, const char *name)
{
    show_entries(view, 0, address, bytes, name);
}
