/* Whether a program of this machine serves another connection. A client serves one at a time: a second one is
 * established by the system, but the client does not accept it before it has ended the first. */
#ifndef TD_HOST_AGENT_CLIENT_CLIENT_BUSY_H
#define TD_HOST_AGENT_CLIENT_CLIENT_BUSY_H

/* fd: a connection to the client that was not greeted. 1: the program has not accepted it, and has accepted
 * another one of the same port; 0: not so, or not to be known (the program runs elsewhere). */
int td_client_is_busy(int fd);
#endif
