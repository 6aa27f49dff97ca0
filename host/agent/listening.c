#include "host/agent/listening.h"
#include "host/base/process.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_PORTS   64
#define DEPTH_MOST   64 /* of ancestors */
#define STATE_LISTEN "0A"

/* The sockets that listen at the wanted ports. */
struct sockets {
    unsigned long inode[MOST_PORTS];
    size_t port[MOST_PORTS]; /* from the first one on */
    size_t count;
};

static void read_sockets(const char *path, int first, size_t count, struct sockets *found,
                         unsigned char *ports)
{
    char line[512], state[8];
    unsigned port;
    unsigned long inode;
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, " %*d: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f:] %7s %*s %*s %*s %*s %*s %lu", &port, state,
                   &inode) != 3 ||
            strcmp(state, STATE_LISTEN) != 0)
            continue;
        const long offset = (long)port - first;
        if (offset < 0 || (size_t)offset >= count || found->count == MOST_PORTS)
            continue;
        ports[offset] = TD_LISTENER_OTHER;
        found->inode[found->count] = inode;
        found->port[found->count++] = (size_t)offset;
    }
    if (f)
        fclose(f);
}

static bool is_descendant(pid_t pid, pid_t root)
{
    for (int depth = 0; depth < DEPTH_MOST && pid > 1; depth++, pid = (pid_t)td_process_parent((uint32_t)pid))
        if (pid == root)
            return true;
    return false;
}

/* The index of the process's descriptor among the sockets; the count: it is none of them. */
static size_t find_socket(const char *folder, const char *fd, const struct sockets *sockets)
{
    char path[600], target[64];
    unsigned long inode;
    size_t i = 0;
    snprintf(path, sizeof path, "%s/%s", folder, fd);
    const ssize_t bytes = readlink(path, target, sizeof target - 1);
    if (bytes < 0)
        return sockets->count;
    target[bytes] = 0;
    if (sscanf(target, "socket:[%lu]", &inode) != 1)
        return sockets->count;
    while (i < sockets->count && sockets->inode[i] != inode)
        i++;
    return i;
}

static void look_at_process(const char *pid, const struct sockets *sockets, unsigned char *ports)
{
    char folder[64];
    snprintf(folder, sizeof folder, "/proc/%.20s/fd", pid);
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        const size_t i = find_socket(folder, e->d_name, sockets);
        if (i < sockets->count)
            ports[sockets->port[i]] = TD_LISTENER_OWN;
    }
    if (dir)
        closedir(dir);
}

void td_listening_ports(pid_t root, int first, size_t count, unsigned char *ports)
{
    struct sockets sockets = {.count = 0};
    memset(ports, TD_LISTENER_NONE, count);
    read_sockets("/proc/net/tcp", first, count, &sockets, ports);
    read_sockets("/proc/net/tcp6", first, count, &sockets, ports);
    DIR *dir = sockets.count ? opendir("/proc") : NULL;
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (isdigit((unsigned char)e->d_name[0]) && is_descendant((pid_t)atol(e->d_name), root))
            look_at_process(e->d_name, &sockets, ports);
    if (dir)
        closedir(dir);
}
