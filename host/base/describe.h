/* Prints descriptions of a command, made from its option table. td_command_parse() calls these functions for
 * --help and TD_DESCRIBE. */
#pragma once
#include "host/base/options.h"

#include <stdio.h>

/* All print to standard output. */
void td_describe_help(const struct td_command_line *line);
void td_describe_man(const struct td_command_line *line);
/* The command's part of a completion script: a branch of a `case` over command names (bash, zsh), or
 * `complete` commands (fish). */
void td_describe_bash(const struct td_command_line *line);
void td_describe_zsh(const struct td_command_line *line);
void td_describe_fish(const struct td_command_line *line);
/* A row of a Markdown table for each option: docs/commands has these tables. */
void td_describe_page(const struct td_command_line *line);
/* A line for each option: may the tendril.conf of the working folder have it? */
void td_describe_options(const struct td_command_line *line);

/* "csvexport" for "tendril csvexport". */
const char *td_describe_last_word(const struct td_command_line *line);
/* -h is --help: no option of the command has this letter. */
bool td_describe_has_short_help(const struct td_command_line *line);
