#include "tests/agent/import_check.h"
#include "host/trace/tables.h"
#include "host/trace/trace.h"
#include "tests/wire/in_pieces.h"

#include <stdlib.h>
#include <string.h>

/* What the trace has must be what the importer counted. */
static void check_counts(const struct td_trace *trace, const struct td_timeline_counts *counts)
{
    uint64_t zones = 0;
    for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(trace)); t++)
        zones += td_trace_track_zones(trace, t);
    if (zones != counts->zones)
        in_pieces_broken("zones are missing");
    if (td_trace_table_rows(trace, TD_TABLE_SAMPLE) != counts->samples)
        in_pieces_broken("samples are missing");
    if (td_trace_clamped(trace))
        in_pieces_broken("times were changed");
}

int64_t import_check(const struct td_importer *importer, const void *bytes, size_t count, size_t piece)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_hub *hub = trace ? td_hub_create(td_trace_fill_dict(trace)) : NULL;
    void *reader = hub ? importer->create(hub) : NULL;
    if (!reader || td_hub_add_sink(hub, td_trace_sink(trace)) < 0)
        abort();
    struct td_err err = {0};
    bool cut;
    int bad = in_pieces(importer->feed, reader, bytes, count, piece, &err);
    if (!bad)
        bad = importer->end_file(reader, &cut, &err);
    if ((bad != 0) != (err.text[0] != 0) || (bad && bad != TD_E_FORMAT) || strchr(err.text, '\n'))
        in_pieces_broken(err.text);
    if (!bad && td_trace_finish(trace, &err) != 0)
        in_pieces_broken(err.text);
    const struct td_timeline_counts *counts = importer->counts(reader);
    if (!bad)
        check_counts(trace, counts);
    const int64_t kept =
        (int64_t)(counts->zones + counts->messages + counts->frames + counts->plot_points + counts->samples);
    importer->destroy(reader);
    td_hub_destroy(hub);
    td_trace_destroy(trace);
    return bad ? -1 : kept;
}
