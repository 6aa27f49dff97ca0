/* Writes a description and those it is based on as one text: for each section, the keys that are in effect.
 */
#include "host/base/err.h"
#include "host/base/grow.h"
#include "host/device/board/board_parse.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct flat_entry {
    int layer;
    char *section, *name, *value; /* one allocation, at `section` */
};

struct td_flat {
    struct flat_entry *entries;
    size_t count, room;
};

struct td_flat *td_flat_create(void)
{
    return calloc(1, sizeof(struct td_flat));
}

void td_flat_destroy(struct td_flat *flat)
{
    if (!flat)
        return;
    for (size_t i = 0; i < flat->count; i++)
        free(flat->entries[i].section);
    free(flat->entries);
    free(flat);
}

/* Where a new key goes: the place of the first one that it replaces, so that sections keep their order; the
 * others that it replaces go. flat->count: at the end. */
static size_t make_place(struct td_flat *flat, int layer, const char *section, const char *name)
{
    size_t left = 0, place = SIZE_MAX;
    for (size_t i = 0; i < flat->count; i++) {
        struct flat_entry *e = &flat->entries[i];
        if (e->layer != layer && strcmp(e->section, section) == 0 && strcmp(e->name, name) == 0) {
            free(e->section);
            if (place != SIZE_MAX)
                continue;
            place = left;
            e->section = NULL;
        }
        flat->entries[left++] = *e;
    }
    flat->count = left;
    return place == SIZE_MAX ? left : place;
}

static int fill_entry(struct flat_entry *e, int layer, const char *section, const char *name,
                      const char *value)
{
    size_t a = strlen(section) + 1, b = strlen(name) + 1, c = strlen(value) + 1;
    e->section = malloc(a + b + c);
    if (!e->section)
        return TD_E_NOMEM;
    e->layer = layer;
    e->name = e->section + a;
    e->value = e->name + b;
    memcpy(e->section, section, a);
    memcpy(e->name, name, b);
    memcpy(e->value, value, c);
    return 0;
}

int td_flat_add(struct td_flat *flat, int layer, const char *section, const char *name, const char *value)
{
    struct flat_entry new;
    if (td_grow(&flat->entries, &flat->room, flat->count + 1, sizeof *flat->entries) ||
        fill_entry(&new, layer, section, name, value))
        return TD_E_NOMEM;
    size_t place = make_place(flat, layer, section, name);
    flat->count += place == flat->count;
    flat->entries[place] = new;
    return 0;
}

static char *put_text(char *to, const char *text)
{
    size_t length = strlen(text);
    memcpy(to, text, length);
    return to + length;
}

/* All keys of the section that entry `first` is the first one of. */
static char *put_section(const struct td_flat *flat, size_t first, char *to)
{
    const char *section = flat->entries[first].section;
    to = put_text(put_text(put_text(to, "["), section), "]\n");
    for (size_t i = first; i < flat->count; i++) {
        const struct flat_entry *e = &flat->entries[i];
        if (strcmp(e->section, section) == 0)
            to = put_text(put_text(put_text(put_text(to, e->name), "="), e->value), "\n");
    }
    return to;
}

char *td_flat_text(const struct td_flat *flat)
{
    size_t bytes = 1;
    for (size_t i = 0; i < flat->count; i++) {
        const struct flat_entry *e = &flat->entries[i];
        bytes += strlen(e->section) + strlen(e->name) + strlen(e->value) + 8;
    }
    char *text = malloc(bytes), *end = text;
    if (!text)
        return NULL;
    for (size_t i = 0; i < flat->count; i++) {
        size_t first = 0;
        while (strcmp(flat->entries[first].section, flat->entries[i].section) != 0)
            first++;
        if (first == i)
            end = put_section(flat, i, end);
    }
    *end = 0;
    return text;
}
