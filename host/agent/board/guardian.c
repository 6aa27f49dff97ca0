#include "host/agent/board/guardian.h"
#include "host/base/debug_log.h"
#include "host/device/drain/owner.h"
#include "host/device/drain/owner_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPEN_WAIT_MS 10000
#define NOTE_ARMED   'a'
#define NOTE_GOODBYE 'g'

/* Detaches from the agent's files (except `keep`), its terminal, and the signals of its process group. */
static void detach_process(int keep)
{
    setsid();
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    prctl(PR_SET_NAME, "tendril-guard");
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; null >= 0 && fd < 3; fd++)
        if (fd != keep)
            dup2(null, fd);
    if (keep > 3)
        close_range(3, (unsigned)keep - 1, 0);
    close_range((unsigned)keep + 1, ~0u, 0);
}

/* Waits for the end of the agent. True: it has left lanes armed. */
static bool wait_for_agent(int pipe)
{
    int armed = 0;
    for (;;) {
        char note;
        ssize_t n = read(pipe, &note, 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return armed;
        if (note == NOTE_GOODBYE)
            return 0;
        armed |= note == NOTE_ARMED;
    }
}

static void disarm(const struct td_attach *attach, uint32_t agent)
{
    struct td_attach again = *attach;
    struct td_transport *t;
    struct td_board *board = malloc(sizeof *board);
    again.wait_ms = OPEN_WAIT_MS;
    if (board && td_attach_open(&again, &t, board, NULL, NULL) == 0) {
        struct td_owner owner;
        td_owner_init(&owner, t, board, agent);
        td_owner_disarm(&owner);
        td_transport_close(t);
    }
    free(board);
}

int td_guardian_start(struct td_guardian *g, const struct td_attach *attach, struct td_err *err)
{
    int ends[2];
    const uint32_t agent = (uint32_t)getpid();
    *g = (struct td_guardian){0, -1};
    if (pipe2(ends, O_CLOEXEC) < 0)
        return td_fail_errno(err, "cannot make a pipe");
    pid_t pid = fork();
    if (pid == 0) {
        detach_process(ends[0]);
        td_owner_guard_begin(agent); /* until this process ends */
        if (wait_for_agent(ends[0]))
            disarm(attach, agent);
        _exit(0);
    }
    close(ends[0]);
    if (pid < 0) {
        close(ends[1]);
        return td_fail_errno(err, "cannot start the process that disarms lanes");
    }
    td_debug(owner, "process %d disarms the lanes if this one is killed", (int)pid);
    *g = (struct td_guardian){pid, ends[1]};
    return 0;
}

static void send_note(const struct td_guardian *g, char note)
{
    ssize_t n;
    do
        n = write(g->pipe, &note, 1);
    while (n < 0 && errno == EINTR);
}

void td_guardian_arm(struct td_guardian *g)
{
    if (g->pid)
        send_note(g, NOTE_ARMED);
}

void td_guardian_abandon(struct td_guardian *g)
{
    if (g->pid)
        close(g->pipe);
    g->pid = 0;
}

void td_guardian_leave(struct td_guardian *g)
{
    if (!g->pid)
        return;
    send_note(g, NOTE_GOODBYE);
    close(g->pipe);
    while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    g->pid = 0;
}
