#include "host/event/dict.h"
#include "host/base/err.h"
#include "host/event/map.h"
#include "proto/track.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A pool keeps its items in chunks of doubling size: chunk k holds 1 << (k + FIRST_SHIFT) items. So an item
 * never moves, and its number alone gives its place. */
#define FIRST_SHIFT 6
#define CHUNKS      26

struct pool {
    void *chunks[CHUNKS]; /* set before `count` includes their items */
    uint32_t count;       /* atomic */
    size_t item;
};

static uint32_t pool_count(const struct pool *pool)
{
    return __atomic_load_n(&pool->count, __ATOMIC_ACQUIRE);
}

static void *pool_at(const struct pool *pool, uint32_t number)
{
    uint32_t biased = (number >> FIRST_SHIFT) + 1;
    unsigned k = 31u - (unsigned)__builtin_clz(biased);
    uint32_t first = ((UINT32_C(1) << k) - 1) << FIRST_SHIFT;
    return (char *)pool->chunks[k] + (size_t)(number - first) * pool->item;
}

/* The zeroed place of item number pool->count, which the caller adds to the count. NULL: no memory. */
static void *pool_next(struct pool *pool)
{
    if (pool->count >= UINT32_MAX - (1u << FIRST_SHIFT))
        return NULL;
    uint32_t biased = (pool->count >> FIRST_SHIFT) + 1;
    unsigned k = 31u - (unsigned)__builtin_clz(biased);
    if (!pool->chunks[k]) {
        pool->chunks[k] = calloc((size_t)1 << (k + FIRST_SHIFT), pool->item);
        if (!pool->chunks[k])
            return NULL;
    }
    return pool_at(pool, pool->count);
}

static void pool_free(struct pool *pool)
{
    for (int k = 0; k < CHUNKS; k++)
        free(pool->chunks[k]);
}

/* An interner: a pool, and a hash table of item numbers + 1. Promised items are not in the hash table. */
struct interner {
    struct pool pool;
    uint32_t *slots;
    uint32_t mask;
    uint64_t (*hash)(const void *item);
    bool (*is_same)(const void *a, const void *b);
    bool (*is_promise)(const void *item); /* NULL: none is */
};

static int interner_enlarge(struct interner *in)
{
    uint32_t size = in->slots ? (in->mask + 1) * 2 : 64;
    uint32_t *slots = size ? calloc(size, sizeof *slots) : NULL;
    if (!slots)
        return TD_E_NOMEM;
    for (uint32_t n = 0; n < in->pool.count; n++) {
        const void *item = pool_at(&in->pool, n);
        if (in->is_promise && in->is_promise(item))
            continue;
        uint32_t i = (uint32_t)in->hash(item) & (size - 1);
        while (slots[i])
            i = (i + 1) & (size - 1);
        slots[i] = n + 1;
    }
    free(in->slots);
    in->slots = slots;
    in->mask = size - 1;
    return 0;
}

/* The number of an equal item. If there is none: UINT32_MAX, and *slot is the new item's place in the hash
 * table (NULL: no memory). */
static uint32_t interner_find(struct interner *in, const void *key, uint32_t **slot)
{
    *slot = NULL;
    if ((!in->slots || (uint64_t)in->pool.count * 3 >= (uint64_t)in->mask * 2) && interner_enlarge(in) < 0)
        return UINT32_MAX;
    uint32_t i = (uint32_t)in->hash(key) & in->mask;
    for (; in->slots[i]; i = (i + 1) & in->mask) {
        if (in->is_same(pool_at(&in->pool, in->slots[i] - 1), key))
            return in->slots[i] - 1;
    }
    *slot = &in->slots[i];
    return UINT32_MAX;
}

/* The number of a new item, UINT32_MAX: no memory. */
static uint32_t pool_add(struct pool *pool, const void *key)
{
    void *item = pool_next(pool);
    if (!item)
        return UINT32_MAX;
    memcpy(item, key, pool->item);
    uint32_t number = pool->count;
    __atomic_store_n(&pool->count, number + 1, __ATOMIC_RELEASE);
    return number;
}

static uint32_t interner_add(struct interner *in, const void *key, uint32_t *slot)
{
    uint32_t number = slot ? pool_add(&in->pool, key) : UINT32_MAX;
    if (number != UINT32_MAX)
        *slot = number + 1;
    return number;
}

static uint32_t intern(struct interner *in, const void *key)
{
    uint32_t *slot;
    uint32_t number = interner_find(in, key, &slot);
    return number != UINT32_MAX ? number : interner_add(in, key, slot);
}

static const void *interner_get(const struct interner *in, uint32_t number)
{
    return number < pool_count(&in->pool) ? pool_at(&in->pool, number) : NULL;
}

/* When a promise gets its content, `text` and `bytes` change one after the other: a reader may see one of
 * them old and one new. Both combinations stay within the text's memory, because the text of all promises has
 * TD_DICT_PROMISE_BYTES, and a promised text at least the bytes of TD_DICT_UNKNOWN. */
struct string {
    const char *text; /* atomic */
    uint32_t bytes;   /* atomic */
    uint32_t hash : 31;
    uint32_t promise : 1;
};

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

#define TEXT_BLOCK (256 * 1024)

struct text_block {
    struct text_block *next;
    char bytes[];
};

struct td_dict {
    struct interner strings, srclocs, tracks, plots, frame_sets;
    struct text_block *blocks;
    char *text_at; /* room in the newest small block */
    size_t text_left;
    char *promise; /* the text of all open promises; NULL: none was made */
    uint32_t own_srclocs;
};

#define OWN_SRCLOCS_MAX (UINT32_MAX >> TD_SRCLOC_OWN_SHIFT)

static uint64_t hash_text(const char *text, size_t bytes)
{
    uint64_t h = UINT64_C(0x9e3779b97f4a7c15) ^ bytes;
    for (; bytes >= 8; text += 8, bytes -= 8) {
        uint64_t word;
        memcpy(&word, text, 8);
        h = td_mix64(h ^ word) + word;
    }
    uint64_t tail = 0;
    memcpy(&tail, text, bytes);
    return td_mix64(h ^ tail);
}

static uint64_t string_hash(const void *item)
{
    return ((const struct string *)item)->hash;
}

static bool is_same_string_entry(const void *a, const void *b)
{
    const struct string *x = a, *y = b;
    return x->hash == y->hash && x->bytes == y->bytes && !memcmp(x->text, y->text, x->bytes);
}

static bool string_is_promise(const void *item)
{
    return ((const struct string *)item)->promise;
}

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
    return td_mix64(track->thread ^ (uint64_t)track->context << 40);
}

static bool is_same_track_entry(const void *a, const void *b)
{
    const struct td_track *x = a, *y = b;
    return x->thread == y->thread && x->context == y->context;
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

static struct interner interner(size_t item, uint64_t (*hash)(const void *),
                                bool (*is_same)(const void *, const void *))
{
    return (struct interner){.pool = {.item = item}, .hash = hash, .is_same = is_same};
}

struct td_dict *td_dict_create(void)
{
    struct td_dict *dict = calloc(1, sizeof *dict);
    if (!dict)
        return NULL;
    dict->strings = interner(sizeof(struct string), string_hash, is_same_string_entry);
    dict->srclocs = interner(sizeof(struct srcloc_entry), srcloc_hash, is_same_srcloc_entry);
    dict->strings.is_promise = string_is_promise;
    dict->srclocs.is_promise = srcloc_is_promise;
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
    struct interner *all[] = {&dict->strings, &dict->srclocs, &dict->tracks, &dict->plots, &dict->frame_sets};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        pool_free(&all[i]->pool);
        free(all[i]->slots);
    }
    free(dict->promise);
    while (dict->blocks) {
        struct text_block *next = dict->blocks->next;
        free(dict->blocks);
        dict->blocks = next;
    }
    free(dict);
}

/* Memory that does not move; large requests get a block of their own. NULL: no memory. */
static char *text_room(struct td_dict *dict, size_t bytes)
{
    if (bytes <= dict->text_left) {
        char *at = dict->text_at;
        dict->text_at += bytes;
        dict->text_left -= bytes;
        return at;
    }
    int own = bytes > TEXT_BLOCK / 8;
    struct text_block *block = malloc(sizeof *block + (own ? bytes : TEXT_BLOCK));
    if (!block)
        return NULL;
    block->next = dict->blocks;
    dict->blocks = block;
    if (!own) {
        dict->text_at = block->bytes + bytes;
        dict->text_left = TEXT_BLOCK - bytes;
    }
    return block->bytes;
}

uint32_t td_dict_string(struct td_dict *dict, const char *text, size_t bytes)
{
    if (bytes >= UINT32_MAX)
        return UINT32_MAX;
    struct string key = {text, (uint32_t)bytes, (uint32_t)hash_text(text, bytes) >> 1, 0};
    uint32_t *slot;
    uint32_t number = interner_find(&dict->strings, &key, &slot);
    if (number != UINT32_MAX || !slot)
        return number;
    char *copy = text_room(dict, bytes + 1);
    if (!copy)
        return UINT32_MAX;
    memcpy(copy, text, bytes);
    copy[bytes] = 0;
    key.text = copy;
    return interner_add(&dict->strings, &key, slot);
}

uint32_t td_dict_cstring(struct td_dict *dict, const char *text)
{
    return td_dict_string(dict, text, strlen(text));
}

uint32_t td_dict_promise_string(struct td_dict *dict)
{
    if (!dict->promise)
        dict->promise = calloc(1, TD_DICT_PROMISE_BYTES + 1);
    if (!dict->promise)
        return UINT32_MAX;
    memcpy(dict->promise, TD_DICT_UNKNOWN, sizeof TD_DICT_UNKNOWN);
    const struct string key = {dict->promise, sizeof TD_DICT_UNKNOWN - 1, 0, 1};
    return pool_add(&dict->strings.pool, &key);
}

int td_dict_keep_string(struct td_dict *dict, uint32_t number, const char *text, size_t bytes)
{
    struct string *string = number < dict->strings.pool.count ? pool_at(&dict->strings.pool, number) : NULL;
    if (!string || !string->promise || bytes > TD_DICT_PROMISE_BYTES)
        return TD_E_USAGE;
    char *copy = text_room(dict, bytes + sizeof TD_DICT_UNKNOWN);
    if (!copy)
        return TD_E_NOMEM;
    memset(copy + bytes, 0, sizeof TD_DICT_UNKNOWN);
    memcpy(copy, text, bytes);
    __atomic_store_n(&string->text, copy, __ATOMIC_RELEASE);
    __atomic_store_n(&string->bytes, (uint32_t)bytes, __ATOMIC_RELEASE);
    return 0;
}

uint32_t td_dict_srcloc(struct td_dict *dict, const struct td_srcloc *srcloc)
{
    return intern(&dict->srclocs, &(struct srcloc_entry){.srcloc = *srcloc});
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
    return intern(&dict->srclocs, &(struct srcloc_entry){.srcloc = own_srcloc(dict, srcloc)});
}

/* A copy in the dictionary's memory; NULL: no memory. */
static void *keep_copy(struct td_dict *dict, const void *item, size_t bytes)
{
    const size_t align = _Alignof(max_align_t);
    char *room = text_room(dict, bytes + align);
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
    return key.now ? pool_add(&dict->srclocs.pool, &key) : UINT32_MAX;
}

int td_dict_keep_srcloc(struct td_dict *dict, uint32_t number, const struct td_srcloc *srcloc)
{
    struct srcloc_entry *entry =
        number < dict->srclocs.pool.count ? pool_at(&dict->srclocs.pool, number) : NULL;
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
    uint32_t number = intern(&dict->tracks, &key);
    if (number == UINT32_MAX)
        return number;
    struct track_entry *entry = pool_at(&dict->tracks.pool, number);
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
    uint32_t number = intern(&dict->plots, &(struct plot_entry){.plot = *plot});
    if (number == UINT32_MAX)
        return number;
    struct plot_entry *entry = pool_at(&dict->plots.pool, number);
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
    return intern(&dict->frame_sets, &(struct frame_set){name, continuous != 0});
}

const char *td_dict_text(const struct td_dict *dict, uint32_t string)
{
    const struct string *s = interner_get(&dict->strings, string);
    return s ? __atomic_load_n(&s->text, __ATOMIC_ACQUIRE) : "";
}

size_t td_dict_text_bytes(const struct td_dict *dict, uint32_t string)
{
    const struct string *s = interner_get(&dict->strings, string);
    return s ? __atomic_load_n(&s->bytes, __ATOMIC_ACQUIRE) : 0;
}

const struct td_srcloc *td_dict_get_srcloc(const struct td_dict *dict, uint32_t srcloc)
{
    static const struct td_srcloc none;
    const struct srcloc_entry *entry = interner_get(&dict->srclocs, srcloc);
    const struct td_srcloc *now = entry ? __atomic_load_n(&entry->now, __ATOMIC_ACQUIRE) : &none;
    return now ? now : &entry->srcloc;
}

const char *td_dict_zone_name(const struct td_dict *dict, uint32_t srcloc)
{
    const struct td_srcloc *s = td_dict_get_srcloc(dict, srcloc);
    return td_dict_text(dict, s->name || s->flags & TD_SRCLOC_EMPTY_NAME ? s->name : s->function);
}

const struct td_track *td_dict_get_track(const struct td_dict *dict, uint32_t track)
{
    static const struct td_track none;
    const struct track_entry *entry = interner_get(&dict->tracks, track);
    const struct td_track *now = entry ? __atomic_load_n(&entry->now, __ATOMIC_ACQUIRE) : &none;
    return now ? now : &entry->track;
}

const struct td_plot *td_dict_get_plot(const struct td_dict *dict, uint32_t plot)
{
    static const struct td_plot none;
    const struct plot_entry *entry = interner_get(&dict->plots, plot);
    const struct td_plot *now = entry ? __atomic_load_n(&entry->now, __ATOMIC_ACQUIRE) : &none;
    return now ? now : &entry->plot;
}

uint32_t td_dict_get_frame_set(const struct td_dict *dict, uint32_t set, int *continuous)
{
    const struct frame_set *f = interner_get(&dict->frame_sets, set);
    if (continuous)
        *continuous = f ? (int)f->continuous : 0;
    return f ? f->name : 0;
}

uint32_t td_dict_string_count(const struct td_dict *dict)
{
    return pool_count(&dict->strings.pool);
}

uint32_t td_dict_srcloc_count(const struct td_dict *dict)
{
    return pool_count(&dict->srclocs.pool);
}

uint32_t td_dict_track_count(const struct td_dict *dict)
{
    return pool_count(&dict->tracks.pool);
}

uint32_t td_dict_plot_count(const struct td_dict *dict)
{
    return pool_count(&dict->plots.pool);
}

uint32_t td_dict_frame_set_count(const struct td_dict *dict)
{
    return pool_count(&dict->frame_sets.pool);
}
