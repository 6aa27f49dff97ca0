/* tendril: one binary, a subcommand a file in host/tools. The only place that prints errors. */
#include "host/base/err.h"
#include "host/tools/commands.h"

#include <stdio.h>
#include <string.h>

static const struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv, struct td_err *err);
} commands[] = {
#define TD_X(name, summary) {#name, summary, td_cmd_##name},
    TD_COMMANDS(TD_X)
#undef TD_X
};

static void usage(FILE *to)
{
    fprintf(to, "Usage: tendril COMMAND [options]   (tendril COMMAND --help for its options)\n\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].summary);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        usage(stderr);
        return 2;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        usage(stdout);
        return 0;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("tendril %s\n", TD_VERSION);
        return 0;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(argv[1], commands[i].name))
            continue;
        struct td_err err = {0};
        int rc = commands[i].run(argc - 1, argv + 1, &err);
        if (err.code) {
            fflush(stdout);
            fprintf(stderr, "tendril %s: %s\n", argv[1], err.text);
            if (rc == 0)
                rc = 1;
        }
        return rc < 0 ? (err.code == TD_E_USAGE ? 2 : 1) : rc;
    }
    fprintf(stderr, "tendril: no command '%s' (see tendril --help)\n", argv[1]);
    return 2;
}
