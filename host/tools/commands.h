/* The commands of `tendril`. Each is a file in this folder and a line here. */
#ifndef TD_HOST_TOOLS_COMMANDS_H
#define TD_HOST_TOOLS_COMMANDS_H
#include "host/tools/command.h"

/* X(name, summary) */
/* clang-format off */
#ifdef TD_HAVE_VIEWER
#define TD_VIEWER_COMMANDS(X) X(view, "show a trace on a timeline, or write a picture of it")
#else
#define TD_VIEWER_COMMANDS(X)
#endif
#define TD_COMMANDS(X)                                                         \
    TD_VIEWER_COMMANDS(X)                                                      \
    X(record, "run a program on a board and write one trace of both")          \
    X(capture, "collect the events of an instrumented program and write a trace") \
    X(agent, "drain boards for a recorder on another machine")                 \
    X(clients, "list programs that wait for a recorder and announce themselves") \
    X(import, "make a trace of what another program has recorded")               \
    X(serve, "let viewers of any release connect to a trace file")             \
    X(recover, "make the trace of a recording that was killed, from its journal") \
    X(info, "describe a trace: program, tracks, zones, losses, clock error")   \
    X(csvexport, "print a trace's zones as comma separated values")            \
    X(annotate, "show where samples were: functions, source lines, instructions") \
    X(report, "report what operations did on a device, as tt-metal's tools do")  \
    X(compare, "compare two traces by name; fail when a rule says so")         \
    X(merge, "make one trace of several, of other processes or machines")     \
    X(update, "write a trace again: other packing, version, less content")     \
    X(boards, "list the boards that are known, and those that are present")    \
    X(hang, "print what cores do, and which make no progress")                 \
    X(top, "show what cores do while they run: zones, waits, rates, losses")  \
    X(sim, "run a simulated board by itself, and print the path of its file")  \
    X(probe, "reach a board of this machine for a host elsewhere")             \
    X(size, "print what markers cost in a kernel, in bytes of code")           \
    X(help, "print how a command is used")                                     \
    X(completion, "print a script that lets a shell complete commands")        \
    X(commands, "list the commands, one a line")

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
#define TD_X(name, summary) int td_cmd_##name(int argc, char **argv, struct td_err *err);
TD_COMMANDS(TD_X)
#undef TD_X

/* Checks the names of all sections and options in tendril.conf (host/base/config.h), those of other commands
 * included. 0, or TD_E_USAGE with file and line, or another negative enum td_e. */
int td_commands_check_config(struct td_err *err);
const struct td_command *td_command_find(const char *name); /* NULL: no such command */
/* The command for which a program's path is an alias, by the path's last part. NULL: none. */
const struct td_command *td_command_of_alias(const char *path);
#endif
