#include "host/python/threads.h"

#include <stdlib.h>

__thread struct td_py_thread *td_py_this_thread __attribute__((tls_model("initial-exec")));
static struct td_py_thread *first_thread;

struct td_py_thread *td_py_thread_make(void)
{
    struct td_py_thread *thread = calloc(1, sizeof *thread);
    if (!thread)
        return NULL;
    thread->now = &thread->own;
    thread->state_id = PyThreadState_GetID(PyThreadState_Get());
    thread->next = first_thread;
    first_thread = thread;
    return td_py_this_thread = thread;
}

struct td_py_thread *td_py_thread_find(uint64_t state_id)
{
    struct td_py_thread *thread = first_thread;
    while (thread && thread->state_id != state_id)
        thread = thread->next;
    return thread;
}

void td_py_thread_end(void)
{
    struct td_py_thread *thread = td_py_this_thread, **at = &first_thread;
    if (!thread)
        return;
    while (*at != thread)
        at = &(*at)->next;
    *at = thread->next;
    td_py_this_thread = NULL;
    td_py_stack_end_all(&thread->own);
    td_py_stack_free(&thread->own);
    free(thread);
}

void td_py_threads_forked(void)
{
    struct td_py_thread *mine = td_py_this_thread;
    for (struct td_py_thread *thread = first_thread, *next; thread; thread = next) {
        next = thread->next;
        if (thread == mine)
            continue;
        td_py_stack_free(&thread->own);
        free(thread);
    }
    first_thread = mine;
    if (!mine)
        return;
    mine->next = NULL;
    td_py_stack_forget(&mine->own);
}
