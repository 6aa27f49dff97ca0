/* Takes options' values from tendril.conf (config.h), and prints all values.
 *
 * A command takes the entries of its own section, and those of [all] whose names it knows. Its own section
 * overrides [all] of the same file; a file overrides the files before it.
 *
 * The working folder's file may have come with another person's work. From that file, an option is taken only
 * if its table marks it (TD_OPT_LOOKS). The user's own file and that of TENDRIL_CONFIG may have every option. */
#pragma once
#include "host/base/options_values.h"

#define TD_PRINT_CONFIG_HELP "print the value of each option, and where it came from"

/* "capture" for "tendril capture"; NULL: another program, which has no section. */
const char *td_options_section(const struct td_command_line *line);
int td_option_values_init(struct td_option_values *values, const struct td_command_line *line,
                          struct td_err *err);
void td_option_values_free(struct td_option_values *values);
/* 0, or TD_E_USAGE (with file and line), TD_E_NOTFOUND, TD_E_IO, TD_E_NOMEM. What the working folder's file may
 * not choose is left out, and is in values->refused. */
int td_options_take_config(struct td_option_values *values, struct td_err *err);
/* Prints a section of tendril.conf to standard output, and, as comments, what was refused. */
void td_options_print_config(const struct td_option_values *values);
