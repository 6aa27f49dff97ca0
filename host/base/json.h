/* Writes JSON to a stream, piece by piece. Bytes that are not UTF-8 become U+FFFD; numbers that are not
 * finite become null. The functions report no errors: at the end, the caller checks the stream (ferror(),
 * fflush()).
 *
 *     struct td_json j = {.to = stdout};
 *     td_json_object(&j, NULL);
 *     td_json_uint(&j, "schema", 1);
 *     td_json_end_object(&j); */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct td_json {
    FILE *to;
    int one_line; /* no newlines but the one at the end */
    int depth;
    int filled; /* the innermost object or array is not empty */
};

/* `key` is NULL in arrays and for the outermost value. */
void td_json_object(struct td_json *j, const char *key);
void td_json_array(struct td_json *j, const char *key);
void td_json_end_object(struct td_json *j);
void td_json_end_array(struct td_json *j);
void td_json_text(struct td_json *j, const char *key, const char *text, size_t bytes);
void td_json_string(struct td_json *j, const char *key, const char *text); /* NULL: null */
void td_json_int(struct td_json *j, const char *key, int64_t value);
void td_json_uint(struct td_json *j, const char *key, uint64_t value);
/* `value` / 1000, exactly: ns as us. */
void td_json_thousandths(struct td_json *j, const char *key, int64_t value);
void td_json_double(struct td_json *j, const char *key, double value);
void td_json_bool(struct td_json *j, const char *key, int value);
void td_json_null(struct td_json *j, const char *key);
