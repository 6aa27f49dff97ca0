/* A flame graph: a call tree of zones or samples with the names of its nodes, compared with that of another trace, or
 * turned so that it is about one name.
 *
 *     td_zone_tree_make(trace, ..., &tree, NULL);
 *     td_flame_take(&flame, trace, &tree);
 *     td_flame_compare(&flame, &flame_of_another_trace);   differences
 *     td_flame_around(&flame, name, true, &callers);       what calls it, or what it calls
 *     td_flame_fold(&flame, 0, file);                      lines of flamegraph.pl
 *
 * A flame has no part in the trace any more. Functions return 0 or TD_E_NOMEM; td_flame_free() frees also what a failed
 * one has made. */
#pragma once
#include "host/event/name_table.h"
#include "host/query/code/call_tree.h"

#include <stdio.h>

struct td_flame {               /* all zero: none */
    struct td_call_tree tree;   /* `name` is a number of `names` */
    struct td_name_table names; /* the first is that of the root, "" */
    uint64_t *other;            /* of each node: its total in the other trace; NULL: compared with none */
};

/* Takes the tree, which is empty then. */
int td_flame_take(struct td_flame *flame, const struct td_trace *trace, struct td_call_tree *tree);
void td_flame_free(struct td_flame *flame);
static inline const char *td_flame_name(const struct td_flame *flame, uint32_t node)
{
    return td_name_table_at(&flame->names, flame->tree.at[node].name);
}

/* Sets `other`. What is only in the other flame gets nodes with a total of 0. */
int td_flame_compare(struct td_flame *flame, const struct td_flame *other);

/* What the nodes of a name, outside of others of that name, have above or below them. The one node below the root of
 * `made` is the name. Callers: its children are what it is in, whose totals are the times that it takes there. */
int td_flame_around(const struct td_flame *flame, uint32_t name, bool callers, struct td_flame *made);

/* Which names pass the filter of text_filter.h: hits[name]. Returns the sum of the totals of their nodes, each part of
 * the tree once. */
uint64_t td_flame_search(const struct td_flame *flame, const char *filter, uint8_t *hits);

/* A line "OUTER;INNER NUMBER" for each node in `top` (0: all) with a total of its own. */
int td_flame_fold(const struct td_flame *flame, uint32_t top, FILE *to);
