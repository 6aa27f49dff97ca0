#include "host/base/free_port.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

int td_free_port(int *fd)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof at;
    int yes = 1;
    *fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*fd < 0)
        return 0;
    if (setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
        bind(*fd, (struct sockaddr *)&at, sizeof at) == 0 &&
        getsockname(*fd, (struct sockaddr *)&at, &bytes) == 0)
        return ntohs(at.sin_port);
    close(*fd);
    return 0;
}
