/* tendril view: replaces this process by the viewer, tendril-view, which is a separate program. */
#include "host/agent/child.h"
#include "host/tools/commands.h"

const char td_summary_view[] = "Shows a trace, or a program that runs, on a timeline, or writes a picture.";

int td_cmd_view(int argc, char **argv, struct td_err *err)
{
    static char as_program[] = "tendril-view";
    argv[0] = as_program;
    return td_child_become("the viewer", as_program, argv, err);
}
