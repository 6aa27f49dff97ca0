/* What programs write for the kernel's trace, as Android's do: "B|PID|NAME" begins a zone of the thread, "E" ends it,
 * "C|PID|NAME|VALUE" is a counter, "S|PID|NAME|COOKIE" and "F|PID|NAME|COOKIE" are an operation, "I|PID|NAME" is an
 * instant; "G|PID|TRACK|NAME|COOKIE", "H|PID|TRACK|COOKIE" and "N|PID|TRACK|NAME" are the same of a track. Any other text
 * is a message. */
#include "host/agent/import/perfetto_trace.h"

#include <math.h>
#include <stdlib.h>

#define PARTS 5

struct parts {
    struct td_timeline_id at[PARTS];
    size_t count;
};

/* The last part may have more bars. */
static struct parts split(struct td_timeline_id text)
{
    struct parts parts = {.count = 0};
    for (;;) {
        const char *bar = parts.count < PARTS - 1 ? memchr(text.at, '|', text.bytes) : NULL;
        const size_t bytes = bar ? (size_t)(bar - text.at) : text.bytes;
        parts.at[parts.count++] = (struct td_timeline_id){text.at, bytes};
        if (!bar)
            return parts;
        text.at = bar + 1;
        text.bytes -= bytes + 1;
    }
}

static uint32_t string_of(const struct td_perfetto *perfetto, struct td_timeline_id text)
{
    return td_dict_string(perfetto->dict, text.at, text.bytes);
}

static int add_begin(struct td_perfetto *perfetto, struct td_timeline_place at, struct td_timeline_id name)
{
    const uint32_t string = string_of(perfetto, name);
    const struct td_srcloc srcloc = {.function = string};
    const uint32_t place = string == UINT32_MAX ? UINT32_MAX : td_dict_srcloc(perfetto->dict, &srcloc);
    return place == UINT32_MAX ? TD_E_NOMEM : td_timeline_begin(perfetto->timeline, at, place, string, 0);
}

static int add_message(struct td_perfetto *perfetto, struct td_timeline_place at, struct td_timeline_id text)
{
    const uint32_t string = string_of(perfetto, text);
    return string == UINT32_MAX ? TD_E_NOMEM : td_timeline_message(perfetto->timeline, at, string);
}

static int add_counter(struct td_perfetto *perfetto, uint32_t process, int64_t time_ns,
                       struct td_timeline_id name, struct td_timeline_id value)
{
    char text[64], *end;
    const size_t bytes = value.bytes < sizeof text ? value.bytes : sizeof text - 1;
    memcpy(text, value.at, bytes);
    text[bytes] = 0;
    const double number = strtod(text, &end);
    if (end == text || !isfinite(number))
        return td_pf_lose(perfetto, TD_LOSS_VALUE);
    return td_timeline_point(perfetto->timeline, process, time_ns, name, (struct td_timeline_id){"", 0},
                             number);
}

/* An operation, known by its cookie and the name of its track. */
static int add_operation(struct td_perfetto *perfetto, uint32_t process, int64_t time_ns,
                         struct td_timeline_id track, struct td_timeline_id cookie,
                         const struct td_timeline_id *begins)
{
    struct td_text *key = &perfetto->text;
    key->bytes = 0;
    int bad = td_text_add(key, (const char *)&process, sizeof process);
    bad = bad ? bad : td_text_add(key, track.at, track.bytes);
    bad = bad ? bad : td_text_add(key, "|", 1);
    bad = bad ? bad : td_text_add(key, cookie.at, cookie.bytes);
    const uint32_t operation = bad ? UINT32_MAX
                                   : td_timeline_operation(perfetto->timeline, process, track,
                                                           (struct td_timeline_id){key->at, key->bytes});
    const struct td_timeline_place at = {time_ns, operation, true};
    if (operation == UINT32_MAX)
        return TD_E_NOMEM;
    return begins ? add_begin(perfetto, at, *begins) : td_timeline_end(perfetto->timeline, at, 0, 0);
}

int td_pf_take_print(struct td_perfetto *perfetto, uint32_t thread, int64_t time_ns,
                     struct td_timeline_id text)
{
    while (text.bytes && (text.at[text.bytes - 1] == '\n' || text.at[text.bytes - 1] == '\r'))
        text.bytes--;
    const struct parts parts = split(text);
    const struct td_timeline_place at = {.time_ns = time_ns, .owner = thread};
    const struct td_timeline_id *p = parts.at;
    const char kind = p[0].bytes == 1 ? *p[0].at : 0;
    if (kind == 'E')
        return td_timeline_end(perfetto->timeline, at, 0, 0);
    const uint32_t process = kind && parts.count > 2 ? td_timeline_process(perfetto->timeline, p[1]) : 0;
    if (process == UINT32_MAX)
        return TD_E_NOMEM;
    if (kind == 'B' && parts.count > 2) /* its name may have bars */
        return add_begin(perfetto, at,
                         (struct td_timeline_id){p[2].at, text.bytes - (size_t)(p[2].at - text.at)});
    if (kind == 'C' && parts.count > 3)
        return add_counter(perfetto, process, time_ns, p[2], p[3]);
    if ((kind == 'S' || kind == 'F') && parts.count > 3)
        return add_operation(perfetto, process, time_ns, p[2], p[3], kind == 'S' ? &p[2] : NULL);
    if (kind == 'G' && parts.count > 4)
        return add_operation(perfetto, process, time_ns, p[2], p[4], &p[3]);
    if (kind == 'H' && parts.count > 3)
        return add_operation(perfetto, process, time_ns, p[2], p[parts.count - 1], NULL);
    if (kind == 'I' && parts.count > 2)
        return add_message(perfetto, at, p[2]);
    if (kind == 'N' && parts.count > 3)
        return add_message(perfetto, at, p[3]);
    return add_message(perfetto, at, text);
}
