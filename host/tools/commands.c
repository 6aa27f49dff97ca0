/* tendril commands: the list of commands, for scripts and shell completion. */
#include "host/tools/commands.h"

#include <stdio.h>

int td_cmd_commands(int argc, char **argv, struct td_err *err)
{
#define TD_X(name, summary) puts(#name);
    TD_COMMANDS(TD_X)
#undef TD_X
    return 0;
}
