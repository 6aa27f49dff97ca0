/* Notes: ranges of time that the user has given a text and a colour. They are kept in the order of their
 * starts. Does not draw; knows nothing of the viewer. */
#pragma once
#include "host/base/err.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TD_ANNOTATION_TEXT 200   /* bytes with the NUL */
#define TD_ANNOTATION_MAX  10000 /* notes of a trace */

struct td_annotation {
    int64_t from_ns, to_ns;
    uint32_t color; /* 0xffRRGGBB */
    char text[TD_ANNOTATION_TEXT];
};

struct td_annotations { /* all zero: none */
    struct td_annotation *list;
    size_t count, capacity;
    bool changed; /* since the caller set it to false */
};

/* The index of the new note, or TD_E_NOMEM or TD_E_LIMIT. */
int td_annotations_add(struct td_annotations *notes, const struct td_annotation *note);
void td_annotations_remove(struct td_annotations *notes, size_t index);
void td_annotations_free(struct td_annotations *notes);
/* Colours to choose from; any number gives one. */
uint32_t td_annotation_color(size_t number);

/* An array of {"from_ns", "to_ns", "colour": "#rrggbb", "text"}. NULL: no memory; the caller deletes it. */
cJSON *td_annotations_to_json(const struct td_annotations *notes);
/* Replaces the notes by those of the array; on an error there are none. 0, or TD_E_FORMAT, TD_E_LIMIT or
 * TD_E_NOMEM. */
int td_annotations_from_json(struct td_annotations *notes, const cJSON *array, struct td_err *err);
