/* Recognises a format of JSON by the first bytes of a file. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* A member of the outermost object, or of an object in it. */
struct td_json_sign {
    const char *outer, *key; /* outer: NULL: of the outermost object */
    char kind;               /* '"', '0', '[' or '{' */
    const char *text;        /* part of a string; NULL: any value */
};
/* A bit for each of the signs (at most 32) that the bytes have. */
uint32_t td_json_head_signs(const uint8_t *bytes, size_t count, const struct td_json_sign *signs,
                            unsigned sign_count);
