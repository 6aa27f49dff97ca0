/* A command's option table in words: for --help, man and shells. Used by options.c. */
#ifndef TD_HOST_BASE_DESCRIBE_H
#define TD_HOST_BASE_DESCRIBE_H
#include "host/base/options.h"

#include <stdio.h>

/* Each prints to standard output. */
void td_describe_help(const struct td_command_line *line);
void td_describe_man(const struct td_command_line *line);
/* A branch of a `case` over the command (bash, zsh) or commands of its own (fish). */
void td_describe_bash(const struct td_command_line *line);
void td_describe_zsh(const struct td_command_line *line);
void td_describe_fish(const struct td_command_line *line);

/* "csvexport" of "tendril csvexport". */
const char *td_describe_last_word(const struct td_command_line *line);
int td_describe_has_short_help(const struct td_command_line *line);
#endif
