/* The server's socket, and its announcements on the network. */
#pragma once
#include "host/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_listener {
    int fd; /* -1: closed */
    int port;
    bool is_open_to_all;
    char where[300]; /* "ADDRESS:PORT" */
};

/* 0 or a negative enum td_e. */
int td_listener_open(struct td_listener *listener, const char *where, struct td_err *err);
void td_listener_close(struct td_listener *listener);
/* Sends the datagram by which viewers find programs. seconds -1: the program ends. */
void td_listener_announce(const struct td_listener *listener, const char *program, uint64_t pid, int seconds);
