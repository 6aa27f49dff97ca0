#include "host/file/out.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define PENDING_BYTES (1u << 20)

enum lane_state { LANE_EMPTY, LANE_RAW, LANE_DONE, LANE_STOP };

/* One compressed stream. Block n of the file belongs to lane n % streams, so visiting the lanes in turn keeps
 * the order. */
struct td_out_lane {
    uint8_t raw[TD_FILE_BLOCK_BYTES + 8];
    size_t raw_bytes;
    uint8_t *packed;
    size_t packed_room, packed_bytes;
    const char *error; /* of Zstd */
    ZSTD_CCtx *context;
    enum lane_state state;
    int threaded;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

static void compress(struct td_out_lane *lane)
{
    ZSTD_inBuffer in = {lane->raw, lane->raw_bytes, 0};
    ZSTD_outBuffer out = {lane->packed, lane->packed_room, 0};
    size_t left = ZSTD_compressStream2(lane->context, &out, &in, ZSTD_e_flush);
    if (ZSTD_isError(left))
        lane->error = ZSTD_getErrorName(left);
    else if (left)
        lane->error = "a compressed block is too long";
    lane->packed_bytes = out.pos;
}

static void *work(void *argument)
{
    struct td_out_lane *lane = argument;
    pthread_mutex_lock(&lane->lock);
    for (;;) {
        while (lane->state != LANE_RAW && lane->state != LANE_STOP)
            pthread_cond_wait(&lane->changed, &lane->lock);
        if (lane->state == LANE_STOP)
            break;
        pthread_mutex_unlock(&lane->lock);
        compress(lane);
        pthread_mutex_lock(&lane->lock);
        lane->state = LANE_DONE;
        pthread_cond_signal(&lane->changed);
    }
    pthread_mutex_unlock(&lane->lock);
    return NULL;
}

static void set_state(struct td_out_lane *lane, enum lane_state state)
{
    pthread_mutex_lock(&lane->lock);
    lane->state = state;
    pthread_cond_signal(&lane->changed);
    pthread_mutex_unlock(&lane->lock);
}

static int lane_start(struct td_out_lane *lane, int level, struct td_err *err)
{
    pthread_mutex_init(&lane->lock, NULL);
    pthread_cond_init(&lane->changed, NULL);
    lane->packed_room = ZSTD_compressBound(TD_FILE_BLOCK_BYTES);
    lane->packed = malloc(lane->packed_room);
    lane->context = ZSTD_createCCtx();
    if (!lane->packed || !lane->context)
        return td_fail(err, TD_E_NOMEM, "out of memory for compressing the trace");
    ZSTD_CCtx_setParameter(lane->context, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(lane->context, ZSTD_c_contentSizeFlag, 0);
    /* Without a thread the lane's blocks are compressed by the caller: slower, not wrong. */
    lane->threaded = pthread_create(&lane->thread, NULL, work, lane) == 0;
    return 0;
}

static void lane_finish(struct td_out_lane *lane)
{
    if (lane->threaded) {
        set_state(lane, LANE_STOP);
        pthread_join(lane->thread, NULL);
    }
    ZSTD_freeCCtx(lane->context);
    free(lane->packed);
    pthread_cond_destroy(&lane->changed);
    pthread_mutex_destroy(&lane->lock);
}

static int fail(struct td_out *out, int code)
{
    out->failed = code;
    return code;
}

static int write_all(struct td_out *out, const uint8_t *data, size_t bytes)
{
    while (bytes && !out->failed) {
        ssize_t n = write(out->fd, data, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail(out, td_fail_errno(&out->err, "cannot write '%s'", out->path));
        data += n;
        bytes -= (size_t)n;
    }
    return out->failed;
}

static void write_pending(struct td_out *out, const void *data, size_t bytes)
{
    if (out->pending_bytes + bytes > PENDING_BYTES) {
        write_all(out, out->pending, out->pending_bytes);
        out->pending_bytes = 0;
    }
    memcpy(out->pending + out->pending_bytes, data, bytes);
    out->pending_bytes += bytes;
}

/* Takes what the lane has compressed, waiting for it, so that its buffer is free again. */
static void collect(struct td_out *out, struct td_out_lane *lane)
{
    pthread_mutex_lock(&lane->lock);
    while (lane->state == LANE_RAW)
        pthread_cond_wait(&lane->changed, &lane->lock);
    int done = lane->state == LANE_DONE;
    lane->state = LANE_EMPTY;
    pthread_mutex_unlock(&lane->lock);
    if (!done)
        return;
    if (lane->error && !out->failed)
        fail(out, td_fail(&out->err, TD_E_IO, "cannot compress '%s': %s", out->path, lane->error));
    if (out->failed)
        return;
    uint8_t size[4];
    for (unsigned i = 0; i < 4; i++)
        size[i] = (uint8_t)(lane->packed_bytes >> 8 * i);
    write_pending(out, size, sizeof size);
    write_pending(out, lane->packed, lane->packed_bytes);
}

/* Gives the block to its lane; what was written beyond it begins the next one. */
void td_out_flush_(struct td_out *out)
{
    struct td_out_lane *lane = &out->lanes[out->lane], *next;
    size_t over = out->at > TD_FILE_BLOCK_BYTES ? out->at - TD_FILE_BLOCK_BYTES : 0;
    uint8_t rest[8];
    memcpy(rest, out->block + TD_FILE_BLOCK_BYTES, sizeof rest);
    lane->raw_bytes = out->at - over;
    if (lane->threaded) {
        set_state(lane, LANE_RAW);
    } else {
        compress(lane);
        lane->state = LANE_DONE;
    }
    out->lane = (out->lane + 1) % out->streams;
    next = &out->lanes[out->lane];
    collect(out, next);
    out->block = next->raw;
    memcpy(out->block, rest, sizeof rest);
    out->at = over;
}

void td_out_bytes(struct td_out *out, const void *data, size_t bytes)
{
    const uint8_t *from = data;
    while (bytes) {
        size_t n = TD_FILE_BLOCK_BYTES - out->at;
        if (n > bytes)
            n = bytes;
        memcpy(out->block + out->at, from, n);
        out->at += n;
        from += n;
        bytes -= n;
        if (out->at == TD_FILE_BLOCK_BYTES)
            td_out_flush_(out);
    }
}

/* The name to replace: that of the file itself where `path` is a link to one. */
static char *real_path(const char *path, struct td_err *err)
{
    struct stat st;
    if (stat(path, &st) == 0) {
        if (!S_ISREG(st.st_mode)) {
            td_fail(err, TD_E_USAGE, "cannot write '%s': it is not a file", path);
            return NULL;
        }
        char *real = realpath(path, NULL);
        if (!real)
            td_fail_errno(err, "cannot write '%s'", path);
        return real;
    }
    char *copy = strdup(path);
    if (!copy)
        td_fail(err, TD_E_NOMEM, "out of memory");
    return copy;
}

static int open_temporary(struct td_out *out, struct td_err *err)
{
    size_t room = strlen(out->path) + 40;
    out->temporary = malloc(room);
    if (!out->temporary)
        return td_fail(err, TD_E_NOMEM, "out of memory");
    for (unsigned n = 0; n < 1000; n++) {
        snprintf(out->temporary, room, "%s.%ld-%u.part", out->path, (long)getpid(), n);
        out->fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (out->fd >= 0)
            return 0;
        if (errno != EEXIST)
            break;
    }
    int rc = td_fail_errno(err, "cannot write '%s'", out->path);
    free(out->temporary);
    out->temporary = NULL;
    return rc;
}

static void release(struct td_out *out)
{
    for (int i = 0; out->lanes && i < out->streams; i++)
        lane_finish(&out->lanes[i]);
    free(out->lanes);
    free(out->pending);
    if (out->fd >= 0)
        close(out->fd);
    if (out->temporary)
        unlink(out->temporary);
    free(out->temporary);
    free(out->path);
    *out = (struct td_out){.fd = -1};
}

int td_out_open(struct td_out *out, const char *path, int streams, int level, struct td_err *err)
{
    *out = (struct td_out){.fd = -1};
    out->path = real_path(path, err);
    int rc = out->path ? open_temporary(out, err) : (err ? err->code : TD_E_IO);
    if (rc < 0) {
        release(out);
        return rc;
    }
    out->pending = malloc(PENDING_BYTES);
    out->lanes = calloc((size_t)streams, sizeof *out->lanes);
    if (!out->pending || !out->lanes)
        rc = td_fail(err, TD_E_NOMEM, "out of memory for writing the trace");
    while (rc == 0 && out->streams < streams)
        rc = lane_start(&out->lanes[out->streams++], level, err);
    if (rc < 0) {
        release(out);
        return rc;
    }
    out->block = out->lanes[0].raw;
    write_pending(out, TD_FILE_MAGIC_PARALLEL, 4);
    write_pending(out, (uint8_t[]){TD_FILE_ZSTD, (uint8_t)streams}, 2);
    return 0;
}

/* A rename lasts only when its folder is on the disk as well; file systems without that are no error. */
static void sync_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}

static void put_in_place(struct td_out *out)
{
    int fd = out->fd;
    out->fd = -1;
    int bad = fsync(fd) < 0 && errno != EINVAL && errno != EROFS;
    int saved = errno;
    if (close(fd) < 0 && !bad) {
        bad = 1;
        saved = errno;
    }
    errno = saved;
    if (bad || rename(out->temporary, out->path) < 0) {
        fail(out, td_fail_errno(&out->err, "cannot write '%s'", out->path));
        return;
    }
    free(out->temporary);
    out->temporary = NULL;
    sync_folder(out->path);
}

int td_out_finish(struct td_out *out, int abandon, struct td_err *err)
{
    if (out->at && !out->failed)
        td_out_flush_(out);
    for (int i = 0; i < out->streams; i++)
        collect(out, &out->lanes[(out->lane + i) % out->streams]);
    if (!abandon && !out->failed && write_all(out, out->pending, out->pending_bytes) == 0)
        put_in_place(out);
    int rc = out->failed;
    if (rc < 0)
        td_fail(err, rc, "%s", out->err.text);
    release(out);
    return rc;
}
