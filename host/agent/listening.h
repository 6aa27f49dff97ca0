/* Finds the TCP ports at which a process and its descendants listen, in /proc. Not thread-safe. */
#pragma once
#include <stddef.h>
#include <sys/types.h>

/* Fills `ports` with those from `first` on, at most `count` of them, at which a process listens that is `root`
 * or has it as an ancestor: ports[i] is 1 for port first + i, else 0. What cannot be read is not found. */
void td_listening_ports(pid_t root, int first, size_t count, unsigned char *ports);
