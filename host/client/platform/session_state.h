/* The state of the session. The session's thread sets it, any thread or signal handler reads it. */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum td_client_state {
    TD_CLIENT_STARTING,
    TD_CLIENT_LISTENING,
    TD_CLIENT_CONNECTED, /* handshake done */
    TD_CLIENT_OVER       /* the session ended, or no port was free: events are dropped */
};
void td_session_enter(enum td_client_state next); /* called by session.c */
int td_session_state(void);                       /* enum td_client_state */
