/* tendril sim: replaces this process by the simulator, tensix_sim, which is a separate program. */
#include "host/agent/child.h"
#include "host/base/err.h"
#include "host/tools/commands.h"

#include <errno.h>
#include <unistd.h>

int td_cmd_sim(int argc, char **argv, struct td_err *err)
{
    static char name[] = "tensix_sim", as_command[] = "tendril sim";
    char path[4096];
    td_child_find(name, path, sizeof path);
    argv[0] = as_command; /* so it reads its section of tendril.conf */
    execvp(path, argv);
    if (errno == ENOENT)
        return td_fail(err, TD_E_NOTFOUND, "the simulator, %s, is not installed next to this program", name);
    return td_fail_errno(err, "cannot start %s", path);
}
