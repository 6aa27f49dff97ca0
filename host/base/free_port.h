/* Finds a TCP port for a program that is started next. */
#pragma once

/* A free TCP port of this machine, 0 if there is none. While *fd is open, the system gives the port to no
 * other process; a program that reuses addresses can listen there. The caller closes *fd. */
int td_free_port(int *fd);
