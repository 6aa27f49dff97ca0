#include "host/tt/noc_trace_read.h"
#include "host/tt/noc_trace_internal.h"
#include "host/tt/csv_reader.h"
#include "host/tt/json_list.h"

#include <stdio.h>
#include <stdlib.h>

struct td_tt_noc_reader {
    const char *file;
    td_tt_noc_take *take;
    void *self;
    struct td_tt_json_list list;
};

/* ---- objects */

static bool read_text(const struct td_tt_json_member *member, unsigned field, struct td_tt_noc_event *event)
{
    struct td_tt_text *to = field == TD_TT_NOC_PROC   ? &event->proc
                            : field == TD_TT_NOC_ZONE ? &event->zone
                                                      : &event->op_name;
    *to = member->value;
    event->present |= 1u << field;
    return member->kind == '"';
}

static bool read_choice(const struct td_tt_json_member *member, unsigned field, const char *no,
                        const char *yes, struct td_tt_noc_event *event)
{
    const bool is_yes = td_tt_text_is(member->value, yes);
    if (!is_yes && !td_tt_text_is(member->value, no))
        return false;
    td_tt_noc_set(event, (enum td_tt_noc_field)field, is_yes);
    return true;
}

static bool read_value(const struct td_tt_json_member *member, unsigned field, struct td_tt_noc_event *event)
{
    int64_t number;
    switch (td_tt_noc_fields[field].kind) {
    case TD_TT_NOC_IS_NUM:
        if (member->kind != '0' || !td_tt_text_i64(member->value, &number))
            return false;
        td_tt_noc_set(event, (enum td_tt_noc_field)field, number);
        return true;
    case TD_TT_NOC_IS_NOC:
        return member->kind == '"' && read_choice(member, field, "NOC_0", "NOC_1", event);
    case TD_TT_NOC_IS_BOOL:
        return member->kind == '0' && read_choice(member, field, "false", "true", event);
    case TD_TT_NOC_IS_PHASE:
        return member->kind == '"' &&
               (read_choice(member, field, TD_TT_NOC_BEGIN, TD_TT_NOC_END, event) ||
                read_choice(member, field, TD_TT_NOC_OLD_BEGIN, TD_TT_NOC_OLD_END, event));
    case TD_TT_NOC_IS_TYPE:
        event->type = member->value;
        td_tt_noc_set(event, TD_TT_NOC_TYPE, td_tt_noc_type_read(member->value));
        return member->kind == '"';
    default:
        return read_text(member, field, event);
    }
}

static int fail_member(const struct td_tt_noc_reader *reader, uint64_t line, struct td_tt_text key,
                       struct td_err *err)
{
    return td_csv_fail(err, reader->file, line,
                       "in the object that begins here, '%.*s' has no value that makes sense",
                       (int)(key.bytes < 40 ? key.bytes : 40), key.at);
}

static enum td_tt_noc_where where_of(unsigned field)
{
    const enum td_tt_noc_where where = td_tt_noc_fields[field].where;
    return where < TD_TT_NOC_IN_EVENT ? TD_TT_NOC_IN_EVENT : where;
}

/* Reads the members of an object; those of `fabric_send` and `fabric_mux` by a call for each. */
static int read_members(const struct td_tt_noc_reader *reader, struct td_tt_text text,
                        enum td_tt_noc_where where, uint64_t line, struct td_tt_noc_event *event,
                        struct td_err *err)
{
    struct td_tt_json_member member;
    size_t at = 0;
    int more;
    while ((more = td_tt_json_next(text, &at, &member)) > 0) {
        const enum td_tt_noc_where inner =
            where == TD_TT_NOC_IN_EVENT && td_tt_text_is(member.key, TD_TT_NOC_SEND) ? TD_TT_NOC_IN_SEND
            : where == TD_TT_NOC_IN_SEND && td_tt_text_is(member.key, TD_TT_NOC_MUX) ? TD_TT_NOC_IN_MUX
                                                                                     : TD_TT_NOC_IN_EVENT;
        if (inner != TD_TT_NOC_IN_EVENT && member.kind == '{') {
            const int bad = read_members(reader, member.value, inner, line, event, err);
            if (bad)
                return bad;
            continue;
        }
        for (unsigned i = 0; i < TD_TT_NOC_FIELD_COUNT; i++)
            if (where_of(i) == where && td_tt_text_is(member.key, td_tt_noc_fields[i].name)) {
                if (!read_value(&member, i, event))
                    return fail_member(reader, line, member.key, err);
                break;
            }
    }
    return more ? td_csv_fail(err, reader->file, line, "the object that begins here is damaged") : 0;
}

static int take_object(void *self, struct td_tt_text text, uint64_t line, struct td_err *err)
{
    const struct td_tt_noc_reader *reader = self;
    static const uint8_t needed[] = {TD_TT_NOC_PROC, TD_TT_NOC_SX, TD_TT_NOC_SY, TD_TT_NOC_TIMESTAMP};
    struct td_tt_noc_event event = {.proc = TD_TT_TEXT_NONE,
                                    .zone = TD_TT_TEXT_NONE,
                                    .op_name = TD_TT_TEXT_NONE,
                                    .type = TD_TT_TEXT_NONE};
    const int bad = read_members(reader, text, TD_TT_NOC_IN_EVENT, line, &event, err);
    if (bad)
        return bad;
    for (size_t i = 0; i < sizeof needed; i++)
        if (!td_tt_noc_has(&event, needed[i]))
            return td_csv_fail(err, reader->file, line, "the object that begins here has no '%s'",
                               td_tt_noc_fields[needed[i]].name);
    if (!td_tt_noc_has(&event, TD_TT_NOC_TYPE) &&
        !(td_tt_noc_has(&event, TD_TT_NOC_ZONE) && td_tt_noc_has(&event, TD_TT_NOC_ZONE_PHASE)))
        return td_csv_fail(err, reader->file, line, "the object that begins here has no '%s' and no '%s'",
                           td_tt_noc_fields[TD_TT_NOC_TYPE].name, td_tt_noc_fields[TD_TT_NOC_ZONE].name);
    return reader->take(reader->self, &event, line, err);
}

/* ---- the interface */

struct td_tt_noc_reader *td_tt_noc_reader_create(const char *file, td_tt_noc_take *take, void *self)
{
    struct td_tt_noc_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return NULL;
    *reader = (struct td_tt_noc_reader){.file = file, .take = take, .self = self};
    reader->list = (struct td_tt_json_list){.object = take_object, .self = reader, .file = file};
    return reader;
}

void td_tt_noc_reader_destroy(struct td_tt_noc_reader *reader)
{
    if (!reader)
        return;
    td_tt_json_list_free(&reader->list);
    free(reader);
}

int td_tt_noc_reader_feed(struct td_tt_noc_reader *reader, const void *bytes, size_t count,
                          struct td_err *err)
{
    return td_tt_json_list_feed(&reader->list, bytes, count, err);
}

int td_tt_noc_reader_end_stream(struct td_tt_noc_reader *reader, bool *cut, struct td_err *err)
{
    return td_tt_json_list_end_stream(&reader->list, cut, err);
}

bool td_tt_noc_begins(const void *bytes, size_t count)
{
    struct td_tt_text text = td_tt_text_trim((struct td_tt_text){bytes, count < 4096 ? count : 4096});
    if (td_tt_text_begins(text, "\xef\xbb\xbf"))
        text = td_tt_text_trim((struct td_tt_text){text.at + 3, text.bytes - 3});
    return text.bytes && *text.at == '[' && memmem(text.at, text.bytes, "\"proc\"", 6) &&
           memmem(text.at, text.bytes, "\"sx\"", 4);
}

/* The last place of a word in a text; NULL: none. */
static const char *last_of(struct td_tt_text text, const char *word)
{
    const char *last = NULL, *found = text.at;
    const size_t bytes = strlen(word);
    while ((found = memmem(found, text.bytes - (size_t)(found - text.at), word, bytes)) != NULL)
        last = found++;
    return last;
}

static bool take_number(struct td_tt_text *text, uint32_t *number)
{
    size_t digits = 0;
    while (digits < text->bytes && text->at[digits] >= '0' && text->at[digits] <= '9')
        digits++;
    if (!td_tt_text_u32((struct td_tt_text){text->at, digits}, number))
        return false;
    *text = (struct td_tt_text){text->at + digits, text->bytes - digits};
    return true;
}

bool td_tt_noc_file_read(const char *path, struct td_tt_noc_file *file)
{
    const char *slash = strrchr(path, '/');
    const char *dev = strstr(slash ? slash : path, TD_TT_NOC_PREFIX);
    *file = (struct td_tt_noc_file){.trace_id = UINT32_MAX, .op_name = TD_TT_TEXT_NONE};
    if (!dev)
        return false;
    struct td_tt_text rest = td_tt_text_of(dev + strlen(TD_TT_NOC_PREFIX));
    const char *dot = memrchr(rest.at, '.', rest.bytes);
    if (dot)
        rest.bytes = (size_t)(dot - rest.at);
    const char *id = last_of(rest, "_ID");
    if (!take_number(&rest, &file->device) || !id)
        return false;
    const char *name_end = id;
    struct td_tt_text after = {id + 3, (size_t)(rest.at + rest.bytes - id) - 3};
    if (!take_number(&after, &file->run_host_id))
        return false;
    if (td_tt_text_begins(after, "_traceID")) {
        after = (struct td_tt_text){after.at + 8, after.bytes - 8};
        if (!take_number(&after, &file->trace_id))
            return false;
    }
    if (name_end > rest.at && *rest.at == '_')
        file->op_name = (struct td_tt_text){rest.at + 1, (size_t)(name_end - rest.at) - 1};
    return !after.bytes;
}
