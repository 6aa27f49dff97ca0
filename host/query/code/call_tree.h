/* Call stacks as a tree. From a function outwards: its callers, which are entries of stock's lists. Or from the
 * outermost functions inwards. Counts may be samples, or the nanoseconds of wait_stacks.h. */
#ifndef TD_HOST_QUERY_CODE_CALL_TREE_H
#define TD_HOST_QUERY_CODE_CALL_TREE_H
#include "host/query/code/samples.h"

#define TD_CALL_NONE UINT32_MAX

struct td_call_node {
    uint64_t symbol;  /* address of the function; 0: not known */
    uint64_t address; /* of one of the frames that the node is made of */
    uint32_t name, file, line, image;
    bool is_inlined, is_kernel;
    uint64_t total; /* of the stacks that pass through the node */
    uint64_t self;  /* of those that end there; from the outside inwards: samples in the function itself */
    uint32_t parent, child, next; /* nodes, or TD_CALL_NONE; children are in order of total, descending */
    uint32_t depth;
};
struct td_call_tree {
    struct td_call_node *at; /* node 0 is the root, which has no function */
    size_t count;
};
struct td_call_tree_choice {
    bool inwards;  /* false: from the innermost function to its callers */
    bool inlines;  /* inlined functions are nodes of their own */
    bool by_line;  /* a function that calls from several lines is several nodes */
    bool anywhere; /* false: only stacks whose sample is in the function itself */
    uint64_t key;  /* td_level_key() of the function that the tree begins with; 0: all stacks, whole */
};
/* 0, TD_E_STOPPED or TD_E_NOMEM. */
int td_call_tree_make(const struct td_trace *trace, const struct td_stack_counts *counts,
                      const struct td_call_tree_choice *choice, const struct td_progress *progress,
                      struct td_call_tree *tree, struct td_err *err);
void td_call_tree_free(struct td_call_tree *tree);
#endif
