/* The tables of the instances of a name (instances.h): they have rows if the request is with what the viewer's panel has
 * made. They are not in the list of tables, as nothing else has a name. */
#pragma once
#include "host/query/sums/instance_groups.h"
#include "host/query/table/query_table.h"

struct td_instance_groups_wanted {    /* on the heap */
    struct td_instance_groups groups; /* `group` belongs to the rows */
    int64_t all_ns;                   /* the time of all instances */
};
extern const struct td_query_table td_table_instance_groups;

struct td_instance_zones_wanted { /* not the rows': all of it must stay until they are freed */
    const struct td_instances *all;
    const struct td_instance_list *list;
};
extern const struct td_query_table td_table_instance_zones;
struct td_zone_ref td_instance_zone_at(const struct td_query_rows *rows, uint64_t row);
