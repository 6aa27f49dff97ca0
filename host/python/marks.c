#include "host/python/marks.h"
#include "host/python/texts.h"

#include <string.h>

/* A str's copy that lives as long as the process; NULL with a Python exception. */
static const char *lasting(PyObject *name)
{
    if (!PyUnicode_Check(name)) {
        PyErr_Format(PyExc_TypeError, "a name is a str, not %.100s", Py_TYPE(name)->tp_name);
        return NULL;
    }
    const char *text = td_py_text_of(name);
    if (!text)
        PyErr_NoMemory();
    return text;
}

/* The same; NULL also for None, which is *is_none. */
static const char *lasting_or_none(PyObject *name, bool *is_none)
{
    *is_none = !name || name == Py_None;
    return *is_none ? NULL : lasting(name);
}

static PyObject *message(PyObject *module, PyObject *args)
{
    const char *text;
    Py_ssize_t bytes;
    unsigned color = 0;
    if (!PyArg_ParseTuple(args, "s#|I:message", &text, &bytes, &color))
        return NULL;
    if (color)
        ___tracy_emit_messageC(text, (size_t)bytes, color, 0);
    else
        ___tracy_emit_message(text, (size_t)bytes, 0);
    Py_RETURN_NONE;
}

static PyObject *plot(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "plot(name, value)");
        return NULL;
    }
    const char *name = lasting(args[0]);
    if (!name)
        return NULL;
    if (PyLong_Check(args[1])) {
        int overflow;
        const long long value = PyLong_AsLongLongAndOverflow(args[1], &overflow);
        if (!overflow) {
            td_client_plot(TD_CLIENT_PLOT_INT, name, (uint64_t)value);
            Py_RETURN_NONE;
        }
    }
    const double value = PyFloat_AsDouble(args[1]);
    if (value == -1 && PyErr_Occurred())
        return NULL;
    td_client_plot_double(name, value);
    Py_RETURN_NONE;
}

static PyObject *plot_config(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"name", "format", "step", "fill", "color", NULL};
    static const char *const formats[] = {"number", "memory", "percentage", "watt"};
    PyObject *name;
    const char *format = "number";
    int step = 0, fill = 1, kind = 0;
    unsigned color = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|sppI:plot_config", names, &name, &format, &step, &fill,
                                     &color))
        return NULL;
    while (kind < 4 && strcmp(formats[kind], format) != 0)
        kind++;
    if (kind == 4)
        return PyErr_Format(PyExc_ValueError, "a plot's format is number, memory, percentage or watt, not %s",
                            format);
    const char *kept = lasting(name);
    if (!kept)
        return NULL;
    ___tracy_emit_plot_config(kept, kind, step, fill, color);
    Py_RETURN_NONE;
}

enum frame_event { FRAME_MARK, FRAME_BEGIN, FRAME_END };

static PyObject *mark_frame(PyObject *name, enum frame_event event)
{
    bool is_none;
    const char *kept = lasting_or_none(name, &is_none);
    if (!kept && !is_none)
        return NULL;
    if (event == FRAME_MARK)
        ___tracy_emit_frame_mark(kept);
    else if (event == FRAME_BEGIN)
        ___tracy_emit_frame_mark_start(kept);
    else
        ___tracy_emit_frame_mark_end(kept);
    Py_RETURN_NONE;
}

static PyObject *frame_mark(PyObject *module, PyObject *args)
{
    PyObject *name = NULL;
    return PyArg_ParseTuple(args, "|O:frame_mark", &name) ? mark_frame(name, FRAME_MARK) : NULL;
}

static PyObject *frame_begin(PyObject *module, PyObject *name)
{
    return mark_frame(name, FRAME_BEGIN);
}

static PyObject *frame_end(PyObject *module, PyObject *name)
{
    return mark_frame(name, FRAME_END);
}

static PyObject *app_info(PyObject *module, PyObject *args)
{
    const char *text;
    Py_ssize_t bytes;
    if (!PyArg_ParseTuple(args, "s#:app_info", &text, &bytes))
        return NULL;
    ___tracy_emit_message_appinfo(text, (size_t)bytes);
    Py_RETURN_NONE;
}

static PyObject *thread_name(PyObject *module, PyObject *args)
{
    const char *name;
    if (!PyArg_ParseTuple(args, "s:thread_name", &name))
        return NULL;
    td_client_set_thread_name(name, 0);
    Py_RETURN_NONE;
}

static PyObject *program_name(PyObject *module, PyObject *args)
{
    const char *name;
    if (!PyArg_ParseTuple(args, "s:program_name", &name))
        return NULL;
    td_client_set_program_name(name);
    Py_RETURN_NONE;
}

static PyObject *memory_alloc(PyObject *module, PyObject *args)
{
    unsigned long long address, bytes;
    PyObject *pool = NULL;
    bool is_none;
    if (!PyArg_ParseTuple(args, "KK|O:memory_alloc", &address, &bytes, &pool))
        return NULL;
    const char *name = lasting_or_none(pool, &is_none);
    if (!name && !is_none)
        return NULL;
    if (name)
        ___tracy_emit_memory_alloc_named((void *)(uintptr_t)address, (size_t)bytes, name);
    else
        ___tracy_emit_memory_alloc((void *)(uintptr_t)address, (size_t)bytes);
    Py_RETURN_NONE;
}

static PyObject *memory_free(PyObject *module, PyObject *args)
{
    unsigned long long address;
    PyObject *pool = NULL;
    bool is_none;
    if (!PyArg_ParseTuple(args, "K|O:memory_free", &address, &pool))
        return NULL;
    const char *name = lasting_or_none(pool, &is_none);
    if (!name && !is_none)
        return NULL;
    if (name)
        ___tracy_emit_memory_free_named((void *)(uintptr_t)address, name);
    else
        ___tracy_emit_memory_free((void *)(uintptr_t)address);
    Py_RETURN_NONE;
}

static PyObject *frame_image(PyObject *module, PyObject *args)
{
    Py_buffer image;
    unsigned short width, height;
    unsigned char offset = 0;
    int flip = 0;
    if (!PyArg_ParseTuple(args, "y*HH|bp:frame_image", &image, &width, &height, &offset, &flip))
        return NULL;
    if ((size_t)image.len < (size_t)4 * width * height) {
        PyBuffer_Release(&image);
        PyErr_SetString(PyExc_ValueError, "frame_image() takes four bytes a pixel");
        return NULL;
    }
    ___tracy_emit_frame_image(image.buf, width, height, offset, flip);
    PyBuffer_Release(&image);
    Py_RETURN_NONE;
}

PyMethodDef td_py_marks[] = {
    {"message", message, METH_VARARGS, "message(text, color=0): a message at this moment"},
    {"plot", (PyCFunction)(void (*)(void))plot, METH_FASTCALL, "plot(name, value): a point of a plot"},
    {"plot_config", (PyCFunction)(void (*)(void))plot_config, METH_VARARGS | METH_KEYWORDS,
     "plot_config(name, format='number', step=False, fill=True, color=0): how viewers draw a plot"},
    {"frame_mark", frame_mark, METH_VARARGS, "frame_mark(name=None): a frame ends and the next one begins"},
    {"frame_begin", frame_begin, METH_O, "frame_begin(name): a frame of a set with gaps begins"},
    {"frame_end", frame_end, METH_O, "frame_end(name): it ends"},
    {"frame_image", frame_image, METH_VARARGS, "frame_image(bytes, width, height, offset=0, flip=False)"},
    {"app_info", app_info, METH_VARARGS, "app_info(text): a line of the trace's description"},
    {"thread_name", thread_name, METH_VARARGS, "thread_name(name): names the calling thread"},
    {"program_name", program_name, METH_VARARGS, "program_name(name): names the process"},
    {"memory_alloc", memory_alloc, METH_VARARGS, "memory_alloc(address, bytes, pool=None): an allocation"},
    {"memory_free", memory_free, METH_VARARGS, "memory_free(address, pool=None): its end"},
    {0},
};
