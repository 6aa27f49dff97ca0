#include "host/python/zone_stack.h"

#include <stdlib.h>

static void end_from(struct td_py_stack *stack, uint32_t first)
{
    while (stack->depth > first)
        td_client_zone_end(stack->zones[--stack->depth].zone);
    if (stack->running > first)
        stack->running = first;
}

bool td_py_stack_prepare(struct td_py_stack *stack)
{
    end_from(stack, stack->running);
    if (stack->depth < stack->room)
        return true;
    const uint32_t room = stack->room ? 2 * stack->room : 64;
    struct td_py_open_zone *zones = realloc(stack->zones, room * sizeof *zones);
    if (!zones)
        return false;
    stack->zones = zones;
    stack->room = room;
    return true;
}

/* The number of the innermost zone of `key` among those from `first` to `end`; -1: there is none. */
static int find_zone(const struct td_py_stack *stack, const void *key, uint32_t first, uint32_t end)
{
    for (uint32_t i = end; i-- > first;)
        if (stack->zones[i].key == key)
            return (int)i;
    return -1;
}

bool td_py_stack_end(struct td_py_stack *stack, const void *key)
{
    const int at = find_zone(stack, key, 0, stack->depth);
    if (at < 0)
        return false;
    end_from(stack, (uint32_t)at);
    return true;
}

void td_py_stack_end_all(struct td_py_stack *stack)
{
    end_from(stack, 0);
}

int td_py_stack_suspend(struct td_py_stack *stack, const void *key)
{
    const int at = find_zone(stack, key, 0, stack->running);
    if (at >= 0)
        stack->running = (uint32_t)at;
    return at;
}

bool td_py_stack_resume(struct td_py_stack *stack, const void *key)
{
    const int at = find_zone(stack, key, stack->running, stack->depth);
    if (at < 0)
        return false;
    stack->running = (uint32_t)at + 1;
    while (stack->running < stack->depth && stack->zones[stack->running].kind != TD_PY_COROUTINE)
        stack->running++;
    return true;
}

void td_py_stack_forget(struct td_py_stack *stack)
{
    for (uint32_t i = 0; i < stack->depth; i++)
        stack->zones[i].zone = TD_CLIENT_OFF;
}

void td_py_stack_free(struct td_py_stack *stack)
{
    free(stack->zones);
    *stack = (struct td_py_stack){0};
}
