#include "host/file/in_source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES (256 * 1024)
#define WAIT_MS      100

int td_in_source_open(struct td_in_source *source, const char *path, struct td_err *err)
{
    struct stat st;
    int standard = !strcmp(path, "-");
    *source = (struct td_in_source){.fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                                                   : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)};
    int rc = 0;
    if (source->fd < 0 || fstat(source->fd, &st) < 0) {
        rc = errno == ENOENT ? TD_E_NOTFOUND : TD_E_IO;
        td_fail_errno(err, "cannot open '%s'", path);
        if (err)
            err->code = rc;
    } else if (S_ISDIR(st.st_mode)) {
        rc = td_fail(err, TD_E_FORMAT, "'%s' is a folder, not a trace file", path);
    } else if (!(source->buffer = malloc(BUFFER_BYTES))) {
        rc = td_fail(err, TD_E_NOMEM, "out of memory while reading '%s'", path);
    }
    if (rc < 0) {
        td_in_source_close(source);
        return rc;
    }
    source->waits = !S_ISREG(st.st_mode);
    source->total_bytes = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
    if (!source->waits)
        posix_fadvise(source->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    return 0;
}

void td_in_source_close(struct td_in_source *source)
{
    if (source->fd >= 0)
        close(source->fd);
    free(source->buffer);
    *source = (struct td_in_source){.fd = -1};
}

/* true: there are bytes, the end or an error to read. */
static bool wait_for_bytes(struct td_in_source *source, int (*gave_up)(void *self), void *self)
{
    for (;;) {
        struct pollfd p = {source->fd, POLLIN, 0};
        int n = poll(&p, 1, WAIT_MS);
        if (n > 0 || (n < 0 && errno != EINTR))
            return true; /* read() reports errors */
        if (gave_up(self)) {
            source->given_up = 1;
            return false;
        }
    }
}

/* Returns 0 at the end, after an error, and after giving up. */
static size_t read_some(struct td_in_source *source, void *to, size_t room, int (*gave_up)(void *self),
                        void *self)
{
    for (;;) {
        if (source->error || source->given_up || (source->waits && !wait_for_bytes(source, gave_up, self)))
            return 0;
        ssize_t n = read(source->fd, to, room);
        if (n >= 0)
            return (size_t)n;
        if (errno != EINTR && errno != EAGAIN)
            source->error = errno;
    }
}

size_t td_in_source_read(struct td_in_source *source, void *to, size_t bytes, int (*gave_up)(void *self),
                         void *self)
{
    uint8_t *out = to;
    size_t done = 0;
    while (done < bytes) {
        if (source->at == source->bytes) {
            source->at = 0;
            source->bytes = read_some(source, source->buffer, BUFFER_BYTES, gave_up, self);
            if (!source->bytes)
                break;
        }
        size_t n = source->bytes - source->at < bytes - done ? source->bytes - source->at : bytes - done;
        memcpy(out + done, source->buffer + source->at, n);
        source->at += n;
        done += n;
    }
    source->taken_bytes += done;
    return done;
}
