#include "host/query/facts/losses.h"
#include "host/base/compare.h"
#include "host/base/grow.h"
#include "host/trace/note_kinds.h"
#include "proto/device/packet.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK_EVERY 4096 /* zones between two looks at whether the job is cancelled */

static const char *const titles[] = {
#define TD_X(id, title, label) title,
    TD_LOSSES(TD_X)
#undef TD_X
};
static const char *const labels[] = {
#define TD_X(id, title, label) label,
    TD_LOSSES(TD_X)
#undef TD_X
};

const char *td_loss_title(enum td_loss_kind kind)
{
    return titles[kind];
}

const char *td_loss_label(enum td_loss_kind kind)
{
    return labels[kind];
}

static int add_loss(struct td_losses *losses, const struct td_loss *loss)
{
    return TD_APPEND(losses->list, losses->count, losses->capacity, *loss);
}

/* ---- notes ---- */

#define TD_LOSS_NONE TD_LOSS_KINDS

/* The kind of loss that a note is; TD_LOSS_NONE: none. */
static const enum td_loss_kind kind_of_note[TD_NOTE_KIND_COUNT] = {
#define TD_X(key, writer, merge, loss, ...) TD_LOSS_##loss,
    TD_NOTE_KINDS(TD_X)
#undef TD_X
};

static uint64_t number_of_note(const struct td_trace *trace, const struct td_note *note)
{
    const char *text = td_trace_get_note(trace, note->key, 0);
    uint64_t number = 0;
    return text && sscanf(text, "%" SCNu64, &number) == 1 ? number : 0;
}

/* The zones of gaps and stalls are losses themselves; their notes are the sums. */
static bool has_zones(enum td_loss_kind kind)
{
    return kind == TD_LOSS_DROPPED || kind == TD_LOSS_STALL;
}

static int add_note(struct td_losses *losses, const struct td_trace *trace, const struct td_note *note)
{
    struct td_loss loss = {kind_of_note[note - td_notes], UINT32_MAX, TD_UNKNOWN_NS, 0, 0, NULL, TD_NO_ZONE};
    int rc = 0;
    if (loss.kind == TD_LOSS_NONE || has_zones(loss.kind))
        return 0;
    if (td_note_is_number(note)) {
        loss.count = number_of_note(trace, note);
        loss.text = note->sentence;
        return loss.count ? add_loss(losses, &loss) : 0;
    }
    for (size_t i = 0; rc == 0 && (loss.text = td_trace_get_note(trace, note->key, i)); i++)
        rc = add_loss(losses, &loss);
    return rc;
}

static int add_notes(struct td_losses *losses, const struct td_trace *trace)
{
    int rc = 0;
    for (const struct td_note *note = td_notes; rc == 0 && note < td_notes + TD_NOTE_KIND_COUNT; note++)
        rc = add_note(losses, trace, note);
    return rc;
}

static int add_facts(struct td_losses *losses, const struct td_trace *trace)
{
    const struct td_dict *dict = td_trace_dict(trace);
    const struct td_crash *crash = td_trace_crash(trace);
    const char *salvaged = td_trace_get_info(trace)->salvaged;
    int rc = 0;
    if (crash)
        rc = add_loss(losses, &(struct td_loss){TD_LOSS_CRASH, crash->track, td_trace_crash_ns(trace), 0, 0,
                                                td_dict_text(dict, crash->text), TD_NO_ZONE});
    if (rc == 0 && salvaged)
        rc = add_loss(losses, &(struct td_loss){TD_LOSS_SALVAGED, UINT32_MAX, TD_UNKNOWN_NS, 0, 0, salvaged,
                                                TD_NO_ZONE});
    if (rc == 0 && td_trace_is_finished(trace) && td_trace_clamped(trace))
        rc = add_loss(losses, &(struct td_loss){TD_LOSS_CHANGED, UINT32_MAX, TD_UNKNOWN_NS, 0,
                                                td_trace_clamped(trace),
                                                "inconsistent times or nestings were corrected", TD_NO_ZONE});
    for (uint32_t t = 0; rc == 0 && t < td_dict_track_count(dict); t++)
        if (td_dict_get_track(dict, t)->unsynced)
            rc = add_loss(losses,
                          &(struct td_loss){TD_LOSS_UNSYNCED, t, TD_UNKNOWN_NS, 0, 0,
                                            "its clock could not be related to the host's", TD_NO_ZONE});
    return rc;
}

/* ---- gaps and stalls ---- */

static bool is_stall(const struct td_dict *dict, const struct td_zone *zone)
{
    return !strcmp(td_dict_zone_name(dict, zone->srcloc), TD_NAME_STALL);
}

/* "128 zones and 2 other packets lost", "9 slots lost on their way": 130, 9. */
static uint64_t count_of_text(const char *text)
{
    uint64_t zones = 0, other = 0;
    int read = sscanf(text, "%" SCNu64 " zones and %" SCNu64, &zones, &other);
    if (read < 1)
        return 0;
    return other > UINT64_MAX - zones ? UINT64_MAX : zones + other;
}

static int add_zone(struct td_losses *losses, const struct td_trace *trace, struct td_zone_ref ref)
{
    const struct td_dict *dict = td_trace_dict(trace);
    const struct td_zone zone = td_trace_zone(trace, ref.track, ref.row, ref.index);
    const char *text = td_dict_text(dict, zone.text);
    return add_loss(
        losses, &(struct td_loss){.kind = is_stall(dict, &zone) ? TD_LOSS_STALL : TD_LOSS_DROPPED,
                                  .track = ref.track,
                                  .start_ns = zone.start_ns,
                                  .length_ns = zone.end_ns == TD_OPEN ? TD_OPEN : zone.end_ns - zone.start_ns,
                                  .count = count_of_text(text),
                                  .text = text,
                                  .zone = ref});
}

static int add_zones(struct td_losses *losses, const struct td_trace *trace, const struct td_marks *marks,
                     struct td_job *job)
{
    size_t done = 0;
    for (size_t r = 0; r < marks->row_count; r++) {
        const struct td_mark_row *row = &marks->rows[r];
        for (size_t i = 0; i < row->count; i++, done++) {
            if (job && done % CHECK_EVERY == 0) {
                if (td_job_cancelled(job))
                    return TD_E_STOPPED;
                td_job_set_progress(job, done, marks->count);
            }
            struct td_zone_ref ref = {row->track, row->row, marks->index[row->first + i]};
            if (add_zone(losses, trace, ref) < 0)
                return TD_E_NOMEM;
        }
    }
    return 0;
}

TD_COMPARE(compare_losses, struct td_loss,
           TD_UP(start_ns) TD_UP(kind) TD_UP(track) TD_UP(zone.row) TD_UP(zone.index))

int td_losses_make(struct td_losses *losses, const struct td_trace *trace, const struct td_marks *marks,
                   struct td_job *job)
{
    *losses = (struct td_losses){.cut = marks->cut};
    int rc = add_notes(losses, trace);
    rc = rc ? rc : add_facts(losses, trace);
    rc = rc ? rc : add_zones(losses, trace, marks, job);
    if (losses->count)
        qsort(losses->list, losses->count, sizeof *losses->list, compare_losses);
    return rc;
}

void td_losses_free(struct td_losses *losses)
{
    free(losses->list);
    *losses = (struct td_losses){0};
}

/* ---- counts ---- */

/* Gaps and stalls among the marks; the kind of a whole row of marks follows from its zones one by one. */
static void count_marks(struct td_loss_counts *counts, const struct td_trace *trace,
                        const struct td_marks *marks)
{
    const struct td_dict *dict = td_trace_dict(trace);
    for (size_t r = 0; r < marks->row_count; r++)
        for (size_t i = 0; i < marks->rows[r].count; i++) {
            const struct td_mark_row *row = &marks->rows[r];
            struct td_zone zone = td_trace_zone(trace, row->track, row->row, marks->index[row->first + i]);
            counts->of[is_stall(dict, &zone) ? TD_LOSS_STALL : TD_LOSS_DROPPED]++;
        }
}

struct td_loss_counts td_losses_count(const struct td_trace *trace, const struct td_marks *marks)
{
    struct td_loss_counts counts = {0};
    const struct td_dict *dict = td_trace_dict(trace);
    counts.of[TD_LOSS_CRASH] = td_trace_crash(trace) != NULL;
    counts.of[TD_LOSS_SALVAGED] = td_trace_get_info(trace)->salvaged != NULL;
    if (td_trace_is_finished(trace))
        counts.of[TD_LOSS_CHANGED] = td_trace_clamped(trace);
    for (uint32_t t = 0; t < td_dict_track_count(dict); t++)
        counts.of[TD_LOSS_UNSYNCED] += td_dict_get_track(dict, t)->unsynced;
    for (unsigned n = 0; n < TD_NOTE_KIND_COUNT; n++) {
        const struct td_note *note = &td_notes[n];
        uint64_t lines = 0;
        if (kind_of_note[n] == TD_LOSS_NONE)
            continue;
        while (!td_note_is_number(note) && td_trace_get_note(trace, note->key, lines))
            lines++;
        counts.of[kind_of_note[n]] += td_note_is_number(note) ? number_of_note(trace, note) : lines;
    }
    if (!td_trace_get_note(trace, TD_NOTE_LOST, 0) && !td_trace_get_note(trace, TD_NOTE_STALLS, 0)) {
        counts.of[TD_LOSS_DROPPED] = counts.of[TD_LOSS_STALL] = 0;
        count_marks(&counts, trace, marks);
    }
    for (int k = 0; k < TD_LOSS_KINDS; k++)
        counts.any |= counts.of[k] > 0;
    return counts;
}
