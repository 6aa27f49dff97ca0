/* Runs a command of the table, and prints its error. */
#include "host/cli/run.h"
#include "host/base/config.h"
#include "host/base/debug_log.h"
#include "host/base/err.h"
#include "host/base/options.h"
#include "host/base/plain_text.h"
#include "host/base/run_folder.h"
#include "host/tools/commands.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* What a shell reports for a process that SIGINT ended. */
#define EXIT_INTERRUPTED 130

/* `rc`: what the command returned; `error`: the code in its td_err. */
static int exit_code(int rc, int error)
{
    if (error == TD_E_STOPPED)
        return EXIT_INTERRUPTED;
    if (error == 0)
        return rc < 0 ? 1 : rc;
    if (rc > 0)
        return rc;
    return error == TD_E_USAGE ? 2 : 1;
}

/* A mistake in tendril.conf does not keep a user from the help that explains it. */
static bool needs_config(const struct td_command *command, int argc, char **argv)
{
    static const char *const without[] = {"help", "completion", "commands"};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        if (!strcmp(command->name, without[i]))
            return false;
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h") ||
            !strncmp(argv[i], TD_DESCRIBE, strlen(TD_DESCRIBE)))
            return false;
    return true;
}

static void print_left_out(void *self, const char *line)
{
    const struct td_command *command = self;
    fprintf(stderr, "tendril %s: %s\n", command->name, TD_PLAIN(line));
}

static int check_config(const struct td_command *command, struct td_err *err)
{
    struct td_command named = *command;
    td_config_each_left_out(print_left_out, &named);
    return td_commands_check_config(command, err);
}

static int prepare(const struct td_command *command, int argc, char **argv, struct td_err *err)
{
    if (command == td_command_find("view")) /* it becomes another program, which does all this */
        return 0;
    td_run_folder_sweep();
    const int rc = td_debug_from_environment(err);
    return rc == 0 && needs_config(command, argc, argv) ? check_config(command, err) : rc;
}

int cli_run(const struct td_command *command, int argc, char **argv)
{
    struct td_err err = {0};
    signal(SIGXFSZ, SIG_IGN); /* beyond a limit on file sizes, write() fails instead */
    int rc = prepare(command, argc, argv, &err);
    if (rc == 0)
        rc = command->run(argc, argv, &err);
    else if (rc > 0)
        rc = 0;
    int unwritten = fflush(stdout) != 0 || ferror(stdout);
    if (unwritten && errno == EPIPE) /* the reader of the pipe has ended, as `| head` does */
        return err.code && rc ? exit_code(rc, err.code) : 0;
    if (unwritten && !err.code)
        td_fail_errno(&err, "cannot write to standard output");
    if (err.code)
        fprintf(stderr, "tendril %s: %s\n", command->name, err.text);
    return exit_code(rc, err.code);
}
