/* Composes a record of any kind from its parts, for markers that are too rare to have code of their own.
 * Used by the marking threads (mark.h, replayed.c); usable in signal handlers. */
#pragma once
#include "host/client/queue/queue.h"

#include <stddef.h>
#include <stdint.h>

/* The parts of a record. Nothing is owned: text and stack are the caller's. */
struct td_mark {
    uint32_t kind, frames; /* TD_REC_...; addresses in `stack` */
    uint64_t fields[5];    /* the words from 1 on */
    const char *text;
    size_t bytes; /* cut at TD_WIRE_TEXT_MAX */
    const uint64_t *stack;
    uint64_t time; /* 0: now */
};
/* Returns the record's length in words, or 0: no memory. Adds the count of bytes to the fields.
 * *overflow_text gets memory from the pool for a text that is too long for a record, else NULL. */
unsigned td_compose_measure(struct td_mark *mark, void **overflow_text);
/* Writes the measured record but for word 0 and the number in the order. The record then owns
 * overflow_text. */
void td_compose_fill(uint64_t *record, const struct td_mark *mark, void *overflow_text);
