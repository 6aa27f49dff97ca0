#include "host/viewer/panels/compare_ranges.h"
#include "host/base/grow.h"
#include "host/base/time_text.h"
#include "host/query/rows/sections.h"
#include "host/viewer/timeline/lod.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Appends the number to a name that there is already. */
static int add_range(struct td_named_ranges *r, const char *name, int64_t from_ns, int64_t to_ns,
                     bool is_note)
{
    struct td_named_range item = {.range = {from_ns, to_ns}, .is_note = is_note};
    unsigned same = 1;
    snprintf(item.name, sizeof item.name, "%.70s", name);
    const size_t length = strlen(item.name);
    for (size_t i = 0; i < r->count; i++)
        same += !strncmp(r->at[i].name, item.name, length) &&
                (!r->at[i].name[length] || r->at[i].name[length] == '#');
    if (same > 1)
        snprintf(item.name + length, sizeof item.name - length, "#%u", same);
    return length ? TD_APPEND(r->at, r->count, r->capacity, item) : 0;
}

int td_named_ranges_make(struct td_named_ranges *r, const struct td_trace *trace,
                         const struct td_annotations *notes)
{
    const struct td_dict *dict = td_trace_dict(trace);
    struct td_sections sections = {0};
    int rc = td_sections_build(&sections, trace);
    *r = (struct td_named_ranges){0};
    for (size_t i = 0; rc == 0 && i < sections.count && i < TD_RANGES_MOST; i++) {
        const struct td_section_item *s = &sections.items[i];
        rc = add_range(r, td_dict_text(dict, s->text), s->start_ns,
                       s->end_ns == TD_OPEN ? INT64_MAX : s->end_ns, false);
    }
    for (size_t i = 0; rc == 0 && i < notes->count; i++)
        rc = add_range(r, notes->list[i].text, notes->list[i].from_ns, notes->list[i].to_ns, true);
    td_sections_free(&sections);
    return rc;
}

void td_named_ranges_free(struct td_named_ranges *r)
{
    free(r->at);
    *r = (struct td_named_ranges){0};
}

int td_named_ranges_find(const struct td_named_ranges *r, const char *text, const char *side,
                         struct td_compare_range *range, struct td_err *err)
{
    const struct td_named_range *part = NULL;
    double from, to;
    size_t parts = 0;
    *range = TD_COMPARE_ALL;
    if (!strcmp(text, "all"))
        return 0;
    for (size_t i = 0; i < r->count; i++) {
        const bool is_name = !strcmp(r->at[i].name, text), has_part = strcasestr(r->at[i].name, text) != NULL;
        if (is_name) {
            *range = r->at[i].range;
            return 0;
        }
        part = has_part ? &r->at[i] : part;
        parts += has_part;
    }
    if (td_range_parse(text, &from, &to) == 0) {
        *range = (struct td_compare_range){td_lod_time(from), td_lod_time(to)};
        return 0;
    }
    if (parts != 1)
        return td_fail(err, TD_E_NOTFOUND, "%s has %s '%.60s'", side,
                       parts ? "several sections and notes with" : "no section and no note", text);
    *range = part->range;
    return 0;
}
