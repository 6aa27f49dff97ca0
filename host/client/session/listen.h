/* listen.c. Used by the session's thread. */
#ifndef TD_HOST_CLIENT_SESSION_LISTEN_H
#define TD_HOST_CLIENT_SESSION_LISTEN_H
#include <stddef.h>
#include <stdint.h>

int td_listen_open(int *port);                  /* a listening socket and its port, or -1: no port is free */
void td_listen_announce(int port, int seconds); /* that the client is there so long; -1: it goes */
#endif
