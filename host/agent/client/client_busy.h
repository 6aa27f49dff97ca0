/* Finds out whether a program on this machine serves another connection. A client serves one connection at a
 * time: the system establishes a second one, but the client accepts it only after the first has ended. */
#pragma once
#include <stdbool.h>

/* fd: a connection whose greeting was not answered. True: the program has not accepted it, but another
 * connection to the same port. False: otherwise, or if the program runs on another machine. */
bool td_client_is_busy(int fd);
