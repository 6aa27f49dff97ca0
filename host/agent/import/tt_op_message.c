#include "host/agent/import/tt_op_message.h"
#include "host/base/json_text.h"
#include "host/tt/device_log_read.h"
#include "host/tt/host_message.h"
#include "host/base/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const keys[] = {
#define TD_X(name, key) key,
    TD_TT_OP_JSON(TD_X)
#undef TD_X
};

/* A back quote would end the message for tt-metal's scripts. */
static void write_string(FILE *to, struct td_tt_text text)
{
    td_json_write_string(to, text.at, text.bytes, "`");
}

static void write_key(FILE *to, enum td_tt_op_json key)
{
    fprintf(to, "%s\"%s\": ", key ? ", " : "", keys[key]);
}

static void write_text(FILE *to, enum td_tt_op_json key, struct td_tt_text text)
{
    if (!text.bytes)
        return;
    write_key(to, key);
    write_string(to, text);
}

/* The columns that are not empty, in the file's order. */
static void write_columns(FILE *to, const struct td_tt_report_row *row)
{
    const char *between = "";
    write_key(to, TD_TT_JSON_REPORT);
    putc('{', to);
    for (size_t i = 0; i < row->head->count; i++) {
        if (!row->fields[i].bytes)
            continue;
        fputs(between, to);
        write_string(to, td_tt_text_of(row->head->names[i]));
        fputs(": ", to);
        write_string(to, row->fields[i]);
        between = ", ";
    }
    putc('}', to);
}

static void write_json(FILE *to, const struct td_tt_op_facts *facts)
{
    const struct td_tt_report_row *row = facts->row;
    const bool is_ops = row->head->kind == TD_TT_OPS_REPORT;
    const struct td_tt_text type =
        is_ops ? row->values[TD_TT_OPS_OP_TYPE] : td_tt_text_of(TD_TT_OP_TYPE_DEVICE);
    putc('{', to);
    write_key(to, TD_TT_JSON_CALL_COUNT);
    fprintf(to, "%" PRIu64, facts->id);
    write_text(to, TD_TT_JSON_OP_CODE, facts->name);
    write_text(to, TD_TT_JSON_OP_TYPE, type);
    if (facts->kind == TD_TT_MESSAGE_DEVICE_OP) {
        write_key(to, TD_TT_JSON_DEVICE_ID);
        fprintf(to, "%" PRIu32, facts->device);
    }
    if (is_ops)
        write_text(to, TD_TT_JSON_ATTRIBUTES, row->values[TD_TT_OPS_ATTRIBUTES]);
    if (facts->trace != TD_TT_NO_TRACE) {
        write_key(to, TD_TT_JSON_TRACE_ID);
        fprintf(to, "%" PRIu32, facts->trace);
    }
    write_columns(to, row);
    putc('}', to);
}

static uint32_t keep_stream(struct td_dict *dict, FILE *to, char **text, const size_t *bytes)
{
    const bool good = td_text_close(to, text);
    const uint32_t string = good ? td_dict_string(dict, *text, *bytes) : UINT32_MAX;
    free(*text);
    return string;
}

/* The JSON of the operation, to be freed; NULL: no memory. */
static char *make_json(const struct td_tt_op_facts *facts, size_t *bytes)
{
    char *text = NULL;
    FILE *to = open_memstream(&text, bytes);
    if (!to)
        return NULL;
    write_json(to, facts);
    if (td_text_close(to, &text))
        return text;
    free(text);
    return NULL;
}

static enum td_tt_cache_hit cache_hit_of(const struct td_tt_op_facts *facts)
{
    const struct td_tt_report_row *row = facts->row;
    if (row->head->kind != TD_TT_OPS_REPORT || !row->values[TD_TT_OPS_CACHE_HIT].bytes)
        return TD_TT_CACHE_NOT_SAID;
    return td_tt_text_is_name(row->values[TD_TT_OPS_CACHE_HIT], "true") ? TD_TT_CACHE_HIT : TD_TT_CACHE_MISS;
}

uint32_t td_tt_op_message(struct td_dict *dict, const struct td_tt_op_facts *facts)
{
    const struct td_tt_text none = TD_TT_TEXT_NONE;
    const bool is_ops = facts->row->head->kind == TD_TT_OPS_REPORT,
               op = facts->kind != TD_TT_MESSAGE_SIGNPOST;
    struct td_tt_message message = {.kind = facts->kind,
                                    .name = facts->name,
                                    .json = none,
                                    .text = op ? none : facts->row->values[TD_TT_OPS_ATTRIBUTES],
                                    .device = facts->device,
                                    .id = facts->id,
                                    .cache_hit = cache_hit_of(facts)};
    size_t json_bytes = 0, bytes;
    char *json = op ? make_json(facts, &json_bytes) : NULL, *text = NULL;
    FILE *to = json || !op ? open_memstream(&text, &bytes) : NULL;
    uint32_t string = UINT32_MAX;
    if (is_ops)
        td_tt_text_u64(facts->row->values[TD_TT_OPS_PROGRAM_HASH], &message.hash);
    if (json)
        message.json = (struct td_tt_text){json, json_bytes};
    if (to) {
        td_tt_message_write(to, &message);
        string = keep_stream(dict, to, &text, &bytes);
    }
    free(json);
    return string;
}

uint32_t td_tt_columns_message(struct td_dict *dict, const struct td_tt_report_head *head)
{
    char *text = NULL;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    if (!to)
        return UINT32_MAX;
    fputs(TD_TT_REPORT_COLUMNS "[", to);
    for (size_t i = 0; i < head->count; i++) {
        fputs(i ? ", " : "", to);
        write_string(to, td_tt_text_of(head->names[i]));
    }
    putc(']', to);
    return keep_stream(dict, to, &text, &bytes);
}
