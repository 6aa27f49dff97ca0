/* Notes: facts for which stock formats have no field, as app info lines (proto/notes.h). */
#include "host/trace/note_kinds.h"
#include "host/trace/model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct td_note td_notes[] = {
#define TD_X(key, writer, merge, loss, field, label, head, clock, sentence, meaning)                         \
    {TD_NOTE_##key, #writer, TD_MERGE_##merge, field, label, head, clock, sentence, meaning},
    TD_NOTE_KINDS(TD_X)
#undef TD_X
};

int td_trace_note(struct td_trace *trace, const char *key, const char *format, ...)
{
    char *value = NULL, *line = NULL;
    va_list args;
    va_start(args, format);
    int bytes = vasprintf(&value, format, args);
    va_end(args);
    if (bytes < 0)
        return TD_E_NOMEM;
    bytes = asprintf(&line, "%s: %s", key, value);
    free(value);
    if (bytes < 0)
        return TD_E_NOMEM;
    uint32_t string = td_dict_string(trace->dict, line, (size_t)bytes);
    free(line);
    if (string == UINT32_MAX)
        return TD_E_NOMEM;
    struct td_event event = {.kind = TD_EVENT_APP_INFO, .subject = string};
    struct td_sink sink = td_trace_sink(trace);
    return sink.events(sink.self, &event, 1, NULL);
}

const char *td_trace_next_note(const struct td_trace *trace, const char *key, size_t *next)
{
    size_t bytes = strlen(key);
    size_t count = td_trace_app_infos(trace);
    while (*next < count) {
        const char *text = td_dict_text(trace->dict, td_trace_app_info(trace, (*next)++));
        if (!strncmp(text, key, bytes) && text[bytes] == ':' && text[bytes + 1] == ' ')
            return text + bytes + 2;
    }
    return NULL;
}

const char *td_trace_get_note(const struct td_trace *trace, const char *key, size_t index)
{
    const char *value;
    size_t next = 0;
    do
        value = td_trace_next_note(trace, key, &next);
    while (value && index--);
    return value;
}
