/* Shared by the tests of trace files. */
#pragma once
#include "host/file/file.h"

#include <stddef.h>
#include <stdint.h>

struct bytes {
    uint8_t *data;
    size_t count;
};

/* A new path in a temporary folder that is removed at exit; free() the path. */
char *temporary(const char *name);
const char *temporary_folder(void);

struct bytes read_bytes(const char *path);
void write_bytes(const char *path, const void *data, size_t count);
/* The payload of a trace file. */
struct bytes payload_of(const char *path);
/* A trace file (classic LZ4) with that payload. */
struct bytes wrap_payload(const void *payload, size_t count);

/* The output of a shell command; free() it. *status is set to the exit status. */
char *output_of(const char *command, int *status);
/* Sorts the lines of a text in place. */
void sort_lines(char *text);

/* A trace with events of every kind. `zones`: about how many zones. */
struct td_trace *rich_trace(unsigned zones);
/* NULL: equal in all that files keep; else the first difference. */
const char *difference(const struct td_trace *a, const struct td_trace *b);
/* NULL: the model keeps all its rules; else the first that it breaks. */
const char *broken_rule(const struct td_trace *trace);
