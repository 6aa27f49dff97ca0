/* Settings and states of traces as JSON, for `tendril view --settings` and `--import-settings`:
 *   {"settings": {...}, "trace": {..., "notes": [...]}} */
#pragma once
#include "host/file/load.h"

/* Prints the settings, and the state of the trace at `path` (NULL: none). 0 or a negative enum td_e. */
int td_settings_print(const char *path, struct td_load_options *load, struct td_err *err);
/* Keeps the settings of a file ("-": standard input), and its state of a trace as that of the trace at `path`.
 * If a field is wrong, nothing is kept. */
int td_settings_import(const char *from, const char *path, struct td_load_options *load, struct td_err *err);
