/* What a subcommand is to those that tell of all of them. */
#ifndef TD_HOST_TOOLS_COMMAND_H
#define TD_HOST_TOOLS_COMMAND_H
#include <stddef.h>

struct td_err;

struct td_command {
    const char *name, *summary;
    int (*run)(int argc, char **argv, struct td_err *err);
};
/* All of them, in the order of the table (commands.h). */
struct td_commands {
    const struct td_command *at;
    size_t count;
    const char *names; /* "NAME|NAME|", as options.h wants what may be an operand */
};

int td_commands_help(const struct td_commands *all, int argc, char **argv, struct td_err *err);
int td_commands_completion(const struct td_commands *all, int argc, char **argv, struct td_err *err);
#endif
