/* The panel Memory: its state, and what its files draw. */
#pragma once
#include "host/event/map.h"
#include "host/query/rows/allocations.h"
#include "host/query/rows/memory_map.h"
#include "host/query/rows/memory_pool.h"
#include "host/viewer/panels/sampled.h"
#include "host/viewer/panels/table_panel.h"
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
struct memory_map_job {
    struct td_job job;
    struct td_memory_range request;
    struct td_memory_map made, shown;
    bool any;
};
struct memory_tree_job {
    struct td_job job;
    struct td_memory_range request;
    enum td_allocation_part part;
    struct td_call_tree_choice choice;
    struct td_call_tree made;
    struct td_tree_view view;
    bool any;
};

struct memory_panel {
    bool started;
    uint32_t pool; /* the chosen one */
    enum memory_page page;
    struct memory_sums_job sums;

    struct td_table_list list;
    uint64_t seen;       /* the key of the rows in which the chosen allocation was looked for */
    char address[40];    /* the field: an address, in hexadecimal with or without 0x */
    bool shows_selected; /* the list is to scroll to it */

    struct memory_map_job map;

    struct memory_tree_job tree;
    enum td_allocation_part part;
    bool from_place; /* the innermost function is the root */
    bool each_place; /* places of a function apart */
    /* The call stacks to which the lists are limited, those through a node; stack_count 0: all. */
    uint8_t *stacks;
    size_t stack_count;
    uint64_t stacks_version;
};

/* memory_state.c */
struct memory_panel *memory_panel_of(const struct td_view *view);
/* The chosen pool in the chosen range. */
struct td_memory_range memory_range(const struct td_view *view);
/* A number that changes with them, and with the trace. */
uint64_t memory_key(const struct td_view *view);
/* The chosen allocation of the pool, a row of MEMORY counted from 1; 0: none. */
uint64_t memory_selected(const struct td_view *view);
void memory_select(struct td_view *view, uint64_t selected);

/* memory_list.c */
extern const struct td_table_panel memory_list;
void memory_draw_list(struct td_view *view, const struct td_rect *place);
/* memory_details.c: the selected allocation. */
void memory_draw_details(struct td_view *view, const struct td_rect *place);
/* memory_charts.c */
void memory_draw_usage(struct td_view *view, const struct td_rect *place);
void memory_draw_map(struct td_view *view, const struct td_rect *place);
void memory_free_map(struct memory_panel *s);
/* memory_tree.c */
void memory_draw_tree(struct td_view *view, const struct td_rect *place);
bool memory_tree_key(struct td_view *view, const struct td_key_press *press);
void memory_free_tree(struct memory_panel *s);
