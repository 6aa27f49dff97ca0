#include "host/python/process_ends.h"
#include "host/python/code_sites.h"

#include "host/client/include/tracy/TracyC.h"

#include <stdlib.h>
#include <unistd.h>

static PyObject *exit_call(PyObject *module, PyObject *args, PyObject *kwargs);
static PyObject *execv_call(PyObject *module, PyObject *args, PyObject *kwargs);
static PyObject *execve_call(PyObject *module, PyObject *args, PyObject *kwargs);

enum { EXIT, EXECV, EXECVE, ENDS };

static PyMethodDef methods[] = {
    [EXIT] = {"_exit", (PyCFunction)(void (*)(void))exit_call, METH_VARARGS | METH_KEYWORDS, NULL},
    [EXECV] = {"execv", (PyCFunction)(void (*)(void))execv_call, METH_VARARGS | METH_KEYWORDS, NULL},
    [EXECVE] = {"execve", (PyCFunction)(void (*)(void))execve_call, METH_VARARGS | METH_KEYWORDS, NULL},
    [ENDS] = {0},
};
static PyObject *originals[ENDS];

int td_py_connect_wait_ms(void)
{
    const char *text = getenv("TENDRIL_WAIT_CONNECT_MS");
    return text ? atoi(text) : 0;
}

void td_py_process_end(void)
{
    if (!___tracy_profiler_started())
        return;
    if (!___tracy_connected())
        (void)td_client_wait_connected(td_py_connect_wait_ms());
    ___tracy_shutdown_profiler();
}

static PyObject *exit_call(PyObject *module, PyObject *args, PyObject *kwargs)
{
    const Py_ssize_t count = PyTuple_GET_SIZE(args);
    PyObject *status = count    ? PyTuple_GET_ITEM(args, 0)
                       : kwargs ? PyDict_GetItemString(kwargs, "status")
                                : NULL;
    if (status && PyLong_Check(status) && count + (kwargs ? PyDict_GET_SIZE(kwargs) : 0) == 1)
        td_py_process_end();
    return PyObject_Call(originals[EXIT], args, kwargs); /* which returns if the arguments are wrong */
}

/* Whether the program can be run, as far as one can know before. */
static bool is_runnable(PyObject *args)
{
    PyObject *path = NULL;
    if (PyTuple_GET_SIZE(args) < 2)
        return false;
    if (PyLong_Check(PyTuple_GET_ITEM(args, 0))) /* a descriptor */
        return true;
    if (!PyUnicode_FSConverter(PyTuple_GET_ITEM(args, 0), &path)) {
        PyErr_Clear();
        return false;
    }
    const bool runnable = access(PyBytes_AS_STRING(path), X_OK) == 0;
    Py_DECREF(path);
    return runnable;
}

static PyObject *run_program(int which, PyObject *args, PyObject *kwargs)
{
    const bool was_started = is_runnable(args) && ___tracy_profiler_started();
    if (was_started)
        td_py_process_end();
    PyObject *result = PyObject_Call(originals[which], args, kwargs);
    if (was_started) /* the program could not be run: the recording continues as another session */
        ___tracy_startup_profiler();
    return result;
}

static PyObject *execv_call(PyObject *module, PyObject *args, PyObject *kwargs)
{
    return run_program(EXECV, args, kwargs);
}

static PyObject *execve_call(PyObject *module, PyObject *args, PyObject *kwargs)
{
    return run_program(EXECVE, args, kwargs);
}

static int replace_function(int which, PyObject *posix, PyObject *os, PyObject *name)
{
    PyMethodDef *method = &methods[which];
    PyObject *original = PyObject_GetAttrString(posix, method->ml_name);
    if (!original)
        return -1;
    if (PyCFunction_Check(original))
        method->ml_doc = ((PyCFunctionObject *)original)->m_ml->ml_doc;
    PyObject *mine = PyCFunction_NewEx(method, posix, name);
    originals[which] = original;
    const int failed = mine ? PyObject_SetAttrString(posix, method->ml_name, mine) ||
                                  PyObject_SetAttrString(os, method->ml_name, mine)
                            : -1;
    Py_XDECREF(mine);
    return failed ? -1 : 0;
}

int td_py_process_ends_install(void)
{
    if (originals[EXIT])
        return 0;
    PyObject *os = PyImport_ImportModule("os"), *posix = PyImport_ImportModule("posix");
    PyObject *name = PyUnicode_FromString("posix");
    int failed = os && posix && name ? 0 : -1;
    for (int which = 0; which < ENDS && !failed; which++)
        failed = replace_function(which, posix, os, name);
    td_py_own_methods(methods); /* the zones of their calls would never end */
    Py_XDECREF(name);
    Py_XDECREF(posix);
    Py_XDECREF(os);
    return failed;
}
