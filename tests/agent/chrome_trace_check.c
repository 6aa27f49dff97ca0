#include "tests/agent/chrome_trace_check.h"
#include "host/agent/import/chrome_trace.h"
#include "host/trace/trace.h"
#include "tests/wire/in_pieces.h"

#include <stdlib.h>
#include <string.h>

static int feed(void *chrome, const uint8_t *bytes, size_t count, struct td_err *err)
{
    return td_chrome_feed(chrome, bytes, count, err);
}

int64_t chrome_trace_check(const void *bytes, size_t count, size_t piece)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_hub *hub = trace ? td_hub_create(td_trace_fill_dict(trace)) : NULL;
    struct td_chrome *chrome = hub ? td_chrome_create(hub) : NULL;
    if (!chrome || td_hub_add_sink(hub, td_trace_sink(trace)) < 0)
        abort();
    struct td_err err = {0};
    int bad = in_pieces(feed, chrome, bytes, count, piece, &err);
    if (!bad)
        bad = td_chrome_close(chrome, &err);
    if ((bad != 0) != (err.text[0] != 0) || (bad && bad != TD_E_FORMAT) || strchr(err.text, '\n'))
        in_pieces_broken(err.text);
    if (!bad && td_trace_finish(trace, &err) != 0)
        in_pieces_broken(err.text);
    int64_t zones = 0;
    for (uint32_t t = 0; !bad && t < td_dict_track_count(td_trace_dict(trace)); t++)
        zones += (int64_t)td_trace_track_zones(trace, t);
    if (!bad && zones != (int64_t)td_chrome_get_counts(chrome)->zones)
        in_pieces_broken("zones are missing");
    if (!bad && td_trace_clamped(trace))
        in_pieces_broken("times were changed");
    td_chrome_destroy(chrome);
    td_hub_destroy(hub);
    td_trace_destroy(trace);
    return bad ? -1 : zones;
}
