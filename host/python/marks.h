/* Markers that Python code calls: messages, plots, frames, memory and names. */
#ifndef TD_HOST_PYTHON_MARKS_H
#define TD_HOST_PYTHON_MARKS_H
#define PY_SSIZE_T_CLEAN
#include <Python.h>

extern PyMethodDef td_py_marks[];
#endif
