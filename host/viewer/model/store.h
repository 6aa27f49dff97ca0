/* The viewer's own files, JSON of at most TD_STORE_MAX bytes:
 *   settings   $XDG_CONFIG_HOME/tendril/viewer, or ~/.config/tendril/viewer
 *   state      $XDG_STATE_HOME/tendril/viewer, or ~/.local/state/tendril/viewer
 *
 * A file that is missing, broken or too large counts as empty; of the latter two a line tells on standard
 * error. Without such folders nothing is kept. */
#pragma once
#include "host/base/err.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#define TD_STORE_MAX (8 << 20)

enum td_store_folder { TD_STORE_SETTINGS, TD_STORE_STATE };

/* The object in a file; NULL: there is none. The caller deletes it. */
cJSON *td_store_read(enum td_store_folder folder, const char *name);
/* Replaces the file as a whole; makes its folders. 0, or a negative enum td_e. */
int td_store_write(enum td_store_folder folder, const char *name, const cJSON *object, struct td_err *err);
/* The path of a file. False: there is no such folder. */
bool td_store_path(enum td_store_folder folder, const char *name, char *path, size_t room);
/* The object in a text; NULL: it is not one, or too deep or large. */
cJSON *td_store_parse(const char *text, size_t bytes);

/* Fields with defaults. */
double td_store_number(const cJSON *object, const char *name, double otherwise, double least, double most);
const char *td_store_text(const cJSON *object, const char *name); /* "": none */
