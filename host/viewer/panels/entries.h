/* The panel Entries: its state, and what it is to show. */
#pragma once
#include "host/viewer/panels/sampled.h"
#include "host/viewer/panels/table_panel.h"

struct entries {
    struct td_table_list table;
    uint64_t key;            /* of the function; 0: all */
    uint64_t address, bytes; /* of the instruction; bytes 0: all */
    char name[200];
    int as_list, inwards;
    int anywhere; /* also samples in what the function calls */
    struct td_sampled_tree tree;
};

/* The callers of a function. `key`: td_level_key() of it; 0: all functions. `name`: of the function. */
void td_view_show_entries(struct td_view *view, uint64_t key, const char *name);
/* The call stacks of the samples at an instruction of that many bytes. */
void td_view_show_entries_at(struct td_view *view, uint64_t address, uint64_t bytes, const char *name);
