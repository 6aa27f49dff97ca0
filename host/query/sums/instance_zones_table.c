/* The table of instances of a name, in the order of a list that another job has made. */
#include "host/query/sums/instance_tables.h"

#define ROWS struct td_query_rows
#define LIST ((const struct td_instance_zones_wanted *)rows->of.with)

static struct td_zone zone_at(const struct td_query_rows *rows, uint64_t i)
{
    const struct td_zone_ref ref = td_instance_zone_at(rows, i);
    return td_trace_zone(rows->of.trace, ref.track, ref.row, ref.index);
}

static struct td_query_value name_of(const struct td_query_rows *rows, uint64_t i)
{
    const struct td_zone zone = zone_at(rows, i);
    return td_is_text(td_zone_label(rows->dict, &zone));
}

/* clang-format off */
#define ZONE_COLUMNS(X)                                                                                             \
    X(start_ns,  "Start",  TIME,     108, td_is_int(zone_at(rows, i).start_ns))                                     \
    X(length_ns, "Length", DURATION, 84,  td_is_int(td_instances_length_of(LIST->all, LIST->list->number[i])))      \
    X(track,     "Track",  TRACK,    0,   td_is_uint(td_instance_zone_at(rows, i).track))                           \
    X(name,      "Name",   TEXT,     110, name_of(rows, i))                                                         \
    X(text,      "Text",   TEXT,     150, td_is_string(rows->dict, zone_at(rows, i).text))
/* clang-format on */
TD_QUERY_COLUMNS(ZONE_COLUMNS)

struct td_zone_ref td_instance_zone_at(const struct td_query_rows *rows, uint64_t row)
{
    return td_instances_ref(LIST->all, LIST->list->number[row]);
}

static int make_zones(struct td_query_rows *rows)
{
    rows->count = LIST ? LIST->list->count : 0;
    return 0;
}

static struct td_query_place place_of_zone(const struct td_query_rows *rows, uint64_t row)
{
    const struct td_zone_ref ref = td_instance_zone_at(rows, row);
    return td_at_zone(ref.track, ref.row, ref.index);
}

const struct td_query_table td_table_instance_zones = {
    .name = "instance_zones",
    .about = "a zone of the name",
    TD_QUERY_WITH_COLUMNS,
    .make = make_zones,
    .place_of_row = place_of_zone,
};
