#include "host/report/tt/python_text.h"
#include "host/base/grow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct text_builder {
    char *text;
    size_t bytes, room;
    bool no_memory;
};

static void put(struct text_builder *to, const char *text, size_t bytes)
{
    if (to->no_memory || td_grow(&to->text, &to->room, to->bytes + bytes, 1) < 0) {
        to->no_memory = true;
        return;
    }
    memcpy(to->text + to->bytes, text, bytes);
    to->bytes += bytes;
}

static void put_string(struct text_builder *to, const char *text)
{
    put(to, text, strlen(text));
}

static void put_quoted(struct text_builder *to, const char *text)
{
    const char quote = strchr(text, '\'') && !strchr(text, '"') ? '"' : '\'';
    put(to, &quote, 1);
    for (; *text; text++) {
        if (*text == quote || *text == '\\')
            put(to, "\\", 1);
        if (*text == '\n')
            put(to, "\\n", 2);
        else
            put(to, text, 1);
    }
    put(to, &quote, 1);
}

static void put_number(struct text_builder *to, double value)
{
    char text[40];
    if (value == floor(value) && fabs(value) < 9007199254740992.0) {
        snprintf(text, sizeof text, "%.0f", value);
    } else {
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(text, sizeof text, "%.*g", digits, value);
            if (strtod(text, NULL) == value)
                break;
        }
    }
    put_string(to, text);
}

/* Depth: the parser allows 1000 levels. */
static void put_value(struct text_builder *to, const cJSON *value, bool quoted)
{
    const cJSON *child;
    if (cJSON_IsString(value) && quoted) {
        put_quoted(to, value->valuestring);
    } else if (cJSON_IsString(value)) {
        put_string(to, value->valuestring);
    } else if (cJSON_IsNumber(value)) {
        put_number(to, value->valuedouble);
    } else if (cJSON_IsBool(value)) {
        put_string(to, cJSON_IsTrue(value) ? "True" : "False");
    } else if (cJSON_IsArray(value) || cJSON_IsObject(value)) {
        put_string(to, cJSON_IsArray(value) ? "[" : "{");
        cJSON_ArrayForEach(child, value)
        {
            if (child != value->child)
                put_string(to, ", ");
            if (cJSON_IsObject(value)) {
                put_quoted(to, child->string);
                put_string(to, ": ");
            }
            put_value(to, child, true);
        }
        put_string(to, cJSON_IsArray(value) ? "]" : "}");
    } else if (value) {
        put_string(to, "None");
    }
}

struct td_tt_text td_python_text(struct td_text_arena *arena, const cJSON *value)
{
    struct text_builder builder = {0};
    put_value(&builder, value, false);
    const struct td_tt_text text = td_text_arena_copy(arena, builder.text ? builder.text : "", builder.bytes);
    arena->no_memory |= builder.no_memory;
    free(builder.text);
    return text;
}
