#include "host/query/code/stack_tree.h"
#include "host/base/grow.h"
#include "host/base/wrap.h"
#include "host/event/map.h"
#include "host/trace/tables.h"

#include <stdlib.h>

struct stack_place { /* a function of a stack */
    uint32_t function, file, line;
    uint64_t frame;
};

struct tree_maker {
    struct td_stack_tree *tree;
    const struct td_trace *trace;
    size_t capacity;
    struct stack_place *places; /* of the present stack, the innermost first */
    size_t place_count, place_capacity;
    struct td_map children; /* hash of parent and place: node */
    bool by_name;
};

/* ---- a stack's functions ---- */

static int add_place(struct tree_maker *m, struct stack_place place)
{
    return TD_APPEND(m->places, m->place_count, m->place_capacity, place);
}

/* The inlined functions of a frame, then the real one. */
static int add_frame(struct tree_maker *m, uint64_t frame)
{
    const struct td_series *frames = td_trace_table(m->trace, TD_TABLE_STACK_FRAME),
                           *lines = td_trace_table(m->trace, TD_TABLE_STACK_LINE);
    const int64_t row = td_trace_stack_frame(m->trace, frame);
    if (row < 0)
        return add_place(m, (struct stack_place){.frame = frame});
    uint64_t at = row ? (uint64_t)td_series_get(frames, (uint64_t)row - 1, TD_STACK_FRAME_END) : 0;
    uint64_t end = (uint64_t)td_series_get(frames, (uint64_t)row, TD_STACK_FRAME_END);
    end = end < td_series_count(lines) ? end : td_series_count(lines);
    for (; at < end; at++) {
        const struct stack_place place = {(uint32_t)td_series_get(lines, at, TD_STACK_LINE_FUNCTION),
                                          (uint32_t)td_series_get(lines, at, TD_STACK_LINE_FILE),
                                          (uint32_t)td_series_get(lines, at, TD_STACK_LINE_LINE), frame};
        if (add_place(m, place) < 0)
            return TD_E_NOMEM;
    }
    return 0;
}

static int read_stack(struct tree_maker *m, uint32_t stack)
{
    const struct td_series *entries = td_trace_table(m->trace, TD_TABLE_STACK_ENTRY);
    uint64_t first = 0, count = 0;
    int rc = 0;
    m->place_count = 0;
    if (stack)
        td_trace_stack(m->trace, stack, &first, &count);
    for (uint64_t i = 0; rc == 0 && i < count && first + i < td_series_count(entries); i++)
        rc = add_frame(m, (uint64_t)td_series_get(entries, first + i, TD_STACK_ENTRY_FRAME));
    return rc;
}

/* ---- nodes ---- */

static bool is_same_place(const struct tree_maker *m, const struct td_stack_node *node,
                          const struct stack_place *p)
{
    if (!node->function || !p->function)
        return node->function == p->function && node->frame == p->frame;
    if (node->function != p->function)
        return false;
    return m->by_name || (node->frame == p->frame && node->file == p->file && node->line == p->line);
}

/* The child of `parent` for the place, made if it is missing; `parent` if there are too many nodes; UINT32_MAX: no
 * memory. */
static uint32_t child_of(struct tree_maker *m, uint32_t parent, const struct stack_place *p)
{
    struct td_stack_tree *tree = m->tree;
    uint64_t key = td_mix64(parent + 1) ^ td_mix64(p->function);
    if (!m->by_name || !p->function)
        key = td_mix64(key ^ p->frame) + p->line;
    for (;; key = td_mix64(key + 1)) {
        const uint32_t at = td_map_get(&m->children, key, UINT32_MAX);
        if (at == UINT32_MAX)
            break;
        if (tree->node[at].parent == parent && is_same_place(m, &tree->node[at], p))
            return at;
    }
    if (tree->count == TD_STACK_TREE_NODES)
        return parent;
    if (td_grow(&tree->node, &m->capacity, (size_t)tree->count + 1, sizeof *tree->node) < 0 ||
        td_map_add(&m->children, key, tree->count) < 0)
        return UINT32_MAX;
    tree->node[tree->count] = (struct td_stack_node){
        .parent = parent, .function = p->function, .file = p->file, .line = p->line, .frame = p->frame};
    return tree->count++;
}

static int add_stack(struct tree_maker *m, const struct td_stack_weight *weight, size_t number,
                     enum td_stack_order order)
{
    uint32_t at = 0;
    if (read_stack(m, weight->stack) < 0)
        return TD_E_NOMEM;
    for (size_t i = 0; i < m->place_count; i++) {
        at = child_of(m, at, &m->places[order == TD_FROM_ENTRY ? m->place_count - 1 - i : i]);
        if (at == UINT32_MAX)
            return TD_E_NOMEM;
    }
    struct td_stack_node *node = &m->tree->node[at];
    node->own_count += weight->count;
    node->own_bytes = td_wrap_add(node->own_bytes, weight->bytes);
    m->tree->end[number] = at;
    return 0;
}

static int compare_nodes(const void *a, const void *b, void *self)
{
    const struct td_stack_node *nodes = self;
    const uint32_t m = *(const uint32_t *)a, n = *(const uint32_t *)b;
    const struct td_stack_node *x = &nodes[m], *y = &nodes[n];
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return m > n ? -1 : m < n;
}

/* Sums over children, which have higher numbers than their parents, and links siblings: in the order of their bytes,
 * so that the greatest is linked last and comes first. */
static int link_nodes(struct td_stack_tree *tree)
{
    uint32_t *order = malloc(((size_t)tree->count + 1) * sizeof *order);
    if (!order)
        return TD_E_NOMEM;
    for (uint32_t i = tree->count; i-- > 0;) {
        struct td_stack_node *n = &tree->node[i], *parent = &tree->node[n->parent];
        n->count += n->own_count;
        n->bytes = td_wrap_add(n->bytes, n->own_bytes);
        order[i] = i;
        if (i) {
            parent->count += n->count;
            parent->bytes = td_wrap_add(parent->bytes, n->bytes);
        }
    }
    qsort_r(order, tree->count, sizeof *order, compare_nodes, tree->node);
    for (uint32_t i = 0; i < tree->count; i++) {
        struct td_stack_node *n = &tree->node[order[i]];
        if (!order[i])
            continue;
        n->next = tree->node[n->parent].child;
        tree->node[n->parent].child = order[i];
    }
    free(order);
    return 0;
}

int td_stack_tree_make(struct td_stack_tree *tree, const struct td_trace *trace,
                       const struct td_stack_weight *weights, size_t count, enum td_stack_order order,
                       bool by_name)
{
    struct tree_maker m = {.tree = tree, .trace = trace, .by_name = by_name};
    *tree = (struct td_stack_tree){.end = calloc(count + 1, sizeof *tree->end), .weights = count};
    int rc = tree->end ? td_grow(&tree->node, &m.capacity, 1, sizeof *tree->node) : TD_E_NOMEM;
    if (rc == 0) {
        tree->node[0] = (struct td_stack_node){0};
        tree->count = 1;
    }
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = add_stack(&m, &weights[i], i, order);
    rc = rc ? rc : link_nodes(tree);
    td_map_finish(&m.children);
    free(m.places);
    if (rc < 0)
        td_stack_tree_free(tree);
    return rc;
}

void td_stack_tree_free(struct td_stack_tree *tree)
{
    free(tree->node);
    free(tree->end);
    *tree = (struct td_stack_tree){0};
}

bool td_stack_tree_passes(const struct td_stack_tree *tree, size_t weight, uint32_t node)
{
    uint32_t at = tree->end[weight];
    while (at > node) /* parents have lower numbers */
        at = tree->node[at].parent;
    return at == node;
}
