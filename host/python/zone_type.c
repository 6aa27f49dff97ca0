#include "host/python/zone_type.h"
#include "host/python/threads.h"

#include <string.h>

struct zone_object {
    PyObject_HEAD PyObject *name; /* str, or None: the function is shown */
    PyObject *text;               /* str, or NULL */
    PyObject *code;               /* of the function that the zone is of; NULL: the calling one */
    unsigned color;
    uint32_t zone; /* the one that was begun last */
};

/* Sites of zones that were begun lately. The names are references of their own, so that equal addresses are
 * equal names. */
#define SEEN 2048u
static struct seen_zone {
    uint64_t code; /* td_py_code.number */
    PyObject *name;
    const struct td_py_site *site;
    int at;
    unsigned color;
} seen[SEEN];

static PyObject *decorate(PyObject *self, PyObject *args, PyObject *kwargs);

static PyObject *make_zone(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"name", "color", "text", "code", NULL};
    PyObject *name = Py_None, *text = NULL, *code = NULL;
    unsigned color = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OIOO:zone", names, &name, &color, &text, &code))
        return NULL;
    if (PyFunction_Check(name)) { /* @zone */
        PyObject *zone = PyObject_CallNoArgs((PyObject *)type), *only = PyTuple_Pack(1, name);
        PyObject *function = zone && only ? decorate(zone, only, NULL) : NULL;
        Py_XDECREF(only);
        Py_XDECREF(zone);
        return function;
    }
    if (text == Py_None)
        text = NULL;
    if (code == Py_None)
        code = NULL;
    if ((name != Py_None && !PyUnicode_Check(name)) || (text && !PyUnicode_Check(text)) ||
        (code && !PyCode_Check(code))) {
        PyErr_SetString(PyExc_TypeError,
                        "zone(name: str = None, color: int = 0, text: str = None, code=None)");
        return NULL;
    }
    struct zone_object *self = (struct zone_object *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->name = Py_NewRef(name);
    self->text = Py_XNewRef(text);
    self->code = Py_XNewRef(code);
    self->color = color;
    self->zone = TD_CLIENT_OFF;
    return (PyObject *)self;
}

static void free_zone(PyObject *object)
{
    struct zone_object *self = (struct zone_object *)object;
    Py_CLEAR(self->name);
    Py_CLEAR(self->text);
    Py_CLEAR(self->code);
    Py_TYPE(object)->tp_free(object);
}

static const struct td_py_site *new_site(const struct zone_object *self, PyCodeObject *code, int line)
{
    const char *name = self->name == Py_None ? NULL : td_py_text_of(self->name);
    const char *function = td_py_text_of(code->co_qualname), *file = td_py_text_of(code->co_filename);
    return function && file ? td_py_site_at(name, function, file, (uint32_t)line, self->color) : NULL;
}

static const struct td_py_site *site_in_code(const struct zone_object *self, PyCodeObject *code,
                                             PyFrameObject *frame)
{
    const struct td_py_code *facts = td_py_code_of(code);
    if (!facts)
        return NULL;
    const int at = frame ? PyFrame_GetLasti(frame) : -1;
    struct seen_zone *zone = &seen[(facts->number * 31 + (unsigned)at / 2) % SEEN];
    if (zone->code == facts->number && zone->at == at && zone->name == self->name &&
        zone->color == self->color)
        return zone->site;
    const struct td_py_site *site =
        new_site(self, code, frame ? PyFrame_GetLineNumber(frame) : code->co_firstlineno);
    if (!site)
        return NULL;
    Py_XDECREF(zone->name);
    *zone = (struct seen_zone){facts->number, Py_NewRef(self->name), site, at, self->color};
    return site;
}

static const struct td_py_site *site_of(const struct zone_object *self)
{
    if (self->code)
        return site_in_code(self, (PyCodeObject *)self->code, NULL);
    PyFrameObject *frame = PyEval_GetFrame();
    if (!frame)
        return NULL;
    PyCodeObject *code = PyFrame_GetCode(frame);
    const struct td_py_site *site = site_in_code(self, code, frame);
    Py_DECREF(code);
    return site;
}

static void put_text(uint32_t zone, PyObject *text)
{
    Py_ssize_t bytes;
    const char *utf8 = PyUnicode_AsUTF8AndSize(text, &bytes);
    if (utf8)
        ___tracy_emit_zone_text((TracyCZoneCtx){zone, zone != TD_CLIENT_OFF}, utf8, (size_t)bytes);
    else
        PyErr_Clear();
}

static PyObject *enter_zone(PyObject *object, PyObject *unused)
{
    struct zone_object *self = (struct zone_object *)object;
    struct td_py_thread *thread = td_py_thread_here();
    const struct td_py_site *site = td_client_is_live() ? site_of(self) : NULL;
    self->zone = TD_CLIENT_OFF;
    if (thread && site) {
        const uint32_t kind = td_py_stack_kind(thread->now) ? TD_PY_IN_COROUTINE : TD_PY_PLAIN;
        self->zone = td_py_zone_begin(thread->now, object, kind, site);
        if (self->text)
            put_text(self->zone, self->text);
    }
    return Py_NewRef(object);
}

static PyObject *exit_zone(PyObject *object, PyObject *const *args, Py_ssize_t count)
{
    struct td_py_thread *thread = td_py_this_thread;
    if (thread)
        td_py_zone_end(thread->now, object);
    return Py_NewRef(Py_None);
}

static PyObject *zone_text(PyObject *object, PyObject *text)
{
    if (!PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "text(str)");
        return NULL;
    }
    put_text(((struct zone_object *)object)->zone, text);
    Py_RETURN_NONE;
}

static PyObject *zone_name(PyObject *object, PyObject *name)
{
    const uint32_t zone = ((struct zone_object *)object)->zone;
    Py_ssize_t bytes;
    const char *utf8 = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, &bytes) : NULL;
    if (!utf8) {
        PyErr_SetString(PyExc_TypeError, "name(str)");
        return NULL;
    }
    ___tracy_emit_zone_name((TracyCZoneCtx){zone, zone != TD_CLIENT_OFF}, utf8, (size_t)bytes);
    Py_RETURN_NONE;
}

static PyObject *zone_value(PyObject *object, PyObject *value)
{
    const unsigned long long number = PyLong_AsUnsignedLongLongMask(value);
    if (PyErr_Occurred())
        return NULL;
    td_client_zone_word(((struct zone_object *)object)->zone, TD_CLIENT_ZONE_VALUE, number);
    Py_RETURN_NONE;
}

static PyObject *zone_color(PyObject *object, PyObject *value)
{
    const unsigned long number = PyLong_AsUnsignedLongMask(value);
    if (PyErr_Occurred())
        return NULL;
    td_client_zone_word(((struct zone_object *)object)->zone, TD_CLIENT_ZONE_COLOR, number & 0xffffff);
    Py_RETURN_NONE;
}

/* zone(...)(function): the function with this zone around each of its calls. */
static PyObject *decorate(PyObject *object, PyObject *args, PyObject *kwargs)
{
    const struct zone_object *self = (const struct zone_object *)object;
    if (PyTuple_GET_SIZE(args) != 1 || kwargs) {
        PyErr_SetString(PyExc_TypeError, "a zone decorates one function");
        return NULL;
    }
    struct td_py_thread *thread = td_py_thread_here();
    if (thread)
        thread->unseen++;
    PyObject *markers = PyImport_ImportModule("tracy.markers");
    PyObject *text = self->text ? self->text : Py_None;
    PyObject *result = markers ? PyObject_CallMethod(markers, "decorated", "OOIO", PyTuple_GET_ITEM(args, 0),
                                                     self->name, self->color, text)
                               : NULL;
    Py_XDECREF(markers);
    if (thread)
        thread->unseen--;
    return result;
}

PyMethodDef td_py_zone_methods[] = {
    {"__enter__", enter_zone, METH_NOARGS, NULL},
    {"__exit__", (PyCFunction)(void (*)(void))exit_zone, METH_FASTCALL, NULL},
    {"text", zone_text, METH_O, "text(text): adds a text to the zone"},
    {"name", zone_name, METH_O, "name(name): names this zone alone"},
    {"value", zone_value, METH_O, "value(number): adds a number to the zone"},
    {"color", zone_color, METH_O, "color(0xRRGGBB): colours this zone alone"},
    {0},
};

PyTypeObject td_py_zone_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tracy.zone",
    .tp_doc =
        "zone(name=None, color=0, text=None, code=None): `with zone('load'):`, `@zone`, `@zone('load')`",
    .tp_basicsize = sizeof(struct zone_object),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_new = make_zone,
    .tp_dealloc = free_zone,
    .tp_call = decorate,
    .tp_methods = td_py_zone_methods,
};
