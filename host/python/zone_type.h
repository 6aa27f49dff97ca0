/* The type tracy.zone: a context manager whose body is a zone, and a decorator. */
#ifndef TD_HOST_PYTHON_ZONE_TYPE_H
#define TD_HOST_PYTHON_ZONE_TYPE_H
#define PY_SSIZE_T_CLEAN
#include <Python.h>

extern PyTypeObject td_py_zone_type;
extern PyMethodDef td_py_zone_methods[];
#endif
