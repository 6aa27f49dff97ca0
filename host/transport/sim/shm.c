#include "host/transport/sim/shm.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/transport/card/simbar.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct shm {
    int fd, only_own;
    void *map;
    uint64_t bytes;
    char path[200];
};

/* Does a living simulator own the file? The kernel drops the lock when the simulator ends, killed or not. */
static bool is_locked(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = TD_BAR_LOCK_BOARD, .l_len = 1};
    return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

static bool has_ended(void *self)
{
    return !is_locked(((struct shm *)self)->fd);
}

static void close_file(void *self)
{
    struct shm *s = self;
    if (s->map)
        munmap(s->map, s->bytes);
    if (s->fd >= 0)
        close(s->fd);
    free(s);
}

/* 1: the board is ready; 0: not yet, *why says what is missing; negative: it never will be. */
static int try_open(struct shm *s, const char *path, const char **why, struct td_err *err)
{
    struct stat st;
    struct td_bar_header head;
    *why = "does not exist; start it with `tendril sim` or `tendril record`";
    const int flags = O_RDWR | O_CLOEXEC | O_NOCTTY | (s->only_own ? O_NOFOLLOW | O_NONBLOCK : 0);
    if (s->fd < 0 && (s->fd = open(path, flags)) < 0)
        return errno == ENOENT ? 0 : td_fail_errno(err, "cannot open board %s", path);
    *why = "is not ready";
    /* Checked before the header is read, which may otherwise be one that an earlier simulator left. */
    const int is_there = is_locked(s->fd);
    if (fstat(s->fd, &st))
        return td_fail_errno(err, "cannot open board %s", path);
    if (!S_ISREG(st.st_mode))
        return td_fail(err, TD_E_FORMAT, "%s is not a simulated board", path);
    if (s->only_own && st.st_uid != geteuid())
        return td_fail(err, TD_E_USAGE,
                       "%s belongs to another user; name it with --at if you trust that user", path);
    ssize_t got = pread(s->fd, &head, sizeof head, 0);
    if (got < (ssize_t)sizeof head || head.magic == 0)
        return 0;
    if (head.magic != TD_BAR_MAGIC)
        return td_fail(err, TD_E_FORMAT, "%s is not a simulated board", path);
    if (head.version != TD_BAR_VERSION)
        return td_fail(err, TD_E_VERSION, "%s is of board version %u, this program knows %u", path,
                       head.version, TD_BAR_VERSION);
    if (!is_there) {
        /* Left over from an earlier run, perhaps to be replaced by a new file of that name. */
        *why = "has no simulator any more";
        close(s->fd);
        s->fd = -1;
        return 0;
    }
    s->bytes = (uint64_t)st.st_size;
    if (head.file_bytes > s->bytes)
        return td_fail(err, TD_E_FORMAT, "%s is cut off", path);
    return 1;
}

static struct td_transport *open_board(const char *path, int only_own, int wait_ms, struct td_err *err)
{
    struct shm *s = calloc(1, sizeof *s);
    if (!s) {
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    s->fd = -1;
    s->only_own = only_own;
    strncpy(s->path, path, sizeof s->path - 1);
    int64_t until = td_mono_ns() + (int64_t)wait_ms * 1000000;
    const char *why;
    int rc;
    while ((rc = try_open(s, path, &why, err)) == 0) {
        if (td_mono_ns() >= until) {
            rc = td_fail(err, TD_E_NOTFOUND, "the simulated board %s %s", path, why);
            break;
        }
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    td_debug(sim, "%s: %s", path, rc > 0 ? "a simulator runs" : why);
    if (rc > 0) {
        s->map = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
        if (s->map == MAP_FAILED) {
            s->map = NULL;
            rc = td_fail_errno(err, "cannot map board %s", path);
        }
    }
    if (rc < 0) {
        close_file(s);
        return NULL;
    }
    struct td_simbar_config config = {.map = s->map,
                                      .bytes = s->bytes,
                                      .name = "shm",
                                      .path = s->path,
                                      .ended = has_ended,
                                      .close = close_file,
                                      .self = s};
    return td_simbar_open(&config, err);
}

struct td_transport *td_shm_open(const char *path, int wait_ms, struct td_err *err)
{
    return open_board(path, 0, wait_ms, err);
}

struct td_transport *td_shm_open_own(const char *path, struct td_err *err)
{
    return open_board(path, 1, 0, err);
}
