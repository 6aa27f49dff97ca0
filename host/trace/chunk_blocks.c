#include "host/trace/chunk_blocks.h"
#include "host/base/sorted.h"
#include "host/base/err.h"
#include "host/base/grow.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct returned_chunk {
    struct returned_chunk *next;
};

struct chunk_block {
    unsigned char *bytes;
    struct chunk_block *next, *previous; /* in a list of partial or of idle blocks */
    struct returned_chunk *returned;
    size_t used, chunk_bytes;
    uint32_t live; /* chunks that were not given back */
    unsigned class;
    bool is_partial; /* it is in that list */
};

void td_chunk_blocks_free(struct td_chunk_blocks *blocks)
{
    for (size_t i = 0; i < blocks->count; i++)
        free(blocks->all[i]);
    free(blocks->all);
}

static bool has_room(const struct chunk_block *b)
{
    return b->returned || TD_CHUNK_BLOCK_BYTES - b->used >= b->chunk_bytes;
}

static void put_first(struct chunk_block **list, struct chunk_block *b)
{
    b->previous = NULL;
    b->next = *list;
    if (b->next)
        b->next->previous = b;
    *list = b;
}

static void take_out(struct chunk_block **list, struct chunk_block *b)
{
    if (b->previous)
        b->previous->next = b->next;
    else
        *list = b->next;
    if (b->next)
        b->next->previous = b->previous;
}

static void put_idle(struct td_chunk_blocks *blocks, struct chunk_block *b)
{
    b->returned = NULL;
    b->used = b->chunk_bytes = 0;
    put_first(&blocks->idle, b);
}

/* An idle block rather than one with some room: the rest of that will soon be given back, too. */
static struct chunk_block *next_block(struct td_chunk_blocks *blocks, unsigned class, size_t bytes)
{
    struct chunk_block *b = blocks->idle;
    if (b) {
        take_out(&blocks->idle, b);
        b->class = class;
        b->chunk_bytes = bytes;
        return b;
    }
    b = blocks->partial[class];
    if (b) {
        take_out(&blocks->partial[class], b);
        b->is_partial = false;
    }
    return b;
}

void *td_chunk_take(struct td_chunk_blocks *blocks, unsigned class, size_t bytes)
{
    struct chunk_block *b = blocks->current[class];
    if (!b || !has_room(b))
        b = blocks->current[class] = next_block(blocks, class, bytes);
    if (!b)
        return NULL;
    struct returned_chunk *returned = b->returned;
    void *chunk = returned;
    if (returned) {
        b->returned = returned->next;
    } else {
        chunk = b->bytes + b->used;
        b->used += bytes;
    }
    b->live++;
    return chunk;
}

/* The number of blocks that begin at or before the address. */
static size_t blocks_until(const struct td_chunk_blocks *blocks, const void *at)
{
    size_t low = 0, high = blocks->count;
    TD_BISECT(low, high, middle, (uintptr_t)blocks->all[middle]->bytes <= (uintptr_t)at);
    return low;
}

int td_chunk_blocks_add(struct td_chunk_blocks *blocks, void *memory)
{
    struct chunk_block *b = calloc(1, sizeof *b);
    if (!b || td_grow(&blocks->all, &blocks->capacity, blocks->count + 1, sizeof(struct chunk_block *)) < 0) {
        free(b);
        return TD_E_NOMEM;
    }
    const size_t at = blocks_until(blocks, memory);
    memmove(blocks->all + at + 1, blocks->all + at, (blocks->count - at) * sizeof(struct chunk_block *));
    blocks->all[at] = b;
    blocks->count++;
    b->bytes = memory;
    put_idle(blocks, b);
    return 0;
}

bool td_chunk_give_back(struct td_chunk_blocks *blocks, void *chunk)
{
    const size_t number = blocks_until(blocks, chunk);
    struct chunk_block *b = number ? blocks->all[number - 1] : NULL;
    if (!b || (uintptr_t)chunk - (uintptr_t)b->bytes >= TD_CHUNK_BLOCK_BYTES)
        return false;
    struct returned_chunk *returned = chunk;
    returned->next = b->returned;
    b->returned = returned;
    b->live--;
    if (b == blocks->current[b->class])
        return true;
    if (!b->live) {
        if (b->is_partial)
            take_out(&blocks->partial[b->class], b);
        b->is_partial = false;
        put_idle(blocks, b);
    } else if (!b->is_partial) {
        put_first(&blocks->partial[b->class], b);
        b->is_partial = true;
    }
    return true;
}
