/* The extension module tracy._tracy: what Python code calls. */
#include "host/python/marks.h"
#include "host/python/memory_hook.h"
#include "host/python/op_marks.h"
#include "host/python/own_profilers.h"
#include "host/python/process.h"
#include "host/python/profiling.h"
#include "host/python/texts.h"
#include "host/python/thread_start.h"
#include "host/python/zone_type.h"

#include "host/client/include/tracy/TracyC.h"

static PyObject *start(PyObject *module, PyObject *args)
{
    PyObject *name = NULL;
    int children = 0;
    if (!PyArg_ParseTuple(args, "|Op:start", &name, &children))
        return NULL;
    if (td_py_process_install(children) || td_py_thread_start_install())
        return NULL;
    td_py_process_start(name && name != Py_None ? td_py_text_of(name) : NULL);
    Py_RETURN_NONE;
}

static PyObject *begin_calls(PyObject *module, PyObject *args)
{
    int lines = 0;
    if (!PyArg_ParseTuple(args, "|p:begin_calls", &lines))
        return NULL;
    if (td_py_thread_start_install() || td_py_own_profilers_install())
        return NULL;
    return PyBool_FromLong(td_py_profiling_begin(lines));
}

static PyObject *end_calls(PyObject *module, PyObject *unused)
{
    td_py_profiling_end();
    Py_RETURN_NONE;
}

static PyObject *is_connected(PyObject *module, PyObject *unused)
{
    return PyBool_FromLong(___tracy_connected());
}

static PyObject *is_started(PyObject *module, PyObject *unused)
{
    return PyBool_FromLong(___tracy_profiler_started());
}

static PyObject *begin_file(PyObject *module, PyObject *args)
{
    PyObject *path;
    if (!PyArg_ParseTuple(args, "O&:begin_file", PyUnicode_FSConverter, &path))
        return NULL;
    const bool is_open = td_py_process_begin_file(PyBytes_AS_STRING(path));
    Py_DECREF(path);
    return PyBool_FromLong(is_open);
}

static PyObject *end_file(PyObject *module, PyObject *unused)
{
    td_py_process_end_file();
    Py_RETURN_NONE;
}

static PyObject *begin_memory(PyObject *module, PyObject *unused)
{
    td_py_memory_begin();
    Py_RETURN_NONE;
}

static PyObject *end_memory(PyObject *module, PyObject *unused)
{
    td_py_memory_end();
    Py_RETURN_NONE;
}

static PyObject *wait_connected(PyObject *module, PyObject *args)
{
    double seconds = 0;
    int connected;
    if (!PyArg_ParseTuple(args, "d:wait_connected", &seconds))
        return NULL;
    const int ms = seconds < 0 ? 0 : seconds > 1e6 ? 1000000000 : (int)(seconds * 1000);
    Py_BEGIN_ALLOW_THREADS;
    connected = td_client_wait_connected(ms);
    Py_END_ALLOW_THREADS;
    return PyBool_FromLong(connected);
}

static PyObject *port(PyObject *module, PyObject *unused)
{
    return PyLong_FromLong(td_client_port());
}

static PyObject *call_unseen(PyObject *function, PyObject *args, PyObject *kwargs)
{
    struct td_py_thread *thread = td_py_thread_here();
    if (thread)
        thread->unseen++;
    PyObject *result = PyObject_Call(function, args, kwargs);
    if (thread)
        thread->unseen--;
    return result;
}

/* A function in C is called by the interpreter without an event of its own where it is a module's __getattr__. */
static PyObject *unseen(PyObject *module, PyObject *function)
{
    static PyMethodDef call = {"unseen", (PyCFunction)(void (*)(void))call_unseen,
                               METH_VARARGS | METH_KEYWORDS, NULL};
    return PyCFunction_New(&call, function);
}

static PyMethodDef methods[] = {
    {"start", start, METH_VARARGS, "start(name=None, children=False): starts the client"},
    {"unseen", unseen, METH_O,
     "unseen(function): the function, no zones of which are made, nor of what it calls"},
    {"begin_calls", begin_calls, METH_VARARGS, "begin_calls(lines=False): calls become zones"},
    {"end_calls", end_calls, METH_NOARGS, "end_calls(): calls are no zones any more"},
    {"is_connected", is_connected, METH_NOARGS, "is_connected(): whether a recorder is connected"},
    {"is_started", is_started, METH_NOARGS, "is_started(): whether the client runs"},
    {"begin_file", begin_file, METH_VARARGS, "begin_file(path): events go to a saved session from now on"},
    {"end_file", end_file, METH_NOARGS, "end_file(): the saved session is complete"},
    {"begin_memory", begin_memory, METH_NOARGS, "begin_memory(): Python's allocations are marked"},
    {"end_memory", end_memory, METH_NOARGS, "end_memory(): new ones are not marked any more"},
    {"wait_connected", wait_connected, METH_VARARGS, "wait_connected(seconds): waits for a recorder"},
    {"port", port, METH_NOARGS, "port(): where the client listens; 0: it does not"},
    {0},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "tracy._tracy",
    "Markers for Python programs, by Tendril's client.",
    -1,
    methods,
    0,
    0,
    0,
    0,
};

PyMODINIT_FUNC PyInit__tracy(void)
{
    if (td_py_code_begin() || td_py_profiling_init() || td_py_process_init() ||
        PyType_Ready(&td_py_zone_type) < 0)
        return NULL;
    td_py_own_methods(methods);
    td_py_own_methods(td_py_marks);
    td_py_own_methods(td_py_op_marks);
    td_py_own_methods(td_py_zone_methods);
    PyObject *module = PyModule_Create(&definition);
    if (module && !PyModule_AddFunctions(module, td_py_marks) &&
        !PyModule_AddFunctions(module, td_py_op_marks) &&
        !PyModule_AddObjectRef(module, "zone", (PyObject *)&td_py_zone_type))
        return module;
    Py_XDECREF(module);
    return NULL;
}
