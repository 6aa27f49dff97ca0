/* What the host program said, from the files that csvexport of tt-metal's Tracy made. */
#include "host/base/grow.h"
#include "host/report/tt/log_source.h"
#include "host/tt/csv_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIMES_NAME, TIMES_TEXT, TIMES_START, TIMES_LENGTH, TIMES_PARENT, TIMES_COLUMNS };
enum { DATA_NAME, DATA_TIME, DATA_COLUMNS };

struct host_reader {
    struct td_host_ops *ops;
    struct td_text_arena *arena;
    const char *file;
    const char *const *names; /* of the columns */
    int column_count;
    int column[TIMES_COLUMNS];
    bool has_header;
    int (*take)(struct host_reader *r, const struct td_tt_text *fields, uint64_t line, struct td_err *err);
};

static int64_t time_field(const struct host_reader *r, struct td_tt_text field, uint64_t line, int *rc,
                          struct td_err *err)
{
    int64_t value = 0;
    if (!td_tt_text_i64(td_tt_text_trim(field), &value))
        *rc = td_csv_fail(err, r->file, line, "'%.*s' is not a time in ns",
                          (int)(field.bytes < 40 ? field.bytes : 40), field.at);
    return value;
}

static int take_message(struct host_reader *r, const struct td_tt_text *fields, uint64_t line,
                        struct td_err *err)
{
    const struct td_tt_text text = fields[r->column[DATA_NAME]];
    int rc = 0;
    if (!memmem(text.at, text.bytes, "TT_", 3))
        return 0;
    const int64_t time = time_field(r, fields[r->column[DATA_TIME]], line, &rc, err);
    if (rc < 0)
        return rc;
    const struct td_tt_text kept = td_text_arena_copy(r->arena, text.at, text.bytes);
    if (r->arena->no_memory || td_host_ops_message(r->ops, kept, time) < 0)
        return td_fail_no_memory(err, "for the host's messages");
    return 0;
}

static bool is_op_zone(struct td_tt_text name)
{
    return memmem(name.at, name.bytes, "TT_DNN", 6) || memmem(name.at, name.bytes, "TT_METAL", 8);
}

/* The name lives as long as the operations. */
static struct td_tt_text keep_name(struct host_reader *r, struct td_tt_text name)
{
    for (size_t i = 0; i < r->ops->call_name_count; i++)
        if (td_tt_text_equals(r->ops->call_names[i], name))
            return r->ops->call_names[i];
    return td_text_arena_copy(r->arena, name.at, name.bytes);
}

static int take_zone(struct host_reader *r, const struct td_tt_text *fields, uint64_t line,
                     struct td_err *err)
{
    const struct td_tt_text name = fields[r->column[TIMES_NAME]];
    struct td_host_op *op =
        is_op_zone(name) ? td_host_ops_of_text(r->ops, fields[r->column[TIMES_TEXT]]) : NULL;
    struct td_host_op *parent = td_host_ops_of_text(r->ops, fields[r->column[TIMES_PARENT]]);
    int rc = 0;
    if (!op && !parent)
        return 0;
    const int64_t length = time_field(r, fields[r->column[TIMES_LENGTH]], line, &rc, err);
    const int64_t start = rc ? 0 : time_field(r, fields[r->column[TIMES_START]], line, &rc, err);
    if (rc < 0)
        return rc;
    if (op) {
        op->zone_start_ns = start;
        op->zone_end_ns = td_wrap_add(start, length);
    }
    if (parent && td_host_ops_call(r->ops, parent, keep_name(r, name), length) < 0)
        return td_fail_no_memory(err, "for host functions");
    return 0;
}

static int take_row(void *self, const struct td_tt_text *fields, size_t count, uint64_t line,
                    struct td_err *err)
{
    struct host_reader *r = self;
    if (!r->has_header) {
        td_csv_find_columns(fields, count, r->names, r->names, (size_t)r->column_count, r->column);
        for (int i = 0; i < r->column_count; i++)
            if (r->column[i] < 0)
                return td_csv_fail(err, r->file, line, "there is no column '%s'", r->names[i]);
        r->has_header = true;
        return 0;
    }
    for (int i = 0; i < r->column_count; i++)
        if ((size_t)r->column[i] >= count)
            return td_csv_fail(err, r->file, line, "the row has %zu columns; '%s' is missing", count,
                               r->names[i]);
    return r->take(r, fields, line, err);
}

static int feed_csv(void *self, const void *bytes, size_t count, struct td_err *err)
{
    return td_csv_reader_feed(self, bytes, count, err);
}

static int read_csv(struct host_reader *r, char separator, char quote, struct td_err *err)
{
    const struct td_csv_options options = {r->file, separator, quote, take_row, r};
    struct td_csv_reader *reader = td_csv_reader_create(&options);
    bool cut = false;
    int rc = reader ? td_log_read_file(r->file, feed_csv, reader, err) : td_fail_no_memory(err, NULL);
    rc = rc ? rc : td_csv_reader_end_stream(reader, &cut, err);
    td_csv_reader_destroy(reader);
    return rc;
}

int td_log_read_host(const char *folder, struct td_host_ops *ops, struct td_text_arena *arena,
                     struct td_err *err)
{
    static const char *const data_names[DATA_COLUMNS] = {"MessageName", "total_ns"};
    static const char *const times_names[TIMES_COLUMNS] = {"name", "zone_text", "ns_since_start",
                                                           "exec_time_ns", "special_parent_text"};
    char path[4200];
    struct host_reader data = {ops, arena, path, data_names, DATA_COLUMNS, {0}, false, take_message};
    struct host_reader times = {ops, arena, path, times_names, TIMES_COLUMNS, {0}, false, take_zone};
    ops->any_call = true;
    snprintf(path, sizeof path, "%s/%s", folder, TD_TT_OPS_DATA_FILE);
    int rc = access(path, F_OK) == 0 ? read_csv(&data, ';', '`', err) : 0;
    snprintf(path, sizeof path, "%s/%s", folder, TD_TT_OPS_TIMES_FILE);
    if (rc == 0 && ops->count && access(path, F_OK) == 0)
        rc = read_csv(&times, ',', '"', err);
    return rc;
}
