#include "host/tools/recording/system_watch.h"
#include "host/base/clock.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#define GRACE_MS 3000 /* for a program that was asked to end, and for the watch */

int system_watch_check(struct system_watch *system, char **argv, size_t count, struct td_err *err)
{
    if (!system->on && (system->pid || system->hz || count))
        return td_fail(err, TD_E_USAGE, "--pid, --sample-hz and PROGRAM are for --system");
    if (system->pid && count)
        return td_fail(err, TD_E_USAGE, "--pid and PROGRAM exclude each other");
    system->program = count ? argv : NULL;
    return 0;
}

int system_watch_begin(struct system_watch *system, long *port, struct td_err *err)
{
    struct td_watch_options options = {.pid = (int)system->pid, .children = true, .hz = system->hz};
    if (!system->on)
        return 0;
    int rc = system->program ? td_child_hold(&system->child, system->program, NULL, 0, err) : 0;
    if (rc == 0 && system->program) {
        options.pid = system->child.pid;
        options.name = system->program[0];
    }
    rc = rc ? rc : td_watch_start(&system->watch, &options, err);
    *port = system->watch.port;
    return rc;
}

int system_watch_step(struct system_watch *system, bool streams, struct td_err *err)
{
    return streams && system->program ? td_child_release(&system->child, system->program[0], err) : 0;
}

static int code_of(const struct td_child *child)
{
    return WIFSIGNALED(child->status) ? 128 + WTERMSIG(child->status) : WEXITSTATUS(child->status);
}

int system_watch_end(struct system_watch *system, const volatile int *interrupts)
{
    int64_t stop_ms = 0;
    if (!system->on)
        return 0;
    td_watch_stop(&system->watch, GRACE_MS);
    if (system->child.held)
        td_child_stop(&system->child, 0);
    while (td_child_is_running(&system->child)) {
        if (*interrupts && !stop_ms) {
            kill(system->child.pid, SIGINT);
            stop_ms = td_mono_ms() + GRACE_MS;
        }
        if (*interrupts > 1 || (stop_ms && td_mono_ms() > stop_ms))
            td_child_stop(&system->child, 1000);
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    return system->child.ended ? code_of(&system->child) : 0;
}
