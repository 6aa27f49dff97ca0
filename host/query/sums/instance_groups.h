/* Instances in groups, such as those of each track, with the spread of their lengths; and lists of them. Groups by track,
 * tile and such need little memory, others two bytes an instance, four while they are made. A list needs four bytes for
 * each instance of its group if a group is wanted, and four if it is not sorted by length. */
#pragma once
#include "host/query/sums/instances.h"

/* X(ID, title): kind is the kind of core (BRISC ...), name the name that a zone has of its own. */
/* clang-format off */
#define TD_INSTANCE_BYS(X)          \
    X(NONE,   "No groups")       \
    X(TRACK,  "Track")           \
    X(KIND,   "Kind of core")    \
    X(TILE,   "Tile")            \
    X(CHIP,   "Chip")            \
    X(TEXT,   "User text")       \
    X(NAME,   "Zone name")       \
    X(PLACE,  "Source place")    \
    X(STACK,  "Call stack")      \
    X(PARENT, "Parent")
/* clang-format on */
enum td_instance_by {
#define TD_X(id, title) TD_INSTANCE_BY_##id,
    TD_INSTANCE_BYS(TD_X)
#undef TD_X
        TD_INSTANCE_BY_COUNT
};
const char *td_instance_by_title(enum td_instance_by grouping);

struct td_instance_group {
    uint64_t count;
    int64_t total_ns;
    int64_t min_ns, low_ns, median_ns, high_ns, p99_ns, max_ns; /* low and high: the quartiles */
    struct td_zone_ref sample;                                  /* one of the group */
    int64_t first_ns; /* the start of the first zone of the group, also of one that is not counted */
};

#define TD_INSTANCE_GROUPS 65535u /* at most: further ones are joined in the last */
#define TD_SHAPED_GROUPS   2048u  /* more have no shapes */
#define TD_SHAPE_CELLS     48

/* How the lengths of a group are spread: how many lie in each cell. */
typedef uint32_t td_instance_shape[TD_SHAPE_CELLS];

struct td_instance_groups { /* all zero: none */
    enum td_instance_by grouping;
    struct td_instance_group *group;
    size_t count;
    uint16_t *of;             /* the group of each instance, or NULL */
    uint16_t *of_part;        /* that of each part, if each is of one group; both NULL: there is one group */
    bool joined;              /* the last one is the sum of many */
    size_t low, high;         /* the ranks that the groups count */
    td_instance_shape *shape; /* of each group; NULL: there are too many */
    int64_t
        shape_edge[TD_SHAPE_CELLS + 1]; /* cell i has the lengths from edge i to edge i + 1, without that */
};

/* Groups all instances; the groups count those of the ranks low .. high - 1 only. 0, TD_E_NOMEM or TD_E_STOPPED. */
int td_instance_groups_make(struct td_instance_groups *groups, const struct td_trace *trace,
                            const struct td_instances *instances, enum td_instance_by grouping, size_t low,
                            size_t high, struct td_job *job);
void td_instance_groups_free(struct td_instance_groups *groups);
/* The group of an instance. */
static inline size_t td_instance_group_of(const struct td_instance_groups *groups,
                                          const struct td_instances *instances, size_t number)
{
    if (groups->of)
        return groups->of[number];
    return groups->of_part ? groups->of_part[td_instances_part(instances, number) - instances->part] : 0;
}
/* What the group has in common, such as the track's name. */
void td_instance_group_label(const struct td_instance_groups *groups, const struct td_trace *trace,
                             const struct td_instance_group *group, char *text, size_t bytes);

enum td_instance_sort { TD_SORT_LENGTH, TD_SORT_TIME, TD_SORT_NAME, TD_SORT_TRACK };

struct td_instance_list {      /* all zero: none */
    const uint32_t *number;    /* instances in the order that is wanted */
    const uint32_t *by_length; /* the same, shortest first; may equal `number` */
    size_t count;
    uint32_t *own,
        *sorted; /* what the two point to, unless it is the order of all instances, which must live on */
};

/* Lists the instances of a group (SIZE_MAX: of all) with ranks low .. high - 1, in rising order. 0, TD_E_NOMEM or
 * TD_E_STOPPED. */
int td_instance_list_make(struct td_instance_list *list, const struct td_trace *trace,
                          const struct td_instances *instances, const struct td_instance_groups *groups,
                          size_t group, size_t low, size_t high, enum td_instance_sort sort,
                          struct td_job *job);
void td_instance_list_free(struct td_instance_list *list);
