#include "host/agent/client/client_busy.h"
#include "host/base/socket_port.h"

#include <stdio.h>
#include <sys/socket.h>

#define ESTABLISHED 1 /* in the system's tables */

struct seen_client {
    bool waiting, served; /* waiting: our connection is not accepted; served: another one of the port is */
};

/* Searches a table of the system. A connection that no process has accepted has no inode. */
static void read_table(const char *table, unsigned port, unsigned our_port, struct seen_client *seen)
{
    char line[400];
    FILE *f = fopen(table, "re");
    while (f && fgets(line, sizeof line, f)) {
        unsigned local, remote, state;
        unsigned long inode;
        if (sscanf(line, " %*u: %*[0-9A-F]:%x %*[0-9A-F]:%x %x %*x:%*x %*x:%*x %*x %*u %*u %lu", &local,
                   &remote, &state, &inode) != 4 ||
            local != port || state != ESTABLISHED)
            continue;
        seen->waiting |= remote == our_port && inode == 0;
        seen->served |= remote != our_port && inode != 0;
    }
    if (f)
        fclose(f);
}

bool td_client_is_busy(int fd)
{
    struct sockaddr_storage peer = {0};
    socklen_t peer_bytes = sizeof peer;
    struct seen_client seen = {0};
    if (getpeername(fd, (struct sockaddr *)&peer, &peer_bytes) < 0)
        return 0;
    unsigned port = (unsigned)td_sockaddr_port(&peer), our_port = (unsigned)td_socket_port(fd);
    if (!port || !our_port)
        return 0;
    read_table("/proc/net/tcp", port, our_port, &seen);
    read_table("/proc/net/tcp6", port, our_port, &seen);
    return seen.waiting && seen.served;
}
