#include "host/python/trace_calls.h"
#include "host/python/coroutines.h"
#include "host/python/own_profilers.h"

bool td_py_is_on;

/* Keys of zones that are not frames: an address within the frame. */
static const void *builtin_key(const PyFrameObject *frame)
{
    return (const char *)frame + 1;
}

static const void *line_key(const PyFrameObject *frame)
{
    return (const char *)frame + 2;
}

static void enter_frame(struct td_py_thread *thread, PyFrameObject *frame)
{
    PyCodeObject *code = PyFrame_GetCode(frame);
    const struct td_py_code *facts = td_py_code_of(code);
    if (__builtin_expect(facts != NULL, 1)) {
        if (__builtin_expect(facts->kind == TD_PY_PLAIN && !facts->is_generator, 1))
            td_py_zone_begin(thread->now, frame, TD_PY_PLAIN, facts->site);
        else
            td_py_coroutine_enter(thread, frame, code, facts);
    }
    Py_DECREF(code);
}

static void leave_frame(struct td_py_thread *thread, PyFrameObject *frame, PyObject *result)
{
    const struct td_py_stack *stack = thread->now;
    if (__builtin_expect(stack->depth && stack->zones[stack->depth - 1].key == frame &&
                             stack->zones[stack->depth - 1].kind == TD_PY_PLAIN,
                         1))
        td_py_zone_end(thread->now, frame);
    else
        td_py_coroutine_leave(thread, frame, result);
}

static void enter_builtin(struct td_py_thread *thread, PyFrameObject *frame, PyObject *function)
{
    PyCodeObject *code = PyFrame_GetCode(frame);
    struct td_py_code *facts = td_py_code_of(code);
    const struct td_py_site *site = facts ? td_py_builtin_site(facts, frame, function) : NULL;
    if (site)
        td_py_zone_begin(thread->now, builtin_key(frame), TD_PY_PLAIN, site);
    Py_DECREF(code);
}

static void enter_line(struct td_py_thread *thread, PyFrameObject *frame)
{
    PyCodeObject *code = PyFrame_GetCode(frame);
    struct td_py_code *facts = td_py_code_of(code);
    const void *key = line_key(frame);
    struct td_py_stack *stack = thread->now;
    const struct td_py_site *site =
        facts ? td_py_line_site(facts, code, (uint32_t)PyFrame_GetLineNumber(frame)) : NULL;
    if (stack->running && stack->zones[stack->running - 1].key == key)
        td_py_zone_end(stack, key);
    if (site)
        td_py_zone_begin(stack, key, td_py_stack_kind(stack) ? TD_PY_IN_COROUTINE : TD_PY_PLAIN, site);
    Py_DECREF(code);
}

/* The thread whose event this is; NULL: it is to be ignored. */
static inline struct td_py_thread *thread_of_event(void)
{
    struct td_py_thread *thread = td_py_thread_here();
    if (__builtin_expect(td_py_is_on, 1))
        return thread && __builtin_expect(thread->unseen, 0) ? NULL : thread;
    if (thread && !thread->unseen)
        td_py_trace_end(thread);
    return NULL;
}

int td_py_on_call(PyObject *self, PyFrameObject *frame, int what, PyObject *arg)
{
    struct td_py_thread *thread = thread_of_event();
    if (!thread)
        return 0;
    switch (what) {
    case PyTrace_CALL:
        enter_frame(thread, frame);
        break;
    case PyTrace_RETURN:
        leave_frame(thread, frame, arg);
        break;
    case PyTrace_C_CALL:
        td_py_own_profilers_call(thread, arg);
        enter_builtin(thread, frame, arg);
        break;
    case PyTrace_C_EXCEPTION:
    case PyTrace_C_RETURN:
        td_py_zone_end(thread->now, builtin_key(frame));
        if (__builtin_expect(thread->is_in_setprofile, 0))
            td_py_own_profilers_return(thread);
        break;
    default:
        break;
    }
    return 0;
}

int td_py_on_line(PyObject *self, PyFrameObject *frame, int what, PyObject *arg)
{
    struct td_py_thread *thread = thread_of_event();
    if (!thread)
        return 0;
    switch (what) {
    case PyTrace_CALL:
        enter_frame(thread, frame);
        break;
    case PyTrace_RETURN:
        leave_frame(thread, frame, arg);
        break;
    case PyTrace_LINE:
        enter_line(thread, frame);
        break;
    default:
        break;
    }
    return 0;
}

void td_py_trace_end(struct td_py_thread *thread)
{
    td_py_coroutines_end(thread);
    thread->is_installing = true;
    const PyThreadState *state = PyThreadState_Get();
    if (state->c_profilefunc == td_py_on_call)
        PyEval_SetProfile(NULL, NULL);
    if (state->c_tracefunc == td_py_on_line)
        PyEval_SetTrace(NULL, NULL);
    thread->is_installing = false;
    thread->is_installed = thread->is_displaced = false;
}
