/* Markers that Python code calls: messages, plots, frames, memory and names. */
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>

extern PyMethodDef td_py_marks[];
