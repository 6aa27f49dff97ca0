#include "host/query/sums/flame.h"
#include "host/base/grow.h"
#include "host/event/map.h"
#include "host/query/table/text_filter.h"
#include "host/query/table/track_name.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void td_flame_free(struct td_flame *flame)
{
    td_call_tree_free(&flame->tree);
    td_name_table_free(&flame->names);
    free(flame->other);
    *flame = (struct td_flame){0};
}

/* ---- names ---- */

static const char *text_of(const struct td_trace *trace, const struct td_call_node *node,
                           char room[TD_TRACK_LONG_NAME_BYTES])
{
    if (node->lane)
        return td_track_long_name(trace, node->lane - 1, room);
    const char *name = td_dict_text(td_trace_dict(trace), node->name);
    if (!*name && node->zones)
        return TD_DICT_UNKNOWN;
    if (!*name && node->address)
        snprintf(room, TD_TRACK_LONG_NAME_BYTES, "0x%" PRIx64, node->address);
    return *name || !node->address ? name : room;
}

int td_flame_take(struct td_flame *flame, const struct td_trace *trace, struct td_call_tree *tree)
{
    *flame = (struct td_flame){.tree = *tree};
    *tree = (struct td_call_tree){0};
    for (size_t i = 0; i < flame->tree.count; i++) {
        char room[TD_TRACK_LONG_NAME_BYTES];
        struct td_call_node *n = &flame->tree.at[i];
        const char *name = i ? text_of(trace, n, room) : "";
        n->name = td_name_table_number(&flame->names, name, strlen(name));
        if (n->name == UINT32_MAX)
            return TD_E_NOMEM;
    }
    return 0;
}

/* ---- making ---- */

struct flame_maker {
    struct td_flame *flame;
    size_t capacity, other_capacity;
    struct td_map map; /* parent and name -> node */
};

static uint32_t name_of(struct flame_maker *m, const struct td_flame *from, uint32_t node)
{
    const char *name = td_flame_name(from, node);
    return td_name_table_number(&m->flame->names, name, strlen(name));
}

static uint64_t key_of(uint32_t parent, const struct td_call_node *node, uint32_t name)
{
    return td_mix64((uint64_t)parent << 32 | name) + (node->lane != 0);
}

/* Appends a node like that of `from`, without sums. */
static int append(struct flame_maker *m, const struct td_flame *from, uint32_t node, uint32_t parent,
                  uint32_t name)
{
    struct td_flame *f = m->flame;
    if (f->tree.count >= TD_CALL_NONE ||
        td_grow(&f->tree.at, &m->capacity, f->tree.count + 1, sizeof *f->tree.at) < 0 ||
        td_grow(&f->other, &m->other_capacity, f->tree.count + 1, sizeof *f->other) < 0)
        return TD_E_NOMEM;
    struct td_call_node *n = &f->tree.at[f->tree.count];
    *n = from->tree.at[node];
    n->name = name;
    n->parent = parent;
    n->child = n->next = TD_CALL_NONE;
    n->depth = parent == TD_CALL_NONE ? 0 : f->tree.at[parent].depth + 1;
    n->total = n->self = n->zones = 0;
    f->other[f->tree.count++] = 0;
    return 0;
}

/* The child of `parent` like that node. TD_CALL_NONE: no memory. */
static uint32_t child_like(struct flame_maker *m, uint32_t parent, const struct td_flame *from, uint32_t node)
{
    const uint32_t name = name_of(m, from, node);
    const bool is_lane = from->tree.at[node].lane != 0;
    uint64_t key = key_of(parent, &from->tree.at[node], name);
    uint32_t found;
    if (name == UINT32_MAX)
        return TD_CALL_NONE;
    while ((found = td_map_get(&m->map, key, TD_CALL_NONE)) != TD_CALL_NONE) {
        const struct td_call_node *n = &m->flame->tree.at[found];
        if (n->parent == parent && n->name == name && (n->lane != 0) == is_lane)
            return found;
        key = td_mix64(key + 1);
    }
    found = (uint32_t)m->flame->tree.count;
    if (append(m, from, node, parent, name) < 0 || td_map_add(&m->map, key, found) < 0)
        return TD_CALL_NONE;
    return found;
}

/* ---- differences ---- */

/* Tells the map about the nodes that there are. */
static int add_known(struct flame_maker *m)
{
    const struct td_call_tree *tree = &m->flame->tree;
    int rc = 0;
    for (uint32_t i = 1; i < tree->count && rc >= 0; i++) {
        uint64_t key = key_of(tree->at[i].parent, &tree->at[i], tree->at[i].name);
        while ((rc = td_map_add(&m->map, key, i)) == 0)
            key = td_mix64(key + 1);
    }
    return rc < 0 ? rc : 0;
}

int td_flame_compare(struct td_flame *flame, const struct td_flame *other)
{
    const size_t count = other->tree.count;
    struct flame_maker m = {.flame = flame, .capacity = flame->tree.count};
    uint32_t *number = calloc(count + 1, sizeof *number);
    free(flame->other);
    flame->other = NULL;
    int rc = number ? td_grow(&flame->other, &m.other_capacity, flame->tree.count + 1, sizeof *flame->other)
                    : TD_E_NOMEM;
    if (rc == 0)
        memset(flame->other, 0, (flame->tree.count + 1) * sizeof *flame->other);
    rc = rc ? rc : add_known(&m);
    for (uint32_t i = 0; i < count && rc == 0; i++) {
        if (i)
            number[i] = child_like(&m, number[other->tree.at[i].parent], other, i);
        if (number[i] == TD_CALL_NONE)
            rc = TD_E_NOMEM;
        else
            flame->other[number[i]] += other->tree.at[i].total;
    }
    td_map_finish(&m.map);
    free(number);
    return rc ? rc : td_call_tree_link(&flame->tree);
}

/* ---- callers and callees ---- */

static void add_sums(struct flame_maker *m, uint32_t to, const struct td_flame *from, uint32_t node,
                     bool total_only)
{
    const struct td_call_node *n = &from->tree.at[node];
    struct td_call_node *sum = &m->flame->tree.at[to];
    sum->total += n->total;
    sum->zones += n->zones;
    if (!total_only)
        sum->self += n->self;
    if (from->other)
        m->flame->other[to] += from->other[node];
}

static int add_callers(struct flame_maker *m, uint32_t to, const struct td_flame *from, uint32_t node)
{
    for (uint32_t at = from->tree.at[node].parent; at; at = from->tree.at[at].parent) {
        to = child_like(m, to, from, at);
        if (to == TD_CALL_NONE)
            return TD_E_NOMEM;
        add_sums(m, to, from, node, true);
    }
    m->flame->tree.at[to].self += from->tree.at[node].total;
    return 0;
}

/* `number` has room for the node of each node. */
static int add_callees(struct flame_maker *m, uint32_t to, const struct td_flame *from, uint32_t top,
                       uint32_t *number)
{
    number[top] = to;
    m->flame->tree.at[to].self += from->tree.at[top].self;
    for (uint32_t at = top; (at = td_call_tree_next(&from->tree, at, top, true)) != TD_CALL_NONE;) {
        number[at] = child_like(m, number[from->tree.at[at].parent], from, at);
        if (number[at] == TD_CALL_NONE)
            return TD_E_NOMEM;
        add_sums(m, number[at], from, at, false);
    }
    return 0;
}

int td_flame_around(const struct td_flame *flame, uint32_t name, bool callers, struct td_flame *made)
{
    const struct td_call_tree *tree = &flame->tree;
    struct flame_maker m = {.flame = made};
    uint32_t *number = malloc((tree->count + 1) * sizeof *number), root;
    bool inside = true;
    *made = (struct td_flame){0};
    int rc = number ? 0 : TD_E_NOMEM;
    root = td_name_table_number(&made->names, "", 0);
    if (rc == 0 && tree->count)
        rc = root == UINT32_MAX ? TD_E_NOMEM : append(&m, flame, 0, TD_CALL_NONE, root);
    for (uint32_t at = 0; rc == 0 && tree->count; inside = tree->at[at].name != name) {
        at = td_call_tree_next(tree, at, 0, inside);
        if (at == TD_CALL_NONE)
            break;
        if (tree->at[at].name != name)
            continue;
        const uint32_t top = child_like(&m, 0, flame, at);
        if (top == TD_CALL_NONE) {
            rc = TD_E_NOMEM;
            break;
        }
        add_sums(&m, 0, flame, at, true);
        add_sums(&m, top, flame, at, true);
        rc = callers ? add_callers(&m, top, flame, at) : add_callees(&m, top, flame, at, number);
    }
    td_map_finish(&m.map);
    free(number);
    if (!flame->other) {
        free(made->other);
        made->other = NULL;
    }
    return rc || !made->tree.count ? rc : td_call_tree_link(&made->tree);
}

/* ---- searching ---- */

uint64_t td_flame_search(const struct td_flame *flame, const char *filter, uint8_t *hits)
{
    const struct td_call_tree *tree = &flame->tree;
    uint64_t sum = 0;
    const uint32_t names = flame->names.names.pool.count;
    for (uint32_t i = 0; i < names; i++)
        hits[i] = *filter && td_text_passes(filter, td_name_table_at(&flame->names, i), NULL);
    if (names)
        hits[0] = 0; /* of the root */
    bool inside = true;
    for (uint32_t at = 0; tree->count; inside = !hits[tree->at[at].name]) {
        at = td_call_tree_next(tree, at, 0, inside);
        if (at == TD_CALL_NONE)
            break;
        sum += hits[tree->at[at].name] ? tree->at[at].total : 0;
    }
    return sum;
}

/* ---- folded stacks ---- */

/* A semicolon would end the name. */
static void print_name(const char *name, FILE *to)
{
    if (!*name)
        name = TD_DICT_UNKNOWN;
    for (; *name; name++)
        putc(*name == ';' ? ':' : (unsigned char)*name < ' ' ? ' ' : *name, to);
}

int td_flame_fold(const struct td_flame *flame, uint32_t top, FILE *to)
{
    uint32_t *path = NULL;
    size_t room = 0;
    int rc = 0;
    for (uint32_t at = top; flame->tree.count && at != TD_CALL_NONE && rc == 0;
         at = td_call_tree_next(&flame->tree, at, top, true)) {
        size_t count = 0;
        if (!flame->tree.at[at].self)
            continue;
        for (uint32_t up = at; up && rc == 0; up = flame->tree.at[up].parent)
            rc = TD_APPEND(path, count, room, up);
        if (!count && rc == 0)
            print_name("", to);
        for (size_t i = count; i-- > 0 && rc == 0;) {
            print_name(td_flame_name(flame, path[i]), to);
            if (i)
                putc(';', to);
        }
        fprintf(to, " %" PRIu64 "\n", flame->tree.at[at].self);
    }
    free(path);
    return rc;
}
