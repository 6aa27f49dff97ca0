/* What the tests of trace files share. */
#ifndef TD_TESTS_FILE_SUPPORT_H
#define TD_TESTS_FILE_SUPPORT_H
#include "host/file/file.h"

#include <stddef.h>
#include <stdint.h>

struct bytes {
    uint8_t *data;
    size_t count;
};

/* A new name in a temporary folder that is removed at exit; free() it. */
char *temporary(const char *name);
const char *temporary_folder(void);

struct bytes read_bytes(const char *path);
void write_bytes(const char *path, const void *data, size_t count);
/* The payload of a trace file. */
struct bytes payload_of(const char *path);
/* A trace file (classic LZ4) with that payload. */
struct bytes wrap_payload(const void *payload, size_t count);

/* The output of a shell command; free() it. *status gets its exit status. */
char *output_of(const char *command, int *status);
/* Lines of a text, sorted; in place. */
void sort_lines(char *text);

/* A trace with some of everything. `zones`: about how many. */
struct td_trace *rich_trace(unsigned zones);
/* NULL: equal in all that files keep; else what differs first. */
const char *difference(const struct td_trace *a, const struct td_trace *b);
/* NULL: the model keeps its promises; else which it breaks. */
const char *broken_rule(const struct td_trace *trace);
#endif
