/* The strings of a dictionary (dict.h), which says what they promise. Private to dict.c. */
#pragma once
#include "host/event/dict.h"
#include "host/event/interner.h"

/* Numbers of strings. */
struct td_string_list {
    uint32_t *at;
    size_t count, capacity;
};

struct td_strings {
    struct td_interner interner;
    struct td_text_block *blocks;
    char *text_at; /* room in the newest small block */
    size_t text_left;
    char *promise; /* the text of all open promises; NULL: none was made */

    /* Forgetting. */
    bool may_forget;
    struct td_dict_holder *holders;
    size_t passing;                 /* strings that may be forgotten */
    size_t added_bytes, kept_bytes; /* of them: since the last time, and then */
    struct td_string_list gone[2];  /* forgotten since the last turn, and before it: still readable */
    struct td_string_list free_numbers;
};

void td_strings_init(struct td_strings *strings);
void td_strings_free(struct td_strings *strings);
/* Memory that does not move, for as long as the strings live; large requests get a block of their own. NULL: no
 * memory. */
char *td_strings_room(struct td_strings *strings, size_t bytes);
uint32_t td_strings_add(struct td_strings *strings, const char *text, size_t bytes, bool passes);
uint32_t td_strings_promise(struct td_strings *strings);
int td_strings_keep(struct td_strings *strings, uint32_t number, const char *text, size_t bytes);
const char *td_strings_text(const struct td_strings *strings, uint32_t number);
size_t td_strings_bytes(const struct td_strings *strings, uint32_t number);
void td_strings_hold(struct td_strings *strings, uint32_t number);
void td_strings_forget(struct td_dict *dict, struct td_strings *strings, size_t least_bytes);
void td_strings_turn(struct td_strings *strings);
