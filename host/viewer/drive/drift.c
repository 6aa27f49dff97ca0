#include "host/viewer/drive/drift.h"
#include "host/base/time_text.h"
#include "host/viewer/model/gpu_clocks.h"

#include <stdlib.h>
#include <string.h>

/* The number of the context; the number of contexts: there is none of that name or number. */
static uint32_t find_context(const struct td_view_model *model, const char *text)
{
    const uint32_t contexts = td_view_gpu_contexts(model);
    char name[40], *end;
    const unsigned long number = strtoul(text, &end, 10);
    if (*text && !*end)
        return number < contexts ? (uint32_t)number : contexts;
    for (uint32_t c = 0; c < contexts; c++)
        if (!strcmp(td_view_gpu_name(model, c, name, sizeof name), text))
            return c;
    return contexts;
}

int td_drive_drift(struct td_view_model *model, const char *context, const char *drift, const char *offset,
                   struct td_err *err)
{
    const uint32_t number = find_context(model, context);
    const bool measure = !strcmp(drift, "auto");
    double offset_ns = 0;
    char *end;
    const double value = strtod(drift, &end);
    if (number == td_view_gpu_contexts(model))
        return td_fail(err, TD_E_NOTFOUND, "there is no GPU context '%.80s'", context);
    if (!measure && (!*drift || *end))
        return td_fail(err, TD_E_USAGE, "'%.80s' is not auto, nor a number of ns for each s", drift);
    const bool negative = offset && *offset == '-';
    if (offset && td_time_parse(offset + negative, strlen(offset + negative), &offset_ns) < 0)
        return td_fail(err, TD_E_USAGE, "'%.80s' is not a time such as -1.2us (units: " TD_TIME_UNITS ")",
                       offset);
    return td_view_set_gpu_clock(model, number, measure ? NULL : &value, negative ? -offset_ns : offset_ns,
                                 err);
}
