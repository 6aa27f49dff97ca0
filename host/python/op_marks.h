/* Markers of operations that Python code calls (tendril/ops.h). */
#ifndef TD_HOST_PYTHON_OP_MARKS_H
#define TD_HOST_PYTHON_OP_MARKS_H
#define PY_SSIZE_T_CLEAN
#include <Python.h>

extern PyMethodDef td_py_op_marks[];
#endif
