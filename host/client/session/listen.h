/* The port to which peers connect, and its announcement by UDP. Used by the session's thread. */
#pragma once
#include <stddef.h>
#include <stdint.h>

int td_listen_open(int *port); /* a listening socket and its port; negative: no port is free */
/* Announces a client that has listened for `seconds`; -1: that it stops listening. */
void td_listen_announce(int port, int seconds);
