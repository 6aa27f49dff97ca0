#include "host/agent/import/tt_noc_file.h"
#include "host/agent/board/tt_zone_names.h"
#include "host/agent/import/tt_device_log.h"
#include "host/base/grow.h"
#include "host/tt/csv_reader.h"
#include "host/tt/device_log_read.h"
#include "host/tt/noc_trace_read.h"

#include <stdlib.h>
#include <string.h>

#define GAP_US  1 /* before the times of a file that was moved */
#define NO_CHIP UINT32_MAX

struct noc_object {
    struct td_tt_item item;
    uint32_t x, y, risc; /* risc: string */
    uint32_t chip;       /* NO_CHIP: the object does not say it */
    uint64_t line;
};

struct td_tt_noc_import {
    const char *file;
    struct td_tt_lanes *lanes;
    struct td_dict *dict;
    struct td_tt_noc_reader *reader;
    struct td_tt_noc_file name; /* what the file's name says */
    bool has_name;
    struct noc_object *objects;
    size_t count, capacity;
    uint64_t events;
};

static const char purpose[] = "for the events of a NoC trace"; /* of td_fail_no_memory() */

static uint32_t number_or(const struct td_tt_noc_event *event, enum td_tt_noc_field field, uint32_t none)
{
    const int64_t value = event->value[field];
    return td_tt_noc_has(event, field) && value >= 0 && value < UINT32_MAX ? (uint32_t)value : none;
}

static int make_zone(struct td_tt_noc_import *noc, const struct td_tt_noc_event *event,
                     struct td_tt_item *item, struct td_err *err)
{
    const uint32_t id = number_or(event, TD_TT_NOC_RUN_HOST_ID, noc->name.run_host_id);
    const struct td_tt_text name = event->op_name.bytes ? event->op_name : noc->name.op_name;
    const bool ends = event->value[TD_TT_NOC_ZONE_PHASE] != 0;
    item->kind = ends ? TD_TT_ITEM_END : TD_TT_ITEM_BEGIN;
    item->what = td_tt_zone_srcloc(noc->dict,
                                   &(struct td_tt_zone_source){.name = event->zone, .file = TD_TT_TEXT_NONE});
    const uint32_t text = ends ? 0 : td_tt_launch_text(noc->dict, id, TD_TT_NO_TRACE, TD_TT_NO_TRACE, name);
    item->value = (uint64_t)text << 32;
    return item->what == UINT32_MAX || text == UINT32_MAX ? td_fail_no_memory(err, purpose) : 0;
}

static int take_object(void *self, const struct td_tt_noc_event *event, uint64_t line, struct td_err *err)
{
    struct td_tt_noc_import *noc = self;
    struct noc_object object = {.line = line,
                                .x = number_or(event, TD_TT_NOC_SX, UINT32_MAX),
                                .y = number_or(event, TD_TT_NOC_SY, UINT32_MAX),
                                .risc = td_dict_string(noc->dict, event->proc.at, event->proc.bytes),
                                .chip = number_or(event, TD_TT_NOC_SRC_DEVICE, NO_CHIP),
                                .item.cycle = event->value[TD_TT_NOC_TIMESTAMP]};
    char text[TD_TT_NOC_TEXT_BYTES];
    if (object.item.cycle < 0)
        return td_csv_fail(err, noc->file, line, "the time of the object that begins here is negative");
    int bad = 0;
    if (td_tt_noc_has(event, TD_TT_NOC_TYPE)) {
        object.item.kind = TD_TT_ITEM_MESSAGE;
        object.item.what = td_dict_passing_string(noc->dict, text, td_tt_noc_text(event, text, sizeof text));
        noc->events++;
    } else {
        bad = make_zone(noc, event, &object.item, err);
    }
    if (bad)
        return bad;
    if (object.risc == UINT32_MAX || object.item.what == UINT32_MAX ||
        td_grow(&noc->objects, &noc->capacity, noc->count + 1, sizeof *noc->objects))
        return td_fail_no_memory(err, purpose);
    noc->objects[noc->count++] = object;
    return 0;
}

/* ---- chips */

static uint64_t core_of(const struct noc_object *object)
{
    return td_mix64((uint64_t)object->x << 32 | object->y) ^ object->risc;
}

/* An object that does not say its chip is on that of the object of its core that comes before (`forward`) or after it.
 * 0 or TD_E_NOMEM. */
static int take_chips_of_cores(struct td_tt_noc_import *noc, bool forward, bool only_begins)
{
    struct td_map chips = {0};
    int bad = 0;
    for (size_t i = 0; i < noc->count && !bad; i++) {
        struct noc_object *object = &noc->objects[forward ? i : noc->count - 1 - i];
        if (object->chip != NO_CHIP)
            bad = td_map_set(&chips, core_of(object), object->chip);
        else if (!only_begins || object->item.kind == TD_TT_ITEM_BEGIN)
            object->chip = td_map_get(&chips, core_of(object), NO_CHIP);
    }
    td_map_finish(&chips);
    return bad;
}

/* The file's name says the chip of objects that do not. Without one, these are on that of their core's other objects,
 * else on the first one of the file, else on chip 0. */
static int choose_chips(struct td_tt_noc_import *noc)
{
    uint32_t chip = noc->has_name ? noc->name.device : NO_CHIP;
    /* Zones often do not say it: their begins come before the events in them, their ends after these. */
    if (!noc->has_name &&
        (take_chips_of_cores(noc, false, true) != 0 || take_chips_of_cores(noc, true, false) != 0 ||
         take_chips_of_cores(noc, false, false) != 0))
        return TD_E_NOMEM;
    for (size_t i = 0; i < noc->count && chip == NO_CHIP; i++)
        chip = noc->objects[i].chip;
    for (size_t i = 0; i < noc->count; i++)
        if (noc->objects[i].chip == NO_CHIP)
            noc->objects[i].chip = chip == NO_CHIP ? 0 : chip;
    return 0;
}

/* The cycles by which the file's times must be moved to begin after those that its chips have already: the same for
 * all of them. Or TD_E_NOMEM. */
static int64_t shift_of(const struct td_tt_noc_import *noc)
{
    int64_t first = INT64_MAX, shift = 0;
    for (size_t i = 0; i < noc->count; i++)
        if (noc->objects[i].item.cycle < first)
            first = noc->objects[i].item.cycle;
    for (size_t i = 0; i < noc->count; i++) {
        if (i && noc->objects[i].chip == noc->objects[i - 1].chip)
            continue;
        const struct td_tt_chip *chip = td_tt_lanes_chip(noc->lanes, noc->objects[i].chip);
        if (!chip)
            return TD_E_NOMEM;
        if (chip->last_cycle == INT64_MIN || first > chip->last_cycle)
            continue;
        const double mhz = chip->mhz > 0 ? chip->mhz : 1000;
        const int64_t needed = chip->last_cycle - first + (int64_t)(GAP_US * mhz);
        shift = needed > shift ? needed : shift;
    }
    return shift;
}

int td_tt_noc_import_end_stream(struct td_tt_noc_import *noc, bool *cut, bool *moved, struct td_err *err)
{
    int bad = td_tt_noc_reader_end_stream(noc->reader, cut, err);
    if (bad)
        return bad;
    const int64_t shift = choose_chips(noc) == 0 ? shift_of(noc) : -1;
    if (shift < 0)
        return td_fail_no_memory(err, purpose);
    *moved = shift != 0;
    for (size_t i = 0; i < noc->count && !bad; i++) {
        struct noc_object *object = &noc->objects[i];
        struct td_err why = {0};
        const int64_t lane = td_tt_lanes_find(noc->lanes, object->chip, object->x, object->y,
                                              td_tt_text_of(td_dict_text(noc->dict, object->risc)), &why);
        if (lane < 0)
            return lane == TD_E_NOMEM ? td_fail_no_memory(err, purpose)
                                      : td_csv_fail(err, noc->file, object->line, "%s", why.text);
        if (object->item.cycle > INT64_MAX / 2)
            return td_csv_fail(err, noc->file, object->line,
                               "the time of the object that begins here is too late");
        object->item.cycle += shift;
        bad = td_tt_lanes_add(noc->lanes, (uint32_t)lane, &object->item, err);
    }
    return bad;
}

struct td_tt_noc_import *td_tt_noc_import_create(const char *file, struct td_tt_lanes *lanes,
                                                 struct td_dict *dict)
{
    struct td_tt_noc_import *noc = calloc(1, sizeof *noc);
    if (!noc)
        return NULL;
    noc->file = file;
    noc->lanes = lanes;
    noc->dict = dict;
    noc->has_name = td_tt_noc_file_read(file, &noc->name);
    if (!noc->has_name)
        noc->name = (struct td_tt_noc_file){.trace_id = UINT32_MAX, .op_name = TD_TT_TEXT_NONE};
    noc->reader = td_tt_noc_reader_create(file, take_object, noc);
    if (noc->reader)
        return noc;
    free(noc);
    return NULL;
}

void td_tt_noc_import_destroy(struct td_tt_noc_import *noc)
{
    if (!noc)
        return;
    td_tt_noc_reader_destroy(noc->reader);
    free(noc->objects);
    free(noc);
}

int td_tt_noc_import_feed(struct td_tt_noc_import *noc, const void *bytes, size_t count, struct td_err *err)
{
    return td_tt_noc_reader_feed(noc->reader, bytes, count, err);
}

uint64_t td_tt_noc_import_events(const struct td_tt_noc_import *noc)
{
    return noc->events;
}
