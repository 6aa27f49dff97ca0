/* Internals of the copier (copy.h). */
#pragma once
#include "host/trace/copy.h"
#include "host/trace/model.h"
#include "host/trace/note_kinds.h"

#define COPY_CHIPS  2048u /* that the ids of core tracks can hold */
#define COPY_NO_MAP UINT32_MAX

struct td_copier {
    struct td_trace *to;
    uint32_t sources; /* that were added */
    bool apart;       /* they have labels */
    /* Numbers that are in use. */
    struct td_map threads, locks, spaces;
    uint8_t chips[COPY_CHIPS];
    uint64_t cpus, packages, next_lock, next_category, next_parameter;
    struct td_map locations; /* hash of a location's content and turn -> its number in `to` */
    struct td_map files;     /* name of a source file -> its row */
    /* For td_copier_end(). */
    double sums[TD_NOTE_KIND_COUNT]; /* of notes that are numbers: one line for all sources */
    uint8_t has_sum[TD_NOTE_KIND_COUNT];
    struct td_crash crash;
    bool has_crash;
    char programs[240];
    char notice[200];
};

/* One source that is being copied. The arrays give numbers in `to` by the source's numbers. */
struct copy_run {
    struct td_copier *copier;
    const struct td_trace *from;
    struct td_trace *to;
    const struct td_copy_options *options;
    bool apart;  /* it has a label */
    bool named;  /* the label is not empty */
    bool ranged; /* a part of its time is copied */
    bool begins; /* its times begin at an origin: none but those of switches is below 0 in `to` */
    bool failed; /* no memory */
    bool no_cpus, no_space;
    uint64_t cpu_base, package_base;
    uint32_t *pools; /* by row of POOL; COPY_NO_MAP: it is left out */
    uint64_t pools_count;
    const struct td_dict *from_dict;
    struct td_dict *dict;
    uint32_t *strings, strings_count, *locations, locations_count, *tracks, tracks_count, *plots, plots_count,
        *sets, sets_count;
    uint64_t base[TD_TABLE_COUNT]; /* what is added to rows of tables that are not lists */
    int64_t image_first, image_end;
    struct td_map thread_map; /* -> place in thread_ids */
    uint64_t *thread_ids;
    size_t thread_count, thread_capacity;
    uint64_t last_thread, last_thread_to;
    uint32_t *spaces;          /* by bits 48 to 63 of an address: 1 + those in `to` */
    uint8_t chips[COPY_CHIPS]; /* 1: the source has cores of this chip */
    uint16_t chip_shift;
    bool cores_apart; /* the chips' numbers do not fit: cores become threads */
};

/* Whether the track of the source is copied. */
static inline bool td_copy_has_track_(const struct copy_run *run, uint64_t track)
{
    return !run->options->tracks || (track < run->tracks_count && run->options->tracks[track]);
}

/* ---- numbers (copy_ids.c) ---- */
/* Chooses chips and processors. */
void td_copy_begin_ids_(struct copy_run *run);
uint64_t td_copy_thread_(struct copy_run *run, uint64_t thread);
bool td_copy_knows_thread_(const struct copy_run *run, uint64_t thread);
uint64_t td_copy_address_(struct copy_run *run, uint64_t address);
uint64_t td_copy_frame_id_(struct copy_run *run, uint64_t frame);
int64_t td_copy_lock_(struct copy_run *run, int64_t lock);

/* 1 + the greatest value of the column below `limit`, or `least` if that is more. */
uint64_t td_copy_after_greatest_(const struct td_series *rows, unsigned column, uint64_t limit,
                                 uint64_t least);

/* ---- the dictionary (copy_names.c) ---- */
/* Makes the arrays. In a copy without range all strings get their numbers at once, in order. */
int td_copy_begin_names_(struct copy_run *run);
void td_copy_end_names_(struct copy_run *run);
uint32_t td_copy_string_(struct copy_run *run, uint64_t string);
/* A text made by a format of printf(). */
__attribute__((format(printf, 2, 3))) uint32_t td_copy_format_(struct copy_run *run, const char *format, ...);
/* The text "LABEL: name" or, for `after`, "name (LABEL)"; without a label the name. */
uint32_t td_copy_label_(struct copy_run *run, uint32_t string, bool after);
/* "text (LABEL)" of a string of `to`. */
uint32_t td_copy_suffix_(struct copy_run *run, const char *text);
/* The text of a zone, with its flows. */
uint32_t td_copy_zone_text_(struct copy_run *run, uint64_t string);
/* Tracks need the base of GPU_CONTEXT. */
int td_copy_tracks_(struct copy_run *run);
static inline uint32_t td_copy_number_(const uint32_t *map, uint32_t count, uint64_t number)
{
    return number < count ? map[number] : 0;
}

/* ---- zones (copy_zones.c) ---- */
int td_copy_zones_(struct copy_run *run, struct td_err *err);

/* ---- tables (copy_tables.c) ---- */
/* Sets `base` and `pools`, before anything is copied. Returns 0 or TD_E_NOMEM. */
int td_copy_begin_tables_(struct copy_run *run);
int td_copy_tables_(struct copy_run *run);

/* ---- which rows overlap the range (copy_range.c) ---- */
/* Sets keep[0 .. count - 1] for rows `first` ... of a list; count is at most TD_SERIES_ROWS. `begin` is what
 * td_copy_list_begin_() returned. */
void td_copy_select_(const struct copy_run *run, enum td_table table, uint64_t parent, uint64_t begin,
                     uint64_t first, unsigned count, uint8_t *keep);
/* The first row that may be kept. */
uint64_t td_copy_list_begin_(const struct copy_run *run, enum td_table table, uint64_t parent);
/* The columns of the table's time and of its end; TD_SERIES_COLUMNS: none. */
unsigned td_copy_start_column_(enum td_table table);
unsigned td_copy_end_column_(enum td_table table);
/* Sets image_first and image_end. */
void td_copy_find_images_(struct copy_run *run);

/* ---- facts about the whole (copy_facts.c) ---- */
int td_copy_facts_(struct copy_run *run);
/* Sets *string, a line of APP_INFO, to that of `to`; false: no line. */
bool td_copy_app_info_(struct copy_run *run, int64_t *string);
