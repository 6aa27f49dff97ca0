/* The tree of the timeline's rows: frames, host threads and plots first, then chips, tiles and cores, or the
 * cores in other groups; which of them are shown, and their heights. A height depends on the trace only (the
 * depth of nesting), so that nothing moves while zooming. Does not draw. */
#pragma once
#include "host/trace/trace.h"
#include "host/query/rows/fiber_runs.h"
#include "host/query/rows/locks.h"
#include "host/query/rows/messages.h"
#include "host/query/rows/sections.h"
#include "host/query/rows/switches.h"
#include "host/viewer/timeline/row_choices.h"

#include <stdbool.h>

/* How cores are grouped. X(ID, name) */
#define TD_GROUPINGS(X)                                                                                      \
    X(PLACE, "Chip and tile")                                                                                \
    X(KIND, "Kind of core")                                                                                  \
    X(KERNEL, "Kernel")                                                                                      \
    X(FLAT, "No groups")
enum td_grouping {
#define TD_X(id, name) TD_GROUPING_##id,
    TD_GROUPINGS(TD_X)
#undef TD_X
        TD_GROUPING_COUNT
};

/* Which tracks have rows of ghost zones; X(ID, name) */
#define TD_GHOST_CHOICES(X) X(EMPTY, "empty") X(ALL, "all") X(INSTEAD, "instead") X(OFF, "off")
enum td_ghost_rows {
#define TD_X(id, name) TD_GHOSTS_##id,
    TD_GHOST_CHOICES(TD_X)
#undef TD_X
};

/* BESIDE: a lock for which threads waited has a row below each of them. */
enum td_lock_rows { TD_LOCKS_ALL, TD_LOCKS_CONTENDED, TD_LOCKS_NONE, TD_LOCKS_BESIDE };

struct td_arrangement { /* all zero: by place */
    enum td_grouping grouping;
    const char *const *group; /* of each track, for KIND and KERNEL */
    const uint32_t *rank; /* of each track: lower ones come first within their group; NULL: as in the grid */
    uint32_t tracks;      /* length of both; others come last */
    const struct td_sections *sections;   /* NULL: they have no rows */
    const struct td_fiber_runs *fibers;   /* NULL: tracks have no strip for them */
    const struct td_switches *switches;   /* NULL: no strips of context switches */
    const struct td_switches *processors; /* NULL: no rows of processors */
    bool samples;                         /* tracks have a strip of their samples */
    bool cpus;                            /* there are rows of processors */
    bool no_plots, no_contexts;           /* plots and memory, GPU contexts have no rows */
    enum td_lock_rows locks;
    const struct td_locks *lock_times; /* for TD_LOCKS_CONTENDED and BESIDE */
    enum td_ghost_rows ghosts;
    const struct td_row_choices *own; /* of single rows; NULL: none */
    const uint16_t *stack_depths;     /* of each call stack (ghosts.h); NULL: no ghost zones */
    uint64_t stack_count;
};

#define TD_NODE_DETAIL_BYTES 64

/* The kinds of rows: a new one is a line here, a function that draws it, and where nodes are made of the trace.
 * X(ID, height, for_each, centred, draw)
 * height: a member of struct td_metrics; for_each: it is that of each of the node's rows, and there is a pad.
 * centred: the label is in the middle of nodes with at most as many rows, else on the first line; -1: never.
 * draw: the function of timeline.c that draws an open node; NULL: none.
 * MEMORY is the use of a pool, SECTIONS are of a category, GHOSTS are ghost zones of the track before it. PLOT may have
 * further plots (row_choices.h). */
/* clang-format off */
#define TD_NODE_KINDS(X)                                                                                     \
    X(GROUP,     group,  false, -1, NULL)                                                                    \
    X(TRACK,     row,    true,  -1, draw_track)                                                              \
    X(PLOT,      plot,   false, -1, td_draw_plot)                                                            \
    X(MEMORY,    plot,   false, -1, td_draw_memory)                                                          \
    X(FRAMES,    frames, false,  0, td_draw_frames)                                                          \
    X(LOCK,      lock,   false,  0, td_draw_lock)                                                            \
    X(SECTIONS,  row,    true,   1, td_draw_sections)                                                        \
    X(GHOSTS,    row,    true,  -1, td_draw_ghosts)                                                          \
    X(CPU_USAGE, usage,  false,  0, draw_usage)                                                              \
    X(CPU,       cpu,    false,  0, td_draw_cpu)
/* clang-format on */
enum td_node_kind {
#define TD_X(id, height, for_each, centred, draw) TD_NODE_##id,
    TD_NODE_KINDS(TD_X)
#undef TD_X
};

struct td_node {
    enum td_node_kind kind;
    int level;  /* 0: outermost */
    int end;    /* the nodes inside this one: its index + 1 to end - 1 */
    int parent; /* -1: none */
    int below;  /* of a row that is shown while its track is open: how many nodes after that it is; else 0 */
    bool collapsed; /* groups and tracks */
    bool hidden;    /* by the user; not of groups, which hide when all that is in them does */
    bool filtered;  /* by the filter of lanes */
    bool empty;     /* hidden because the visible range has nothing of it */
    bool pinned;    /* it and what is in it are shown above the others */
    bool visible;   /* set by td_layout_place(): not hidden or filtered, but maybe in a collapsed group */
    bool in_pins; /* set by td_layout_place(): pinned, or in a pinned group; y is from the top of the pins */
    uint32_t number;    /* of the track, plot, pool, frame set, lock, category of sections or processor */
    uint32_t most_rows; /* that are shown; 0: all of them */
    uint32_t
        rows; /* tracks: depth of nesting; sections: lanes; ghost zones: depth of stacks; plots: further ones */
    bool has_runs;                  /* tracks: a strip of fibers' runs above the zones, below the messages */
    bool has_messages;              /* tracks: a row of messages above the zones */
    bool has_samples, has_switches; /* tracks: strips of them below the messages and runs */
    int tracks;                     /* tracks inside that have zones (a track: itself) */
    bool is_device;
    const char *inner_what; /* groups of tracks or tiles: what they count, such as "core"; else NULL */
    int inner, inner_shown; /* how many of that are in it, and are visible; set by td_layout_place() */
    char label[112], detail[TD_NODE_DETAIL_BYTES];
    float y, height; /* set by td_layout_place(); height 0: hidden in a collapsed group */
};

/* Heights in pixels. */
struct td_metrics {
    float row, group, density, messages, runs, samples, switches, plot, frames, lock, cpu, usage, pad;
};

struct td_layout { /* all zero: empty */
    struct td_node *nodes;
    int count;
    int *shown; /* indexes of the visible nodes, from top to bottom */
    int shown_count;
    float height;
    int *pins; /* indexes of the nodes that are shown above those */
    int pin_count;
    float pins_height;
    int *of_track; /* the node of each track; -1: none */
    uint32_t tracks;
};

/* `as` may be NULL. */
int td_layout_build(struct td_layout *layout, const struct td_trace *trace,
                    const struct td_messages *messages, const struct td_arrangement *as, struct td_err *err);
void td_layout_free(struct td_layout *layout);
struct td_metrics td_metrics_for(float scale);
/* Sets y and height of all nodes; to be called after nodes were collapsed or expanded. */
void td_layout_place(struct td_layout *layout, const struct td_metrics *metrics);
/* True: collapses all tiles; without tiles, all cores; without cores, all threads. False: expands all. */
void td_layout_collapse(struct td_layout *layout, bool collapsed);
/* Index in `shown` of the first node whose lower edge is below y; shown_count: none. */
int td_layout_at(const struct td_layout *layout, float y);
/* Whether the node's label is in the middle of its height. */
bool td_layout_centres_label(const struct td_node *node);
/* What the label of the node says at the right, such as "5 cores", or "2 of 5 cores" if others are hidden. Returns
 * `text`. */
const char *td_layout_detail(const struct td_node *node, char text[TD_NODE_DETAIL_BYTES]);
int td_layout_track_node(const struct td_layout *layout, uint32_t track); /* -1: none */
/* The row of a plot, a lock ...; -1: none. */
int td_layout_row_node(const struct td_layout *layout, enum td_node_kind kind, uint32_t number);
/* Shows the lanes that pass and the rows that belong to them, hides the other lanes; NULL: shows all. To be
 * called before td_layout_place(). */
void td_layout_filter(struct td_layout *layout, const uint8_t *passes, uint32_t tracks);
/* Hides or shows the rows of the node. */
void td_layout_hide(struct td_layout *layout, int node, bool hidden);
/* Expands the node and the groups around it; true: at least one was collapsed. */
bool td_layout_reveal(struct td_layout *layout, int node);
/* Upper edges of the strips of a track. */
float td_layout_samples_y(const struct td_node *node, const struct td_metrics *metrics);
float td_layout_switches_y(const struct td_node *node, const struct td_metrics *metrics);
/* Upper edge of a row of zones of the node. */
float td_layout_row_y(const struct td_node *node, const struct td_metrics *metrics, uint32_t row);
