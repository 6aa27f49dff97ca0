#include "host/python/texts.h"
#include "host/base/hash.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 16384u

struct lasting_text {
    struct lasting_text *next;
    size_t bytes;
    char text[];
};

static struct lasting_text *texts[BUCKETS];
static struct td_py_site *sites[BUCKETS];
static unsigned site_count;

static uint64_t hash_bytes(const void *bytes, size_t count)
{
    const uint64_t hash = td_hash(bytes, count);
    return hash ^ hash >> 29;
}

const char *td_py_text(const char *text, size_t bytes)
{
    struct lasting_text **bucket = &texts[hash_bytes(text, bytes) % BUCKETS];
    for (struct lasting_text *kept = *bucket; kept; kept = kept->next)
        if (kept->bytes == bytes && !memcmp(kept->text, text, bytes))
            return kept->text;
    struct lasting_text *kept = malloc(sizeof *kept + bytes + 1);
    if (!kept)
        return NULL;
    memcpy(kept->text, text, bytes);
    kept->text[bytes] = 0;
    kept->bytes = bytes;
    kept->next = *bucket;
    *bucket = kept;
    return kept->text;
}

static const char *text_with_escapes(PyObject *text)
{
    PyErr_Clear();
    PyObject *escaped = PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
    const char *kept = NULL;
    if (escaped)
        kept = td_py_text(PyBytes_AS_STRING(escaped), (size_t)PyBytes_GET_SIZE(escaped));
    else
        PyErr_Clear();
    Py_XDECREF(escaped);
    return kept;
}

const char *td_py_text_of(PyObject *text)
{
    if (!text || !PyUnicode_Check(text))
        return td_py_text("", 0);
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    Py_ssize_t bytes;
    const char *utf8 = PyUnicode_AsUTF8AndSize(text, &bytes);
    const char *kept = utf8 ? td_py_text(utf8, (size_t)bytes) : text_with_escapes(text);
    PyErr_Restore(type, value, traceback);
    return kept;
}

unsigned td_py_site_count(void)
{
    return site_count;
}

struct td_py_site *td_py_site_at(const char *name, const char *function, const char *file, uint32_t line,
                                 uint32_t color)
{
    const struct ___tracy_source_location_data place = {name, function, file, line, color};
    struct td_py_site **bucket = &sites[hash_bytes(&place, sizeof place) % BUCKETS];
    for (struct td_py_site *site = *bucket; site; site = site->next)
        if (!memcmp(&site->place, &place, sizeof place))
            return site;
    if (site_count >= TD_PY_SITES_MAX) {
        static struct td_py_site more = {.place = {"(more places)", "", "", 0, 0}};
        return &more;
    }
    struct td_py_site *site = calloc(1, sizeof *site);
    if (!site)
        return NULL;
    site->place = place;
    site->next = *bucket;
    *bucket = site;
    site_count++;
    return site;
}
