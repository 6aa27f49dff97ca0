/* tendril.conf: values of options that are typed again and again.
 *
 *   [capture]            ; a command, or `all`: what several commands share
 *   memory-limit = 2G    ; an option's long name
 *
 * The files are, in the order in which they are read:
 *   $XDG_CONFIG_HOME/tendril/tendril.conf, or ~/.config/tendril/tendril.conf
 *   ./tendril.conf of the working folder
 * The environment variable TENDRIL_CONFIG replaces both: it is the path of one file, or `none`. A file that
 * does not exist is no error, except that of TENDRIL_CONFIG.
 *
 * The working folder's file may be another person's work. It is left out if its owner, or that of the folder, is
 * neither the user nor root, if other users or a group may write either, or if it is a symbolic link. Its
 * entries are marked (is_local), because it may only choose how results look (options_config.h). The user's
 * file is left out if its owner, or that of its folder, is neither the user nor root, or if every user may
 * write either: HOME may be a folder such as /tmp. The file of TENDRIL_CONFIG is always read.
 *
 * libinih parses the lines; one has at most 198 bytes. Thread-safe as far as the environment is. */
#pragma once
#include "host/base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define TD_CONFIG_VARIABLE  "TENDRIL_CONFIG"
#define TD_CONFIG_FILE_NAME "tendril.conf"
#define TD_CONFIG_ALL       "all"

/* One `name = value`. The texts are valid during the call that gets it. */
struct td_config_entry {
    const char *section, *name, *value;
    const char *file;
    int line;      /* from 1 on */
    int file_rank; /* 0: the first file that was read; a later one overrides it */
    bool is_local; /* of the working folder's file */
};
/* 0, or a negative enum td_e, which ends the reading. */
typedef int td_config_take(void *self, const struct td_config_entry *entry, struct td_err *err);

/* Passes each entry of all files that are read to take(). 0, TD_E_USAGE (with file and line), TD_E_IO, TD_E_NOMEM, or what
 * take() returned. */
int td_config_each(td_config_take *take, void *self, struct td_err *err);
/* Calls say() with a line for each file that is left out: which, and why. */
void td_config_each_left_out(void (*say)(void *self, const char *line), void *self);
/* As td_config_each() for a text; `origin` has file, file_rank and is_local. */
int td_config_parse(const char *text, size_t bytes, const struct td_config_entry *origin,
                    td_config_take *take, void *self, struct td_err *err);
/* The same for one file, which must exist: another file in this form. Also TD_E_NOTFOUND. */
int td_config_file(const char *path, td_config_take *take, void *self, struct td_err *err);
/* TD_E_USAGE: "FILE:LINE: ", then the text. */
int td_config_refuse(const struct td_config_entry *entry, struct td_err *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
