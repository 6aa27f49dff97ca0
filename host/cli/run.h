#pragma once
#include "host/tools/command.h"

/* Checks tendril.conf, runs the command, and prints its error; no other code prints errors. Returns the exit code. */
int cli_run(const struct td_command *command, int argc, char **argv);
