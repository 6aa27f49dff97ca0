/* The panel Memory: its state, and what its files draw. */
#ifndef TD_HOST_VIEWER_PANELS_MEMORY_H
#define TD_HOST_VIEWER_PANELS_MEMORY_H
#include "host/event/map.h"
#include "host/query/rows/memory_map.h"
#include "host/query/rows/memory_pool.h"
#include "host/viewer/panels/list.h"
#include "host/viewer/timeline/view.h"

enum memory_page { MEMORY_ALLOCATIONS, MEMORY_ACTIVE, MEMORY_MAP, MEMORY_TREE, MEMORY_PAGES };

#define TD_MEMORY_ACTIVE_COLOR 0xff7fc98au

/* A job whose results are replaced when its request changes. */
struct memory_sums_job {
    struct td_job job;
    struct td_memory_range request;
    struct td_memory_sums made, shown;
    bool any;
};
struct memory_list_job {
    struct td_job job;
    struct td_allocations_wanted request;
    uint32_t *stacks; /* of the request */
    struct td_allocation_list made, shown;
    struct td_memory_range range; /* of `shown` */
    bool any;
};
struct memory_map_job {
    struct td_job job;
    struct td_memory_range request;
    struct td_memory_map made, shown;
    bool any;
};
struct memory_tree { /* with the weights that it is made of */
    struct td_stack_tree tree;
    struct td_stack_weights weights;
};
struct memory_tree_job {
    struct td_job job;
    struct td_memory_range request;
    enum td_allocation_part part;
    enum td_stack_order order;
    bool by_name;
    struct memory_tree made, shown;
    bool any;
};

struct memory_panel {
    bool started;
    uint32_t pool; /* the chosen one */
    enum memory_page page;
    struct memory_sums_job sums;

    struct td_list list;
    struct memory_list_job allocations;
    char address[40];       /* the field: an address, in hexadecimal with or without 0x */
    uint64_t selected;      /* row of MEMORY, counted from 1; 0: none */
    uint64_t threads;       /* tracks of which track_of was made */
    struct td_map track_of; /* by thread */

    struct memory_map_job map;

    struct td_list tree_list;
    struct memory_tree_job tree;
    enum td_allocation_part part;
    enum td_stack_order order;
    bool each_place; /* places of a function apart */
    uint8_t *opened; /* of each node */
    uint32_t *rows;  /* nodes that are listed */
    uint8_t *depth;  /* of each row */
    size_t row_count;
    /* The call stacks to which the lists are limited: those through a node. */
    uint32_t *stacks;
    size_t stack_count;
    uint64_t stacks_version;
};

/* memory_state.c */
struct memory_panel *memory_panel_of(const struct td_view *view);
/* The chosen pool in the chosen range. */
struct td_memory_range memory_range(const struct td_view *view);
/* A number that changes with them, and with the trace. */
uint64_t memory_key(const struct td_view *view);
/* The innermost zone of the thread at that time; TD_NO_ZONE: there is none. */
struct td_zone_ref memory_zone_at(struct td_view *view, uint64_t thread, int64_t time_ns);
const char *memory_thread_name(struct td_view *view, uint64_t thread, char *room, size_t bytes);

/* memory_list.c */
void memory_draw_list(struct td_view *view, const struct td_rect *place);
bool memory_list_key(struct td_view *view, const struct td_key_press *press);
void memory_copy_list(struct td_view *view);
void memory_free_list(struct memory_panel *s);
/* memory_details.c: the selected allocation. */
void memory_draw_details(struct td_view *view, const struct td_rect *place);
/* memory_charts.c */
void memory_draw_usage(struct td_view *view, const struct td_rect *place);
void memory_draw_map(struct td_view *view, const struct td_rect *place);
void memory_free_map(struct memory_panel *s);
/* memory_tree.c */
void memory_draw_tree(struct td_view *view, const struct td_rect *place);
bool memory_tree_key(struct td_view *view, const struct td_key_press *press);
void memory_copy_tree(struct td_view *view);
void memory_free_tree(struct memory_panel *s);
#endif
