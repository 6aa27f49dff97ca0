/* The commands of `tendril`. Each is a file in this folder and a line here. */
#pragma once
#include "host/tools/command.h"

/* X(name) */
/* clang-format off */
#ifdef TD_HAVE_VIEWER
#define TD_VIEWER_COMMANDS(X) X(view)
#else
#define TD_VIEWER_COMMANDS(X)
#endif
#define TD_COMMANDS(X)                                                                                             \
    TD_VIEWER_COMMANDS(X)                                                                                          \
    X(record) X(capture) X(agent) X(clients) X(import) X(serve) X(recover)                                         \
    X(info) X(query) X(mcp) X(export) X(csvexport) X(annotate) X(report) X(compare) X(merge) X(update)                                      \
    X(boards) X(doctor) X(hang) X(top) X(sim) X(probe) X(size) X(help) X(completion) X(commands)

/* Names by which scripts call programs of Tracy, tt-metal and IREE, and the command that each is. X(name,
 * command). */
#ifdef TD_HAVE_VIEWER
#define TD_VIEWER_ALIASES(X) X("iree-tracy-profiler", view)
#else
#define TD_VIEWER_ALIASES(X)
#endif
#define TD_COMMAND_ALIASES(X)                                                  \
    TD_VIEWER_ALIASES(X)                                                       \
    X("capture-release", capture)                                              \
    X("csvexport-release", csvexport)                                          \
    X("update-release", update)                                                \
    X("import-chrome-release", import)                                         \
    X("import-fuchsia-release", import)                                        \
    X("tracy-capture", capture)                                                \
    X("tracy-csvexport", csvexport)                                            \
    X("tracy-update", update)                                                  \
    X("tracy-import-chrome", import)                                           \
    X("tracy-import-fuchsia", import)                                          \
    X("iree-tracy-capture", capture)                                           \
    X("iree-tracy-csvexport", csvexport)
/* clang-format on */

/* argv[0] is the command's name. Returns the exit code, or a negative enum td_e. host/cli prints *err, and
 * makes the exit code of both. */
struct td_err;
#define TD_X(name) int td_cmd_##name(int argc, char **argv, struct td_err *err);
TD_COMMANDS(TD_X)
#undef TD_X
/* One sentence, in the list of commands and in the command's own help. Each is next to its command. */
#define TD_X(name) extern const char td_summary_##name[];
TD_COMMANDS(TD_X)
#undef TD_X

/* Checks the names of all sections and options in tendril.conf (host/base/config.h), those of other commands
 * included. The simulator and the viewer, which are other programs, check their sections themselves. 0, or TD_E_USAGE with file and line, or another negative enum td_e. */
int td_commands_check_config(const struct td_command *running, struct td_err *err);
const struct td_command *td_command_find(const char *name); /* NULL: no such command */
/* The error for a name that no command has; a near one is named. */
int td_command_unknown(const char *name, struct td_err *err);
/* The command for which a program's path is an alias, by the path's last part. NULL: none. */
const struct td_command *td_command_of_alias(const char *path);
