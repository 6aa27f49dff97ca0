/* Walks through JSON text as it arrives, whatever its size: a visitor chooses which lists and objects are entered, which
 * come as whole texts, and which are skipped.
 *
 *     struct td_json_walk walk = {.choose = choose, .value = value, .leave = leave, .self = self};
 *     td_json_walk_feed(&walk, bytes, count, err) ...; td_json_walk_end_stream(&walk, &cut, err);
 *
 * Damage costs as little as can be: a text that is no JSON is reported, and the walk continues with the next object or
 * list of its list; a missing comma, or a word such as NaN, costs nothing but the word. Where an object that was entered is
 * damaged, the walk ends. Bytes may be hostile. Not thread-safe. */
#pragma once
#include "host/agent/import/json_check.h"
#include "host/base/err.h"
#include "host/tt/tt_text.h"

#include <stddef.h>

#define TD_JSON_WALK_DEPTH 12       /* lists and objects that are entered in each other */
#define TD_JSON_WALK_KEY   48       /* bytes of a key, with a NUL; longer ones are cut */
#define TD_JSON_WALK_TEXT  16777216 /* bytes of a text; longer ones are damaged */

enum td_json_choice { TD_JSON_SKIP, TD_JSON_ENTER, TD_JSON_TEXT };

/* Where a value is. */
struct td_json_place {
    bool in_list;
    uint64_t number;            /* in its list, or object: from 0 */
    char key[TD_JSON_WALK_KEY]; /* as it is written; "" in a list */
};

struct td_json_walk {
    /* A list or object begins: kind '[' or '{'. The outermost value is at depth 0. */
    enum td_json_choice (*choose)(void *self, char kind);
    /* A scalar of what was entered, or a text: kind '"' a string without its quotes, '0' a number or any word, '[' '{' a
     * text, '!' a damaged one. Valid during the call. 0, or a negative enum td_e to stop. */
    int (*value)(void *self, char kind, struct td_tt_text text, struct td_err *err);
    /* Ends what was entered; the place is that of the list or object itself. */
    int (*leave)(void *self, struct td_err *err);
    void *self;
    /* For the visitor, in all of these: where the value is, from the outermost place inwards. at[depth - 1] is the value's
     * own; its key says what it is. */
    struct td_json_place at[TD_JSON_WALK_DEPTH];
    unsigned depth;
    /* The text may be a part of a damaged one: it need not be counted if it makes no sense. */
    bool tentative;
    /* Kind of the texts that the innermost list has, '{' or '['; 0: not known. `choose` may set it where it enters a list:
     * then damage of the first text is known, too. */
    char items;

    bool is_broken; /* the walk has ended before its text */
    uint64_t taken;
    int state, after_search;
    bool is_key, escaped;
    uint8_t searched;
    char kind;
    struct td_json_check check;
    char *text;
    size_t bytes, room;
    bool too_long;
    char *again; /* bytes that are read once more, from a damaged text */
    size_t again_bytes, again_at, again_room, text_begin;
    uint64_t again_steps;
};
/* 0, TD_E_NOMEM, or what the visitor returned. */
int td_json_walk_feed(struct td_json_walk *walk, const char *bytes, size_t count, struct td_err *err);
/* *cut: the text breaks off, or the walk ended early. The visitor leaves what it has entered. */
int td_json_walk_end_stream(struct td_json_walk *walk, bool *cut, struct td_err *err);
void td_json_walk_free(struct td_json_walk *walk);
/* Whether the key of the place, `up` levels outside of the value's own, is this. */
bool td_json_walk_in(const struct td_json_walk *walk, unsigned up, const char *key);
