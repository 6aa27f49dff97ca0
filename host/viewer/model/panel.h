/* Panels: the parts of the window. A panel is a `const struct td_panel` in a file of its own and a
 * line of TD_PANELS; the bar, the help page, the order of Esc and the layout follow from that table. What the window
 * does with them is in timeline/panels.h.
 *
 * A new panel is therefore panels/NAME.c, which defines `td_panel_NAME`, and its line here. What it computes,
 * without drawing, is in host/query. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct td_view;
struct td_key_press;
struct td_region;

/* X(ID, name), in the order in which they are drawn and offered keys. Esc closes them from the last to the
 * first. */
/* clang-format off */
#define TD_PANELS(X)          \
    X(BAR,        bar)        \
    X(STRIP,      strip)      \
    X(HINT,       hint)       \
    X(DETAILS,    details)    \
    X(TIMELINE,   timeline)   \
    X(STATISTICS, statistics) \
    X(OPERATIONS, operations) \
    X(INSTANCES,  instances)  \
    X(NOTES,      notes)      \
    X(LIMITS,     limits)     \
    X(COMPARE,    compare)    \
    X(FLAME,      flame)      \
    X(LANES,      lanes)      \
    X(CHIP,       chip)       \
    X(CELLS,      cells)      \
    X(GROUPING,   grouping)   \
    X(TRACE,      trace)      \
    X(MESSAGES,   messages)   \
    X(FRAMES,     frames)     \
    X(PLOTS,      plots)      \
    X(MEMORY,     memory)     \
    X(LOCKS,      locks)      \
    X(WAITS,      waits)      \
    X(CPUS,       cpus)       \
    X(LOSSES,     losses)     \
    X(CONNECTION, connection) \
    X(PLAYBACK,   playback)   \
    X(CALLSTACK,  callstack)  \
    X(SYMBOLS,    symbols)    \
    X(ENTRIES,    entries)    \
    X(WAITSTACKS, waitstacks) \
    X(SOURCE,     source)     \
    X(OPTIONS,    options)    \
    X(FIND,       find)       \
    X(COMMAND,    command)    \
    X(HELP,       help)       \
    X(LIVE,       live)       \
    X(MANUAL,     manual)     \
    X(PALETTE,    palette)    \
    X(MENU,       menu)
/* clang-format on */
enum td_panel_id {
#define TD_X(id, name) TD_PANEL_##id,
    TD_PANELS(TD_X)
#undef TD_X
        TD_PANEL_COUNT
};

struct td_rect {
    float left, top, right, bottom;
};

/* Docked panels take space from the edges of the window in the order of the list; the centre gets the rest.
 * Overlays are drawn over the centre. Panels with a title are tabs of a region at the left, right or bottom
 * edge (region.h), one of which is shown at a time. */
enum td_dock { TD_DOCK_TOP, TD_DOCK_BOTTOM, TD_DOCK_LEFT, TD_DOCK_RIGHT, TD_DOCK_CENTRE, TD_DOCK_OVERLAY };

/* The row of controls in the bar, filled from the right; `left` to `right` is the free space. Controls that do
 * not fit are left out. */
struct td_bar_row {
    float left, right, y, height;
};

struct td_panel_key {
    int key; /* enum td_ui_key or a character; 0: none */
    bool ctrl, shift;
};

struct td_help_line {
    const char *keys, *action; /* keys NULL: the end of the lines */
};

/* X(ID, word) */
#define TD_COPY_FORMS(X) X(LINES, "lines") X(CSV, "csv") X(JSON, "json") X(TEXT, "text")
enum td_copy_form {
#define TD_X(id, word) TD_COPY_##id,
    TD_COPY_FORMS(TD_X)
#undef TD_X
        TD_COPY_FORM_COUNT
};

/* Groups of tabs, each with a picture (timeline/icons.h). X(ID, name) */
#define TD_PANEL_GROUPS(X)                                                                                   \
    X(ZONES, "Zones")                                                                                        \
    X(CORES, "Cores")                                                                                        \
    X(THREADS, "Threads")                                                                                    \
    X(MEMORY, "Memory")                                                                                      \
    X(SAMPLES, "Samples")                                                                                    \
    X(SOURCE, "Source")                                                                                      \
    X(SESSION, "Session")
enum td_panel_group {
#define TD_X(id, name) TD_GROUP_##id,
    TD_PANEL_GROUPS(TD_X)
#undef TD_X
        TD_GROUP_COUNT
};

struct td_panel {
    const char *name;          /* unique */
    enum td_dock dock;         /* at first: a tab can be moved */
    enum td_panel_group group; /* of the tab */
    const char *page;          /* the title of its section in docs/viewer.md; NULL: none */
    /* Why the panel would be empty, and how to fill it; NULL, as its result: it is not. */
    const char *(*lacks)(const struct td_view *view);
    const char *title;               /* of the tab; NULL: not in a region */
    struct td_panel_key keys[2];     /* open the panel from the keyboard */
    const struct td_help_line *help; /* its part of the help page; NULL: none */
    /* Help that depends on the settings; NULL: `help`. */
    const struct td_help_line *(*choose_help)(const struct td_view *view);
    int bar_rank;       /* 1: its controls are the rightmost of the bar; 0: it has none */
    size_t state_bytes; /* size of the panel's private state, zeroed; see td_panel_state() */

    void (*draw)(struct td_view *view, const struct td_rect *place); /* NULL: it is never open */
    void (*free_state)(struct td_view *view);                        /* what the state owns; NULL: nothing */
    float (*size)(const struct td_view *view); /* docked to an edge: height or width in pixels */
    /* Draws the controls at the right end of the free space and reduces `right`. */
    void (*draw_controls)(struct td_view *view, struct td_bar_row *row);
    bool (*is_open)(const struct td_view *view); /* NULL: as td_panel_set_open() set it */
    void (*open)(struct td_view *view);          /* on its key; NULL: toggles */
    /* Esc: closes one thing; false: nothing was open. NULL: undoes td_panel_set_open(). */
    bool (*close)(struct td_view *view);
    /* Computes in the background something that it does not show yet; NULL: never. */
    bool (*is_busy)(const struct td_view *view);
    /* A key that opens no panel; false: offer it to the next panel. */
    bool (*take_key)(struct td_view *view, const struct td_key_press *press);
    /* What the panel says, with tabs, which Ctrl+C copies, or its list in another form; the caller frees it. NULL:
     * there is nothing to copy, or not in this form. */
    char *(*copy)(struct td_view *view, enum td_copy_form form);
    /* Lists a column of the panel's list, or leaves it out. False: there is no such one, or it is the last. NULL: the
     * columns are fixed. */
    bool (*toggle_column)(struct td_view *view, const char *title);
    /* A click on what is under the mouse in the timeline: the panel opens and shows it. False: it shows no such
     * thing. NULL: none at all. */
    bool (*take_click)(struct td_view *view);
};

/* The view's record of a panel. */
struct td_panel_slot {
    enum td_dock dock;    /* of a tab: the edge of its region */
    bool open;            /* by td_panel_set_open() */
    bool placed;          /* has a place in this frame */
    struct td_rect place; /* of the last td_panels_place() */
    void *state;
};

#define TD_X(id, name) extern const struct td_panel td_panel_##name;
TD_PANELS(TD_X)
#undef TD_X
/* The table; only td_view_init() reads it, panels use view->panels.table. */
extern const struct td_panel *const td_panels[TD_PANEL_COUNT];
