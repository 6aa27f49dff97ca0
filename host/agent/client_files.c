#include "host/agent/client_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define SOURCE_MAX (16 << 20) /* bytes */

void *td_client_local_file(const char *path, uint64_t before_s, size_t *bytes)
{
    struct stat st;
    char *text = NULL;
    *bytes = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size <= SOURCE_MAX &&
        (uint64_t)st.st_mtime < before_s)
        text = malloc((size_t)st.st_size);
    if (text && read(fd, text, (size_t)st.st_size) == st.st_size) {
        *bytes = (size_t)st.st_size;
    } else {
        free(text);
        text = NULL;
    }
    close(fd);
    return text;
}
