/* Splits JSON text: a list of objects into its objects, from bytes that come in any pieces; and an object
 * into its members. Objects are parts of the fed bytes where possible. Bytes may be hostile. */
#pragma once
#include "host/base/err.h"
#include "host/tt/tt_text.h"

#define TD_TT_JSON_OBJECT_MAX (16u << 20) /* bytes of one object */

struct td_tt_json_list {
    /* Set by the caller; all else is 0 before the first call. `object` gets an object from { to }, and the
     * line that it begins in. Returns 0, or a negative enum td_e to stop. */
    int (*object)(void *self, struct td_tt_text text, uint64_t line, struct td_err *err);
    void *self;
    const char *file; /* for error lines */
    uint64_t lines, begin_line;
    unsigned depth; /* inside the object */
    int state;
    bool in_string, escaped;
    char *carry;
    size_t carried, carry_room;
};
/* 0, TD_E_FORMAT, TD_E_NOMEM, or what `object` returned. */
int td_tt_json_list_feed(struct td_tt_json_list *list, const char *bytes, size_t count, struct td_err *err);
/* *cut: the list has no end. TD_E_FORMAT: there is no list. */
int td_tt_json_list_end_stream(struct td_tt_json_list *list, bool *cut, struct td_err *err);
void td_tt_json_list_free(struct td_tt_json_list *list);

/* A member of an object. Strings are without their quotes, with their escapes. */
struct td_tt_json_member {
    struct td_tt_text key, value;
    char kind; /* '"' a string, '{' an object, '[' a list, '0' all else: a number or a word */
};
/* The next member from *at on, which is 0 at first. 1; 0: there is none; TD_E_FORMAT: the text is damaged. */
int td_tt_json_next(struct td_tt_text object, size_t *at, struct td_tt_json_member *member);
/* The same for the items of a list, which have no keys. */
int td_tt_json_next_item(struct td_tt_text list, size_t *at, struct td_tt_json_member *item);
