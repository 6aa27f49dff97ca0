/* The program tendril: finds the command (host/tools), runs it, and prints its error. No other code prints
 * errors. */
#include "host/base/config.h"
#include "host/base/debug_log.h"
#include "host/base/err.h"
#include "host/base/options.h"
#include "host/base/plain_text.h"
#include "host/base/run_folder.h"
#include "host/tools/commands.h"
#include "host/tools/version.h"

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
    return td_commands_check_config(err);
}

static int run(const struct td_command *command, int argc, char **argv)
{
    struct td_err err = {0};
    td_run_folder_sweep();
    int rc = td_debug_from_environment(&err);
    if (rc == 0 && needs_config(command, argc, argv))
        rc = check_config(command, &err);
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

int main(int argc, char **argv)
{
    static char help[] = "help";
    signal(SIGXFSZ, SIG_IGN); /* beyond a limit on file sizes, write() fails instead */
    const struct td_command *alias = argc > 0 ? td_command_of_alias(argv[0]) : NULL;
    if (alias)
        return run(alias, argc, argv);
    if (argc < 2) {
        fputs("Usage: tendril COMMAND [options]   (tendril --help for the commands)\n", stderr);
        return 2;
    }
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
        const bool verbose = argc == 3 && (!strcmp(argv[2], "--verbose") || !strcmp(argv[2], "-v"));
        if (argc > 2 && !verbose) {
            fprintf(stderr, "tendril: --version takes --verbose only, not %s\n", TD_PLAIN(argv[2]));
            return 2;
        }
        td_print_version(verbose);
        if (fflush(stdout) == 0)
            return 0;
        fprintf(stderr, "tendril: cannot write to standard output: %s\n", strerror(errno));
        return 1;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
        argv[1] = help;
    const struct td_command *command = td_command_find(argv[1]);
    if (!command) {
        struct td_err err = {0};
        td_command_unknown(argv[1], &err);
        fprintf(stderr, "tendril: %s\n", err.text);
        return 2;
    }
    return run(command, argc - 1, argv + 1);
}
