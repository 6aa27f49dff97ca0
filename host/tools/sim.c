/* tendril sim: replaces this process by the simulator, tensix_sim, which is a separate program, or with --at by
 * ttsim_board, which holds the vendor's. */
#include "host/agent/child.h"
#include "host/base/err.h"
#include "host/tools/commands.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static bool names_library(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--at") == 0 || strncmp(argv[i], "--at=", 5) == 0)
            return true;
    return false;
}

const char td_summary_sim[] = "Runs a simulated board by itself, and prints the path of its file.";

int td_cmd_sim(int argc, char **argv, struct td_err *err)
{
    const char *const name = names_library(argc, argv) ? "ttsim_board" : "tensix_sim";
    static char as_command[] = "tendril sim";
    char path[4096];
    td_child_find(name, path, sizeof path);
    argv[0] = as_command; /* so it reads its section of tendril.conf */
    execvp(path, argv);
    if (errno == ENOENT)
        return td_fail(err, TD_E_NOTFOUND, "the simulator, %s, is not installed next to this program", name);
    return td_fail_errno(err, "cannot start %s", path);
}
