#include "host/report/tt/text_arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK_BYTES 65536u

struct td_arena_block {
    struct td_arena_block *next;
    size_t used, room;
    char bytes[];
};

void td_text_arena_free(struct td_text_arena *arena)
{
    for (struct td_arena_block *b = arena->block, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    arena->block = NULL;
}

void td_text_arena_clear(struct td_text_arena *arena)
{
    struct td_arena_block *first = arena->block;
    if (!first)
        return;
    struct td_text_arena rest = {first->next, false};
    td_text_arena_free(&rest);
    first->next = NULL;
    first->used = 0;
    arena->no_memory = false;
}

/* Room for `bytes`; NULL: no memory. */
static char *take_room(struct td_text_arena *arena, size_t bytes)
{
    struct td_arena_block *b = arena->block;
    if (!b || b->room - b->used < bytes) {
        const size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        b = malloc(sizeof *b + room);
        if (!b) {
            arena->no_memory = true;
            return NULL;
        }
        *b = (struct td_arena_block){.next = arena->block, .room = room};
        arena->block = b;
    }
    b->used += bytes;
    return b->bytes + b->used - bytes;
}

struct td_tt_text td_text_arena_copy(struct td_text_arena *arena, const char *at, size_t bytes)
{
    char *copy = bytes ? take_room(arena, bytes) : NULL;
    if (!copy)
        return TD_TT_TEXT_NONE;
    memcpy(copy, at, bytes);
    return (struct td_tt_text){copy, bytes};
}

struct td_tt_text td_text_arena_print(struct td_text_arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, format, args);
    char *text = n > 0 ? take_room(arena, (size_t)n + 1) : NULL;
    if (text)
        vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    va_end(args);
    return text ? (struct td_tt_text){text, (size_t)n} : TD_TT_TEXT_NONE;
}
