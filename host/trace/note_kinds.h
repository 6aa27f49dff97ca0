/* All notes, one entry each: who writes it, how a merge joins it, what it means, and what each form calls it. The
 * forms, the losses and docs/notes.md are made from this list.
 *
 * X(KEY, writer, merge, loss, field, label, head, clock, sentence, meaning); the key is TD_NOTE_KEY of proto/notes.h.
 *   writer   RECORDER, CLIENT, MERGE, CUT or FILE (the writer of trace files)
 *   merge    LINES: all lines stay; SUM, MOST: the value is a number, of which one line is made; NONE: they are not
 *            copied, because the copy has its own
 *   loss     the kind of loss (TD_LOSS_..., host/query/facts) that it is, or NONE
 *   field    of tendril info --json
 *   label    in a list of facts
 *   head     before the line at the head of tendril info
 *   clock    before the line in what a report says of the clocks
 *   sentence what a number counts, or what is above the lines, in a report
 *   meaning  of the value, for people, in Markdown
 * A form whose entry is NULL does not have the note. In the order of facts and of JSON. */
#pragma once
#include "host/trace/trace.h"

/* clang-format off */
#define TD_NOTE_KINDS(X)                                                                                     \
    X(SOURCE, MERGE, LINES, NONE, "sources", "source", "source   ", "Source ", NULL, \
      "of a merged trace, a line for each source: `LABEL: aligned by clock, within 120 ns`") \
    X(BOARD, RECORDER, LINES, NONE, "boards", "board", NULL, NULL, NULL, \
      "a board: its name and the size of its grid") \
    X(CHIP, MERGE, LINES, NONE, NULL, "chip", NULL, NULL, NULL, \
      "of a merged trace: `8 is chip 0 of LABEL`") \
    X(CHIP_MAP, RECORDER, LINES, NONE, "chip_maps", NULL, NULL, NULL, NULL, \
      "what is at each place of a chip's NoC ([form](../proto/chip_map.h))") \
    X(CLOCK_ERROR_NS, RECORDER, MOST, NONE, "clock_error_ns", "clock error, ns", NULL, NULL, NULL, \
      "bound on the error of device times") \
    X(LOST, RECORDER, SUM, DROPPED, "lost_zones", "zones lost", NULL, NULL, "zones lost on all lanes", \
      "zones lost on all lanes") \
    X(LOST_OTHER, RECORDER, SUM, DROPPED, "lost_other", "other packets lost", NULL, NULL, "other packets lost", \
      "other packets lost on all lanes") \
    X(STALLS, RECORDER, SUM, STALL, "stalls", "stalls", NULL, NULL, "waits of cores for room in their lane", \
      "waits of cores for room in their lane") \
    X(BAD_BYTES, RECORDER, SUM, BYTES, "bad_bytes", "undecoded bytes", NULL, NULL, \
      "bytes of lanes that could not be decoded", "bytes of lanes that could not be decoded") \
    X(LOST_UNKNOWN, RECORDER, SUM, NONE, "unknown_lanes", "lanes whose losses are not all known", NULL, NULL, \
      "lanes that were written over: what they lost is not all known", \
      "lanes of which it is not known what they lost, because a kernel has written over them or the board was lost " \
      "during a launch: the other numbers of losses are the least ones") \
    X(LINK_LOST, RECORDER, SUM, LINK, NULL, "slots lost on the link", NULL, NULL, \
      "slots lost between a gatherer and the host", \
      "slots lost between a gatherer and the host; they count in `lost_other` too") \
    X(LINK_BAD, RECORDER, SUM, LINK, NULL, "damaged frames of the link", NULL, NULL, \
      "damaged frames between a gatherer and the host", "damaged frames between a gatherer and the host") \
    X(CHIP_CLOCK, RECORDER, LINES, NONE, NULL, NULL, NULL, "", NULL, \
      "a chip's architecture, clock and workers ([form](../proto/chip_text.h))") \
    X(PROCESS, RECORDER, LINES, NONE, "processes", "process", "process  ", "Process ", NULL, \
      "of a trace with several processes: `LABEL: BOUND ns`, the bound on the error of its times; 0: it reads the " \
      "clock of the trace") \
    X(FAULT, RECORDER, LINES, FAULT, "faults", "fault", NULL, NULL, "Cores that stopped by a fault", \
      "a core that stopped by a fault") \
    X(DAMAGE, RECORDER, LINES, DAMAGE, "damages", "damage", NULL, NULL, "Lanes that were overwritten", \
      "a lane that a kernel has written over") \
    X(INSTRUMENTATION, RECORDER, LINES, MARKERS, "instrumentation", "wrong markers", "markers  ", NULL, \
      "Faults in the program's markers", "a kind of fault in the program's markers, with the first place") \
    X(CLIENT_UNMATCHED, CLIENT, LINES, MARKERS, NULL, NULL, NULL, NULL, "Events of the program that match none", \
      "a kind of event that matches none, such as ends without a begin, and how many there were") \
    X(CLIENT_LOST, CLIENT, LINES, CLIENT, NULL, NULL, NULL, NULL, "Events that the client lost", \
      "a kind of event that the client lost, and how many there were") \
    X(CLIENT_SAMPLES, CLIENT, LINES, NONE, NULL, NULL, NULL, NULL, NULL, \
      "call stacks whose outer functions are missing") \
    X(CLIENT_SYSTEM, CLIENT, LINES, NONE, NULL, NULL, NULL, NULL, NULL, \
      "what the system did not let the client observe") \
    X(BILL, RECORDER, LINES, NONE, NULL, NULL, NULL, NULL, NULL, \
      "what profiling has cost a core, the list `bill` in JSON ([form](../proto/bill_text.h))") \
    X(CLOCK_PART, RECORDER, LINES, NONE, NULL, NULL, NULL, NULL, NULL, \
      "the bound on the error of device times in a part of the recording, the list `clock_bounds` in JSON ([form](../proto/clock_text.h))") \
    X(CLOCK_ORIGIN, RECORDER, NONE, NONE, NULL, "clock origin", NULL, NULL, NULL, \
      "what `tendril merge` aligns traces by ([form](../host/agent/clock_origin.h))") \
    X(UNSYNCED, FILE, NONE, NONE, NULL, NULL, NULL, "Not related to the host's clock: track ", NULL, \
      "a track whose clock could not be related to the host's: the id of its thread") \
    X(WINDOW, CUT, LINES, NONE, NULL, NULL, NULL, NULL, NULL, \
      "the times that were asked for: `FROM .. UNTIL ns`") \
    X(TRIGGER, CUT, LINES, NONE, NULL, NULL, NULL, NULL, NULL, \
      "why the cut was written")
/* clang-format on */
enum td_note_kind {
#define TD_X(key, ...) TD_NOTE_KIND_##key,
    TD_NOTE_KINDS(TD_X)
#undef TD_X
        TD_NOTE_KIND_COUNT
};
enum td_note_merge { TD_MERGE_LINES, TD_MERGE_SUM, TD_MERGE_MOST, TD_MERGE_NONE };

struct td_note {
    const char *key, *writer;
    enum td_note_merge merge;
    const char *field, *label, *head, *clock, *sentence, *meaning;
};
extern const struct td_note td_notes[TD_NOTE_KIND_COUNT];
static inline bool td_note_is_number(const struct td_note *note)
{
    return note->merge == TD_MERGE_SUM || note->merge == TD_MERGE_MOST;
}
