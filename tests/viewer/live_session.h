/* The program of live_program.c, for tests that watch it. */
#pragma once
#include "host/base/free_port.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

struct live_program {
    pid_t pid;
    int to, from; /* its standard input and output */
    int port;
};

/* Starts it with three threads, at program->port if that is not 0. */
static inline void start_live_program(struct live_program *program)
{
    int in[2], out[2], kept;
    char port[16];
    program->port = program->port ? program->port : td_free_port(&kept);
    assert_int_not_equal(program->port, 0);
    snprintf(port, sizeof port, "%d", program->port);
    assert_int_equal(pipe(in) | pipe(out), 0);
    program->pid = fork();
    if (program->pid == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[1]);
        close(out[0]);
        setenv("TRACY_PORT", port, 1);
        execl(TD_BINARY_DIR "/tests/viewer_live_program", "viewer_live_program", "3", (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    program->to = in[1];
    program->from = out[0];
}

static inline void end_live_program(const struct live_program *program)
{
    close(program->to);
    close(program->from);
    kill(program->pid, SIGKILL);
    waitpid(program->pid, NULL, 0);
}

/* Lets the program mark a round, and waits for its end. */
static inline void play_live_round(const struct live_program *program)
{
    char byte = 'r';
    assert_int_equal(write(program->to, &byte, 1), 1);
    assert_int_equal(read(program->from, &byte, 1), 1);
}
