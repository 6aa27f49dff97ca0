#include "host/event/strings.h"
#include "host/base/err.h"
#include "host/base/grow.h"
#include "host/event/map.h"

#include <stdlib.h>
#include <string.h>

#define FORGET_LEAST ((size_t)256 * 1024) /* less is not worth a search for what may be forgotten */
#define ENTRY_BYTES  64                   /* that a string takes besides its text, about */

enum string_state {
    STRING_STAYS,
    STRING_PROMISE, /* not in the hash table */
    STRING_DROPS,   /* stays, but may not be found any more */
    STRING_PASSES,  /* may be forgotten; its text is a block of its own, as in the states below */
    STRING_HELD,    /* the same, and a holder has just named it */
    STRING_STAYS_TOO,
    STRING_GONE /* not in the hash table */
};

/* When a promise gets its content, or a forgotten string's number another text, `text` and `bytes` change one
 * after the other. A reader may see one of them old and one new of a promise. Both combinations stay within the
 * text's memory, because the text of all promises has TD_DICT_PROMISE_BYTES, and a promised text at least the
 * bytes of TD_DICT_UNKNOWN. No reader has a forgotten string's number any more. */
struct string {
    const char *text; /* atomic */
    uint32_t bytes;   /* atomic */
    uint32_t hash : 29;
    uint32_t state : 3; /* enum string_state */
};
#define HASH_SHIFT 3

#define TEXT_BLOCK ((size_t)128 * 1024)

struct td_text_block {
    struct td_text_block *next;
    char bytes[];
};

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

static bool is_same_string(const void *a, const void *b)
{
    const struct string *x = a, *y = b;
    return x->hash == y->hash && x->bytes == y->bytes && !memcmp(x->text, y->text, x->bytes);
}

static bool is_hidden_string(const void *item)
{
    const uint32_t state = ((const struct string *)item)->state;
    return state == STRING_PROMISE || state == STRING_GONE;
}

static struct string *string_at(const struct td_strings *s, uint32_t number)
{
    return td_pool_at(&s->interner.pool, number);
}

static bool has_own_block(const struct string *string)
{
    return string->state >= STRING_PASSES;
}

static void free_own_block(struct string *string)
{
    if (has_own_block(string) && string->bytes)
        free((char *)(uintptr_t)string->text);
}

void td_strings_init(struct td_strings *s)
{
    *s = (struct td_strings){.interner = {.pool = {.item = sizeof(struct string)},
                                          .hash = string_hash,
                                          .is_same = is_same_string,
                                          .is_hidden = is_hidden_string}};
}

void td_strings_free(struct td_strings *s)
{
    for (struct td_dict_holder *holder = s->holders; holder; holder = holder->next)
        holder->dict = NULL;
    for (uint32_t n = 0; s->may_forget && n < s->interner.pool.count; n++)
        free_own_block(string_at(s, n));
    td_interner_free(&s->interner);
    free(s->gone[0].at);
    free(s->gone[1].at);
    free(s->free_numbers.at);
    free(s->promise);
    while (s->blocks) {
        struct td_text_block *next = s->blocks->next;
        free(s->blocks);
        s->blocks = next;
    }
}

/* ---- adding ---- */

char *td_strings_room(struct td_strings *s, size_t bytes)
{
    if (bytes <= s->text_left) {
        char *at = s->text_at;
        s->text_at += bytes;
        s->text_left -= bytes;
        return at;
    }
    bool own = bytes > TEXT_BLOCK / 8;
    const struct td_interner_memory *memory = s->interner.pool.memory;
    if (memory && !own) {
        char *at = memory->take(memory->self, TEXT_BLOCK);
        s->text_at = at ? at + bytes : s->text_at;
        s->text_left = at ? TEXT_BLOCK - bytes : s->text_left;
        return at;
    }
    if (memory)
        return memory->take(memory->self, bytes);
    struct td_text_block *block = malloc(sizeof *block + (own ? bytes : TEXT_BLOCK));
    if (!block)
        return NULL;
    block->next = s->blocks;
    s->blocks = block;
    if (!own) {
        s->text_at = block->bytes + bytes;
        s->text_left = TEXT_BLOCK - bytes;
    }
    return block->bytes;
}

/* A forgotten string's number, or a new one. */
static uint32_t add_entry(struct td_strings *s, const struct string *key, struct td_interner_slot *slot)
{
    if (!s->free_numbers.count)
        return td_interner_add(&s->interner, key, slot);
    uint32_t number = s->free_numbers.at[--s->free_numbers.count];
    struct string *string = string_at(s, number);
    string->hash = key->hash;
    string->state = key->state;
    __atomic_store_n(&string->text, key->text, __ATOMIC_RELEASE);
    __atomic_store_n(&string->bytes, key->bytes, __ATOMIC_RELEASE);
    td_interner_set_slot_(&s->interner, slot, number);
    return number;
}

static size_t weight_of(const struct string *string)
{
    return string->bytes + ENTRY_BYTES;
}

uint32_t td_strings_add(struct td_strings *s, const char *text, size_t bytes, bool passes)
{
    if (bytes >= UINT32_MAX)
        return UINT32_MAX;
    const bool drops = passes && !s->may_forget && s->interner.pool.memory;
    passes = passes && s->may_forget && bytes;
    struct string key = {text, (uint32_t)bytes, (uint32_t)hash_text(text, bytes) >> HASH_SHIFT,
                         passes  ? STRING_PASSES
                         : drops ? STRING_DROPS
                                 : STRING_STAYS};
    struct td_interner_slot *slot;
    uint32_t number = td_interner_find(&s->interner, &key, &slot);
    if (number != UINT32_MAX && !passes && string_at(s, number)->state == STRING_PASSES) {
        string_at(s, number)->state = STRING_STAYS_TOO;
        s->passing--;
    } else if (number != UINT32_MAX && !drops && string_at(s, number)->state == STRING_DROPS) {
        string_at(s, number)->state = STRING_STAYS;
        slot->drops = 0;
    }
    if (number != UINT32_MAX || !slot)
        return number;
    char *copy = passes ? malloc(bytes + 1) : td_strings_room(s, bytes + 1);
    if (!copy)
        return UINT32_MAX;
    memcpy(copy, text, bytes);
    copy[bytes] = 0;
    key.text = copy;
    slot->drops = drops;
    number = add_entry(s, &key, slot);
    if (passes && number == UINT32_MAX)
        free(copy);
    if (passes && number != UINT32_MAX) {
        s->passing++;
        s->added_bytes += weight_of(&key);
    }
    return number;
}

uint32_t td_strings_promise(struct td_strings *s)
{
    if (!s->promise)
        s->promise = calloc(1, TD_DICT_PROMISE_BYTES + 1);
    if (!s->promise)
        return UINT32_MAX;
    memcpy(s->promise, TD_DICT_UNKNOWN, sizeof TD_DICT_UNKNOWN);
    const struct string key = {s->promise, sizeof TD_DICT_UNKNOWN - 1, 0, STRING_PROMISE};
    return td_pool_add(&s->interner.pool, &key);
}

int td_strings_keep(struct td_strings *s, uint32_t number, const char *text, size_t bytes)
{
    struct string *string = number < s->interner.pool.count ? string_at(s, number) : NULL;
    if (!string || string->state != STRING_PROMISE || bytes > TD_DICT_PROMISE_BYTES)
        return TD_E_USAGE;
    char *copy = td_strings_room(s, bytes + sizeof TD_DICT_UNKNOWN);
    if (!copy)
        return TD_E_NOMEM;
    memset(copy + bytes, 0, sizeof TD_DICT_UNKNOWN);
    memcpy(copy, text, bytes);
    __atomic_store_n(&string->text, copy, __ATOMIC_RELEASE);
    __atomic_store_n(&string->bytes, (uint32_t)bytes, __ATOMIC_RELEASE);
    return 0;
}

/* ---- reading ---- */

const char *td_strings_text(const struct td_strings *s, uint32_t number)
{
    const struct string *string = td_interner_get(&s->interner, number);
    return string ? __atomic_load_n(&string->text, __ATOMIC_ACQUIRE) : "";
}

size_t td_strings_bytes(const struct td_strings *s, uint32_t number)
{
    const struct string *string = td_interner_get(&s->interner, number);
    return string ? __atomic_load_n(&string->bytes, __ATOMIC_ACQUIRE) : 0;
}

/* ---- forgetting ---- */

void td_strings_hold(struct td_strings *s, uint32_t number)
{
    if (number < s->interner.pool.count && string_at(s, number)->state == STRING_PASSES)
        string_at(s, number)->state = STRING_HELD;
}

/* Forgets what is not held. There is room for its numbers. */
static void sweep(struct td_strings *s)
{
    struct td_string_list *gone = &s->gone[0];
    s->added_bytes = s->kept_bytes = 0;
    for (uint32_t n = 0; n < s->interner.pool.count; n++) {
        struct string *string = string_at(s, n);
        if (string->state == STRING_HELD) {
            string->state = STRING_PASSES;
            s->kept_bytes += weight_of(string);
        } else if (string->state == STRING_PASSES) {
            string->state = STRING_GONE;
            gone->at[gone->count++] = n;
            s->passing--;
        }
    }
    td_interner_rehash(&s->interner);
}

void td_strings_forget(struct td_dict *dict, struct td_strings *s, size_t least_bytes)
{
    struct td_string_list *gone = &s->gone[0];
    if (s->added_bytes < FORGET_LEAST || s->added_bytes < s->kept_bytes || s->added_bytes < least_bytes)
        return;
    /* Where there is no memory, the strings stay until the next time. */
    if (td_grow(&gone->at, &gone->capacity, gone->count + s->passing, sizeof *gone->at) < 0)
        return;
    for (struct td_dict_holder *holder = s->holders; holder; holder = holder->next)
        holder->hold(holder->self, dict);
    sweep(s);
}

void td_strings_turn(struct td_strings *s)
{
    struct td_string_list old = s->gone[1], *numbers = &s->free_numbers;
    bool room =
        td_grow(&numbers->at, &numbers->capacity, numbers->count + old.count, sizeof *numbers->at) == 0;
    for (size_t i = 0; i < old.count; i++) {
        struct string *string = string_at(s, old.at[i]);
        free_own_block(string);
        __atomic_store_n(&string->text, "", __ATOMIC_RELEASE);
        __atomic_store_n(&string->bytes, 0, __ATOMIC_RELEASE);
        if (room)
            numbers->at[numbers->count++] = old.at[i];
    }
    old.count = 0;
    s->gone[1] = s->gone[0];
    s->gone[0] = old;
}
