/* An address is bound to the content that the peer was given for it. Each content is kept once, by its
 * hash. */
#include "host/client/encode/wire_keys.h"
#include "host/client/encode/announced.h"
#include "host/client/include/tracy/TracyC.h"
#include "host/client/platform/fork_locks.h"
#include "host/base/hash.h"
#include "host/client/platform/pool.h"
#include "host/client/platform/safe_copy.h"
#include "host/client/queue/record.h"
#include "host/client/symbols/unloaded.h"
#include "host/wire/items.h"

#include <stdbool.h>
#include <stdatomic.h>
#include <string.h>

/* Above all addresses of a process, and within the 56 bits that messages have room for. */
#define KEY_FIRST (UINT64_C(1) << 55)
#define SLOTS     256u

/* What a key means: a text, or a source location as a struct meaning. */
struct content {
    enum td_announced_kind kind;
    uint32_t bytes;
    char data[];
};
struct meaning {
    uint64_t name, function, file; /* keys of texts; 0: none */
    uint32_t line, color;
};

/* A cached key of an address, valid for records after `from` up to `to`. */
struct key_slot {
    uint64_t address, key;
    int64_t from, to;
    enum td_announced_kind kind;
};

struct td_wire_keys {
    struct td_announced *bound;   /* addresses whose meaning is fixed for the peer; number: of the content */
    struct td_announced *by_hash; /* hashes of contents; number: of the content */
    struct content **contents;    /* by number, from 1 on */
    uint32_t count, room;
    uint32_t settled; /* td_unloaded_count when settle_libraries() last ran */
    struct key_slot slots[SLOTS];
    char text[TD_WIRE_TEXT_MAX];
};

static void destroy_keys(struct td_wire_keys *keys)
{
    td_announced_destroy(keys->bound);
    td_announced_destroy(keys->by_hash);
    for (uint32_t i = 1; i <= keys->count; i++)
        td_pool_free(keys->contents[i]);
    td_pool_free(keys->contents);
    td_pool_free(keys);
}

void td_wire_keys_destroy(struct td_wire_keys *keys)
{
    if (keys)
        destroy_keys(keys);
}

/* NULL: no memory. */
static struct td_wire_keys *keys_of(struct td_encoder *encoder)
{
    if (encoder->keys)
        return encoder->keys;
    struct td_wire_keys *keys = td_pool_alloc(sizeof *keys);
    if (!keys)
        return NULL;
    memset(keys, 0, offsetof(struct td_wire_keys, text));
    keys->bound = td_announced_create();
    keys->by_hash = td_announced_create();
    if (keys->bound && keys->by_hash)
        return encoder->keys = keys;
    destroy_keys(keys);
    return NULL;
}

/* ---- contents ---- */

static uint32_t add_content(struct td_wire_keys *keys, enum td_announced_kind kind, const void *data,
                            size_t bytes)
{
    if (keys->count + 1 >= keys->room) {
        uint32_t room = keys->room ? 2 * keys->room : 64;
        struct content **more = td_pool_alloc(room * sizeof *more);
        if (!more)
            return 0;
        if (keys->contents)
            memcpy(more, keys->contents, (keys->count + 1) * sizeof *more);
        td_pool_free(keys->contents);
        keys->contents = more;
        keys->room = room;
    }
    struct content *content = td_pool_alloc(sizeof *content + bytes);
    if (!content)
        return 0;
    content->kind = kind;
    content->bytes = (uint32_t)bytes;
    memcpy(content->data, data, bytes);
    keys->contents[++keys->count] = content;
    return keys->count;
}

/* The number of the content, which is added if it is new; 0: no memory. */
static uint32_t number_of(struct td_wire_keys *keys, enum td_announced_kind kind, const void *data,
                          size_t bytes)
{
    uint64_t hash = td_hash(data, bytes);
    for (;; hash++) {
        uint32_t *number = td_announced_value(keys->by_hash, kind, hash);
        if (!number)
            break;
        const struct content *content = *number ? keys->contents[*number] : NULL;
        if (content && content->bytes == bytes && !memcmp(content->data, data, bytes))
            return *number;
    }
    uint32_t made = add_content(keys, kind, data, bytes);
    td_announced_add(keys->by_hash, kind, hash);
    uint32_t *number = td_announced_value(keys->by_hash, kind, hash);
    if (number)
        *number = made;
    return made;
}

static uint64_t key_of(uint32_t number)
{
    return number ? KEY_FIRST + number : 0;
}

static const struct content *content_of(const struct td_wire_keys *keys, uint64_t key)
{
    uint64_t number = key - KEY_FIRST;
    return keys && number && number <= keys->count ? keys->contents[number] : NULL;
}

/* ---- memory as it was at a time. All under TD_FORK_LOCK_UNLOADED. ---- */

static uint32_t text_at(struct td_wire_keys *keys, enum td_announced_kind kind, uint64_t address,
                        const struct td_when *when)
{
    int64_t from, to;
    const struct td_unloaded *library = td_unloaded_at(address, when, &from, &to);
    size_t bytes = library ? td_unloaded_text(library, address, keys->text, sizeof keys->text)
                           : td_safe_copy_text(address, keys->text, sizeof keys->text);
    return number_of(keys, kind, keys->text, bytes);
}

static bool place_at(uint64_t address, const struct td_when *when,
                     struct ___tracy_source_location_data *place)
{
    int64_t from, to;
    const struct td_unloaded *library = td_unloaded_at(address, when, &from, &to);
    return library ? td_unloaded_read(library, address, place, sizeof *place)
                   : td_safe_copy(address, place, sizeof *place);
}

static uint32_t location_at(struct td_wire_keys *keys, uint64_t address, const struct td_when *when)
{
    struct meaning meaning = {0};
    struct ___tracy_source_location_data place;
    if (place_at(address, when, &place)) {
        const char *const texts[] = {place.name, place.function, place.file};
        uint64_t *to[] = {&meaning.name, &meaning.function, &meaning.file};
        for (int i = 0; i < 3; i++)
            if (texts[i])
                *to[i] = key_of(text_at(keys, TD_ANNOUNCED_TEXT, (uintptr_t)texts[i], when));
        meaning.line = place.line;
        meaning.color = place.color;
    }
    return number_of(keys, TD_ANNOUNCED_SRCLOC, &meaning, sizeof meaning);
}

static uint32_t content_at(struct td_wire_keys *keys, enum td_announced_kind kind, uint64_t address,
                           const struct td_when *when)
{
    return kind == TD_ANNOUNCED_SRCLOC ? location_at(keys, address, when)
                                       : text_at(keys, kind, address, when);
}

/* ---- what addresses mean to the peer ---- */

static void bind_address(struct td_wire_keys *keys, enum td_announced_kind kind, uint64_t address,
                         uint32_t number)
{
    td_announced_add(keys->bound, kind, address);
    uint32_t *bound = td_announced_value(keys->bound, kind, address);
    if (bound)
        *bound = number;
}

/* Binds the addresses in an unloaded library that were sent to the peer, which may still ask about them. */
static void settle_library(struct td_encoder *encoder, const struct td_unloaded *library,
                           const struct td_when *when)
{
    struct td_wire_keys *keys = encoder->keys;
    enum td_announced_kind kind;
    uint64_t key;
    for (size_t i = 0; td_announced_at(encoder->announced, i, &kind, &key); i++) {
        if (kind == TD_ANNOUNCED_PLOT || kind == TD_ANNOUNCED_FRAME_NAME)
            kind = TD_ANNOUNCED_TEXT;
        if ((kind == TD_ANNOUNCED_TEXT || kind == TD_ANNOUNCED_SRCLOC || kind == TD_ANNOUNCED_FIBER) &&
            td_unloaded_has(library, key) && !td_announced_has(keys->bound, kind, key))
            bind_address(keys, kind, key, content_at(keys, kind, key, when));
    }
}

static void settle_libraries(struct td_encoder *encoder)
{
    struct td_wire_keys *keys = encoder->keys;
    uint32_t count = atomic_load(&td_unloaded_count);
    if (count == keys->settled)
        return;
    const struct td_unloaded *library = NULL;
    struct td_when when;
    while ((library = td_unloaded_after(keys->settled, library, &when)))
        settle_library(encoder, library, &when);
    keys->settled = count;
    memset(keys->slots, 0, sizeof keys->slots);
}

/* The key for what the address meant at that time. The slot, unless NULL, caches it. */
static uint64_t find_key(struct td_wire_keys *keys, enum td_announced_kind kind, uint64_t address,
                         const struct td_when *when, struct key_slot *slot)
{
    struct key_slot found = {.address = address, .key = address, .kind = kind};
    const struct td_unloaded *library = td_unloaded_at(address, when, &found.from, &found.to);
    const uint32_t *bound = td_announced_value(keys->bound, kind, address);
    if (library || bound) {
        uint32_t meant = bound ? *bound : 0, number = content_at(keys, kind, address, when);
        if (!bound)
            bind_address(keys, kind, address, number);
        else if (number && number != meant)
            found.key = key_of(number);
    }
    if (slot)
        *slot = found;
    return found.key;
}

uint64_t td_wire_key_slow(struct td_encoder *encoder, enum td_announced_kind kind, uint64_t address,
                          const struct td_when *when)
{
    struct td_wire_keys *keys = keys_of(encoder);
    if (!keys)
        return address;
    struct key_slot *slot = &keys->slots[(address >> 3 ^ address >> 11) % SLOTS];
    if (slot->address == address && slot->kind == kind && when->time > slot->from && when->time <= slot->to &&
        keys->settled == atomic_load(&td_unloaded_count) && !when->by_number)
        return slot->key;
    td_fork_lock_acquire(TD_FORK_LOCK_UNLOADED);
    settle_libraries(encoder);
    uint64_t key = find_key(keys, kind, address, when, when->by_number ? NULL : slot);
    td_fork_lock_release(TD_FORK_LOCK_UNLOADED);
    return key;
}

const struct td_rec *td_record_with_wire_key(struct td_encoder *encoder, const struct td_rec *rec,
                                             struct td_rec *copy, uint64_t *words)
{
    unsigned named = td_record_infos[rec->kind].named, at = TD_REC_NAMED_WORD(named);
    if (!named)
        return rec;
    struct td_when when = {rec->time, (uint32_t)rec->word[1], rec->kind == TD_REC_GPU_ZONE_BEGIN};
    enum td_announced_kind kind = TD_REC_NAMED_WHAT(named) == TD_REC_NAMED_PLACE   ? TD_ANNOUNCED_SRCLOC
                                  : TD_REC_NAMED_WHAT(named) == TD_REC_NAMED_FIBER ? TD_ANNOUNCED_FIBER
                                                                                   : TD_ANNOUNCED_TEXT;
    uint64_t key = td_wire_key(encoder, kind, rec->word[at], &when);
    if (key == rec->word[at])
        return rec;
    memcpy(words, rec->word, 8 * (size_t)td_record_infos[rec->kind].words);
    words[at] = key;
    *copy = *rec;
    copy->word = words;
    return copy;
}

/* ---- answers ---- */

static const struct content *meaning_of(const struct td_wire_keys *keys, enum td_announced_kind kind,
                                        uint64_t key)
{
    const uint32_t *bound = keys ? td_announced_value(keys->bound, kind, key) : NULL;
    return bound && *bound ? keys->contents[*bound] : content_of(keys, key);
}

/* The source location that is at the address now. */
static bool live_location(struct td_encoder *encoder, uint64_t address, struct meaning *meaning)
{
    struct ___tracy_source_location_data place = {0};
    if (!td_safe_copy(address, &place, sizeof place))
        return 0;
    const char *const texts[] = {place.name, place.function, place.file};
    uint64_t *to[] = {&meaning->name, &meaning->function, &meaning->file};
    for (int i = 0; i < 3; i++) {
        *to[i] = (uintptr_t)texts[i];
        if (texts[i] && encoder->keys)
            *to[i] = find_key(encoder->keys, TD_ANNOUNCED_TEXT, *to[i], TD_NOW, NULL);
    }
    meaning->line = place.line;
    meaning->color = place.color;
    return 1;
}

/* Takes the lock and settles all unloaded libraries. The caller releases the lock after its answer; until
 * then no library is unloaded. */
static void begin_answer(struct td_encoder *encoder)
{
    td_fork_lock_acquire(TD_FORK_LOCK_UNLOADED);
    if (atomic_load(&td_unloaded_count) && keys_of(encoder))
        settle_libraries(encoder);
}

bool td_wire_key_location(struct td_encoder *encoder, uint64_t key, struct td_wire_SourceLocation *location)
{
    struct meaning meaning;
    int found = 1;
    begin_answer(encoder);
    const struct content *content = meaning_of(encoder->keys, TD_ANNOUNCED_SRCLOC, key);
    if (content)
        memcpy(&meaning, content->data, sizeof meaning);
    else
        found = live_location(encoder, key, &meaning);
    td_fork_lock_release(TD_FORK_LOCK_UNLOADED);
    if (found)
        *location = (struct td_wire_SourceLocation){meaning.name,
                                                    meaning.function,
                                                    meaning.file,
                                                    meaning.line,
                                                    (uint8_t)meaning.color,
                                                    (uint8_t)(meaning.color >> 8),
                                                    (uint8_t)(meaning.color >> 16)};
    return found;
}

size_t td_wire_key_text(struct td_encoder *encoder, enum td_announced_kind kind, uint64_t key, char *to,
                        size_t room)
{
    begin_answer(encoder);
    const struct content *content = meaning_of(encoder->keys, kind, key);
    size_t bytes = content ? content->bytes : 0;
    if (content)
        memcpy(to, content->data, bytes < room ? bytes : room);
    else
        bytes = td_safe_copy_text(key, to, room);
    td_fork_lock_release(TD_FORK_LOCK_UNLOADED);
    return bytes < room ? bytes : room;
}

uint32_t td_wire_keys_settled(struct td_encoder *encoder)
{
    begin_answer(encoder);
    uint32_t settled = encoder->keys ? encoder->keys->settled : 0;
    td_fork_lock_release(TD_FORK_LOCK_UNLOADED);
    return settled;
}
