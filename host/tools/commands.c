/* The table of commands, and the commands that need it: help, completion, commands. */
#include "host/tools/commands.h"
#include "host/base/options.h"

#include <stdio.h>
#include <string.h>

static const struct td_command commands[] = {
#define TD_X(name, summary) {#name, summary, td_cmd_##name},
    TD_COMMANDS(TD_X)
#undef TD_X
};
#define TD_X(name, summary) #name "|"
static const struct td_commands all = {commands, sizeof commands / sizeof *commands, TD_COMMANDS(TD_X) ""};
#undef TD_X

const struct td_command *td_command_find(const char *name)
{
    for (size_t i = 0; i < all.count; i++)
        if (!strcmp(commands[i].name, name))
            return &commands[i];
    return NULL;
}

const struct td_command *td_command_of_alias(const char *path)
{
    static const char *const aliases[][2] = {
#define TD_X(name, command) {name, #command},
        TD_COMMAND_ALIASES(TD_X)
#undef TD_X
    };
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (!strcmp(aliases[i][0], name))
            return td_command_find(aliases[i][1]);
    return NULL;
}

int td_cmd_help(int argc, char **argv, struct td_err *err)
{
    return td_commands_help(&all, argc, argv, err);
}

int td_cmd_completion(int argc, char **argv, struct td_err *err)
{
    return td_commands_completion(&all, argc, argv, err);
}

int td_cmd_commands(int argc, char **argv, struct td_err *err)
{
    const struct td_option options[] = {{0}};
    const struct td_command_line line = {
        .name = "tendril commands",
        .usage = "",
        .summary = "Lists the commands, one a line.",
        .options = options,
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    for (size_t i = 0; i < all.count; i++)
        puts(commands[i].name);
    return 0;
}
