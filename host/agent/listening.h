/* Finds the TCP ports at which a process and its descendants listen, in /proc. Not thread-safe. */
#pragma once
#include <stddef.h>
#include <sys/types.h>

enum td_port_listener {
    TD_LISTENER_NONE,
    TD_LISTENER_OWN,  /* a process that is `root` or has it as an ancestor */
    TD_LISTENER_OTHER /* another one, or one whose descriptors cannot be read */
};
/* Fills `ports` with what listens (enum td_port_listener) at `count` ports from `first` on. */
void td_listening_ports(pid_t root, int first, size_t count, unsigned char *ports);
