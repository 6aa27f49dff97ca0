#include "host/agent/child.h"
#include "host/agent/program.h"
#include "host/base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void run_child(const struct td_program *program, char *const argv[], const char *const *env,
                      int own_group, int gate, int report)
{
    sigset_t none;
    char go;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    if (own_group)
        setpgid(0, 0);
    for (; env && *env; env++)
        putenv((char *)*env);
    ssize_t n;
    while ((n = read(gate, &go, 1)) < 0 && errno == EINTR)
        ;
    if (n != 1)
        _exit(126); /* the agent has ended */
    execv(program->path, argv);
    if (errno == ENOEXEC && !program->is_binary)
        execvp(program->path, argv); /* runs a script without a first line in the shell */
    int why = errno;
    if (write(report, &why, sizeof why) < 0)
        _exit(126);
    _exit(127);
}

int td_child_hold(struct td_child *child, char *const argv[], const char *const *env, int own_group,
                  struct td_err *err)
{
    int report[2]; /* gets errno if exec fails; closed by exec if it works */
    int gate[2];   /* gets a byte when the program may begin */
    struct td_program program;
    memset(child, 0, sizeof *child);
    int rc = td_program_find(&program, argv[0], err);
    if (rc < 0)
        return rc;
    if (pipe2(report, O_CLOEXEC) < 0)
        return td_fail_errno(err, "cannot start %s", argv[0]);
    const pid_t pid = pipe2(gate, O_CLOEXEC) == 0 ? fork() : -1;
    if (pid < 0) {
        close(report[0]);
        close(report[1]);
        return td_fail_errno(err, "cannot start %s", argv[0]);
    }
    if (pid == 0) {
        close(gate[1]);
        run_child(&program, argv, env, own_group, gate[0], report[1]);
    }
    close(report[1]);
    close(gate[0]);
    child->pid = pid;
    child->held = true;
    child->gate = gate[1];
    child->report = report[0];
    return 0;
}

int td_child_release(struct td_child *child, const char *name, struct td_err *err)
{
    struct td_program program;
    int why = 0;
    ssize_t n;
    if (!child->held)
        return 0;
    child->held = false;
    while ((n = write(child->gate, "", 1)) < 0 && errno == EINTR)
        ;
    const bool goes = n == 1;
    if (!goes)
        why = errno;
    close(child->gate);
    do
        n = read(child->report, &why, sizeof why);
    while (n < 0 && errno == EINTR);
    close(child->report);
    if (goes && n != (ssize_t)sizeof why)
        return 0;
    waitpid(child->pid, &child->status, 0);
    child->pid = 0;
    const int rc = td_program_find(&program, name, err);
    return rc < 0 ? rc : td_program_refused(&program, name, why, err);
}

int td_child_start(struct td_child *child, char *const argv[], const char *const *env, int own_group,
                   struct td_err *err)
{
    const int rc = td_child_hold(child, argv, env, own_group, err);
    return rc < 0 ? rc : td_child_release(child, argv[0], err);
}

bool td_child_is_running(struct td_child *child)
{
    if (child->pid && waitpid(child->pid, &child->status, WNOHANG) == child->pid) {
        child->pid = 0;
        child->ended = 1;
    }
    return child->pid != 0;
}

void td_child_stop(struct td_child *child, int ms)
{
    if (!td_child_is_running(child))
        return;
    if (child->held) { /* nothing of it has begun */
        close(child->gate);
        close(child->report);
        child->held = false;
    }
    kill(child->pid, SIGTERM);
    for (; ms > 0 && td_child_is_running(child); ms -= 5)
        nanosleep(&(struct timespec){0, 5000000}, NULL);
    if (td_child_is_running(child)) {
        kill(child->pid, SIGKILL);
        while (waitpid(child->pid, &child->status, 0) < 0 && errno == EINTR)
            ;
        child->pid = 0;
        child->ended = 1;
    }
}

bool td_child_has_failed(const struct td_child *child, char *text, size_t bytes)
{
    if (!child->ended || (WIFEXITED(child->status) && WEXITSTATUS(child->status) == 0))
        return false;
    if (WIFEXITED(child->status))
        snprintf(text, bytes, "exited with code %d", WEXITSTATUS(child->status));
    else
        snprintf(text, bytes, "was killed by signal %d (%s)", WTERMSIG(child->status),
                 strsignal(WTERMSIG(child->status)));
    return true;
}

void td_child_find(const char *name, char *path, size_t bytes)
{
    if (!td_process_find(name, X_OK, path, bytes))
        snprintf(path, bytes, "%s", name);
}

int td_child_become(const char *what, const char *name, char *const argv[], struct td_err *err)
{
    char path[4096];
    td_child_find(name, path, sizeof path);
    execvp(path, argv);
    if (errno == ENOENT)
        return td_fail(err, TD_E_NOTFOUND, "%s, %s, is not installed next to this program", what, name);
    return td_fail_errno(err, "cannot start %s", path);
}
