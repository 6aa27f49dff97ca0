#include "host/python/thread_start.h"
#include "host/python/profiling.h"

#include "host/client/include/tracy/TracyC.h"

static PyObject *start_new_thread; /* the interpreter's */

/* What a thread runs: the program's function, between begin and end of profiling. It looks like the program's
 * function in what the interpreter prints about it. */
struct thread_function {
    PyObject_HEAD PyObject *function;
};

/* The name of the threading.Thread whose method the function is. */
static void name_thread(PyObject *function)
{
    PyObject *thread = PyMethod_Check(function) ? PyMethod_GET_SELF(function) : NULL;
    PyObject *name = thread ? PyObject_GetAttrString(thread, "_name") : NULL;
    const char *text = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
    if (text)
        td_client_set_thread_name(text, 0);
    PyErr_Clear();
    Py_XDECREF(name);
}

static PyObject *call_thread_function(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *function = ((struct thread_function *)self)->function;
    name_thread(function);
    td_py_profiling_thread_begins();
    PyObject *result = PyObject_Call(function, args, kwargs);
    td_py_profiling_thread_ends();
    return result;
}

static PyObject *repr_thread_function(PyObject *self)
{
    return PyObject_Repr(((struct thread_function *)self)->function);
}

static void free_thread_function(PyObject *self)
{
    Py_CLEAR(((struct thread_function *)self)->function);
    PyObject_Free(self);
}

static PyTypeObject thread_function_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tracy._tracy.ThreadFunction",
    .tp_basicsize = sizeof(struct thread_function),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_call = call_thread_function,
    .tp_repr = repr_thread_function,
    .tp_dealloc = free_thread_function,
};

static PyObject *start_thread(PyObject *module, PyObject *args)
{
    const Py_ssize_t count = PyTuple_GET_SIZE(args);
    if (count < 2 || !PyCallable_Check(PyTuple_GET_ITEM(args, 0)))
        return PyObject_Call(start_new_thread, args, NULL); /* raises what it always raises */
    struct thread_function *function = PyObject_New(struct thread_function, &thread_function_type);
    if (!function)
        return NULL;
    function->function = Py_NewRef(PyTuple_GET_ITEM(args, 0));
    PyObject *copy = PyTuple_New(count);
    for (Py_ssize_t i = 0; copy && i < count; i++)
        PyTuple_SET_ITEM(copy, i, Py_NewRef(i ? PyTuple_GET_ITEM(args, i) : (PyObject *)function));
    Py_DECREF(function);
    PyObject *result = copy ? PyObject_Call(start_new_thread, copy, NULL) : NULL;
    Py_XDECREF(copy);
    return result;
}

static PyMethodDef start_method = {"start_new_thread", start_thread, METH_VARARGS, NULL};

/* Replaces the function in a module that has it; a module that is not loaded is left out. */
static int replace_in(const char *module_name, const char *name, PyObject *by)
{
    PyObject *modules = PyImport_GetModuleDict();
    PyObject *module = modules ? PyDict_GetItemString(modules, module_name) : NULL;
    return module && PyObject_HasAttrString(module, name) ? PyObject_SetAttrString(module, name, by) : 0;
}

int td_py_thread_start_install(void)
{
    if (start_new_thread)
        return 0;
    PyObject *module = PyImport_ImportModule("_thread");
    PyObject *name = PyUnicode_FromString("_thread"), *mine = NULL;
    int failed = -1;
    if (!module || !name || PyType_Ready(&thread_function_type) < 0)
        goto out;
    start_new_thread = PyObject_GetAttrString(module, "start_new_thread");
    if (!start_new_thread)
        goto out;
    start_method.ml_doc =
        PyCFunction_Check(start_new_thread) ? ((PyCFunctionObject *)start_new_thread)->m_ml->ml_doc : NULL;
    mine = PyCFunction_NewEx(&start_method, module, name);
    if (!mine || replace_in("_thread", "start_new_thread", mine) ||
        replace_in("_thread", "start_new", mine) || replace_in("threading", "_start_new_thread", mine))
        goto out;
    failed = 0;
out:
    Py_XDECREF(mine);
    Py_XDECREF(name);
    Py_XDECREF(module);
    return failed;
}
