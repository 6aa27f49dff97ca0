#include "host/event/dict.h"
#include "host/base/err.h"
#include "host/event/map.h"
#include "host/event/strings.h"
#include "proto/track.h"

#include <stdlib.h>
#include <string.h>

struct frame_set {
    uint32_t name;
    uint32_t continuous;
};

/* A changed track or plot is a copy that replaces the entry, so that threads that still read the old one read
 * it whole. */
struct track_entry {
    struct td_track track;      /* as it was added */
    const struct td_track *now; /* atomic; NULL: unchanged */
};

struct plot_entry {
    struct td_plot plot;
    const struct td_plot *now;
};

struct srcloc_entry {
    struct td_srcloc srcloc;
    const struct td_srcloc *now; /* atomic; NULL: not a promise */
};

struct td_dict {
    struct td_strings strings;
    struct td_interner srclocs, tracks, plots, frame_sets;
    uint32_t own_srclocs;
};

#define OWN_SRCLOCS_MAX (UINT32_MAX >> TD_SRCLOC_OWN_SHIFT)

static uint64_t srcloc_hash(const void *item)
{
    const struct td_srcloc *s = &((const struct srcloc_entry *)item)->srcloc;
    uint64_t h = td_mix64((uint64_t)s->name << 32 | s->function);
    h = td_mix64(h ^ ((uint64_t)s->file << 32 | s->line));
    return td_mix64(h ^ ((uint64_t)s->color << 32 | s->flags));
}

static bool is_same_srcloc_entry(const void *a, const void *b)
{
    return !memcmp(a, b, sizeof(struct td_srcloc)); /* entries begin with their location */
}

static bool srcloc_is_promise(const void *item)
{
    return ((const struct srcloc_entry *)item)->now != NULL;
}

static uint64_t track_hash(const void *item)
{
    const struct td_track *track = item;
    return td_mix64(track->thread ^ (uint64_t)track->context << 40 ^ (uint64_t)track->line << 20);
}

static bool is_same_track_entry(const void *a, const void *b)
{
    const struct td_track *x = a, *y = b;
    return x->thread == y->thread && x->context == y->context && x->line == y->line;
}

static uint64_t plot_hash(const void *item)
{
    const struct td_plot *p = item;
    return td_mix64((uint64_t)p->kind << 32 | p->name);
}

static bool is_same_plot_entry(const void *a, const void *b)
{
    const struct td_plot *x = a, *y = b;
    return x->name == y->name && x->kind == y->kind;
}

static uint64_t frame_set_hash(const void *item)
{
    return td_mix64(((const struct frame_set *)item)->name);
}

static bool is_same_frame_set_entry(const void *a, const void *b)
{
    return ((const struct frame_set *)a)->name == ((const struct frame_set *)b)->name;
}

static struct td_interner interner(size_t item, uint64_t (*hash)(const void *),
                                   bool (*is_same)(const void *, const void *))
{
    return (struct td_interner){.pool = {.item = item}, .hash = hash, .is_same = is_same};
}

struct td_dict *td_dict_create(void)
{
    struct td_dict *dict = calloc(1, sizeof *dict);
    if (!dict)
        return NULL;
    td_strings_init(&dict->strings);
    dict->srclocs = interner(sizeof(struct srcloc_entry), srcloc_hash, is_same_srcloc_entry);
    dict->srclocs.is_hidden = srcloc_is_promise;
    dict->tracks = interner(sizeof(struct track_entry), track_hash, is_same_track_entry);
    dict->plots = interner(sizeof(struct plot_entry), plot_hash, is_same_plot_entry);
    dict->frame_sets = interner(sizeof(struct frame_set), frame_set_hash, is_same_frame_set_entry);
    struct td_srcloc none = {0};
    none.name = td_dict_cstring(dict, "") == 0 ? td_dict_cstring(dict, "none") : UINT32_MAX;
    if (none.name == UINT32_MAX || td_dict_srcloc(dict, &none) != 0 || td_dict_frame_set(dict, 0, 1) != 0) {
        td_dict_destroy(dict);
        return NULL;
    }
    return dict;
}

void td_dict_destroy(struct td_dict *dict)
{
    if (!dict)
        return;
    td_strings_free(&dict->strings);
    td_interner_free(&dict->srclocs);
    td_interner_free(&dict->tracks);
    td_interner_free(&dict->plots);
    td_interner_free(&dict->frame_sets);
    free(dict);
}

void td_dict_use_memory(struct td_dict *dict, const struct td_interner_memory *memory)
{
    dict->strings.interner.pool.memory = memory;
    dict->srclocs.pool.memory = memory;
    dict->tracks.pool.memory = memory;
    dict->plots.pool.memory = memory;
    dict->frame_sets.pool.memory = memory;
}

/* ---- strings ---- */

uint32_t td_dict_string(struct td_dict *dict, const char *text, size_t bytes)
{
    return td_strings_add(&dict->strings, text, bytes, false);
}

uint32_t td_dict_cstring(struct td_dict *dict, const char *text)
{
    return td_dict_string(dict, text, strlen(text));
}

uint32_t td_dict_passing_string(struct td_dict *dict, const char *text, size_t bytes)
{
    return td_strings_add(&dict->strings, text, bytes, true);
}

uint32_t td_dict_promise_string(struct td_dict *dict)
{
    return td_strings_promise(&dict->strings);
}

int td_dict_keep_string(struct td_dict *dict, uint32_t number, const char *text, size_t bytes)
{
    return td_strings_keep(&dict->strings, number, text, bytes);
}

void td_dict_may_forget(struct td_dict *dict)
{
    dict->strings.may_forget = true;
}

void td_dict_add_holder(struct td_dict *dict, struct td_dict_holder *holder)
{
    holder->dict = dict;
    holder->next = dict->strings.holders;
    dict->strings.holders = holder;
}

void td_dict_remove_holder(struct td_dict_holder *holder)
{
    struct td_dict_holder **at = holder->dict ? &holder->dict->strings.holders : NULL;
    while (at && *at && *at != holder)
        at = &(*at)->next;
    if (at && *at)
        *at = holder->next;
    holder->dict = NULL;
}

void td_dict_hold(struct td_dict *dict, uint32_t string)
{
    td_strings_hold(&dict->strings, string);
}

void td_dict_forget(struct td_dict *dict, size_t least_bytes)
{
    td_strings_forget(dict, &dict->strings, least_bytes);
}

void td_dict_turn(struct td_dict *dict)
{
    td_strings_turn(&dict->strings);
}

/* ---- the others ---- */

uint32_t td_dict_srcloc(struct td_dict *dict, const struct td_srcloc *srcloc)
{
    return td_intern(&dict->srclocs, &(struct srcloc_entry){.srcloc = *srcloc});
}

/* A copy of the location, with a number in its flags that distinguishes it from others of equal content. */
static struct td_srcloc own_srcloc(struct td_dict *dict, const struct td_srcloc *srcloc)
{
    struct td_srcloc own = *srcloc;
    if (dict->own_srclocs < OWN_SRCLOCS_MAX)
        own.flags |= ++dict->own_srclocs << TD_SRCLOC_OWN_SHIFT;
    return own;
}

uint32_t td_dict_own_srcloc(struct td_dict *dict, const struct td_srcloc *srcloc)
{
    return td_intern(&dict->srclocs, &(struct srcloc_entry){.srcloc = own_srcloc(dict, srcloc)});
}

/* A copy in the dictionary's memory; NULL: no memory. */
static void *keep_copy(struct td_dict *dict, const void *item, size_t bytes)
{
    const size_t align = _Alignof(max_align_t);
    char *room = td_strings_room(&dict->strings, bytes + align);
    if (!room)
        return NULL;
    room += (align - (uintptr_t)room % align) % align;
    return memcpy(room, item, bytes);
}

uint32_t td_dict_promise_srcloc(struct td_dict *dict)
{
    struct srcloc_entry key = {.srcloc.name = td_dict_cstring(dict, TD_DICT_UNKNOWN)};
    key.srcloc.function = key.srcloc.name;
    key.now = key.srcloc.name == UINT32_MAX ? NULL : keep_copy(dict, &key.srcloc, sizeof key.srcloc);
    return key.now ? td_pool_add(&dict->srclocs.pool, &key) : UINT32_MAX;
}

int td_dict_keep_srcloc(struct td_dict *dict, uint32_t number, const struct td_srcloc *srcloc)
{
    struct srcloc_entry *entry =
        number < dict->srclocs.pool.count ? td_pool_at(&dict->srclocs.pool, number) : NULL;
    if (!entry || !entry->now)
        return TD_E_USAGE;
    const struct td_srcloc own = own_srcloc(dict, srcloc);
    const struct td_srcloc *now = keep_copy(dict, &own, sizeof own);
    if (!now)
        return TD_E_NOMEM;
    __atomic_store_n(&entry->now, now, __ATOMIC_RELEASE);
    return 0;
}

static bool is_same_track(const struct td_track *a, const struct td_track *b)
{
    return a->name == b->name && a->kind == b->kind && a->unsynced == b->unsynced && a->core == b->core &&
           a->fiber == b->fiber && a->chip == b->chip && a->x == b->x && a->y == b->y &&
           a->file_number == b->file_number && a->group_hint == b->group_hint &&
           a->kernel_samples == b->kernel_samples;
}

bool td_track_is_core(const struct td_track *track)
{
    return track->kind == TD_TRACK_CORE ||
           (track->kind == TD_TRACK_THREAD && !track->context && td_track_is_device(track->thread));
}

uint32_t td_dict_track(struct td_dict *dict, const struct td_track *track)
{
    struct track_entry key = {.track = *track};
    uint32_t number = td_intern(&dict->tracks, &key);
    if (number == UINT32_MAX)
        return number;
    struct track_entry *entry = td_pool_at(&dict->tracks.pool, number);
    const struct td_track *known = entry->now ? entry->now : &entry->track;
    if (!key.track.name)
        key.track.name = known->name;
    if (!key.track.group_hint)
        key.track.group_hint = known->group_hint;
    if (is_same_track(known, &key.track))
        return number;
    const struct td_track *now = keep_copy(dict, &key.track, sizeof key.track);
    if (!now)
        return UINT32_MAX;
    __atomic_store_n(&entry->now, now, __ATOMIC_RELEASE);
    return number;
}

uint32_t td_dict_plot(struct td_dict *dict, const struct td_plot *plot)
{
    uint32_t number = td_intern(&dict->plots, &(struct plot_entry){.plot = *plot});
    if (number == UINT32_MAX)
        return number;
    struct plot_entry *entry = td_pool_at(&dict->plots.pool, number);
    const struct td_plot *known = entry->now ? entry->now : &entry->plot;
    if (known->format == plot->format && known->step == plot->step && known->fill == plot->fill &&
        known->color == plot->color)
        return number;
    const struct td_plot *now = keep_copy(dict, plot, sizeof *plot);
    if (!now)
        return UINT32_MAX;
    __atomic_store_n(&entry->now, now, __ATOMIC_RELEASE);
    return number;
}

uint32_t td_dict_frame_set(struct td_dict *dict, uint32_t name, int continuous)
{
    return td_intern(&dict->frame_sets, &(struct frame_set){name, continuous != 0});
}

const char *td_dict_text(const struct td_dict *dict, uint32_t string)
{
    return td_strings_text(&dict->strings, string);
}

size_t td_dict_text_bytes(const struct td_dict *dict, uint32_t string)
{
    return td_strings_bytes(&dict->strings, string);
}

const struct td_srcloc *td_dict_get_srcloc(const struct td_dict *dict, uint32_t srcloc)
{
    static const struct td_srcloc none;
    const struct srcloc_entry *entry = td_interner_get(&dict->srclocs, srcloc);
    const struct td_srcloc *now = entry ? __atomic_load_n(&entry->now, __ATOMIC_ACQUIRE) : &none;
    return now ? now : &entry->srcloc;
}

uint32_t td_dict_zone_string(const struct td_dict *dict, uint32_t srcloc)
{
    const struct td_srcloc *s = td_dict_get_srcloc(dict, srcloc);
    return s->name || s->flags & TD_SRCLOC_EMPTY_NAME ? s->name : s->function;
}

const char *td_dict_zone_name(const struct td_dict *dict, uint32_t srcloc)
{
    return td_dict_text(dict, td_dict_zone_string(dict, srcloc));
}

const struct td_track *td_dict_get_track(const struct td_dict *dict, uint32_t track)
{
    static const struct td_track none;
    const struct track_entry *entry = td_interner_get(&dict->tracks, track);
    const struct td_track *now = entry ? __atomic_load_n(&entry->now, __ATOMIC_ACQUIRE) : &none;
    return now ? now : &entry->track;
}

const struct td_plot *td_dict_get_plot(const struct td_dict *dict, uint32_t plot)
{
    static const struct td_plot none;
    const struct plot_entry *entry = td_interner_get(&dict->plots, plot);
    const struct td_plot *now = entry ? __atomic_load_n(&entry->now, __ATOMIC_ACQUIRE) : &none;
    return now ? now : &entry->plot;
}

uint32_t td_dict_get_frame_set(const struct td_dict *dict, uint32_t set, int *continuous)
{
    const struct frame_set *f = td_interner_get(&dict->frame_sets, set);
    if (continuous)
        *continuous = f ? (int)f->continuous : 0;
    return f ? f->name : 0;
}

uint32_t td_dict_string_count(const struct td_dict *dict)
{
    return td_pool_count(&dict->strings.interner.pool);
}

uint32_t td_dict_srcloc_count(const struct td_dict *dict)
{
    return td_pool_count(&dict->srclocs.pool);
}

uint32_t td_dict_track_count(const struct td_dict *dict)
{
    return td_pool_count(&dict->tracks.pool);
}

uint32_t td_dict_plot_count(const struct td_dict *dict)
{
    return td_pool_count(&dict->plots.pool);
}

uint32_t td_dict_frame_set_count(const struct td_dict *dict)
{
    return td_pool_count(&dict->frame_sets.pool);
}
