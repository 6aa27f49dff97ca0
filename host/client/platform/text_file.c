#include "host/client/platform/text_file.h"

#include <stdbool.h>
#include <fcntl.h>
#include <unistd.h>

bool td_client_read_text(const char *path, char *text, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t bytes = read(fd, text, room - 1);
    close(fd);
    if (bytes <= 0)
        return 0;
    text[bytes] = 0;
    return 1;
}
