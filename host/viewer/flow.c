#include "host/viewer/flow.h"
#include "host/event/grow.h"
#include "host/event/map.h"

#define OUT "flow out "
#define IN  "flow in "

static int add_line(struct td_flows *flows, const char *line, size_t bytes, struct td_zone_ref ref,
                    const struct td_zone *zone)
{
    int out = bytes > sizeof OUT - 1 && !memcmp(line, OUT, sizeof OUT - 1);
    int in = bytes > sizeof IN - 1 && !memcmp(line, IN, sizeof IN - 1);
    if (!out && !in)
        return 0;
    size_t skip = out ? sizeof OUT - 1 : sizeof IN - 1;
    uint64_t key = 0;
    for (size_t i = skip; i < bytes; i++)
        key = td_mix64(key ^ (uint8_t)line[i]);
    if (td_grow(&flows->ends, &flows->capacity, flows->count + 1, sizeof *flows->ends) < 0)
        return -1;
    int64_t end = zone->end_ns == TD_OPEN ? zone->start_ns : zone->end_ns;
    flows->ends[flows->count++] = (struct td_flow_end){key, out ? end : zone->start_ns, ref, out};
    return 0;
}

static int add_zone(struct td_flows *flows, const char *text, struct td_zone_ref ref,
                    const struct td_zone *zone)
{
    while (*text) {
        size_t bytes = strcspn(text, "\n");
        if (add_line(flows, text, bytes, ref, zone) < 0)
            return -1;
        text += bytes + (text[bytes] == '\n');
    }
    return 0;
}

static int by_key(const void *a, const void *b)
{
    const struct td_flow_end *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->out != y->out)
        return y->out - x->out;
    return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

static int compare_zones(struct td_zone_ref a, struct td_zone_ref b)
{
    if (a.track != b.track)
        return a.track < b.track ? -1 : 1;
    if (a.row != b.row)
        return a.row < b.row ? -1 : 1;
    return a.index < b.index ? -1 : a.index > b.index;
}

static int by_zone(const void *a, const void *b, void *self)
{
    const struct td_flows *flows = self;
    return compare_zones(flows->ends[*(const size_t *)a].zone, flows->ends[*(const size_t *)b].zone);
}

int td_flows_build(struct td_flows *flows, const struct td_trace *trace, struct td_err *err)
{
    const struct td_dict *dict = td_trace_dict(trace);
    int rc = 0;
    *flows = (struct td_flows){0};
    for (uint32_t t = 0; t < td_dict_track_count(dict); t++) {
        for (uint32_t r = 0; r < td_trace_rows(trace, t); r++) {
            size_t zones = td_trace_row_zones(trace, t, r);
            for (size_t i = 0; i < zones && rc == 0; i++) {
                struct td_zone zone = td_trace_zone(trace, t, r, i);
                if (zone.text)
                    rc = add_zone(flows, td_dict_text(dict, zone.text), (struct td_zone_ref){t, r, i}, &zone);
            }
        }
    }
    if (rc == 0 && flows->count) {
        qsort(flows->ends, flows->count, sizeof *flows->ends, by_key);
        flows->by_zone = malloc(flows->count * sizeof *flows->by_zone);
        rc = flows->by_zone ? 0 : -1;
    }
    if (rc < 0) {
        td_flows_free(flows);
        return td_fail(err, TD_E_NOMEM, "out of memory while joining flows");
    }
    for (size_t i = 0; i < flows->count; i++)
        flows->by_zone[i] = i;
    if (flows->count)
        qsort_r(flows->by_zone, flows->count, sizeof *flows->by_zone, by_zone, flows);
    return 0;
}

void td_flows_free(struct td_flows *flows)
{
    free(flows->ends);
    free(flows->by_zone);
    *flows = (struct td_flows){0};
}

/* Pairs of one end with all of the other kind that have its key. */
static size_t pair_up(const struct td_flows *flows, const struct td_flow_end *end, struct td_flow_pair *pairs,
                      size_t room)
{
    size_t low = 0, high = flows->count, found = 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (flows->ends[middle].key < end->key)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < flows->count && flows->ends[low].key == end->key && found < room; low++) {
        const struct td_flow_end *other = &flows->ends[low];
        if (other->out != end->out)
            pairs[found++] = end->out ? (struct td_flow_pair){end, other} : (struct td_flow_pair){other, end};
    }
    return found;
}

size_t td_flows_of(const struct td_flows *flows, struct td_zone_ref zone, struct td_flow_pair *pairs,
                   size_t room)
{
    size_t low = 0, high = flows->count, found = 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_zones(flows->ends[flows->by_zone[middle]].zone, zone) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < flows->count && found < room; low++) {
        const struct td_flow_end *end = &flows->ends[flows->by_zone[low]];
        if (!td_ref_equal(end->zone, zone))
            break;
        found += pair_up(flows, end, pairs + found, room - found);
    }
    return found;
}
