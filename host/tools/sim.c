/* tendril sim: replaces this process by the simulator, tensix_sim, which is a separate program, or with --at by
 * ttsim_board, which holds the vendor's. */
#include "host/agent/child.h"
#include "host/tools/commands.h"

#include <stdbool.h>
#include <string.h>

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
    static char as_command[] = "tendril sim";
    argv[0] = as_command; /* so it reads its section of tendril.conf */
    return td_child_become("the simulator", names_library(argc, argv) ? "ttsim_board" : "tensix_sim", argv,
                           err);
}
