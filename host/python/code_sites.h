/* The sites of code objects and of calls of functions that are written in C. A code object has its site in its
 * extra data, so that an event of the interpreter finds it without a search. The caller holds the GIL. */
#pragma once
#include "host/python/texts.h"

#include <stdint.h>

/* How the zone of a frame behaves when the frame is suspended. */
enum td_py_kind {
    TD_PY_PLAIN,       /* functions, and generators: a zone from each resume to each yield */
    TD_PY_COROUTINE,   /* the zone stays open while the coroutine waits */
    TD_PY_IN_COROUTINE /* a zone within a coroutine's frame: a line, a zone of the program, a generator */
};

struct td_py_code {
    struct td_py_site *site;
    struct td_py_site *line_site; /* of the line that was shown last; line mode */
    uint64_t number;              /* of the code object: never used again */
    uint32_t line;                /* of line_site */
    uint8_t kind;                 /* enum td_py_kind */
    uint8_t is_generator;
};

/* 0, or -1 with a Python exception. */
int td_py_code_begin(void);
/* What is known about the code; NULL: no memory. */
struct td_py_code *td_py_code_of(PyCodeObject *code);
/* Calls of these methods, which end with one without a name, have no site. */
void td_py_own_methods(const PyMethodDef *methods);
/* The site of a call of a function that is written in C, at the frame's place. NULL: it has none. It has the C
 * function's name, and function, file and line of the calling frame. */
struct td_py_site *td_py_builtin_site(struct td_py_code *caller, PyFrameObject *frame, PyObject *builtin);
/* The site of a line of the code. */
struct td_py_site *td_py_line_site(struct td_py_code *facts, PyCodeObject *code, uint32_t line);
