#include "host/python/profiling.h"
#include "host/python/fibers.h"
#include "host/python/trace_calls.h"

#include <string.h>

static bool with_lines;
static bool is_asked; /* put_back() has been asked for */

/* Whether a function of the program, or of another profiler, is in the way. */
static bool is_taken(const PyThreadState *state)
{
    return with_lines ? state->c_tracefunc && state->c_tracefunc != td_py_on_line
                      : state->c_profilefunc && state->c_profilefunc != td_py_on_call;
}

/* sys.getprofile() and sys.gettrace() give None, as without this extension, because the object is NULL. */
static void install(struct td_py_thread *thread, PyThreadState *state)
{
    struct td_py_thread *mine = td_py_thread_here();
    if (!mine)
        return;
    mine->is_installing = true;
    const int failed = with_lines ? _PyEval_SetTrace(state, td_py_on_line, NULL)
                                  : _PyEval_SetProfile(state, td_py_on_call, NULL);
    mine->is_installing = false;
    if (failed)
        PyErr_Clear();
    thread->is_installed = !failed;
    thread->is_displaced = false;
}

/* Takes up the threads again whose program has removed its own profiler. Runs in the main thread. */
static int put_back(void *unused)
{
    is_asked = false;
    if (!td_py_is_on)
        return 0;
    PyThreadState *state = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
    for (; state; state = PyThreadState_Next(state)) {
        struct td_py_thread *thread = td_py_thread_find(PyThreadState_GetID(state));
        if (thread && thread->is_displaced && !is_taken(state))
            install(thread, state);
    }
    return 0;
}

/* The program sets or removes a profiler: it gets it exactly as without this extension. */
static int on_audit(const char *event, PyObject *args, void *unused)
{
    if (event[0] != 's' || strcmp(event, with_lines ? "sys.settrace" : "sys.setprofile") != 0)
        return 0;
    struct td_py_thread *thread = td_py_this_thread;
    if (!thread || thread->is_installing || !thread->is_installed)
        return 0;
    while (thread->fiber)
        td_py_fiber_leave(thread);
    td_py_stack_end_all(&thread->own);
    thread->is_displaced = true;
    if (!is_asked)
        is_asked = Py_AddPendingCall(put_back, NULL) == 0;
    return 0;
}

int td_py_profiling_init(void)
{
    return PySys_AddAuditHook(on_audit, NULL);
}

bool td_py_profiling_begin(bool lines)
{
    struct td_py_thread *thread = td_py_thread_here();
    PyThreadState *state = PyThreadState_Get();
    if (!thread)
        return false;
    if (!td_py_is_on)
        with_lines = lines;
    if (is_taken(state))
        return false;
    td_py_is_on = true;
    install(thread, state);
    return thread->is_installed;
}

void td_py_profiling_end(void)
{
    struct td_py_thread *thread = td_py_thread_here();
    if (!thread || !td_py_is_on)
        return;
    td_py_is_on = false;
    td_py_trace_end(thread);
    td_py_fibers_end_all(thread);
}

void td_py_profiling_thread_begins(void)
{
    if (td_py_is_on)
        (void)td_py_profiling_begin(with_lines);
}

void td_py_profiling_thread_ends(void)
{
    if (td_py_this_thread)
        td_py_trace_end(td_py_this_thread);
    td_py_thread_end();
}

void td_py_profiling_forked(void)
{
    td_py_threads_forked();
    if (td_py_this_thread)
        td_py_fibers_forked(td_py_this_thread);
}
