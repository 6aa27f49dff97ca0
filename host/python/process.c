#include "host/python/process.h"
#include "host/python/process_ends.h"
#include "host/python/profiling.h"

#include "host/client/include/tracy/TracyC.h"

#include <stdlib.h>

#define FILE_WAIT_MS 5000

static bool is_installed, with_children;

void td_py_process_start(const char *name)
{
    const int ms = td_py_connect_wait_ms();
    if (name)
        td_client_set_program_name(name);
    Py_BEGIN_ALLOW_THREADS;
    (void)td_client_wait_connected(ms);
    Py_END_ALLOW_THREADS;
}

bool td_py_process_begin_file(const char *path)
{
    bool is_open;
    Py_BEGIN_ALLOW_THREADS;
    ___tracy_shutdown_profiler();
    setenv("TENDRIL_SAVE", path, 1);
    ___tracy_startup_profiler();
    is_open = td_client_wait_connected(FILE_WAIT_MS); /* the client's thread reads the variable */
    unsetenv("TENDRIL_SAVE");
    Py_END_ALLOW_THREADS;
    return is_open;
}

void td_py_process_end_file(void)
{
    Py_BEGIN_ALLOW_THREADS;
    ___tracy_shutdown_profiler();
    Py_END_ALLOW_THREADS;
}

int td_py_process_init(void)
{
    if (Py_AtExit(td_py_process_end) == 0)
        return 0;
    PyErr_SetString(PyExc_RuntimeError, "the interpreter has no room for another exit function");
    return -1;
}

/* In the child of os.fork(). */
static PyObject *after_fork(PyObject *module, PyObject *unused)
{
    td_py_profiling_forked();
    if (with_children)
        ___tracy_startup_profiler();
    else
        td_py_profiling_end();
    Py_RETURN_NONE;
}

static PyMethodDef fork_method = {"after_fork", after_fork, METH_NOARGS, NULL};
static int register_fork(PyObject *os)
{
    PyObject *mine = PyCFunction_New(&fork_method, NULL), *args = PyTuple_New(0);
    PyObject *kwargs = mine ? Py_BuildValue("{sO}", "after_in_child", mine) : NULL;
    PyObject *function = PyObject_GetAttrString(os, "register_at_fork");
    PyObject *result = kwargs && args && function ? PyObject_Call(function, args, kwargs) : NULL;
    Py_XDECREF(function);
    Py_XDECREF(kwargs);
    Py_XDECREF(args);
    Py_XDECREF(mine);
    Py_XDECREF(result);
    return result ? 0 : -1;
}

int td_py_process_install(bool children)
{
    with_children = children;
    if (is_installed)
        return 0;
    PyObject *os = PyImport_ImportModule("os");
    const int failed = os ? register_fork(os) || td_py_process_ends_install() : -1;
    Py_XDECREF(os);
    is_installed = !failed;
    return failed ? -1 : 0;
}
