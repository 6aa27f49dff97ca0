/* Texts that live until the arena is cleared. Not thread-safe. */
#pragma once
#include "host/tt/tt_text.h"

struct td_arena_block;
struct td_text_arena { /* all zero: empty */
    struct td_arena_block *block;
    bool no_memory; /* a text could not be made: it is "" */
};
void td_text_arena_clear(struct td_text_arena *arena); /* keeps one block */
void td_text_arena_free(struct td_text_arena *arena);
struct td_tt_text td_text_arena_copy(struct td_text_arena *arena, const char *at, size_t bytes);
struct td_tt_text td_text_arena_print(struct td_text_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
