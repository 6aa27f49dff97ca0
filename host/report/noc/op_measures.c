#include "host/report/noc/op_measures.h"
#include "host/base/compare.h"
#include "host/base/grow.h"
#include "host/report/noc/noc_route.h"
#include "host/report/ops/op_index.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define DISPATCH_ZONE "CQ-DISPATCH"
#define DISPATCH_ID   "runtime_host_id_dispatch: "
#define NONE          UINT32_MAX

/* A counter that a core recorded. */
struct counter_value {
    uint32_t next; /* of the same operation */
    uint32_t text; /* string, of the first message: it begins with the name */
    uint16_t x, y;
    uint64_t value, cycles;
};

struct measured_op {
    uint64_t link_bytes, multicast_bytes, links;
    bool has_noc;
    int64_t dispatch_start[2], dispatch_end[2]; /* BRISC, NCRISC; start TD_OP_NO_TIME: none */
    uint32_t counters;                          /* the first one */
};

/* What a core did since its outermost zone began. */
struct dispatch_zone {
    int64_t start_ns, end_ns;
};
struct dispatch_id {
    int64_t time_ns;
    uint32_t run_id;
};

struct td_op_measures {
    const struct td_trace *trace;
    const struct td_dict *dict;
    struct td_noc_reader *noc;
    struct td_op_index index;
    struct measured_op *ops;
    size_t op_count, op_room;
    struct counter_value *values;
    size_t value_count, value_room;
    struct dispatch_zone *zones;
    size_t zone_count, zone_room;
    struct dispatch_id *ids;
    size_t id_count, id_room;
};

struct td_op_measures *td_op_measures_create(const struct td_trace *trace)
{
    struct td_op_measures *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->trace = trace;
    m->dict = td_trace_dict(trace);
    m->noc = td_noc_reader_create(trace);
    if (!m->noc) {
        free(m);
        return NULL;
    }
    return m;
}

void td_op_measures_destroy(struct td_op_measures *m)
{
    if (!m)
        return;
    td_noc_reader_destroy(m->noc);
    td_op_index_free(&m->index);
    free(m->ops);
    free(m->values);
    free(m->zones);
    free(m->ids);
    free(m);
}

/* NULL: no memory. */
static struct measured_op *take_op(struct td_op_measures *m, const struct td_op_key *key)
{
    const size_t at = td_op_index_take(&m->index, key);
    if (at == SIZE_MAX || td_grow(&m->ops, &m->op_room, at + 1, sizeof *m->ops) < 0)
        return NULL;
    for (; m->op_count <= at; m->op_count++)
        m->ops[m->op_count] =
            (struct measured_op){.dispatch_start = {TD_OP_NO_TIME, TD_OP_NO_TIME}, .counters = NONE};
    return &m->ops[at];
}

static struct td_op_key key_of(const struct td_op_launch *launch)
{
    return (struct td_op_key){launch->device, launch->run_id, launch->trace, launch->replay};
}

/* ---- the NoC */

static int add_transfer(struct td_op_measures *m, const struct td_op_launch *launch,
                        const struct td_noc_transfer *transfer)
{
    const struct td_chip_map *map = td_chip_maps_get(td_noc_reader_maps(m->noc), transfer->chip);
    const struct td_op_key key = key_of(launch);
    struct measured_op *op = map ? take_op(m, &key) : NULL;
    if (!map)
        return 0;
    if (!op)
        return TD_E_NOMEM;
    const struct td_noc_size size = {map->width, map->height};
    const uint64_t bytes = transfer->bytes * td_noc_route(size, transfer, NULL, 0);
    op->has_noc = true;
    op->links = 2 * td_noc_links(size);
    op->link_bytes += bytes;
    op->multicast_bytes += td_noc_is_multicast(transfer) ? bytes : 0;
    return 0;
}

/* ---- counters */

size_t td_counter_read(const char *text, uint64_t *value, uint64_t *cycles)
{
    int name = 0;
    if (sscanf(text, TD_COUNTER_TEXT "%*63[^:\"]%n: %19" SCNu64 " of %19" SCNu64, &name, value, cycles) != 2)
        return 0;
    return (size_t)name - (sizeof TD_COUNTER_TEXT - 1);
}

static int add_counter(struct td_op_measures *m, const struct td_core_place *place,
                       const struct td_op_launch *launch, const struct td_message *message)
{
    uint64_t value, cycles;
    const char *text = td_dict_text(m->dict, message->text);
    if (!td_counter_read(text, &value, &cycles))
        return 0;
    const struct td_op_key key = key_of(launch);
    struct measured_op *op = take_op(m, &key);
    if (!op || td_grow(&m->values, &m->value_room, m->value_count + 1, sizeof *m->values) < 0)
        return TD_E_NOMEM;
    m->values[m->value_count] =
        (struct counter_value){op->counters, message->text, place->x, place->y, value, cycles};
    op->counters = (uint32_t)m->value_count++;
    return 0;
}

/* ---- dispatch cores */

static int add_dispatch_id(struct td_op_measures *m, const struct td_message *message, const char *number)
{
    const unsigned long run_id = strtoul(number, NULL, 10);
    return TD_APPEND(m->ids, m->id_count, m->id_room,
                     (struct dispatch_id){message->time_ns, (uint32_t)run_id});
}

/* The zone's operation is the one whose id came in it. */
static int add_dispatch(struct td_op_measures *m, const struct td_core_place *place,
                        const struct dispatch_zone *zone, uint32_t run_id)
{
    const int risc = place->risc == TD_OP_NCRISC;
    const struct td_op_key key = {place->device, run_id, TD_OP_NO_TRACE, TD_OP_NO_TRACE};
    struct measured_op *op = take_op(m, &key);
    if (!op)
        return TD_E_NOMEM;
    if (op->dispatch_start[risc] == TD_OP_NO_TIME || zone->start_ns < op->dispatch_start[risc])
        op->dispatch_start[risc] = zone->start_ns;
    if (zone->end_ns > op->dispatch_end[risc])
        op->dispatch_end[risc] = zone->end_ns;
    return 0;
}

/* Zones and values of an outermost zone are complete. */
static int join_dispatch(struct td_op_measures *m, const struct td_core_place *place)
{
    int rc = 0;
    for (size_t z = 0, i = 0; z < m->zone_count && rc == 0; z++) {
        while (i < m->id_count && m->ids[i].time_ns < m->zones[z].start_ns)
            i++;
        if (i < m->id_count && m->ids[i].time_ns <= m->zones[z].end_ns)
            rc = add_dispatch(m, place, &m->zones[z], m->ids[i].run_id);
    }
    m->zone_count = m->id_count = 0;
    return rc;
}

/* ---- marks */

static int on_zone(void *self, const struct td_core_place *place, const struct td_op_launch *launch,
                   const struct td_zone *zone, bool ends, struct td_err *err)
{
    struct td_op_measures *m = self;
    (void)place, (void)launch;
    if (!ends || zone->end_ns == TD_OPEN ||
        strncmp(td_dict_zone_name(m->dict, zone->srcloc), DISPATCH_ZONE, sizeof DISPATCH_ZONE - 1) != 0)
        return 0;
    return TD_APPEND(m->zones, m->zone_count, m->zone_room,
                     (struct dispatch_zone){zone->start_ns, zone->end_ns}) < 0
               ? td_fail_no_memory(err, "for the report")
               : 0;
}

static int on_message(void *self, const struct td_core_place *place, const struct td_op_launch *launch,
                      const struct td_message *message, struct td_err *err)
{
    struct td_op_measures *m = self;
    struct td_noc_transfer transfer;
    const char *text = td_dict_text(m->dict, message->text);
    int rc = td_noc_reader_take(m->noc, message, &transfer);
    if (rc > 0)
        rc = add_transfer(m, launch, &transfer);
    else if (rc == 0 && !strncmp(text, TD_COUNTER_TEXT, sizeof TD_COUNTER_TEXT - 1))
        rc = add_counter(m, place, launch, message);
    else if (rc == 0 && !strncmp(text, DISPATCH_ID, sizeof DISPATCH_ID - 1))
        rc = add_dispatch_id(m, message, text + sizeof DISPATCH_ID - 1);
    return rc < 0 ? td_fail_no_memory(err, "for the report") : 0;
}

static int on_end(void *self, const struct td_core_place *place, const struct td_op_launch *launch,
                  struct td_err *err)
{
    (void)launch;
    return join_dispatch(self, place) < 0 ? td_fail_no_memory(err, "for the report") : 0;
}

struct td_core_marks td_op_measures_marks(struct td_op_measures *m)
{
    return (struct td_core_marks){m, on_zone, on_message, on_end};
}

/* ---- results */

/* A counter of a core: all that it recorded in the operation. */
struct named_value {
    const char *name; /* up to a colon */
    uint16_t x, y;
    uint64_t value, cycles;
};

static int compare_names(const char *a, const char *b)
{
    const size_t x = strcspn(a, ":"), y = strcspn(b, ":");
    const int order = memcmp(a, b, x < y ? x : y);
    return order ? order : x < y ? -1 : x > y;
}

static int compare_values(const void *a, const void *b)
{
    const struct named_value *v = a, *w = b;
    const int order = compare_names(v->name, w->name);
    if (order)
        return order;
    return v->x != w->x ? v->x - w->x : v->y - w->y;
}

TD_COMPARE_NUMBERS(compare_shares, double)

/* Of values with one name, core by core. `shares` has room for all of them. */
static struct td_op_counter sum_counter(const struct named_value *values, size_t count, double *shares)
{
    struct td_op_counter counter = {.name = values[0].name};
    for (size_t i = 0; i < count;) {
        uint64_t value = 0, cycles = 0;
        const size_t first = i;
        for (; i < count && compare_values(&values[i], &values[first]) == 0; i++) {
            value += values[i].value;
            cycles += values[i].cycles;
        }
        shares[counter.cores] = cycles ? 100 * (double)value / (double)cycles : 0;
        counter.sum += shares[counter.cores++];
    }
    qsort(shares, counter.cores, sizeof *shares, compare_shares);
    counter.min = shares[0];
    counter.max = shares[counter.cores - 1];
    counter.median = (shares[(counter.cores - 1) / 2] + shares[counter.cores / 2]) / 2;
    return counter;
}

static void sum_values(const struct named_value *values, size_t count, double *shares,
                       struct td_op_measured *measured)
{
    for (size_t i = 0; i < count;) {
        const size_t first = i;
        while (i < count && compare_names(values[i].name, values[first].name) == 0)
            i++;
        measured->counters[measured->counter_count++] = sum_counter(values + first, i - first, shares);
    }
}

/* False: no memory. */
static bool sum_counters(const struct td_op_measures *m, const struct measured_op *op,
                         struct td_op_measured *measured)
{
    size_t count = 0;
    for (uint32_t i = op->counters; i != NONE; i = m->values[i].next)
        count++;
    if (!count)
        return true;
    struct named_value *values = malloc(count * sizeof *values);
    double *shares = malloc(count * sizeof *shares);
    measured->counters = malloc(count * sizeof *measured->counters);
    const bool done = values && shares && measured->counters;
    count = 0;
    for (uint32_t i = op->counters; done && i != NONE; i = m->values[i].next) {
        const struct counter_value *v = &m->values[i];
        values[count++] = (struct named_value){td_dict_text(m->dict, v->text) + sizeof TD_COUNTER_TEXT - 1,
                                               v->x, v->y, v->value, v->cycles};
    }
    if (done) {
        qsort(values, count, sizeof *values, compare_values);
        sum_values(values, count, shares, measured);
    }
    free(values);
    free(shares);
    return done;
}

bool td_op_measures_get(const struct td_op_measures *m, const struct td_op_sum *sum,
                        struct td_op_measured *measured)
{
    const struct td_op_key key = {sum->device, sum->run_id, sum->trace, sum->replay};
    const size_t at = td_op_index_find(&m->index, &key);
    if (at == SIZE_MAX)
        return false;
    const struct measured_op *op = &m->ops[at];
    int64_t lengths[2];
    for (int i = 0; i < 2; i++)
        lengths[i] =
            op->dispatch_start[i] == TD_OP_NO_TIME ? -1 : op->dispatch_end[i] - op->dispatch_start[i];
    *measured = (struct td_op_measured){.has_noc = op->has_noc,
                                        .link_bytes = op->link_bytes,
                                        .multicast_bytes = op->multicast_bytes,
                                        .links = op->links,
                                        .dispatch_ns = lengths[0],
                                        .go_ns = lengths[1]};
    if (sum_counters(m, op, measured))
        return true;
    free(measured->counters);
    return false;
}
