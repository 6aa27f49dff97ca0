#include "host/viewer/find.h"
#include "host/base/grow.h"
#include "host/base/wrap.h"
#include "host/viewer/color.h"

struct find_matcher {
    const struct td_find *find;
    const struct td_dict *dict;
    uint8_t *srclocs; /* 1: the name of the source location matches */
};

static bool name_matches(const struct td_find *find, const char *name)
{
    return find->only ? !strcmp(name, find->only) : strcasestr(name, find->text) != NULL;
}

static bool zone_matches(void *self, const struct td_zone *zone)
{
    const struct find_matcher *m = self;
    if (zone->name)
        return name_matches(m->find, td_dict_text(m->dict, zone->name));
    return m->srclocs[zone->srcloc] != 0;
}

static struct td_find_name *find_or_add_name(struct td_find *find, const char *name)
{
    for (size_t i = 0; i < find->name_count; i++)
        if (!strcmp(find->names[i].name, name))
            return &find->names[i];
    if (td_grow(&find->names, &find->name_capacity, find->name_count + 1, sizeof *find->names) < 0)
        return NULL;
    find->names[find->name_count] = (struct td_find_name){.name = name};
    return &find->names[find->name_count++];
}

static int compare_totals(const void *a, const void *b)
{
    const struct td_find_name *x = a, *y = b;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int add_names(struct td_find *find, const struct td_dict *dict, const struct td_stat *stats,
                     size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = td_dict_zone_name(dict, stats[i].srcloc);
        if (!strcasestr(name, find->text))
            continue;
        struct td_find_name *e = find_or_add_name(find, name);
        if (!e)
            return -1;
        e->count += stats[i].count + stats[i].open;
        e->total_ns = td_wrap_add(e->total_ns, stats[i].total_ns);
        e->srcloc = stats[i].srcloc;
        find->zones += stats[i].count + stats[i].open;
    }
    return 0;
}

static int list_names(struct td_find *find, struct td_trace *trace)
{
    const struct td_dict *dict = td_trace_dict(trace);
    const struct td_stat *stats, *gpu;
    size_t count = td_trace_stats(trace, &stats), gpu_count = td_trace_gpu_stats(trace, &gpu);
    find->name_count = 0;
    find->zones = 0;
    if (add_names(find, dict, stats, count) < 0 || add_names(find, dict, gpu, gpu_count) < 0)
        return -1;
    if (find->name_count)
        qsort(find->names, find->name_count, sizeof *find->names, compare_totals);
    return 0;
}

int td_find_run(struct td_find *find, struct td_trace *trace, struct td_err *err)
{
    find->active = find->text[0] != 0;
    if (!find->active) {
        find->only = NULL;
        find->name_count = 0;
        td_marks_free(&find->marks);
        return 0;
    }
    struct find_matcher m = {find, td_trace_dict(trace), NULL};
    uint32_t srclocs = td_dict_srcloc_count(m.dict);
    m.srclocs = malloc((size_t)srclocs + 1);
    if (!m.srclocs || list_names(find, trace) < 0) {
        free(m.srclocs);
        return td_fail_no_memory(err, "while searching zones");
    }
    for (uint32_t s = 0; s < srclocs; s++)
        m.srclocs[s] = (uint8_t)name_matches(find, td_dict_zone_name(m.dict, s));
    int rc = td_marks_collect(&find->marks, trace, zone_matches, &m, TD_FIND_LIMIT, err);
    free(m.srclocs);
    return rc;
}

void td_find_free(struct td_find *find)
{
    free(find->names);
    td_marks_free(&find->marks);
    *find = (struct td_find){0};
}
