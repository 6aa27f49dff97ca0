#include "host/python/process.h"
#include "host/python/code_sites.h"
#include "host/python/profiling.h"

#include "host/client/include/tracy/TracyC.h"

#include <stdlib.h>
#include <unistd.h>

#define FILE_WAIT_MS 5000

static bool is_installed, with_children;

static int connect_wait_ms(void)
{
    const char *text = getenv("TENDRIL_WAIT_CONNECT_MS");
    return text ? atoi(text) : 0;
}

void td_py_process_start(const char *name)
{
    const int ms = connect_wait_ms();
    if (name)
        td_client_set_program_name(name);
    Py_BEGIN_ALLOW_THREADS;
    (void)td_client_wait_connected(ms);
    Py_END_ALLOW_THREADS;
}

void td_py_process_end(void)
{
    if (!___tracy_profiler_started())
        return;
    if (!___tracy_connected())
        (void)td_client_wait_connected(connect_wait_ms());
    ___tracy_shutdown_profiler();
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

/* As os._exit(), which it replaces. */
static PyObject *exit_now(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    static PyObject *interned;
    const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
    if (!interned)
        interned = PyUnicode_InternFromString("status");
    if (count + named != 1 || (named && PyUnicode_Compare(PyTuple_GET_ITEM(names, 0), interned) != 0)) {
        PyErr_Format(PyExc_TypeError, "_exit() takes exactly one argument, status (%zd given)",
                     count + named);
        return NULL;
    }
    const long status = PyLong_AsLong(args[0]);
    if (status == -1 && PyErr_Occurred())
        return NULL;
    td_py_process_end();
    _exit((int)status);
}

static PyMethodDef fork_method = {"after_fork", after_fork, METH_NOARGS, NULL};
static PyMethodDef exit_methods[] = {
    {"_exit", (PyCFunction)(void (*)(void))exit_now, METH_FASTCALL | METH_KEYWORDS, NULL},
    {0},
};

static int replace_exit(PyObject *os)
{
    PyObject *posix = PyImport_ImportModule("posix"), *name = PyUnicode_FromString("posix");
    PyObject *own = posix ? PyObject_GetAttrString(posix, "_exit") : NULL;
    if (own && PyCFunction_Check(own))
        exit_methods->ml_doc = ((PyCFunctionObject *)own)->m_ml->ml_doc;
    td_py_own_methods(exit_methods); /* its zone would never end */
    PyObject *mine = own && name ? PyCFunction_NewEx(exit_methods, posix, name) : NULL;
    const int failed =
        mine ? PyObject_SetAttrString(posix, "_exit", mine) | PyObject_SetAttrString(os, "_exit", mine) : -1;
    Py_XDECREF(mine);
    Py_XDECREF(own);
    Py_XDECREF(name);
    Py_XDECREF(posix);
    return failed;
}

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
    const int failed = os ? register_fork(os) || replace_exit(os) : -1;
    Py_XDECREF(os);
    is_installed = !failed;
    return failed ? -1 : 0;
}
