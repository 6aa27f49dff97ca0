/* Coroutines as fibers. A coroutine that is not awaited by another one (the outermost coroutine of an asyncio
 * task, or one that the program drives with send()) gets a fiber: a track of its own, on which its zones and
 * those of the coroutines that it awaits stay open while it waits. The fiber of a coroutine that has ended is
 * used for the next one of the same function. So a trace has as many fibers of a function as ran at once.
 * The caller holds the GIL. */
#pragma once
#include "host/python/threads.h"

#include <stdbool.h>

struct td_py_fiber {
    struct td_py_stack stack;
    const char *name;
    struct td_py_site *site;
    const void *frame;         /* of the outermost coroutine */
    struct td_py_fiber *outer; /* what the thread was in before: another fiber, or NULL */
    struct td_py_fiber *next;  /* of the same bucket, or idle */
    bool is_entered;
};

/* The fiber whose outermost coroutine has this frame; NULL: none. */
struct td_py_fiber *td_py_fiber_find(const void *frame);
/* A fiber for a coroutine that begins. NULL: no memory. */
struct td_py_fiber *td_py_fiber_take(struct td_py_site *site, const void *frame);
void td_py_fiber_enter(struct td_py_thread *thread, struct td_py_fiber *fiber);
/* Leaves the thread's fiber for what the thread was in before. */
void td_py_fiber_leave(struct td_py_thread *thread);
/* Ends the fiber's zones; another coroutine may have it. Call it while the fiber is entered. */
void td_py_fiber_release(struct td_py_fiber *fiber);
/* Ends the zones of all fibers that no thread is in, and releases the fibers. */
void td_py_fibers_end_all(struct td_py_thread *thread);
/* In the child of fork(): no fiber has zones, and no thread but this one exists. */
void td_py_fibers_forked(struct td_py_thread *thread);
