/* tendril help: the list of commands, one command's options, and the man pages of all. */
#include "host/base/nearest.h"
#include "host/base/options.h"
#include "host/tools/command.h"

#include <stdio.h>
#include <string.h>

static void print_list(const struct td_commands *all)
{
    puts("Usage: tendril COMMAND [options]   (tendril help COMMAND for its options)\n");
    for (size_t i = 0; i < all->count; i++)
        printf("  %-11s %s\n", all->at[i].name, all->at[i].summary);
    puts("\n  tendril --version [--verbose]");
}

static void print_main_page(const struct td_commands *all)
{
    puts(
        ".TH TENDRIL 1 \"\" \"tendril " TD_VERSION "\" \"Tendril\"\n.SH NAME\n"
        "tendril \\- profiler kit for RISC\\-V accelerators\n.SH SYNOPSIS\n.B tendril\nCOMMAND [options]\n"
        ".SH DESCRIPTION\nRecords what the cores of an accelerator and the program that drives it do, as one "
        "trace, and shows, describes, compares and converts traces (.tracy).\n.SH COMMANDS");
    for (size_t i = 0; i < all->count; i++)
        printf(".TP\n.BR tendril\\-%s (1)\n%s\n", all->at[i].name, all->at[i].summary);
    puts(".SH EXIT STATUS\n0: done. 1: it could not be done; one line on the standard error says why. 2: "
         "wrong "
         "usage. 130: stopped by Ctrl\\-C.");
}

/* Each command prints its own description. */
static int describe_command(const struct td_command *command, int man, struct td_err *err)
{
    char name[40], option[100];
    snprintf(name, sizeof name, "%s", command->name);
    snprintf(option, sizeof option, man ? TD_DESCRIBE "man,tendril %s" : "--help", name);
    char *asked[] = {name, option, NULL};
    return command->run(2, asked, err);
}

const char td_summary_help[] = "Prints how a command is used; without COMMAND, lists the commands.";

int td_commands_unknown(const struct td_commands *all, const char *name, struct td_err *err)
{
    struct td_nearest nearest = {.word = name};
    for (size_t i = 0; i < all->count; i++)
        td_nearest_offer(&nearest, all->at[i].name);
    return nearest.name
               ? td_fail(err, TD_E_USAGE, "no command '%.60s': did you mean %s? (see tendril --help)", name,
                         nearest.name)
               : td_fail(err, TD_E_USAGE, "no command '%.60s' (see tendril --help)", name);
}

int td_commands_help(const struct td_commands *all, int argc, char **argv, struct td_err *err)
{
    int man = 0;
    const struct td_option options[] = {
        {0, "man", TD_OPT_FLAG, &man, NULL, "a man page, in roff, instead of a short text", NULL, 0, 0},
        {0},
    };
    const struct td_command_line line = {
        .name = "tendril help",
        .usage = "[--man] [COMMAND]",
        .summary = td_summary_help,
        .options = options,
        .max_args = 1,
        .operands = all->names,
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    if (args.count == 0) {
        if (man)
            print_main_page(all);
        else
            print_list(all);
        return 0;
    }
    for (size_t i = 0; i < all->count; i++)
        if (!strcmp(all->at[i].name, argv[1]))
            return describe_command(&all->at[i], man, err);
    return td_commands_unknown(all, argv[1], err);
}
