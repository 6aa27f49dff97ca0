#include "host/python/op_marks.h"

#include "host/client/include/tracy/TracyC.h"
#include "host/client/include/tendril/ops.h"

static PyObject *op_begin(PyObject *module, PyObject *args)
{
    struct td_op_about about = {0};
    unsigned device;
    if (!PyArg_ParseTuple(args, "sIzzzz:op_begin", &about.name, &device, &about.attributes, &about.inputs,
                          &about.outputs, &about.more))
        return NULL;
    if (device >= 1024) {
        PyErr_SetString(PyExc_ValueError, "the number of a device is below 1024");
        return NULL;
    }
    about.device = device;
    const struct td_op_call op = td_op_begin(&about);
    return Py_BuildValue("II", op.id, op.zone);
}

static PyObject *op_end(PyObject *module, PyObject *args)
{
    struct td_op_call op;
    if (!PyArg_ParseTuple(args, "II:op_end", &op.id, &op.zone))
        return NULL;
    td_op_end(op);
    return Py_NewRef(Py_None);
}

PyMethodDef td_py_op_marks[] = {
    {"op_begin", op_begin, METH_VARARGS,
     "op_begin(name, device, attributes, inputs, outputs, more): (id, zone); the last four are JSON or None"},
    {"op_end", op_end, METH_VARARGS, "op_end(id, zone): the operation ends"},
    {0},
};
