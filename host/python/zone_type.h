/* The type tracy.zone: a context manager whose body is a zone, and a decorator. */
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>

extern PyTypeObject td_py_zone_type;
extern PyMethodDef td_py_zone_methods[];
