/* What the files that build the tree of the timeline's rows share. */
#pragma once
#include "host/event/map.h"
#include "host/viewer/timeline/layout.h"
#include "host/viewer/timeline/plot_owners.h"

/* The locks for which threads waited, by thread. */
struct td_lock_waits { /* all zero: none */
    struct td_lock_wait {
        uint64_t thread;
        uint32_t lock;
    } * at;
    size_t count, capacity;
};

/* State while the tree is built. */
struct layout_builder {
    const struct td_trace *trace;
    const struct td_messages *messages;
    const struct td_dict *dict;
    struct td_arrangement as;
    struct td_layout *layout;
    size_t capacity;
    uint32_t *order; /* tracks in the order in which they are shown */
    uint32_t order_count;
    struct td_plot_owners plots; /* the tracks below which they are shown */
    struct td_map tile_rank;     /* least rank of the cores of a tile */
    struct td_lock_waits waits;  /* for TD_LOCKS_BESIDE */
    bool no_memory;              /* for a node */
    struct td_node none;         /* stands for one that there was no memory for */
};

/* Adds a row, or a group of which it returns the number, at the end of the tree. */
struct td_node *td_layout_add_node(struct layout_builder *b, enum td_node_kind kind, int level, int parent,
                                   uint32_t number);
int td_layout_add_group(struct layout_builder *b, int level, int parent, bool is_device);
/* Ends a group; it contains the nodes that were added since. */
struct td_node *td_layout_end_group(struct layout_builder *b, int group);
/* The first line of the text, without a partial character at its end. */
void td_layout_copy_label(char *out, size_t bytes, const char *text);

/* Finds who waited for which lock: 0 or TD_E_NOMEM. */
int td_layout_find_waits(struct layout_builder *b);
/* The rows of the locks for which the thread of the track, the last node, waited. */
void td_layout_add_waited(struct layout_builder *b, uint32_t track, int level, int parent);

/* The plots of an owner (plot_owners.h). Returns their number. */
int td_layout_add_plots(struct layout_builder *b, uint32_t owner, int level, int parent);

/* Each adds what the trace has of it. */
void td_layout_add_frames(struct layout_builder *b);
void td_layout_add_sections(struct layout_builder *b);
void td_layout_add_cpus(struct layout_builder *b);         /* their use, and what each of them ran */
void td_layout_add_shared_plots(struct layout_builder *b); /* plots of no track, and the use of memory */
void td_layout_add_locks(struct layout_builder *b);        /* used ones, in a group that is closed at first */
