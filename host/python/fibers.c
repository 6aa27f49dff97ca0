#include "host/python/fibers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 4096u

static struct td_py_fiber *busy[BUCKETS]; /* by the frame of the outermost coroutine */

static struct td_py_fiber **bucket_of(const void *frame)
{
    return &busy[((uintptr_t)frame >> 4) * 0x9e3779b1u % BUCKETS];
}

struct td_py_fiber *td_py_fiber_find(const void *frame)
{
    struct td_py_fiber *fiber = *bucket_of(frame);
    while (fiber && fiber->frame != frame)
        fiber = fiber->next;
    return fiber;
}

/* "handle", "handle #2" ... */
static struct td_py_fiber *new_fiber(struct td_py_site *site)
{
    const char *function = site->place.name ? site->place.name : site->place.function;
    if (!strncmp(function, "PY_FUNC_", 8))
        function += 8;
    char name[256];
    if (++site->fibers == 1)
        snprintf(name, sizeof name, "%s", function);
    else
        snprintf(name, sizeof name, "%s #%u", function, site->fibers);
    struct td_py_fiber *fiber = calloc(1, sizeof *fiber);
    if (!fiber)
        return NULL;
    /* Functions of equal names are different fibers: each has a name of its own address. */
    fiber->name = strdup(name);
    fiber->site = site;
    if (fiber->name)
        return fiber;
    free(fiber);
    return NULL;
}

struct td_py_fiber *td_py_fiber_take(struct td_py_site *site, const void *frame)
{
    struct td_py_fiber *fiber = site->idle;
    if (fiber)
        site->idle = fiber->next;
    else
        fiber = new_fiber(site);
    if (!fiber)
        return NULL;
    struct td_py_fiber **bucket = bucket_of(frame);
    fiber->frame = frame;
    fiber->next = *bucket;
    *bucket = fiber;
    return fiber;
}

void td_py_fiber_enter(struct td_py_thread *thread, struct td_py_fiber *fiber)
{
    fiber->outer = thread->fiber;
    fiber->is_entered = true;
    thread->fiber = fiber;
    thread->now = &fiber->stack;
    td_client_fiber_enter(fiber->name, 0);
}

void td_py_fiber_leave(struct td_py_thread *thread)
{
    struct td_py_fiber *outer = thread->fiber->outer;
    thread->fiber->is_entered = false;
    thread->fiber = outer;
    thread->now = outer ? &outer->stack : &thread->own;
    if (outer)
        td_client_fiber_enter(outer->name, 0);
    else
        td_client_fiber_leave();
}

void td_py_fiber_release(struct td_py_fiber *fiber)
{
    struct td_py_fiber **at = bucket_of(fiber->frame);
    while (*at && *at != fiber)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = fiber->next;
    td_py_stack_end_all(&fiber->stack);
    fiber->frame = NULL;
    fiber->next = fiber->site->idle;
    fiber->site->idle = fiber;
}

void td_py_fibers_end_all(struct td_py_thread *thread)
{
    for (unsigned i = 0; i < BUCKETS; i++)
        for (struct td_py_fiber *fiber = busy[i], *next; fiber; fiber = next) {
            next = fiber->next;
            if (fiber->is_entered)
                continue;
            td_py_fiber_enter(thread, fiber);
            td_py_fiber_release(fiber);
            td_py_fiber_leave(thread);
        }
}

void td_py_fibers_forked(struct td_py_thread *thread)
{
    for (unsigned i = 0; i < BUCKETS; i++)
        for (struct td_py_fiber *fiber = busy[i]; fiber; fiber = fiber->next)
            td_py_stack_forget(&fiber->stack);
    if (thread->fiber)
        td_client_fiber_enter(thread->fiber->name, 0);
}
