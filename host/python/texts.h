/* Texts and places that live as long as the process, each once. The client sends names by their addresses, so
 * equal names must have one address. The caller holds the GIL. No function changes a pending exception. */
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include "host/client/include/tracy/TracyC.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The one copy of a text; NULL: no memory. */
const char *td_py_text(const char *text, size_t bytes);
/* The same for a str. What UTF-8 cannot express (surrogates) is escaped. What is no str gives "". */
const char *td_py_text_of(PyObject *text);

/* A place in a program. */
struct td_py_site {
    struct ___tracy_source_location_data place; /* first: zones begin with the address of a site */
    struct td_py_site *next;                    /* of the same bucket */
    struct td_py_fiber *idle;                   /* fibers of ended coroutines that began here (fibers.h) */
    unsigned fibers;                            /* how many were made */
};

/* Traces for stock programs have room for 32,767 places. */
#define TD_PY_SITES_MAX 32000u

/* The one site of that content; all texts come from td_py_text(). `name` may be NULL: the function is shown.
 * When there are TD_PY_SITES_MAX sites, new ones are one site named "(more places)". NULL: no memory. */
struct td_py_site *td_py_site_at(const char *name, const char *function, const char *file, uint32_t line,
                                 uint32_t color);
unsigned td_py_site_count(void);
