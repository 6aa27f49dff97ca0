/* Runs `tendril probe` as a process, optionally with a connection to it that damages bytes. */
#pragma once
#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>

struct live_probe {
    pid_t pid;
    char where[200]; /* for td_transport_open() */
    int out;         /* its standard output */
};

/* Uses the board's file. serve: "unix:PATH", "tcp:0" or "pty". */
void live_probe_start(struct live_probe *p, const char *bar, const char *serve);
/* Ends the probe with this signal. Returns its status as waitpid() does. */
int live_probe_stop(struct live_probe *p, int with_signal);

/* A unix socket that forwards to another one and damages both directions. About `per_million` bytes in a
 * million are changed, left out, or sent twice. */
struct bad_way {
    pthread_t thread;
    int listening, stop;
    unsigned per_million;
    char to[108];
    char where[140];
    uint64_t damaged;
};
void bad_way_start(struct bad_way *way, const char *unix_where, unsigned per_million);
void bad_way_stop(struct bad_way *way);
