/* Markers of operations that Python code calls (tendril/ops.h). */
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>

extern PyMethodDef td_py_op_marks[];
