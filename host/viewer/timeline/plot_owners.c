#include "host/viewer/timeline/plot_owners.h"
#include "host/base/sorted.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A name of a track. */
struct track_name {
    uint32_t track, order;
    char brief[64];   /* the short form, or "" */
    const char *name; /* NULL: `brief` is the name */
};

struct track_names {
    struct track_name *entry;
    size_t count;
};

const char *td_plot_owner_name(const char *name, size_t *bytes)
{
    size_t n = strlen(name);
    const char *open = n && name[n - 1] == ')' ? strrchr(name, '(') : NULL;
    if (!open || open < name + 2 || open[-1] != ' ')
        return NULL;
    *bytes = n - 2 - (size_t)(open - name);
    return open + 1;
}

static const char *text_of(const struct track_name *n)
{
    return n->name ? n->name : n->brief;
}

static int compare_names(const void *a, const void *b)
{
    const struct track_name *x = a, *y = b;
    int order = strcmp(text_of(x), text_of(y));
    return order ? order : (x->order > y->order) - (x->order < y->order);
}

static int read_names(struct track_names *names, const struct td_dict *dict, const uint32_t *tracks,
                      size_t count)
{
    names->entry = calloc(2 * count + 1, sizeof *names->entry);
    if (!names->entry)
        return TD_E_NOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct td_track *t = td_dict_get_track(dict, tracks[i]);
        if (!td_track_is_core(t))
            continue;
        const char *name = td_dict_text(dict, t->name), *core = strrchr(name, ' ');
        struct track_name *entry = &names->entry[names->count];
        entry[0] = (struct track_name){.track = tracks[i], .order = (uint32_t)i, .name = name};
        entry[1] = (struct track_name){.track = tracks[i], .order = (uint32_t)i};
        int n = snprintf(entry[1].brief, sizeof entry[1].brief, "%u/%u,%u/%s", t->chip, t->x, t->y,
                         core ? core + 1 : name);
        names->count += n >= 0 && (size_t)n < sizeof entry[1].brief ? 2 : 1;
    }
    qsort(names->entry, names->count, sizeof *names->entry, compare_names);
    return 0;
}

static int compare_prefix(const char *name, const char *text, size_t bytes)
{
    const int order = strncmp(name, text, bytes);
    return order ? order : name[bytes] != 0;
}

static uint32_t track_named(const struct track_names *names, const char *text, size_t bytes)
{
    size_t low = 0, high = names->count; /* the first name that is greater */
    TD_BISECT(low, high, i, compare_prefix(text_of(&names->entry[i]), text, bytes) <= 0);
    if (!low)
        return TD_NO_OWNER;
    return !compare_prefix(text_of(&names->entry[low - 1]), text, bytes) ? names->entry[low - 1].track
                                                                         : TD_NO_OWNER;
}

static int compare_pairs(const void *a, const void *b)
{
    const struct td_plot_owner *x = a, *y = b;
    if (x->owner != y->owner)
        return x->owner < y->owner ? -1 : 1;
    return (x->plot > y->plot) - (x->plot < y->plot);
}

int td_plot_owners_make(struct td_plot_owners *owners, const struct td_dict *dict, const uint32_t *tracks,
                        size_t count)
{
    const uint32_t plots = td_dict_plot_count(dict);
    struct track_names names = {0};
    bool read = false;
    *owners = (struct td_plot_owners){.pair = malloc(((size_t)plots + 1) * sizeof *owners->pair)};
    if (!owners->pair)
        return TD_E_NOMEM;
    for (uint32_t p = 0; p < plots; p++) {
        size_t bytes = 0;
        const char *place = td_plot_owner_name(td_dict_text(dict, td_dict_get_plot(dict, p)->name), &bytes);
        if (place && !read) {
            if (read_names(&names, dict, tracks, count) < 0) {
                td_plot_owners_free(owners);
                return TD_E_NOMEM;
            }
            read = true;
        }
        uint32_t owner = place ? track_named(&names, place, bytes) : TD_NO_OWNER;
        owners->pair[owners->count++] = (struct td_plot_owner){owner, p};
    }
    free(names.entry);
    qsort(owners->pair, owners->count, sizeof *owners->pair, compare_pairs);
    return 0;
}

void td_plot_owners_free(struct td_plot_owners *owners)
{
    free(owners->pair);
    *owners = (struct td_plot_owners){0};
}

size_t td_plot_owners_of(const struct td_plot_owners *owners, uint32_t owner,
                         const struct td_plot_owner **first)
{
    size_t low = 0, high = owners->count;
    TD_BISECT(low, high, i, owners->pair[i].owner < owner);
    size_t end = low;
    while (end < owners->count && owners->pair[end].owner == owner)
        end++;
    *first = owners->pair + low;
    return end - low;
}
