#include "tests/agent/tt_import_check.h"
#include "host/trace/tables.h"
#include "host/trace/trace.h"
#include "host/trace/track_line.h"
#include "host/trace/walk.h"
#include "tests/wire/in_pieces.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int feed(void *import, const uint8_t *bytes, size_t count, struct td_err *err)
{
    return td_tt_import_feed(import, bytes, count, err);
}

static void print_text(FILE *to, const char *text)
{
    for (; *text; text++)
        putc(*text == '\n' ? '|' : *text, to);
}

static uint64_t print_track(FILE *to, const struct td_trace *trace, uint32_t track)
{
    const struct td_dict *dict = td_trace_dict(trace);
    struct td_walk walk;
    struct td_step step;
    uint64_t zones = 0;
    fprintf(to, "%s\n", td_dict_text(dict, td_dict_get_track(dict, track)->name));
    if (td_walk_begin(&walk, trace, track) != 0)
        abort();
    while (td_walk_next(&walk, &step)) {
        if (step.leaves)
            continue;
        zones++;
        const struct td_zone zone = td_trace_zone(trace, track, step.row, step.index);
        if (zone.end_ns < zone.start_ns)
            in_pieces_broken("a zone ends before it begins, or is open");
        fprintf(to, "%*s%s %" PRId64 " %" PRId64 " ", 2 * (int)step.row + 2, "",
                td_dict_zone_name(dict, zone.srcloc), zone.start_ns, zone.end_ns - zone.start_ns);
        print_text(to, td_dict_text(dict, zone.text));
        putc('\n', to);
    }
    td_walk_end(&walk);
    return zones;
}

static void print_trace(FILE *to, const struct td_trace *trace, const struct td_tt_import_counts *counts)
{
    const struct td_dict *dict = td_trace_dict(trace);
    const struct td_series *messages = td_trace_table(trace, TD_TABLE_MESSAGE);
    uint64_t zones = 0;
    for (uint32_t track = 0; track < td_dict_track_count(dict); track++) {
        const uint64_t of_track = print_track(to, trace, track);
        const struct td_track *known = td_dict_get_track(dict, track);
        zones += known->kind == TD_TRACK_CORE || td_track_line(known) ? of_track : 0;
    }
    if (zones != counts->lanes.zones)
        in_pieces_broken("zones are missing");
    for (uint64_t i = 0; messages && i < td_series_count(messages); i++) {
        const uint32_t track = (uint32_t)td_series_get(messages, i, TD_MESSAGE_TRACK);
        fprintf(to, "%" PRId64 " %s: ", td_series_get(messages, i, TD_MESSAGE_TIME),
                td_dict_text(dict, td_dict_get_track(dict, track)->name));
        print_text(to, td_dict_text(dict, (uint32_t)td_series_get(messages, i, TD_MESSAGE_TEXT)));
        putc('\n', to);
    }
    for (size_t i = 0; i < td_trace_app_infos(trace); i++)
        fprintf(to, "%s\n", td_dict_text(dict, td_trace_app_info(trace, i)));
}

static int import_file(struct td_tt_import *import, struct tt_check *check, size_t number)
{
    const void *bytes = check->files[number].bytes;
    const size_t count = check->files[number].count;
    enum td_tt_file_kind kind = td_tt_file_begins(bytes, count);
    bool cut = false;
    if (kind == TD_TT_FILE_NONE)
        kind = TD_TT_FILE_LOG;
    int bad = td_tt_import_begin_file(import, check->files[number].name, kind, &check->err);
    bad = bad ? bad
              : in_pieces(feed, import, bytes, count, check->piece ? check->piece : count + 1, &check->err);
    bad = bad ? bad : td_tt_import_end_file(import, &cut, &check->err);
    check->cut |= cut;
    return bad;
}

int tt_import_check(struct tt_check *check)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_hub *hub = trace ? td_hub_create(td_trace_fill_dict(trace)) : NULL;
    struct td_tt_import *import = hub ? td_tt_import_create(hub) : NULL;
    size_t bytes;
    int bad = 0;
    if (!import || td_hub_add_sink(hub, td_trace_sink(trace)) < 0)
        abort();
    check->err = (struct td_err){0};
    check->text = NULL;
    check->cut = false;
    for (size_t i = 0; i < TT_CHECK_FILES && check->files[i].name && !bad; i++)
        bad = import_file(import, check, i);
    bad = bad ? bad : td_tt_import_close(import, &check->err);
    if ((bad != 0) != (check->err.text[0] != 0) || (bad && bad != TD_E_FORMAT) ||
        strchr(check->err.text, '\n'))
        in_pieces_broken(check->err.text);
    if (!bad && td_trace_finish(trace, &check->err) != 0)
        in_pieces_broken(check->err.text);
    check->counts = td_tt_import_get_counts(import);
    if (!bad) {
        FILE *to = open_memstream(&check->text, &bytes);
        print_trace(to, trace, &check->counts);
        fclose(to);
    }
    td_tt_import_destroy(import);
    td_hub_destroy(hub);
    td_trace_destroy(trace);
    return bad;
}
