/* Prints JSON of the viewer: what it keeps, and what it answers. Names in traces, paths and what clients send
 * may have any bytes; what is printed is valid UTF-8 (host/base/json_text.h). */
#pragma once
#include <cjson/cJSON.h>
#include <stdbool.h>

/* On several lines, or on one. NULL: no memory. The caller frees it. */
char *td_json_print(const cJSON *value, bool one_line);
