/* tendril csvexport: statistics of a trace as comma separated values, in the form of stock Tracy's tool of
 * that name. */
#include "host/base/options.h"
#include "host/file/load.h"
#include "host/tools/commands.h"
#include "host/trace/walk.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct csv {
    const char *filter, *separator;
    int case_sensitive, self, unwrap, messages;
    struct td_trace *trace;
    const struct td_dict *dict;
};

/* Is `filter` a part of the name? */
static int chosen(const struct csv *c, const char *name)
{
    size_t bytes = strlen(c->filter);
    for (; strlen(name) >= bytes; name++) {
        size_t i = 0;
        while (i < bytes &&
               (c->case_sensitive ? name[i] == c->filter[i]
                                  : tolower((unsigned char)name[i]) == tolower((unsigned char)c->filter[i])))
            i++;
        if (i == bytes)
            return 1;
        if (!*name)
            break;
    }
    return 0;
}

static void print_header(const struct csv *c, const char *const *columns)
{
    for (size_t i = 0; columns[i]; i++)
        printf("%s%s", i ? c->separator : "", columns[i]);
    putchar('\n');
}

static void print_location(const struct csv *c, uint32_t srcloc)
{
    const struct td_srcloc *loc = td_dict_get_srcloc(c->dict, srcloc);
    printf("%s%s%s%s%" PRIu32, td_dict_zone_name(c->dict, srcloc), c->separator,
           td_dict_text(c->dict, loc->file), c->separator, loc->line);
}

/* The mean is a whole number, and the deviation is that of the total times, around the mean of the self times
 * where these are asked for: so stock prints them. */
static void print_stat(const struct csv *c, const struct td_stat *s, int64_t last_time_ns)
{
    const char *sep = c->separator;
    uint64_t time = (uint64_t)(c->self ? s->self_ns : s->total_ns), mean = time / s->timed;
    double square =
        s->sum_squares - 2. * (double)s->total_ns * (double)mean + (double)(mean * mean * s->timed);
    double deviation = s->timed > 1 ? sqrt(square / (double)(s->timed - 1)) : 0;
    print_location(c, s->srcloc);
    printf("%s%" PRId64 "%s%f%s%" PRIu64 "%s%" PRIu64, sep, (int64_t)time, sep,
           100. * (double)(int64_t)time / (double)last_time_ns, sep, s->timed, sep, mean);
    printf("%s%" PRId64 "%s%" PRId64 "%s%f\n", sep, c->self ? s->self_min_ns : s->min_ns, sep,
           c->self ? s->self_max_ns : s->max_ns, sep, deviation);
}

static int64_t children_time(const struct csv *c, uint32_t track, uint32_t row, const struct td_zone *zone)
{
    int64_t total = 0;
    for (size_t i = zone->child_begin; i < zone->child_end; i++) {
        struct td_zone child = td_trace_zone(c->trace, track, row + 1, i);
        if (child.end_ns != TD_OPEN)
            total += child.end_ns - child.start_ns;
    }
    return total;
}

/* A zone of the list that -u prints: all of one location, in the order of threads, each depth first. */
struct item {
    uint32_t srcloc, track, row;
    size_t index;
};

static int by_location(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->srcloc != y->srcloc)
        return x->srcloc < y->srcloc ? -1 : 1;
    /* Both come from one array in the wanted order, kept in `index` until sorted. */
    return x->index < y->index ? -1 : x->index > y->index;
}

struct list {
    struct item *items;
    size_t *index; /* of each item in its row */
    size_t count;
};

static int collect(const struct csv *c, uint32_t track, struct list *list)
{
    struct td_walk walk;
    struct td_step step;
    if (td_walk_begin(&walk, c->trace, track) < 0)
        return -1;
    while (td_walk_next(&walk, &step)) {
        const struct td_zone *zone = &step.zone;
        if (step.leaves || zone->end_ns == TD_OPEN || zone->end_ns <= zone->start_ns)
            continue;
        list->items[list->count] = (struct item){zone->srcloc, track, step.row, list->count};
        list->index[list->count++] = step.index;
    }
    td_walk_end(&walk);
    return 0;
}

static void print_item(const struct csv *c, const struct item *item, size_t index)
{
    struct td_zone zone = td_trace_zone(c->trace, item->track, item->row, index);
    int64_t time = zone.end_ns - zone.start_ns;
    if (c->self)
        time -= children_time(c, item->track, item->row, &zone);
    uint32_t thread = td_dict_get_track(c->dict, item->track)->file_number;
    print_location(c, item->srcloc);
    printf("%s%" PRId64 "%s%" PRId64 "%s%" PRIu32 "\n", c->separator, zone.start_ns, c->separator, time,
           c->separator, thread ? thread : item->track + 1);
}

static int print_zones(const struct csv *c, struct td_err *err)
{
    static const char *const columns[] = {"name",         "src_file", "src_line", "ns_since_start",
                                          "exec_time_ns", "thread",   NULL};
    uint64_t zones = 0;
    for (uint32_t t = 0; t < td_dict_track_count(c->dict); t++)
        zones += td_trace_track_zones(c->trace, t);
    struct list list = {malloc((zones + 1) * sizeof *list.items), malloc((zones + 1) * sizeof *list.index),
                        0};
    int bad = !list.items || !list.index;
    for (uint32_t t = 0; t < td_dict_track_count(c->dict) && !bad; t++)
        bad = collect(c, t, &list) < 0;
    if (!bad) {
        print_header(c, columns);
        qsort(list.items, list.count, sizeof *list.items, by_location);
        for (size_t i = 0; i < list.count; i++) {
            if (chosen(c, td_dict_zone_name(c->dict, list.items[i].srcloc)))
                print_item(c, &list.items[i], list.index[list.items[i].index]);
        }
    }
    free(list.items);
    free(list.index);
    return bad ? td_fail(err, TD_E_NOMEM, "out of memory for a list of %" PRIu64 " zones", zones) : 0;
}

static void print_statistics(const struct csv *c)
{
    static const char *const columns[] = {"name",       "src_file", "src_line", "total_ns",
                                          "total_perc", "counts",   "mean_ns",  "min_ns",
                                          "max_ns",     "std_ns",   NULL};
    const struct td_stat *stats;
    size_t count = td_trace_stats(c->trace, &stats);
    print_header(c, columns);
    for (size_t i = 0; i < count; i++) {
        if (stats[i].timed && chosen(c, td_dict_zone_name(c->dict, stats[i].srcloc)))
            print_stat(c, &stats[i], td_trace_get_info(c->trace)->last_time_ns);
    }
}

static void print_messages(const struct csv *c)
{
    size_t count = td_trace_messages(c->trace);
    if (!count) {
        puts("There are currently no messages!");
        return;
    }
    static const char *const columns[] = {"MessageName", "total_ns", NULL};
    print_header(c, columns);
    for (size_t i = 0; i < count; i++) {
        struct td_message m = td_trace_message(c->trace, i);
        printf("%s%s%" PRId64 "\n", td_dict_text(c->dict, m.text), c->separator, m.time_ns);
    }
}

int td_cmd_csvexport(int argc, char **argv, struct td_err *err)
{
    struct td_load load = {0};
    struct csv c = {.filter = "", .separator = ","};
    const struct td_option options[] = {
        {'f', "filter", TD_OPT_STRING, &c.filter, "TEXT", "only zones with this in their name", NULL, 0, 0},
        {'s', "sep", TD_OPT_STRING, &c.separator, "TEXT", "between columns, instead of a comma", NULL, 0, 0},
        {'c', "case", TD_OPT_FLAG, &c.case_sensitive, NULL, "the filter minds upper and lower case", NULL, 0,
         0},
        {'e', "self", TD_OPT_FLAG, &c.self, NULL, "times without those of children", NULL, 0, 0},
        {'u', "unwrap", TD_OPT_FLAG, &c.unwrap, NULL, "every zone instead of statistics", NULL, 0, 0},
        {'m', "messages", TD_OPT_FLAG, &c.messages, NULL, "messages instead of zones", NULL, 0, 0},
        TD_LOAD_OPTIONS(&load),
        {0},
    };
    const struct td_command_line line = {
        .name = "tendril csvexport",
        .usage = "[options] FILE",
        .summary = "Prints the zones of a trace as comma separated values, as stock csvexport does.",
        .options = options,
        .min_args = 1,
        .max_args = 1,
    };
    int rc = td_options_parse(&line, argc, argv, 0, err);
    if (rc < 0)
        return rc == -2 ? 0 : 2;
    rc = td_load(argv[1], &load, "tendril csvexport", &c.trace, err);
    if (rc < 0)
        return rc;
    c.dict = td_trace_dict(c.trace);
    if (c.messages)
        print_messages(&c);
    else if (c.unwrap)
        rc = print_zones(&c, err);
    else
        print_statistics(&c);
    td_trace_destroy(c.trace);
    if (rc == 0 && (fflush(stdout) != 0 || ferror(stdout)))
        rc = td_fail_errno(err, "cannot write the table");
    return rc;
}
