/* The program tendril: finds the command (host/tools) and runs it. */
#include "host/base/err.h"
#include "host/base/plain_text.h"
#include "host/cli/run.h"
#include "host/tools/commands.h"
#include "host/tools/version.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    static char help[] = "help";
    const struct td_command *alias = argc > 0 ? td_command_of_alias(argv[0]) : NULL;
    if (alias)
        return cli_run(alias, argc, argv);
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
    return cli_run(command, argc - 1, argv + 1);
}
