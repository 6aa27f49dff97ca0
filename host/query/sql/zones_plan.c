/* Conditions and orders of the table `zones` that the model answers: numbers, times, lengths and depths between limits,
 * equal names, and whatever is equal for all zones of a track or of a source location. */
#include "host/base/sorted.h"
#include "host/query/rows/zone_scan.h"
#include "host/query/sql/sql_internal.h"
#include "host/query/table/track_name.h"

#include <math.h>
#include <stdlib.h>

/* In the number of a plan: DOWN as in tables.c, the order, and how many of the longest zones. */
#define DOWN         1
#define ORDER_SHIFT  1
#define ORDER_MASK   7
#define MOST_SHIFT   4
#define LONGEST_MOST 1000000

enum what {
    OF_NOTHING,
    OF_ROW,
    OF_START,
    OF_END,
    OF_LENGTH,
    OF_DEPTH,
    OF_NAME,
    OF_PARENT,
    OF_TRACK,   /* equal for all zones of a track */
    OF_LOCATION /* equal for all zones of a source location */
};

/* NULL: the number of the row. */
static enum what what_is(const struct td_sql_column *column)
{
    static const struct {
        const char *key;
        enum what what;
    } known[] = {
        {"id", OF_ROW},           {"start_ns", OF_START}, {"end_ns", OF_END},    {"duration_ns", OF_LENGTH},
        {"depth", OF_DEPTH},      {"name", OF_NAME},      {"parent", OF_PARENT}, {"track", OF_TRACK},
        {"location", OF_LOCATION}};
    const struct td_query_column *leader = column ? td_query_leader(&td_table_zones, column->column) : NULL;
    const char *key = leader ? leader->key : column ? column->column->key : "id";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].key, key))
            return known[i].what;
    return OF_NOTHING;
}

static bool is_range(enum what what)
{
    return what >= OF_ROW && what <= OF_DEPTH;
}

/* ---- plans ---- */

struct estimate {
    double all, rows, read; /* zones; that pass; that are looked at */
    double parts;
    bool one_track, one_depth;
    bool has_from, has_to; /* of start, known: */
    double from, to, length_ns;
};

static void estimate_range(struct estimate *e, enum what what, char op)
{
    double part = 1;
    if (what == OF_ROW)
        part = op == '=' ? 1 / e->all : 0.3;
    else if (what == OF_DEPTH)
        part = op == '=' ? 0.3 : 0.7;
    else if (op == '=')
        part = 1e-5;
    else
        part = 0.3;
    e->rows *= part;
    if (what != OF_LENGTH)
        e->read *= part;
}

static void estimate_equal(struct estimate *e, enum what what)
{
    const double part = what == OF_TRACK    ? (e->parts > 8 ? 4 / e->parts : 0.5)
                        : what == OF_PARENT ? 1e-5
                                            : 0.05;
    e->rows *= part;
    if (what == OF_TRACK || what == OF_PARENT)
        e->read *= part;
}

/* Both ends of a range of time that is known: its share of the trace. */
static void estimate_times(struct estimate *e)
{
    if (!e->has_from || !e->has_to || e->length_ns <= 0)
        return;
    const double share = (e->to - e->from) / e->length_ns, part = share < 0 ? 0 : share > 1 ? 1 : share;
    e->rows *= part / 0.09; /* of what estimate_range() said of both */
    e->read *= part / 0.09;
}

static void add_constraint(struct td_sql_table_of *table, struct td_sql_plan *plan, sqlite3_index_info *info,
                           int i, struct estimate *e)
{
    const int column = info->aConstraint[i].iColumn;
    const char op = td_sql_op(info->aConstraint[i].op);
    const enum what what = what_is(column < 0 ? NULL : &td_sql_shape_of(table)->column[column]);
    double value;
    if (!info->aConstraint[i].usable || !op || what == OF_NOTHING || (op != '=' && !is_range(what)))
        return;
    if ((what == OF_NAME || what == OF_TRACK || what == OF_LOCATION) &&
        sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY"))
        return;
    td_sql_plan_add(plan, info, i, column < 0 ? 0 : column, op);
    if (is_range(what))
        estimate_range(e, what, op);
    else
        estimate_equal(e, what);
    if ((what == OF_START || what == OF_END) && op != '=' && td_sql_constant(info, i, &value)) {
        const bool from = op == '>' || op == ']';
        e->has_from |= from;
        e->has_to |= !from;
        *(from ? &e->from : &e->to) = value;
    }
    if (what == OF_ROW && op == '=')
        info->idxFlags |= SQLITE_INDEX_SCAN_UNIQUE;
}

/* The order that is asked for, if zones come in it. */
static bool find_order(const struct td_sql_table_of *table, const sqlite3_index_info *info,
                       enum td_zone_order *order, bool *down)
{
    static const char *const by_row[] = {"track_id", "depth", "start_ns"};
    const struct td_sql_shape *shape = td_sql_shape_of(table);
    *order = TD_ZONES_BY_ROW;
    *down = info->nOrderBy && info->aOrderBy[0].desc;
    for (int i = 0; i < info->nOrderBy; i++) {
        const int column = info->aOrderBy[i].iColumn;
        const char *name = column < 0 ? "id" : shape->column[column].name;
        if ((info->aOrderBy[i].desc != 0) != *down)
            return false;
        if (i == 0 && !strcmp(name, "start_ns"))
            *order = TD_ZONES_BY_TIME;
        else if (i == 0 && !strcmp(name, "name") && !*down)
            *order = TD_ZONES_BY_NAME;
        else if (!strcmp(name,
                         "id")) /* those that are equal so far are by number, and no number is there twice */
            return i < 2 || *order == TD_ZONES_BY_ROW;
        else if (*order != TD_ZONES_BY_ROW || i > 2 || strcmp(name, by_row[i]))
            return false;
    }
    return info->nOrderBy > 0;
}

/* How many of the longest zones are asked for: ORDER BY duration_ns DESC, or also by id, with a LIMIT and conditions that
 * are known now and that a scan knows exactly. 0: something else is asked for. */
static int count_longest(struct td_sql_table_of *table, sqlite3_index_info *info)
{
    const struct td_sql_shape *shape = td_sql_shape_of(table);
    double limit = 0, offset = 0, value;
    if (!info->nOrderBy || info->nOrderBy > 2 || info->aOrderBy[0].iColumn < 0 || !info->aOrderBy[0].desc ||
        strcmp(shape->column[info->aOrderBy[0].iColumn].name, "duration_ns") != 0)
        return 0;
    if (info->nOrderBy == 2 &&
        (info->aOrderBy[1].desc ||
         (info->aOrderBy[1].iColumn >= 0 && strcmp(shape->column[info->aOrderBy[1].iColumn].name, "id"))))
        return 0;
    for (int i = 0; i < info->nConstraint; i++) {
        const int op = info->aConstraint[i].op, column = info->aConstraint[i].iColumn;
        const bool is_limit = op == SQLITE_INDEX_CONSTRAINT_LIMIT || op == SQLITE_INDEX_CONSTRAINT_OFFSET;
        if (!td_sql_constant(info, i, &value) ||
            (!is_limit && (!td_sql_op(info->aConstraint[i].op) || column < 0 ||
                           !is_range(what_is(&shape->column[column])))))
            return 0;
        if (is_limit)
            *(op == SQLITE_INDEX_CONSTRAINT_LIMIT ? &limit : &offset) = value;
    }
    return limit > 0 && offset >= 0 && limit + offset <= LONGEST_MOST ? (int)(limit + offset) : 0;
}

int td_sql_plan_zones(struct td_sql_table_of *table, sqlite3_index_info *info)
{
    const struct td_query_rows *zones;
    struct td_sql_plan plan = {0};
    enum td_zone_order order;
    bool down;
    size_t parts;
    int rc;
    zones = td_sql_rows(table->sql, table->trace, table->shape, &rc);
    if (!zones)
        return td_sql_code(rc);
    td_zones_parts(zones, &parts);
    const double all = zones->count ? (double)zones->count : 1;
    struct estimate e = {.all = all,
                         .rows = all,
                         .read = all,
                         .parts = (double)parts,
                         .length_ns = (double)td_trace_get_info(table->trace->trace)->last_time_ns};
    for (int i = 0; i < info->nConstraint; i++)
        add_constraint(table, &plan, info, i, &e);
    estimate_times(&e);
    info->orderByConsumed = find_order(table, info, &order, &down);
    if (order == TD_ZONES_BY_NAME && zones->count > UINT32_MAX)
        info->orderByConsumed = 0;
    if (!info->orderByConsumed) {
        order = TD_ZONES_BY_ROW;
        down = false;
    }
    const int longest = count_longest(table, info);
    if (longest) {
        order = TD_ZONES_LONGEST;
        down = false;
        info->orderByConsumed = 1;
        e.rows = e.rows < longest ? e.rows : longest;
    }
    info->idxNum = longest << MOST_SHIFT | (int)order << ORDER_SHIFT | (down ? DOWN : 0);
    info->estimatedRows = e.rows < 1 ? 1 : (sqlite3_int64)e.rows;
    info->estimatedCost = 10 + e.parts * 0.5 + e.read * 0.03 + e.rows;
    if (order == TD_ZONES_BY_TIME)
        info->estimatedCost += e.rows * 0.1 * log2(e.parts + 1);
    if (order == TD_ZONES_BY_NAME)
        info->estimatedCost += e.read * 0.1;
    return td_sql_plan_take(&plan, info);
}

/* ---- limits ---- */

struct search {
    const struct td_query_rows *zones;
    struct td_zone_limits limits;
    uint8_t *tracks, *locations;
    bool nothing;
};

/* Whether the value may be equal to that of the condition: other types are left to SQLite. */
static bool may_equal(const struct td_query_value *value, sqlite3_value *wanted)
{
    const int type = sqlite3_value_type(wanted);
    if (type == SQLITE_NULL || value->kind == TD_IS_NONE || value->kind == TD_IS_LEFT_OUT)
        return false;
    if (type == SQLITE_TEXT && value->kind == TD_IS_TEXT)
        return (size_t)sqlite3_value_bytes(wanted) == value->bytes &&
               !memcmp(sqlite3_value_text(wanted), value->text, value->bytes);
    if (type == SQLITE_INTEGER && value->kind != TD_IS_TEXT)
        return sqlite3_value_int64(wanted) == value->i;
    return true;
}

static void limit_rows(struct search *s, int64_t from, int64_t to)
{
    struct td_zone_limits *l = &s->limits;
    s->nothing |= to < 0;
    if (from > 0 && (uint64_t)from > l->row_from)
        l->row_from = (uint64_t)from;
    if (to >= 0 && (uint64_t)to < l->row_to)
        l->row_to = (uint64_t)to;
}

/* The zones of a track have numbers one after the other. */
static void limit_track(struct search *s, int64_t track)
{
    size_t parts, first = 0, end;
    const struct td_zones_part *part = td_zones_parts(s->zones, &parts);
    end = parts;
    TD_BISECT(first, end, i, part[i].track < track);
    for (end = first; end < parts && part[end].track == track; end++)
        ;
    s->nothing |= first == end;
    if (first < end)
        limit_rows(s, (int64_t)part[first].first, (int64_t)(part[end - 1].first + part[end - 1].count - 1));
}

static int limit_tracks(struct search *s, const struct td_sql_column *column, sqlite3_value *wanted)
{
    if (column->is_track_id && sqlite3_value_type(wanted) == SQLITE_INTEGER) {
        limit_track(s, sqlite3_value_int64(wanted));
        return 0;
    }
    const uint32_t tracks = td_dict_track_count(s->zones->dict);
    char room[TD_QUERY_ROOM], name[TD_TRACK_LONG_NAME_BYTES];
    size_t parts;
    const struct td_zones_part *part = td_zones_parts(s->zones, &parts);
    if (!s->tracks && !(s->tracks = malloc((size_t)tracks + 1)))
        return TD_E_NOMEM;
    if (!s->limits.tracks)
        memset(s->tracks, 1, tracks);
    s->limits.tracks = s->tracks;
    for (size_t i = 0; i < parts; i++) {
        if (part[i].row)
            continue;
        struct td_query_value value = td_query_get(s->zones, part[i].first, column->column, room);
        if (column->column->type == TD_AS_TRACK && !column->is_track_id)
            value = td_is_text(td_track_long_name(s->zones->of.trace, part[i].track, name));
        s->tracks[part[i].track] &= may_equal(&value, wanted);
    }
    return 0;
}

static struct td_query_value location_value(const struct td_dict *dict, uint32_t location, const char *name)
{
    const struct td_srcloc *l = td_dict_get_srcloc(dict, location);
    return !strcmp(name, "line")       ? td_is_uint(l->line)
           : !strcmp(name, "file")     ? td_is_string(dict, l->file)
           : !strcmp(name, "function") ? td_is_string(dict, l->function)
                                       : td_is_uint(location);
}

static int limit_locations(struct search *s, const struct td_sql_column *column, sqlite3_value *wanted)
{
    const uint32_t locations = td_dict_srcloc_count(s->zones->dict);
    if (!s->locations && !(s->locations = malloc((size_t)locations + 1)))
        return TD_E_NOMEM;
    if (!s->limits.locations)
        memset(s->locations, 1, locations);
    s->limits.locations = s->locations;
    for (uint32_t l = 0; l < locations; l++) {
        const struct td_query_value value = location_value(s->zones->dict, l, column->name);
        s->locations[l] &= may_equal(&value, wanted);
    }
    return 0;
}

static void raise(int64_t *from, int64_t to)
{
    *from = to > *from ? to : *from;
}

static void lower(int64_t *to, int64_t from)
{
    *to = from < *to ? from : *to;
}

static void limit_range(struct search *s, enum what what, char op, sqlite3_value *value)
{
    struct td_zone_limits *l = &s->limits;
    struct td_sql_bounds b = td_sql_no_bounds();
    td_sql_bound(&b, op, value);
    s->nothing |= b.from > b.to;
    if (what == OF_ROW) {
        limit_rows(s, b.from, b.to);
    } else if (what == OF_START) {
        raise(&l->start_from, b.from);
        lower(&l->start_to, b.to);
    } else if (what == OF_END) {
        raise(&l->end_from, b.from);
        lower(&l->end_to, b.to);
    } else if (what == OF_LENGTH) {
        raise(&l->least_ns, b.from);
        lower(&l->most_ns, b.to);
    } else {
        raise(&l->depth_from, b.from);
        lower(&l->depth_to, b.to);
    }
}

static void limit_parent(struct search *s, sqlite3_value *value)
{
    struct td_sql_bounds b = td_sql_no_bounds();
    uint64_t first, end;
    td_sql_bound(&b, '=', value);
    if (b.from == INT64_MIN)
        return;
    s->nothing |= b.from != b.to || b.from < 0 || (uint64_t)b.from >= s->zones->count;
    if (s->nothing)
        return;
    td_zones_children(s->zones, (uint64_t)b.from, &first, &end);
    s->nothing |= first >= end;
    limit_rows(s, (int64_t)first, (int64_t)end - 1);
}

static void limit_name(struct search *s, sqlite3_value *value)
{
    const int type = sqlite3_value_type(value);
    s->nothing |= type == SQLITE_NULL;
    if (type != SQLITE_TEXT)
        return;
    const char *name = (const char *)sqlite3_value_text(value);
    const size_t bytes = (size_t)sqlite3_value_bytes(value);
    s->nothing |=
        s->limits.name && (bytes != s->limits.name_bytes || memcmp(name, s->limits.name, bytes) != 0);
    s->limits.name = name;
    s->limits.name_bytes = bytes;
}

static int limit(struct search *s, const struct td_sql_column *column, char op, sqlite3_value *value)
{
    const enum what what = what_is(column);
    if (is_range(what))
        limit_range(s, what, op, value);
    else if (what == OF_NAME)
        limit_name(s, value);
    else if (what == OF_PARENT)
        limit_parent(s, value);
    return what == OF_TRACK      ? limit_tracks(s, column, value)
           : what == OF_LOCATION ? limit_locations(s, column, value)
                                 : 0;
}

struct td_zone_scan *td_sql_scan_zones(struct td_sql_table_of *table, const struct td_query_rows *rows,
                                       int number, const char *plan, int count, sqlite3_value **values,
                                       int *rc)
{
    struct search s = {.zones = rows, .limits = td_zone_no_limits()};
    struct td_zone_scan *scan = NULL;
    *rc = 0;
    for (int i = 0; *rc == 0 && i < count; i++)
        *rc = limit(&s, &td_sql_shape_of(table)->column[plan[2 * i] - 'A'], plan[2 * i + 1], values[i]);
    s.limits.down = number & DOWN;
    s.limits.most = (size_t)(number >> MOST_SHIFT);
    if (s.nothing) {
        s.limits.depth_from = 1;
        s.limits.depth_to = 0;
    }
    if (*rc == 0)
        scan = td_zone_scan_begin(rows, &s.limits, (enum td_zone_order)(number >> ORDER_SHIFT & ORDER_MASK),
                                  &table->sql->job, rc);
    free(s.tracks);
    free(s.locations);
    return scan;
}
