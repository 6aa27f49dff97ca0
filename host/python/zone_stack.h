/* The open zones of a thread or fiber. Zones nest, so only the innermost one can end: where the program's
 * frames end in another order, or an end was missed, the zones within the one that ends are ended, too.
 *
 * A zone has a key: the frame or object that it belongs to. A fiber's stack is in two parts while its
 * coroutine is being suspended or resumed, frame by frame: the first `running` zones run, the others are open
 * but suspended. */
#pragma once
#include "host/python/code_sites.h"

#include <stdbool.h>
#include <stdint.h>

struct td_py_open_zone {
    const void *key;
    uint32_t zone; /* of td_client_zone_begin() */
    uint32_t kind; /* enum td_py_kind */
};

struct td_py_stack {
    struct td_py_open_zone *zones;
    uint32_t depth, running, room;
};

/* Ends suspended zones that nothing resumed, and makes room for one more zone. False: no memory. */
bool td_py_stack_prepare(struct td_py_stack *stack);
/* Ends the zone of `key`, and those within it. False: it has none. */
bool td_py_stack_end(struct td_py_stack *stack, const void *key);
/* Ends all zones. */
void td_py_stack_end_all(struct td_py_stack *stack);
/* The zones from that of `key` on are suspended. Returns its number, or -1. */
int td_py_stack_suspend(struct td_py_stack *stack, const void *key);
/* The suspended zone of `key` runs again, with the zones within its frame. False: it has none. */
bool td_py_stack_resume(struct td_py_stack *stack, const void *key);
/* The zones belong to a session that is over: their ends are not marked. */
void td_py_stack_forget(struct td_py_stack *stack);
void td_py_stack_free(struct td_py_stack *stack);

/* The kind of the innermost zone that runs. */
static inline uint32_t td_py_stack_kind(const struct td_py_stack *stack)
{
    return stack->running ? stack->zones[stack->running - 1].kind : TD_PY_PLAIN;
}

static inline uint32_t td_py_zone_begin(struct td_py_stack *stack, const void *key, uint32_t kind,
                                        const struct td_py_site *site)
{
    if (__builtin_expect(stack->running != stack->depth || stack->depth == stack->room, 0) &&
        !td_py_stack_prepare(stack))
        return TD_CLIENT_OFF;
    struct td_py_open_zone *open = &stack->zones[stack->depth++];
    stack->running = stack->depth;
    open->key = key;
    open->kind = kind;
    return open->zone = td_client_zone_begin(site);
}

static inline bool td_py_zone_end(struct td_py_stack *stack, const void *key)
{
    if (__builtin_expect(!stack->depth || stack->zones[stack->depth - 1].key != key, 0))
        return td_py_stack_end(stack, key);
    td_client_zone_end(stack->zones[--stack->depth].zone);
    stack->running = stack->depth;
    return true;
}
