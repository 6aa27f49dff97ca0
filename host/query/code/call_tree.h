/* Call stacks as a tree. From a function outwards: its callers, which are entries of stock's lists. Or from the
 * outermost functions inwards. Counts may be samples, the nanoseconds of wait_stacks.h, or allocations and their bytes
 * (memory_pool.h). Zones are such a tree, too, of nanoseconds (zone_tree.h). */
#pragma once
#include "host/query/code/samples.h"

#define TD_CALL_NONE UINT32_MAX

struct td_call_node {
    uint64_t symbol;  /* address of the function; 0: not known */
    uint64_t address; /* of one of the frames that the node is made of */
    uint32_t name, file, line, image;
    uint32_t
        lane; /* 1 + the track whose functions or zones are in it; 0: it is a function or zones of a name */
    uint32_t place; /* of zones: the source location of one of them */
    uint64_t zones; /* in it */
    bool is_inlined, is_kernel;
    uint64_t total; /* of the stacks that pass through the node */
    uint64_t self;  /* of those that end there; from the outside inwards: samples in the function itself */
    int64_t bytes, own_bytes;     /* the same of the counts' bytes */
    uint32_t parent, child, next; /* nodes, or TD_CALL_NONE; children: by bytes, then total, descending */
    uint32_t depth;
};
struct td_call_tree {
    struct td_call_node *at; /* node 0 is the root, which has no function */
    size_t count;
    uint32_t *end; /* by stack: the node at which it ends */
    size_t stacks;
};
enum td_call_same { TD_SAME_SYMBOL, TD_SAME_NAME, TD_SAME_PLACE }; /* what functions of one node have */
struct td_call_tree_choice {
    bool inwards; /* false: from the innermost function to its callers */
    bool inlines; /* inlined functions are nodes of their own */
    enum td_call_same same;
    bool anywhere; /* false: only stacks whose sample is in the function itself */
    uint64_t key;  /* td_level_key() of the function that the tree begins with; 0: all stacks, whole */
    uint64_t address, bytes; /* only stacks whose sample is in this code; bytes 0: any */
};
/* 0, TD_E_STOPPED or TD_E_NOMEM. */
int td_call_tree_make(const struct td_trace *trace, const struct td_stack_counts *counts,
                      const struct td_call_tree_choice *choice, const struct td_progress *progress,
                      struct td_call_tree *tree, struct td_err *err);
/* Of samples, from the outermost functions inwards, with inlined ones; those of a name are one node. `by_track`: below a
 * node for each track. Samples without a call stack are of the root, or of the track, itself. 0, TD_E_STOPPED or
 * TD_E_NOMEM. */
int td_sample_tree_make(const struct td_trace *trace, const struct td_samples_choice *choice, bool by_track,
                        const struct td_progress *progress, struct td_call_tree *tree);
/* Links nodes, which know their parents, in order: the last step of making or changing a tree. 0 or TD_E_NOMEM. */
int td_call_tree_link(struct td_call_tree *tree);
/* The node that comes after `node`, depth first; its children, unless `inside`, are left out. TD_CALL_NONE: none in
 * `top`, where the walk began. */
uint32_t td_call_tree_next(const struct td_call_tree *tree, uint32_t node, uint32_t top, bool inside);
/* Whether the stack passes the node. */
bool td_call_tree_passes(const struct td_call_tree *tree, uint32_t stack, uint32_t node);
void td_call_tree_free(struct td_call_tree *tree);
