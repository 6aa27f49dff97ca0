/* The kernel's tracepoints: where tracefs is mounted, the number of a tracepoint, the places of its fields.
 * Nothing allocates. Thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The folder where tracefs is mounted ("/sys/kernel/tracing"). False: nowhere. */
bool td_tracefs_path(char *path, size_t room);
/* The same from the text of /proc/mounts. */
bool td_tracefs_path_in(const char *mounts, size_t bytes, char *path, size_t room);

/* A number in the record of a tracepoint, of 1, 2, 4 or 8 bytes, or a text. bytes 0: no field, which has no value. */
struct td_trace_field {
    uint16_t offset;
    uint8_t bytes;
    bool is_signed;
};
/* Finds a field by its name in the text of a tracepoint's file `format`. False: it is not there, or no number. */
bool td_trace_field_find(const char *format, size_t bytes, const char *name, struct td_trace_field *field);
/* Finds a text of fixed length, such as "char prev_comm[16]". False: it is not there, or longer than 255 bytes. */
bool td_trace_text_find(const char *format, size_t bytes, const char *name, struct td_trace_field *field);
/* False: the record is too short, or the field is a text. */
bool td_trace_field_value(const struct td_trace_field *field, const uint8_t *record, size_t bytes,
                          int64_t *value);

#define TD_TRACE_FORMAT_BYTES 8192
/* Reads `format` of a tracepoint ("sched/sched_switch") into text, ends it with a NUL and returns its number
 * (the line "ID:"). Negative: -errno, e.g. -EACCES; -ENOENT also if tracefs is not mounted. */
int td_trace_point_read(const char *tracefs, const char *name, char *text, size_t room);
