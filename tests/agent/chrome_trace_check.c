#include "tests/agent/chrome_trace_check.h"
#include "host/agent/import/importer.h"
#include "host/trace/trace.h"
#include "tests/wire/in_pieces.h"

#include <stdlib.h>
#include <string.h>

int64_t chrome_trace_check(const void *bytes, size_t count, size_t piece)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_hub *hub = trace ? td_hub_create(td_trace_fill_dict(trace)) : NULL;
    void *chrome = hub ? td_import_chrome.create(hub) : NULL;
    if (!chrome || td_hub_add_sink(hub, td_trace_sink(trace)) < 0)
        abort();
    struct td_err err = {0};
    bool cut;
    int bad = in_pieces(td_import_chrome.feed, chrome, bytes, count, piece, &err);
    if (!bad)
        bad = td_import_chrome.end_file(chrome, &cut, &err);
    if ((bad != 0) != (err.text[0] != 0) || (bad && bad != TD_E_FORMAT) || strchr(err.text, '\n'))
        in_pieces_broken(err.text);
    if (!bad && td_trace_finish(trace, &err) != 0)
        in_pieces_broken(err.text);
    int64_t zones = 0;
    for (uint32_t t = 0; !bad && t < td_dict_track_count(td_trace_dict(trace)); t++)
        zones += (int64_t)td_trace_track_zones(trace, t);
    if (!bad && zones != (int64_t)td_import_chrome.counts(chrome)->zones)
        in_pieces_broken("zones are missing");
    if (!bad && td_trace_clamped(trace))
        in_pieces_broken("times were changed");
    td_import_chrome.destroy(chrome);
    td_hub_destroy(hub);
    td_trace_destroy(trace);
    return bad ? -1 : zones;
}
