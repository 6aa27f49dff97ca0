#include "host/python/coroutines.h"
#include "host/python/fibers.h"

#include <opcode.h>
#include <stdio.h>
#include <string.h>

#define SUSPENDED (-1) /* PyGenObject.gi_frame_state of 3.11 */

/* Whether the frame runs its first instruction: it is not resumed. */
static bool is_first_entry(PyFrameObject *frame, PyCodeObject *code)
{
    const int at = PyFrame_GetLasti(frame);
    if (at < 0)
        return true;
    const uint16_t instruction = _PyCode_CODE(code)[at / (int)sizeof(uint16_t)];
    const int opcode = _Py_OPCODE(instruction);
    return (opcode == RESUME || opcode == RESUME_QUICK) && _Py_OPARG(instruction) == 0;
}

static bool is_suspended(PyFrameObject *frame, const PyObject *result)
{
    if (!result)
        return false;
    PyObject *generator = PyFrame_GetGenerator(frame);
    if (!generator)
        return false;
    const bool suspended = ((PyGenObject *)generator)->gi_frame_state == SUSPENDED;
    Py_DECREF(generator);
    return suspended;
}

/* The name of the asyncio task that runs, as the zone's text; nothing without asyncio or a task. The
 * interpreter reports no events of what is called here. */
static void add_task_name(uint32_t zone)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *modules = PyImport_GetModuleDict(), *name = NULL;
    PyObject *asyncio = modules ? PyDict_GetItemString(modules, "_asyncio") : NULL;
    PyObject *loop = asyncio ? PyObject_CallMethod(asyncio, "_get_running_loop", NULL) : NULL;
    PyObject *tasks = loop && loop != Py_None ? PyObject_GetAttrString(asyncio, "_current_tasks") : NULL;
    PyObject *task = tasks && PyDict_Check(tasks) ? PyDict_GetItem(tasks, loop) : NULL;
    if (task)
        name = PyObject_CallMethod(task, "get_name", NULL);
    if (name && PyUnicode_Check(name)) {
        Py_ssize_t bytes;
        const char *text = PyUnicode_AsUTF8AndSize(name, &bytes);
        if (text)
            ___tracy_emit_zone_text((TracyCZoneCtx){zone, 1}, text, (size_t)bytes);
    }
    Py_XDECREF(name);
    Py_XDECREF(tasks);
    Py_XDECREF(loop);
    PyErr_Restore(type, value, traceback);
}

/* The site for the fibers of a coroutine: that of its code, or, where a decorator has given the coroutine
 * another name, one with that name. */
static struct td_py_site *fiber_site(PyFrameObject *frame, const struct td_py_code *facts, PyCodeObject *code)
{
    const struct ___tracy_source_location_data *place = &facts->site->place;
    PyObject *generator = PyFrame_GetGenerator(frame);
    PyObject *name = generator ? ((PyGenObject *)generator)->gi_name : NULL;
    const char *text = name && name != code->co_name ? td_py_text_of(name) : NULL;
    Py_XDECREF(generator);
    struct td_py_site *site =
        text ? td_py_site_at(text, place->function, place->file, place->line, 0) : facts->site;
    return site ? site : facts->site;
}

/* An outermost coroutine begins or is resumed. */
static void enter_outermost(struct td_py_thread *thread, PyFrameObject *frame, PyCodeObject *code,
                            const struct td_py_code *facts, bool is_first)
{
    struct td_py_fiber *fiber = td_py_fiber_find(frame);
    if (fiber && (is_first || fiber->is_entered)) { /* of a frame that was at this address before */
        if (fiber->is_entered)
            return;
        td_py_fiber_enter(thread, fiber);
        td_py_fiber_release(fiber);
        td_py_fiber_leave(thread);
        fiber = NULL;
    }
    if (fiber) {
        td_py_fiber_enter(thread, fiber);
        td_py_stack_resume(&fiber->stack, frame);
        return;
    }
    fiber = td_py_fiber_take(fiber_site(frame, facts, code), frame);
    if (!fiber)
        return;
    td_py_fiber_enter(thread, fiber);
    const uint32_t zone = td_py_zone_begin(thread->now, frame, TD_PY_COROUTINE, facts->site);
    if (zone != TD_CLIENT_OFF)
        add_task_name(zone);
}

void td_py_coroutine_enter(struct td_py_thread *thread, PyFrameObject *frame, PyCodeObject *code,
                           const struct td_py_code *facts)
{
    const bool in_coroutine = td_py_stack_kind(thread->now) != TD_PY_PLAIN;
    if (facts->kind != TD_PY_COROUTINE) { /* a generator */
        td_py_zone_begin(thread->now, frame, in_coroutine ? TD_PY_IN_COROUTINE : TD_PY_PLAIN, facts->site);
        return;
    }
    const bool is_first = is_first_entry(frame, code);
    if (!in_coroutine)
        enter_outermost(thread, frame, code, facts, is_first);
    else if (is_first || !td_py_stack_resume(thread->now, frame))
        td_py_zone_begin(thread->now, frame, TD_PY_COROUTINE, facts->site);
}

void td_py_coroutine_leave(struct td_py_thread *thread, PyFrameObject *frame, PyObject *result)
{
    PyCodeObject *code = PyFrame_GetCode(frame);
    const bool is_coroutine = code->co_flags & (CO_COROUTINE | CO_ITERABLE_COROUTINE);
    Py_DECREF(code);
    struct td_py_fiber *fiber = thread->fiber;
    const bool is_outermost = fiber && fiber->frame == frame;
    if (is_coroutine && is_suspended(frame, result)) {
        td_py_stack_suspend(thread->now, frame);
    } else {
        td_py_zone_end(thread->now, frame);
        if (is_outermost)
            td_py_fiber_release(fiber);
    }
    if (is_outermost)
        td_py_fiber_leave(thread);
}

void td_py_coroutines_end(struct td_py_thread *thread)
{
    while (thread->fiber) {
        td_py_fiber_release(thread->fiber);
        td_py_fiber_leave(thread);
    }
    td_py_stack_end_all(&thread->own);
}
