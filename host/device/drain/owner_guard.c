#include "host/device/drain/owner_guard.h"

#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A name in the abstract namespace ends with its process. */
static int open_named(uint32_t agent, struct sockaddr_un *at, socklen_t *bytes)
{
    *at = (struct sockaddr_un){.sun_family = AF_UNIX};
    const int n = snprintf(at->sun_path + 1, sizeof at->sun_path - 1, "tendril-guard-%u", agent);
    *bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

int td_owner_guard_begin(uint32_t agent)
{
    struct sockaddr_un at;
    socklen_t bytes;
    const int fd = open_named(agent, &at, &bytes);
    if (fd >= 0 && bind(fd, (const struct sockaddr *)&at, bytes) == 0 && listen(fd, SOMAXCONN) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

void td_owner_guard_wait(uint32_t agent, int most_ms)
{
    struct sockaddr_un at;
    socklen_t bytes;
    const int fd = open_named(agent, &at, &bytes);
    /* A connection that nobody accepts is closed when the process ends that listens. */
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&at, bytes) == 0)
        poll(&(struct pollfd){fd, POLLIN, 0}, 1, most_ms);
    if (fd >= 0)
        close(fd);
}
