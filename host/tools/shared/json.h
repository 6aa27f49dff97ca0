/* JSON to a stream, written as it is made. Texts that are not UTF-8 come out with U+FFFD in place of the
 * wrong bytes; numbers that are not finite as null. Errors of the stream are the caller's to look at, at the
 * end. */
#ifndef TD_HOST_TOOLS_SHARED_JSON_H
#define TD_HOST_TOOLS_SHARED_JSON_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct td_json {
    FILE *to;
    int depth;
    int filled; /* the innermost object or array has something in it */
};

/* `key` is NULL inside of arrays and for the outermost value. */
void td_json_object(struct td_json *j, const char *key);
void td_json_array(struct td_json *j, const char *key);
void td_json_end_object(struct td_json *j);
void td_json_end_array(struct td_json *j);
void td_json_text(struct td_json *j, const char *key, const char *text, size_t bytes);
void td_json_string(struct td_json *j, const char *key, const char *text); /* NULL: null */
void td_json_int(struct td_json *j, const char *key, int64_t value);
void td_json_uint(struct td_json *j, const char *key, uint64_t value);
void td_json_double(struct td_json *j, const char *key, double value);
void td_json_bool(struct td_json *j, const char *key, int value);
void td_json_null(struct td_json *j, const char *key);
#endif
