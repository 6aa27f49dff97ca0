#include "host/viewer/model/annotations.h"
#include "host/base/grow.h"
#include "host/base/plain_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPAQUE    0xff000000u
#define MOST_NS   9007199254740992.0 /* a number of JSON is exact up to there: 104 days */
#define TEXT_FORM "#%06x"

uint32_t td_annotation_color(size_t number)
{
    static const uint32_t colors[] = {0xffd6a541, 0xff5fb37c, 0xff6a9fe0, 0xffc678b8, 0xffe0705f, 0xff4fb8b0};
    return colors[number % (sizeof colors / sizeof *colors)];
}

int td_annotations_add(struct td_annotations *notes, const struct td_annotation *note)
{
    size_t at = notes->count;
    if (at >= TD_ANNOTATION_MAX)
        return TD_E_LIMIT;
    if (td_grow(&notes->list, &notes->capacity, at + 1, sizeof *notes->list) < 0)
        return TD_E_NOMEM;
    while (at > 0 && notes->list[at - 1].from_ns > note->from_ns)
        at--;
    memmove(notes->list + at + 1, notes->list + at, (notes->count - at) * sizeof *notes->list);
    notes->list[at] = *note;
    notes->count++;
    notes->changed = true;
    return (int)at;
}

void td_annotations_remove(struct td_annotations *notes, size_t index)
{
    if (index >= notes->count)
        return;
    notes->count--;
    memmove(notes->list + index, notes->list + index + 1, (notes->count - index) * sizeof *notes->list);
    notes->changed = true;
}

void td_annotations_free(struct td_annotations *notes)
{
    free(notes->list);
    *notes = (struct td_annotations){0};
}

/* ---- JSON ---- */

cJSON *td_annotations_to_json(const struct td_annotations *notes)
{
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; array && i < notes->count; i++) {
        const struct td_annotation *note = &notes->list[i];
        char color[16];
        snprintf(color, sizeof color, TEXT_FORM, (unsigned)(note->color & ~OPAQUE));
        cJSON *object = cJSON_CreateObject();
        bool good = cJSON_AddNumberToObject(object, "from_ns", (double)note->from_ns) &&
                    cJSON_AddNumberToObject(object, "to_ns", (double)note->to_ns) &&
                    cJSON_AddStringToObject(object, "colour", color) &&
                    cJSON_AddStringToObject(object, "text", note->text);
        if (good && cJSON_AddItemToArray(array, object))
            continue;
        cJSON_Delete(object);
        cJSON_Delete(array);
        return NULL;
    }
    return array;
}

static bool read_ns(const cJSON *object, const char *name, int64_t *ns)
{
    const cJSON *field = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!cJSON_IsNumber(field) || !(fabs(field->valuedouble) <= MOST_NS))
        return false;
    *ns = (int64_t)field->valuedouble;
    return true;
}

static bool read_note(const cJSON *object, struct td_annotation *note)
{
    const cJSON *text = cJSON_GetObjectItemCaseSensitive(object, "text"),
                *color = cJSON_GetObjectItemCaseSensitive(object, "colour");
    unsigned value;
    char end;
    *note = (struct td_annotation){.color = td_annotation_color(0)};
    if (!read_ns(object, "from_ns", &note->from_ns) || !read_ns(object, "to_ns", &note->to_ns) ||
        note->to_ns < note->from_ns || !cJSON_IsString(text))
        return false;
    td_plain_copy(note->text, sizeof note->text, text->valuestring);
    if (cJSON_IsString(color) && strlen(color->valuestring) == 7 &&
        sscanf(color->valuestring, "#%6x%c", &value, &end) == 1)
        note->color = OPAQUE | value;
    return true;
}

int td_annotations_from_json(struct td_annotations *notes, const cJSON *array, struct td_err *err)
{
    int rc = cJSON_IsArray(array) ? 0 : td_fail(err, TD_E_FORMAT, "notes are an array");
    td_annotations_free(notes);
    for (const cJSON *object = array ? array->child : NULL; rc >= 0 && object; object = object->next) {
        struct td_annotation note;
        if (!read_note(object, &note))
            rc = td_fail(err, TD_E_FORMAT, "note %zu is not a range with a text", notes->count + 1);
        else if ((rc = td_annotations_add(notes, &note)) < 0)
            td_fail(err, rc, "%s", rc == TD_E_LIMIT ? "there are too many notes" : "out of memory");
    }
    if (rc < 0)
        td_annotations_free(notes);
    notes->changed = false;
    return rc < 0 ? rc : 0;
}
