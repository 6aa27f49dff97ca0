/* A command's entry in the table of commands.c, shared by dispatch, help and completion. */
#pragma once
#include <stddef.h>

struct td_err;

struct td_command {
    const char *name, *summary;
    /* argv[0] is the command's name. Returns the exit code, or a negative enum td_e. */
    int (*run)(int argc, char **argv, struct td_err *err);
};
/* All commands, in the order of TD_COMMANDS (commands.h). */
struct td_commands {
    const struct td_command *at;
    size_t count;
    const char *names; /* "NAME|NAME|", for td_command_line.operands */
};

extern const char td_summary_help[], td_summary_completion[];
/* The error for a name that no command has; a near one is named. */
int td_commands_unknown(const struct td_commands *all, const char *name, struct td_err *err);
int td_commands_help(const struct td_commands *all, int argc, char **argv, struct td_err *err);
int td_commands_completion(const struct td_commands *all, int argc, char **argv, struct td_err *err);
