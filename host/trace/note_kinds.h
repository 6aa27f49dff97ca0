/* The notes that lists of facts name, one line each: how a merge joins them, and what each form calls them.
 *
 * X(KEY, merge, field, label, sentence); the key is TD_NOTE_KEY.
 *   merge    LINES: all lines stay; SUM, MOST: the value is a number, of which one line is made; NONE: they are not
 *            copied, because the copy has its own
 *   field    of tendril info --json, NULL: it has none there
 *   label    in a list of facts
 *   sentence what a number counts, or what is above the lines, in a report; NULL: it is not about losses */
#pragma once
#include "host/trace/trace.h"

/* The number of lanes of which it is not known what they lost, because a kernel has written over them or the board was
 * lost during a launch. The numbers of the other notes about losses are then the least ones. Missing: all losses are
 * known. */
#define TD_NOTE_LOST_UNKNOWN "tendril.lost_unknown"

/* clang-format off */
#define TD_NOTE_KINDS(X)                                                                                     \
    X(SOURCE,          LINES, "sources",         "source",                     NULL)                         \
    X(BOARD,           LINES, "boards",          "board",                      NULL)                         \
    X(CHIP,            LINES, NULL,              "chip",                       NULL)                         \
    X(CLOCK_ERROR_NS,  MOST,  "clock_error_ns",  "clock error, ns",            NULL)                         \
    X(LOST,            SUM,   "lost_zones",      "zones lost",                 "zones lost on all lanes")    \
    X(LOST_OTHER,      SUM,   "lost_other",      "other packets lost",         "other packets lost")         \
    X(STALLS,          SUM,   "stalls",          "stalls",                     "waits of cores for room in their lane") \
    X(BAD_BYTES,       SUM,   "bad_bytes",       "undecoded bytes",            "bytes of lanes that could not be decoded") \
    X(LOST_UNKNOWN,    SUM,   "unknown_lanes",   "lanes whose losses are not all known", \
      "lanes that were written over: what they lost is not all known")                                       \
    X(LINK_LOST,       SUM,   NULL,              "slots lost on the link",     "slots lost between a gatherer and the host") \
    X(LINK_BAD,        SUM,   NULL,              "damaged frames of the link", "damaged frames between a gatherer and the host") \
    X(PROCESS,         LINES, "processes",       "process",                    NULL)                         \
    X(FAULT,           LINES, "faults",          "fault",                      "Cores that stopped by a fault") \
    X(DAMAGE,          LINES, "damages",         "damage",                     "Lanes that were overwritten") \
    X(INSTRUMENTATION, LINES, "instrumentation", "wrong markers",              "Faults in the program's markers") \
    X(CLOCK_ORIGIN,    NONE,  NULL,              "clock origin",               NULL)                         \
    X(UNSYNCED,        NONE,  NULL,              NULL,                         NULL)
/* clang-format on */
enum td_note_kind {
#define TD_X(key, merge, field, label, sentence) TD_NOTE_KIND_##key,
    TD_NOTE_KINDS(TD_X)
#undef TD_X
        TD_NOTE_KIND_COUNT
};
enum td_note_merge { TD_MERGE_LINES, TD_MERGE_SUM, TD_MERGE_MOST, TD_MERGE_NONE };

struct td_note {
    const char *key;
    enum td_note_merge merge;
    const char *field, *label, *sentence;
};
extern const struct td_note td_notes[TD_NOTE_KIND_COUNT];
static inline bool td_note_is_number(const struct td_note *note)
{
    return note->merge == TD_MERGE_SUM || note->merge == TD_MERGE_MOST;
}
