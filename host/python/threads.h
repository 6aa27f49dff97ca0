/* What the extension knows about each thread. The caller holds the GIL. */
#pragma once
#include "host/python/zone_stack.h"

#include <stdbool.h>
#include <stdint.h>

struct td_py_fiber;

struct td_py_thread {
    struct td_py_stack own;    /* zones of the thread itself */
    struct td_py_stack *now;   /* `own`, or that of `fiber` */
    struct td_py_fiber *fiber; /* that the thread is in */
    uint64_t state_id;         /* of the interpreter's thread state */
    bool is_installed;         /* events of the thread come here, or will again when it is no longer: */
    bool is_displaced;         /* the program has a profiler of its own in this thread */
    bool is_installing;        /* the extension itself changes the thread's profiler */
    bool is_in_setprofile;     /* own_profilers.h: the program calls sys.setprofile() */
    unsigned unseen;           /* calls of functions that make no zones, of which one is in another */
    PyObject *wanted;          /* its argument; NULL: it has not been called */
    struct td_py_thread *next;
};

extern __thread struct td_py_thread *td_py_this_thread __attribute__((tls_model("initial-exec")));

/* The calling thread's; NULL: no memory. */
struct td_py_thread *td_py_thread_make(void);
static inline struct td_py_thread *td_py_thread_here(void)
{
    struct td_py_thread *thread = td_py_this_thread;
    return __builtin_expect(thread != NULL, 1) ? thread : td_py_thread_make();
}
struct td_py_thread *td_py_thread_find(uint64_t state_id); /* NULL: there is none */
/* Forgets the calling thread, which ends. */
void td_py_thread_end(void);
/* In the child of fork(): no thread but this one exists. */
void td_py_threads_forked(void);
