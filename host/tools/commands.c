/* The table of commands, and the commands that need it: help, completion, commands. */
#include "host/tools/commands.h"
#include "host/base/config.h"
#include "host/base/options.h"
#include "host/base/path.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* The simulator and the viewer are other programs, which check their sections themselves. */
static bool is_other_program(const char *section)
{
    return !strcmp(section, "sim") || !strcmp(section, "view");
}

/* The answer of the program that the command becomes. */
static bool other_program_has_option(const struct td_command *command, const char *option)
{
    int status = 0;
    const pid_t child = command ? fork() : -1;
    if (child == 0)
        _exit(has_option(command, option) ? 0 : 1);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/* `own`: the command of this program, where it is none of the table; else NULL. */
static bool any_has_option(const struct td_command *own, const char *option)
{
    for (size_t i = 0; i < all.count; i++)
        if (!is_other_program(commands[i].name) && has_option(&commands[i], option))
            return true;
    return own ? has_option(own, option) : other_program_has_option(td_command_find("view"), option);
}

static int check_entry(void *self, const struct td_config_entry *entry, struct td_err *err)
{
    const struct td_command *own = self, *command = td_command_find(entry->section);
    if (!strcmp(entry->section, TD_CONFIG_ALL))
        return any_has_option(own, entry->name)
                   ? 0
                   : td_config_refuse(entry, err, "no command has an option %s", entry->name);
    if (is_other_program(entry->section)) {
        if (!own || strcmp(entry->section, own->name) != 0)
            return 0;
        command = own;
    }
    if (!command)
        return td_config_refuse(entry, err, "there is no command %s (see tendril --help)", entry->section);
    return has_option(command, entry->name)
               ? 0
               : td_config_refuse(entry, err, "tendril %s has no option %s (see tendril %s --help)",
                                  command->name, entry->name, command->name);
}

int td_commands_check_config(const struct td_command *running, struct td_err *err)
{
    const struct td_command *named = td_command_find(running->name);
    struct td_command own = *running;
    return td_config_each(check_entry, named && named->run == running->run ? NULL : &own, err);
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
