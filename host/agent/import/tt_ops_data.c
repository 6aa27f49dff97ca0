#include "host/agent/import/tt_ops_data.h"
#include "host/base/grow.h"
#include "host/tt/csv_reader.h"
#include "host/tt/host_message.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NS    (INT64_MAX / 4)
#define SEPARATOR ';'

struct op_message {
    int64_t time_ns;
    uint32_t text;   /* string */
    uint32_t device; /* UINT32_MAX: no operation of a device */
    uint64_t id;
};

struct td_tt_ops_data {
    const char *file;
    struct td_dict *dict;
    struct td_csv_reader *csv;
    struct op_message *messages;
    size_t count, capacity;
    bool has_header, at_end, cut;
};

static const char purpose[] = "for the messages of a program"; /* of td_fail_no_memory() */

static int take_message(struct td_tt_ops_data *data, struct td_tt_text quoted, int64_t time_ns,
                        struct td_err *err)
{
    struct td_tt_message parsed;
    struct op_message message = {.time_ns = time_ns, .device = UINT32_MAX};
    if (td_tt_message_read(quoted, &parsed)) {
        message.text = td_dict_string(data->dict, quoted.at, quoted.bytes);
        if (parsed.kind == TD_TT_MESSAGE_DEVICE_OP) {
            message.device = parsed.device;
            message.id = parsed.id;
        }
    } else {
        message.text = td_dict_string(data->dict, quoted.at + 1, quoted.bytes - 2);
    }
    if (message.text == UINT32_MAX ||
        td_grow(&data->messages, &data->capacity, data->count + 1, sizeof *data->messages))
        return td_fail_no_memory(err, purpose);
    data->messages[data->count++] = message;
    return 0;
}

/* The fields with separators between them, in the back quotes that the reader has taken off. To be freed. */
static char *join_fields(const struct td_tt_text *fields, size_t count, size_t *bytes)
{
    *bytes = 2 + count - 1;
    for (size_t i = 0; i < count; i++)
        *bytes += fields[i].bytes;
    char *text = malloc(*bytes), *to = text;
    if (!text)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        *to++ = i ? SEPARATOR : *TD_TT_MESSAGE_QUOTE;
        memcpy(to, fields[i].at, fields[i].bytes);
        to += fields[i].bytes;
    }
    *to = *TD_TT_MESSAGE_QUOTE;
    return text;
}

/* The last field is the time. The others are the message, which may have separators if it is not tt-metal's. */
static int take_row(void *self, const struct td_tt_text *fields, size_t count, uint64_t line,
                    struct td_err *err)
{
    struct td_tt_ops_data *data = self;
    uint64_t time;
    size_t bytes;
    if (!data->has_header) {
        data->has_header = true;
        return 0;
    }
    if (count < 2 || !td_tt_text_u64(td_tt_text_trim(fields[count - 1]), &time) || time > MAX_NS) {
        data->cut = data->at_end;
        return data->at_end ? 0 : td_csv_fail(err, data->file, line, "the message has no time");
    }
    char *text = join_fields(fields, count - 1, &bytes);
    const int bad = text ? take_message(data, (struct td_tt_text){text, bytes}, (int64_t)time, err)
                         : td_fail_no_memory(err, purpose);
    free(text);
    return bad;
}

bool td_tt_ops_data_begins(const void *bytes, size_t count)
{
    struct td_tt_text text = {bytes, count};
    if (td_tt_text_begins(text, "\xef\xbb\xbf"))
        text = (struct td_tt_text){text.at + 3, text.bytes - 3};
    return td_tt_text_begins(text, TD_TT_OPS_DATA_NAME);
}

struct td_tt_ops_data *td_tt_ops_data_create(const char *file, struct td_dict *dict)
{
    struct td_tt_ops_data *data = calloc(1, sizeof *data);
    if (!data)
        return NULL;
    *data = (struct td_tt_ops_data){.file = file, .dict = dict};
    data->csv = td_csv_reader_create(&(struct td_csv_options){.file = file,
                                                              .separator = SEPARATOR,
                                                              .quote = *TD_TT_MESSAGE_QUOTE,
                                                              .take_row = take_row,
                                                              .self = data});
    if (data->csv)
        return data;
    free(data);
    return NULL;
}

void td_tt_ops_data_destroy(struct td_tt_ops_data *data)
{
    if (!data)
        return;
    td_csv_reader_destroy(data->csv);
    free(data->messages);
    free(data);
}

int td_tt_ops_data_feed(struct td_tt_ops_data *data, const void *bytes, size_t count, struct td_err *err)
{
    return td_csv_reader_feed(data->csv, bytes, count, err);
}

int td_tt_ops_data_end_stream(struct td_tt_ops_data *data, bool *cut, struct td_err *err)
{
    data->at_end = true;
    const int bad = td_csv_reader_end_stream(data->csv, cut, err);
    *cut |= data->cut;
    return bad;
}

void td_tt_ops_data_relate(const struct td_tt_ops_data *data, const struct td_tt_lanes *lanes,
                           struct td_tt_chip *chip)
{
    const double mhz = chip->mhz > 0 ? chip->mhz : 1000;
    int64_t zero = INT64_MAX, start;
    for (size_t i = 0; i < data->count && !chip->has_zero; i++) {
        const struct op_message *message = &data->messages[i];
        if (message->device != chip->number || message->id > UINT32_MAX ||
            !td_tt_lanes_op_start(lanes, chip->number, (uint32_t)message->id, &start))
            continue;
        const int64_t cycle = start - (int64_t)((double)message->time_ns * mhz / 1000);
        zero = cycle < zero ? cycle : zero;
    }
    if (zero == INT64_MAX)
        return;
    chip->has_zero = chip->is_related = true;
    chip->zero_cycle = zero;
}

int td_tt_ops_data_push(const struct td_tt_ops_data *data, struct td_tt_op_tracks *tracks, int64_t shift_ns,
                        struct td_err *err)
{
    int bad = 0;
    for (size_t i = 0; i < data->count && !bad; i++)
        bad = td_tt_op_tracks_message(tracks, data->messages[i].time_ns + shift_ns, data->messages[i].text,
                                      err);
    return bad;
}

uint64_t td_tt_ops_data_messages(const struct td_tt_ops_data *data)
{
    return data->count;
}
