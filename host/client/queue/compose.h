/* Composes a record from its parts. */
#ifndef TD_HOST_CLIENT_QUEUE_COMPOSE_H
#define TD_HOST_CLIENT_QUEUE_COMPOSE_H
#include "host/client/queue/queue.h"

#include <stddef.h>
#include <stdint.h>

/* mark.c. Writes any record: `fields` are its words from 1 on, the text is copied, the stack has `frames`
 * addresses. Ordered kinds get their number. */
struct td_mark {
    uint32_t kind, frames;
    uint64_t fields[5];
    const char *text;
    size_t bytes; /* cut at TD_WIRE_TEXT_MAX */
    const uint64_t *stack;
    uint64_t time; /* 0: now */
};
/* compose.c: a record from its parts. Its length in words; *overflow_text gets memory for a text that is too long
 * for it. 0: no memory. */
unsigned td_compose_measure(struct td_mark *mark, void **overflow_text);
/* All but word 0 and the order. */
void td_compose_fill(uint64_t *record, const struct td_mark *mark, void *overflow_text);
#endif
