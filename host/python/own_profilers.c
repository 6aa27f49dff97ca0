/* The interpreter reports the return of a call of sys.setprofile() to the profiler that the call has set, if it
 * has reported the call to another one. Without this extension it reports neither. So here the profiler is set
 * when the return has been reported to the extension. */
#include "host/python/own_profilers.h"

static PyObject *setprofile;    /* the interpreter's */
static PyObject *my_setprofile; /* what programs call */

static PyObject *set_profile(PyObject *module, PyObject *function)
{
    struct td_py_thread *thread = td_py_this_thread;
    if (!thread || !thread->is_in_setprofile)
        return PyObject_CallOneArg(setprofile, function);
    Py_XSETREF(thread->wanted, Py_NewRef(function));
    Py_RETURN_NONE;
}

static PyMethodDef method = {"setprofile", set_profile, METH_O, NULL};

int td_py_own_profilers_install(void)
{
    if (my_setprofile)
        return 0;
    PyObject *name = PyUnicode_FromString("sys"), *sys = PyImport_ImportModule("sys");
    setprofile = sys ? PyObject_GetAttrString(sys, "setprofile") : NULL;
    if (setprofile && PyCFunction_Check(setprofile))
        method.ml_doc = ((PyCFunctionObject *)setprofile)->m_ml->ml_doc;
    if (setprofile && name)
        my_setprofile = PyCFunction_NewEx(&method, sys, name);
    const int failed = my_setprofile ? PyObject_SetAttrString(sys, "setprofile", my_setprofile) : -1;
    Py_XDECREF(sys);
    Py_XDECREF(name);
    return failed;
}

void td_py_own_profilers_call(struct td_py_thread *thread, PyObject *function)
{
    thread->is_in_setprofile = function == my_setprofile;
}

void td_py_own_profilers_return(struct td_py_thread *thread)
{
    PyObject *function = thread->wanted;
    thread->is_in_setprofile = false;
    if (!function)
        return;
    thread->wanted = NULL;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *result = PyObject_CallOneArg(setprofile, function);
    PyErr_Clear();
    Py_XDECREF(result);
    PyErr_Restore(type, value, traceback);
    Py_DECREF(function);
}
