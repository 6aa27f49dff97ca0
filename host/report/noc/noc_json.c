#include "host/report/noc/noc_json.h"
#include "host/base/compare.h"
#include "host/base/grow.h"
#include "host/report/noc/noc_transfers.h"
#include "host/report/ops/op_index.h"
#include "host/report/ops/trace_source.h"
#include "host/tt/noc_trace_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PATH_BYTES 4400

struct noc_op {
    uint64_t objects; /* in its file */
    char name[64];    /* that the launch gives; "": none */
};

struct td_noc_json {
    const char *folder;
    const struct td_trace *trace;
    const struct td_dict *dict;
    struct td_host_ops *host;
    struct td_op_index index; /* a file has all replays of a trace, as its name has no number of the replay */
    struct noc_op *ops;
    size_t count, room;
    struct td_tt_noc_event *events; /* of the launch that is read */
    size_t event_count, event_room;
    bool has_event; /* one of them is of the NoC */
    bool finished;
    struct td_chip_maps maps;
};

struct td_noc_json *td_noc_json_create(const char *folder, const struct td_trace *trace,
                                       struct td_host_ops *host)
{
    struct td_noc_json *json = calloc(1, sizeof *json);
    if (!json)
        return NULL;
    *json =
        (struct td_noc_json){.folder = folder, .trace = trace, .dict = td_trace_dict(trace), .host = host};
    if (td_chip_maps_read(&json->maps, trace) < 0) {
        free(json);
        return NULL;
    }
    return json;
}

/* The path of the operation's file, without what marks it as unfinished. */
static void path_of(const struct td_noc_json *json, size_t op, char path[PATH_BYTES])
{
    char name[300];
    const struct td_op_key *key = &json->index.keys[op];
    const struct td_host_op *host = td_host_ops_find(json->host, key->run_id);
    const struct td_tt_noc_file file = {.device = key->device,
                                        .run_host_id = key->run_id,
                                        .trace_id = key->trace,
                                        .op_name = host ? host->name : td_tt_text_of(json->ops[op].name)};
    td_tt_noc_file_name(name, sizeof name, &file);
    snprintf(path, PATH_BYTES, "%s/%s", json->folder, name);
}

static void unfinished_path_of(const struct td_noc_json *json, size_t op, char path[PATH_BYTES])
{
    path_of(json, op, path);
    const size_t used = strlen(path);
    snprintf(path + used, PATH_BYTES - used, ".unfinished");
}

void td_noc_json_destroy(struct td_noc_json *json)
{
    char path[PATH_BYTES];
    if (!json)
        return;
    for (size_t i = 0; !json->finished && i < json->count; i++) {
        unfinished_path_of(json, i, path);
        unlink(path);
    }
    td_op_index_free(&json->index);
    td_chip_maps_free(&json->maps);
    free(json->ops);
    free(json->events);
    free(json);
}

/* The number of the operation; SIZE_MAX: no memory. */
static size_t take_op(struct td_noc_json *json, const struct td_op_launch *l)
{
    const struct td_op_key key = {l->device, l->run_id, l->trace, 0};
    const size_t at = td_op_index_take(&json->index, &key);
    if (at == SIZE_MAX || td_grow(&json->ops, &json->room, at + 1, sizeof *json->ops) < 0)
        return SIZE_MAX;
    if (at == json->count) {
        json->ops[at] = (struct noc_op){0, ""};
        if (l->name)
            strncat(json->ops[at].name, l->name, sizeof json->ops->name - 1);
        json->count++;
    }
    return at;
}

TD_COMPARE(compare_events, struct td_tt_noc_event, TD_UP(value[TD_TT_NOC_TIMESTAMP]))

static int on_end(void *self, const struct td_core_place *place, const struct td_op_launch *l,
                  struct td_err *err)
{
    struct td_noc_json *json = self;
    char path[PATH_BYTES];
    const bool has = json->has_event;
    json->has_event = false;
    const size_t count = json->event_count;
    json->event_count = 0;
    if (!has)
        return 0;
    const size_t at = take_op(json, l);
    if (at == SIZE_MAX)
        return td_fail_no_memory(err, "for NoC traces");
    struct noc_op *op = &json->ops[at];
    unfinished_path_of(json, at, path);
    FILE *to = fopen(path, op->objects ? "ae" : "we");
    if (!to)
        return td_fail_errno(err, "cannot write %s", path);
    struct td_tt_noc_writer writer = {to, op->objects};
    if (!op->objects)
        td_tt_noc_write_begin(&writer, to);
    qsort(json->events, count, sizeof *json->events, compare_events);
    for (size_t i = 0; i < count; i++)
        td_tt_noc_write_event(&writer, &json->events[i]);
    op->objects = writer.count;
    const bool bad = ferror(to) != 0;
    return fclose(to) != 0 || bad ? td_fail_errno(err, "cannot write %s", path) : 0;
}

/* A new event with what all events of the launch have; NULL: no memory. */
static struct td_tt_noc_event *add_event(struct td_noc_json *json, const struct td_core_place *place,
                                         const struct td_op_launch *l, int64_t time_ns)
{
    static const char *const names[] = {
#define TD_X(risc, log_name) #risc,
        TD_OP_RISCS(TD_X)
#undef TD_X
    };
    if (td_grow(&json->events, &json->event_room, json->event_count + 1, sizeof *json->events) < 0)
        return NULL;
    struct td_tt_noc_event *e = &json->events[json->event_count++];
    const struct td_chip_clock chip = td_trace_source_chip(json->trace, place->device);
    const struct td_op_clock clock = {chip.mhz, false};
    const struct td_host_op *host = td_host_ops_find(json->host, l->run_id);
    const struct td_noc_place at = td_noc_core_place(&json->maps, place);
    memset(e, 0, sizeof *e);
    e->proc = td_tt_text_of(place->risc < TD_OP_OTHER_RISC ? names[place->risc] : place->name);
    e->zone = e->type = TD_TT_TEXT_NONE;
    e->op_name = host ? host->name : l->name ? td_tt_text_of(l->name) : TD_TT_TEXT_NONE;
    e->present = 1u << TD_TT_NOC_PROC | (e->op_name.bytes ? 1u << TD_TT_NOC_OP_NAME : 0);
    td_tt_noc_set(e, TD_TT_NOC_SX, at.x);
    td_tt_noc_set(e, TD_TT_NOC_SY, at.y);
    td_tt_noc_set(e, TD_TT_NOC_SRC_DEVICE, place->device);
    td_tt_noc_set(e, TD_TT_NOC_RUN_HOST_ID, l->run_id);
    td_tt_noc_set(e, TD_TT_NOC_TIMESTAMP, td_wrap_add(chip.zero_cycle, td_op_cycles(&clock, time_ns)));
    return e;
}

static bool is_kernel(const char *name)
{
    const size_t n = strlen(name);
    return n > 7 && !strcmp(name + n - 7, "-KERNEL");
}

static int on_zone(void *self, const struct td_core_place *place, const struct td_op_launch *l,
                   const struct td_zone *zone, bool ends, struct td_err *err)
{
    struct td_noc_json *json = self;
    const char *name = td_dict_zone_name(json->dict, zone->srcloc);
    if (!is_kernel(name) || (ends && zone->end_ns == TD_OPEN))
        return 0;
    struct td_tt_noc_event *e = add_event(json, place, l, ends ? zone->end_ns : zone->start_ns);
    if (!e)
        return td_fail_no_memory(err, "for NoC traces");
    e->zone = td_tt_text_of(name);
    e->present |= 1u << TD_TT_NOC_ZONE;
    td_tt_noc_set(e, TD_TT_NOC_ZONE_PHASE, ends);
    return 0;
}

static int on_message(void *self, const struct td_core_place *place, const struct td_op_launch *l,
                      const struct td_message *message, struct td_err *err)
{
    struct td_noc_json *json = self;
    const char *text = td_dict_text(json->dict, message->text);
    if (strncmp(text, TD_TT_NOC_TEXT_PREFIX, sizeof TD_TT_NOC_TEXT_PREFIX - 1) != 0)
        return 0;
    struct td_tt_noc_event *e = add_event(json, place, l, message->time_ns);
    if (!e)
        return td_fail_no_memory(err, "for NoC traces");
    if (td_tt_noc_text_read(td_tt_text_of(text), e))
        json->has_event = true;
    else
        json->event_count--;
    return 0;
}

struct td_core_marks td_noc_json_marks(struct td_noc_json *json)
{
    return (struct td_core_marks){json, on_zone, on_message, on_end};
}

int td_noc_json_finish(struct td_noc_json *json, uint64_t *files, struct td_err *err)
{
    char path[PATH_BYTES], unfinished[PATH_BYTES];
    *files = 0;
    for (size_t i = 0; i < json->count; i++) {
        unfinished_path_of(json, i, unfinished);
        path_of(json, i, path);
        FILE *to = fopen(unfinished, "ae");
        if (!to)
            return td_fail_errno(err, "cannot write %s", path);
        struct td_tt_noc_writer writer = {to, json->ops[i].objects};
        td_tt_noc_write_end(&writer);
        const bool bad = ferror(to) != 0;
        if (fclose(to) != 0 || bad || rename(unfinished, path) < 0)
            return td_fail_errno(err, "cannot write %s", path);
        ++*files;
    }
    json->finished = true;
    return 0;
}
