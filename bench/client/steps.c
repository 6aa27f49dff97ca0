#include "bench/client/steps.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define MORE 16 /* markers of the second part beyond those of the first */

/* A conditional jump of x86-64, in any of its two forms. */
static int is_branch(pid_t pid, uint64_t at)
{
    errno = 0;
    uint64_t bytes = (uint64_t)ptrace(PTRACE_PEEKTEXT, pid, (void *)(uintptr_t)at, NULL);
    if (errno)
        return 0;
    if ((bytes & 0xff) == 0x2e || (bytes & 0xff) == 0x3e) /* hints */
        bytes >>= 8;
    return (bytes & 0xf0) == 0x70 || (bytes & 0xf0ff) == 0x800f;
}

/* Steps to the next SIGUSR1. 0, or -1. */
static int run_part(pid_t pid, struct steps *steps)
{
#if defined(__x86_64__)
    int status;
    *steps = (struct steps){0, 0};
    for (;;) {
        struct user_regs_struct regs;
        if (ptrace(PTRACE_GETREGS, pid, NULL, &regs) != 0)
            return -1;
        steps->instructions++;
        steps->branches += is_branch(pid, regs.rip);
        if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) != 0 || waitpid(pid, &status, 0) != pid ||
            !WIFSTOPPED(status))
            return -1;
        if (WSTOPSIG(status) == SIGUSR1)
            return 0;
        if (WSTOPSIG(status) != SIGTRAP)
            return -1;
    }
#else
    return -1;
#endif
}

static int count(pid_t pid, struct steps *steps)
{
    struct steps one, all;
    int status;
    if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) || WSTOPSIG(status) != SIGUSR1)
        return -1;
    if (run_part(pid, &one) != 0 || run_part(pid, &all) != 0)
        return -1;
    steps->instructions = (all.instructions - one.instructions) / MORE;
    steps->branches = (all.branches - one.branches) / MORE;
    return 0;
}

int steps_count(const char *program, const char *kind, const char *const *environment, struct steps *steps)
{
    pid_t pid = fork();
    if (pid == 0) {
        for (; *environment; environment++)
            putenv((char *)(uintptr_t)*environment);
        execl(program, program, "step", kind, (char *)NULL);
        _exit(127);
    }
    if (pid < 0)
        return -1;
    int result = count(pid, steps);
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return result;
}
