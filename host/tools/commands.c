/* The table of commands, and the commands that need it: help, completion, commands. */
#include "host/tools/commands.h"
#include "host/base/config.h"
#include "host/base/options.h"
#include "host/base/path.h"

#include <stdio.h>
#include <string.h>

static const struct td_command commands[] = {
#define TD_X(name) {#name, td_summary_##name, td_cmd_##name},
    TD_COMMANDS(TD_X)
#undef TD_X
};
#define TD_X(name) #name "|"
static const struct td_commands all = {commands, sizeof commands / sizeof *commands, TD_COMMANDS(TD_X) ""};
#undef TD_X

const struct td_command *td_command_find(const char *name)
{
    for (size_t i = 0; i < all.count; i++)
        if (!strcmp(commands[i].name, name))
            return &commands[i];
    return NULL;
}

int td_command_unknown(const char *name, struct td_err *err)
{
    if (!strcmp(name, "view"))
        return td_fail(
            err, TD_E_USAGE,
            "this build has no viewer; build with -DTD_BUILD_VIEWER=ON (build.sh: without --no-viewer)");
    return td_commands_unknown(&all, name, err);
}

static const char *const aliases[][2] = {
#define TD_X(name, command) {name, #command},
    TD_COMMAND_ALIASES(TD_X)
#undef TD_X
};

const struct td_command *td_command_of_alias(const char *path)
{
    const char *name = td_path_name(path);
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (!strcmp(aliases[i][0], name))
            return td_command_find(aliases[i][1]);
    return NULL;
}

/* ---- tendril.conf ---- */

static bool has_option(const struct td_command *command, const char *option)
{
    char name[40], question[200];
    snprintf(name, sizeof name, "%s", command->name);
    snprintf(question, sizeof question, TD_DESCRIBE TD_DESCRIBE_HAS ",%.100s", option);
    char *asked[] = {name, question, NULL};
    struct td_err ignored = {0};
    return command->run(2, asked, &ignored) == 0;
}

/* The simulator is another program, which checks its section itself; a build without the viewer does not know
 * the options of view. */
static bool is_checked_elsewhere(const char *section)
{
    return !strcmp(section, "sim") || (!strcmp(section, "view") && !td_command_find(section));
}

static bool any_has_option(const char *option)
{
    for (size_t i = 0; i < all.count; i++)
        if (!is_checked_elsewhere(commands[i].name) && has_option(&commands[i], option))
            return true;
    return false;
}

static int check_entry(void *self, const struct td_config_entry *entry, struct td_err *err)
{
    (void)self;
    if (!strcmp(entry->section, TD_CONFIG_ALL))
        return any_has_option(entry->name)
                   ? 0
                   : td_config_refuse(entry, err, "no command has an option %s", entry->name);
    if (is_checked_elsewhere(entry->section))
        return 0;
    const struct td_command *command = td_command_find(entry->section);
    if (!command)
        return td_config_refuse(entry, err, "there is no command %s (see tendril --help)", entry->section);
    return has_option(command, entry->name)
               ? 0
               : td_config_refuse(entry, err, "tendril %s has no option %s (see tendril %s --help)",
                                  command->name, entry->name, command->name);
}

int td_commands_check_config(struct td_err *err)
{
    return td_config_each(check_entry, NULL, err);
}

/* ---- commands that need the table ---- */

int td_cmd_help(int argc, char **argv, struct td_err *err)
{
    return td_commands_help(&all, argc, argv, err);
}

int td_cmd_completion(int argc, char **argv, struct td_err *err)
{
    return td_commands_completion(&all, argc, argv, err);
}

const char td_summary_commands[] = "Lists the commands, one a line.";

int td_cmd_commands(int argc, char **argv, struct td_err *err)
{
    int with_aliases = 0;
    const struct td_option options[] = {
        {0, "aliases", TD_OPT_FLAG, &with_aliases, NULL, "the names by which scripts call commands, instead",
         NULL, 0, 0},
        {0},
    };
    const struct td_command_line line = {
        .name = "tendril commands",
        .usage = "[--aliases]",
        .summary = td_summary_commands,
        .options = options,
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    for (size_t i = 0; !with_aliases && i < all.count; i++)
        puts(commands[i].name);
    for (size_t i = 0; with_aliases && i < sizeof aliases / sizeof *aliases; i++)
        puts(aliases[i][0]);
    return 0;
}
