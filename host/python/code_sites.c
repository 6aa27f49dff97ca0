#include "host/python/code_sites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sites of calls with their lines are at most so many of all; later ones have the C function alone. */
#define CALL_SITES_MAX 16000u
#define NAME_BYTES     512

static Py_ssize_t extra_index = -1;
static uint64_t codes;

/* Calls that were seen lately: a site for each code object, place in it, and C function. */
#define SEEN 32768u
static struct seen_call {
    uint64_t code; /* td_py_code.number */
    const PyMethodDef *function;
    struct td_py_site *site;
    int32_t at;
} seen[SEEN];

/* Method tables of this extension. */
static const PyMethodDef *own_methods[8];

void td_py_own_methods(const PyMethodDef *methods)
{
    for (unsigned i = 0; i < 8; i++)
        if (!own_methods[i]) {
            own_methods[i] = methods;
            return;
        }
}

static bool is_own(const PyMethodDef *method)
{
    for (unsigned i = 0; i < 8 && own_methods[i]; i++)
        for (const PyMethodDef *own = own_methods[i]; own->ml_name; own++)
            if (own == method)
                return true;
    return false;
}

int td_py_code_begin(void)
{
    if (extra_index < 0)
        extra_index = _PyEval_RequestCodeExtraIndex(free);
    if (extra_index >= 0)
        return 0;
    PyErr_SetString(PyExc_RuntimeError, "the interpreter has no room for more data of code objects");
    return -1;
}

/* "PY_FUNC_name", as tt-metal's tool shows functions. */
static const char *prefixed_name(const char *prefix, PyCodeObject *code)
{
    const char *name = td_py_text_of(code->co_name);
    char text[NAME_BYTES];
    if (!name)
        return NULL;
    snprintf(text, sizeof text, "%s%s", prefix, name);
    return td_py_text(text, strlen(text));
}

static struct td_py_site *place_in_code(const char *prefix, PyCodeObject *code, uint32_t line)
{
    const char *function = prefixed_name(prefix, code), *file = td_py_text_of(code->co_filename);
    return function && file ? td_py_site_at(NULL, function, file, line, 0) : NULL;
}

static struct td_py_code *new_code(PyCodeObject *code)
{
    struct td_py_site *site = place_in_code("PY_FUNC_", code, (uint32_t)code->co_firstlineno);
    struct td_py_code *facts = site ? calloc(1, sizeof *facts) : NULL;
    if (!facts)
        return NULL;
    facts->site = site;
    facts->number = ++codes;
    facts->kind = code->co_flags & (CO_COROUTINE | CO_ITERABLE_COROUTINE) ? TD_PY_COROUTINE : TD_PY_PLAIN;
    facts->is_generator = (code->co_flags & (CO_GENERATOR | CO_ASYNC_GENERATOR)) && !facts->kind;
    if (_PyCode_SetExtra((PyObject *)code, extra_index, facts) < 0) {
        PyErr_Clear();
        free(facts);
        return NULL;
    }
    return facts;
}

struct td_py_code *td_py_code_of(PyCodeObject *code)
{
    void *facts = NULL;
    _PyCode_GetExtra((PyObject *)code, extra_index, &facts);
    return facts ? facts : new_code(code);
}

/* "len", "time.sleep", "str.join". */
static void builtin_name(PyCFunctionObject *builtin, char *name)
{
    const char *own = builtin->m_ml->ml_name, *of = NULL;
    PyObject *self = builtin->m_self;
    if (self && PyType_Check(self))
        of = ((PyTypeObject *)self)->tp_name;
    else if (self && !PyModule_Check(self))
        of = Py_TYPE(self)->tp_name;
    else if (builtin->m_module && PyUnicode_Check(builtin->m_module))
        of = td_py_text_of(builtin->m_module);
    if (of && strcmp(of, "builtins") != 0)
        snprintf(name, NAME_BYTES, "%s.%s", of, own);
    else
        snprintf(name, NAME_BYTES, "%s", own);
}

static struct td_py_site *new_builtin_site(struct td_py_code *caller, PyFrameObject *frame,
                                           PyCFunctionObject *builtin)
{
    char text[NAME_BYTES];
    builtin_name(builtin, text);
    const char *name = td_py_text(text, strlen(text)), *nothing = td_py_text("", 0);
    const struct ___tracy_source_location_data *at = &caller->site->place;
    if (!name || !nothing)
        return NULL;
    if (td_py_site_count() >= CALL_SITES_MAX)
        return td_py_site_at(name, name, nothing, 0, 0);
    return td_py_site_at(name, at->function, at->file, (uint32_t)PyFrame_GetLineNumber(frame), 0);
}

struct td_py_site *td_py_builtin_site(struct td_py_code *caller, PyFrameObject *frame, PyObject *function)
{
    if (!PyCFunction_Check(function))
        return NULL;
    PyCFunctionObject *builtin = (PyCFunctionObject *)function;
    const int at = PyFrame_GetLasti(frame);
    const uint64_t hash = (caller->number * 0x9e3779b97f4a7c15u >> 20) + (uint64_t)at / 2;
    struct seen_call *call = &seen[hash % SEEN];
    if (call->code == caller->number && call->at == at && call->function == builtin->m_ml)
        return call->site;
    const bool own = is_own(builtin->m_ml);
    struct td_py_site *site = own ? NULL : new_builtin_site(caller, frame, builtin);
    if (site || own)
        *call = (struct seen_call){caller->number, builtin->m_ml, site, at};
    return site;
}

struct td_py_site *td_py_line_site(struct td_py_code *facts, PyCodeObject *code, uint32_t line)
{
    if (facts->line_site && facts->line == line)
        return facts->line_site;
    struct td_py_site *site = place_in_code("PY_LINE_", code, line);
    if (site) {
        facts->line_site = site;
        facts->line = line;
    }
    return site;
}
