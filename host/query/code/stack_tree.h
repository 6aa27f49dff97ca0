/* Call stacks with weights as a tree of functions: from the outermost function of each stack to the innermost one, or
 * the other way round. */
#ifndef TD_HOST_QUERY_CODE_STACK_TREE_H
#define TD_HOST_QUERY_CODE_STACK_TREE_H
#include "host/trace/trace.h"
#include <stdbool.h>

#define TD_STACK_TREE_NODES 1000000u /* at most; what is below belongs to the node above it */

struct td_stack_weight {
    uint32_t stack; /* row of STACK */
    uint64_t count;
    int64_t bytes;
};

struct td_stack_node {
    uint32_t parent, child, next;  /* nodes; 0: none. Siblings: the one with the most bytes first */
    uint32_t function, file, line; /* strings of the dictionary; function 0: it has only an address */
    uint64_t frame;                /* a frame id, of one of the places that are joined here */
    uint64_t count, own_count;     /* of all stacks through here; of those that end here */
    int64_t bytes, own_bytes;
};

struct td_stack_tree {          /* all zero: none */
    struct td_stack_node *node; /* 0 is the root */
    uint32_t count;
    uint32_t *end; /* the node at which each of the weights ends */
    size_t weights;
};

enum td_stack_order {
    TD_FROM_ENTRY, /* outermost function at the root: stock's bottom-up tree */
    TD_FROM_PLACE  /* innermost function at the root: stock's top-down tree */
};

/* by_name: places of one function are one node. 0 or TD_E_NOMEM. */
int td_stack_tree_make(struct td_stack_tree *tree, const struct td_trace *trace,
                       const struct td_stack_weight *weights, size_t count, enum td_stack_order order,
                       bool by_name);
void td_stack_tree_free(struct td_stack_tree *tree);
/* Whether the weight's stack passes the node. */
bool td_stack_tree_passes(const struct td_stack_tree *tree, size_t weight, uint32_t node);
#endif
