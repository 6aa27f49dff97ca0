#include "host/agent/journal/journal.h"
#include "host/agent/journal/journal_file.h"
#include "host/base/checksum.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/base/thread.h"

#include <errno.h>
#include <lz4.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <sys/socket.h>
#include <unistd.h>

#define CHUNKS_MAX 64  /* of TD_JOURNAL_BLOCK_MAX that wait for the disk */
#define SPARE_MAX  2   /* chunks that are kept for the next blocks */
#define WRITE_MS   100 /* between writes */
#define SYNC_MS    500
#define BEAT_MS    1000 /* between blocks without records, which date the end of a quiet recording */
#define FLUSH_MS   10000

struct chunk {
    struct chunk *next;
    size_t used, packable;
    uint8_t raw[TD_JOURNAL_BLOCK_MAX];
};

struct td_journal {
    int fd;
    char path[TD_JOURNAL_PATH_MAX];
    atomic_bool failed, has_data;
    atomic_uint sources;
    pthread_t writer, syncer;
    int threads;    /* how many of these two run */
    bool is_stream; /* fd is a socket */

    /* The rest, up to the writer's own, is under this lock. `work` wakes the two threads, `done` those who
     * wait for them. */
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    struct chunk *first, *last; /* records wait here; the last one may grow */
    struct chunk *spare;
    size_t waiting, spares;
    bool ending, flushing, told;
    uint64_t put, taken, written, synced; /* records */
    bool dirty;                           /* bytes were written after the last sync */
    struct td_err why;

    /* The writer's own. */
    uint64_t blocks;
    int64_t wrote_ns;
    uint8_t *packed;
};

static const size_t packed_bytes = LZ4_COMPRESSBOUND(TD_JOURNAL_BLOCK_MAX);

static int64_t wall_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static struct timespec after_ms(int ms)
{
    return td_deadline(CLOCK_MONOTONIC, ms * INT64_C(1000000));
}

/* ---- failure ---- */

static void free_chunks(struct chunk *chunk)
{
    while (chunk) {
        struct chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
}

/* Under the lock. The first reason counts. */
static void fail_journal(struct td_journal *j, const char *why)
{
    if (atomic_load(&j->failed))
        return;
    if (j->is_stream)
        td_fail(&j->why, TD_E_GONE, "the connection to %s is lost: %s", j->path, why);
    else
        td_fail(&j->why, TD_E_IO, "the journal '%s' ends here: %s; the recording continues without it",
                j->path, why);
    td_debug(client, "%s", j->why.text);
    atomic_store(&j->failed, true);
    free_chunks(j->first);
    j->first = j->last = NULL;
    j->waiting = 0;
    pthread_cond_broadcast(&j->done);
    pthread_cond_broadcast(&j->work);
}

static void fail_by_errno(struct td_journal *j)
{
    char why[120];
    snprintf(why, sizeof why, "%s", strerror(errno));
    pthread_mutex_lock(&j->lock);
    fail_journal(j, why);
    pthread_mutex_unlock(&j->lock);
}

/* ---- the writer ---- */

/* 0, or TD_E_IO with errno. */
static int write_all(const struct td_journal *j, const uint8_t *bytes, size_t count)
{
    while (count) {
        const ssize_t n = j->is_stream ? send(j->fd, bytes, count, MSG_NOSIGNAL) : write(j->fd, bytes, count);
        if (n < 0 && errno != EINTR)
            return TD_E_IO;
        bytes += n > 0 ? n : 0;
        count -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* Packs the chunk if most of it is not packed already, and if that makes it smaller. */
static size_t pack_chunk(struct td_journal *j, const struct chunk *chunk, const uint8_t **stored)
{
    *stored = chunk->raw;
    if (chunk->packable * 2 < chunk->used)
        return chunk->used;
    if (!j->packed)
        j->packed = malloc(packed_bytes);
    const int n = j->packed ? LZ4_compress_default((const char *)chunk->raw, (char *)j->packed,
                                                   (int)chunk->used, (int)packed_bytes)
                            : 0;
    if (n <= 0 || (size_t)n >= chunk->used)
        return chunk->used;
    *stored = j->packed;
    return (size_t)n;
}

/* Writes a chunk as a block; NULL: a block without records. */
static int write_block(struct td_journal *j, const struct chunk *chunk)
{
    const uint8_t *stored = NULL;
    uint8_t head[td_journal_block_bytes];
    const size_t raw = chunk ? chunk->used : 0, bytes = chunk ? pack_chunk(j, chunk, &stored) : 0;
    struct td_journal_block block = {.mark = TD_JOURNAL_MARK,
                                     .stored = (uint32_t)bytes,
                                     .raw = (uint32_t)raw,
                                     .number = j->blocks++,
                                     .wall_ns = wall_ns(),
                                     .sum = td_checksum(stored, bytes)};
    td_journal_put_block(head, &block);
    block.head_sum = td_checksum(head, sizeof head - sizeof block.head_sum);
    td_journal_put_block(head, &block);
    j->wrote_ns = td_mono_ns();
    return write_all(j, head, sizeof head) || write_all(j, stored, bytes) ? TD_E_IO : 0;
}

/* Under the lock. Takes what waits. */
static struct chunk *take_chunks(struct td_journal *j, uint64_t *taken)
{
    struct chunk *chunks = j->first;
    j->first = j->last = NULL;
    *taken = j->put;
    return chunks;
}

/* Under the lock. */
static void give_back(struct td_journal *j, struct chunk *chunk)
{
    if (j->waiting)
        j->waiting--;
    if (j->spares >= SPARE_MAX) {
        free(chunk);
        return;
    }
    chunk->next = j->spare;
    j->spare = chunk;
    j->spares++;
}

/* Writes what waits, or a block without records if there was none for long. */
static void write_waiting(struct td_journal *j)
{
    uint64_t taken;
    pthread_mutex_lock(&j->lock);
    struct chunk *chunk = take_chunks(j, &taken);
    pthread_mutex_unlock(&j->lock);
    const bool is_beat = !chunk && td_mono_ns() - j->wrote_ns >= BEAT_MS * INT64_C(1000000);
    int bad = is_beat ? write_block(j, NULL) : 0;
    while (chunk && !bad) {
        struct chunk *next = chunk->next;
        bad = write_block(j, chunk);
        pthread_mutex_lock(&j->lock);
        give_back(j, chunk);
        j->dirty = true;
        pthread_cond_broadcast(&j->done);
        pthread_mutex_unlock(&j->lock);
        chunk = next;
    }
    if (bad)
        fail_by_errno(j);
    free_chunks(chunk);
    pthread_mutex_lock(&j->lock);
    if (!bad)
        j->written = taken;
    j->dirty |= is_beat;
    pthread_mutex_unlock(&j->lock);
}

static void *run_writer(void *self)
{
    struct td_journal *j = self;
    bool over = false;
    while (!over && !atomic_load(&j->failed)) {
        pthread_mutex_lock(&j->lock);
        struct timespec until = after_ms(WRITE_MS);
        while (!j->ending && !(j->flushing && j->written != j->put) && !(j->first && j->first->next))
            if (pthread_cond_timedwait(&j->work, &j->lock, &until) == ETIMEDOUT)
                break;
        over = j->ending;
        pthread_mutex_unlock(&j->lock);
        write_waiting(j);
    }
    return NULL;
}

/* ---- the syncer: writes continue meanwhile, so that a kill loses no more while the disk is slow ---- */

static void *run_syncer(void *self)
{
    struct td_journal *j = self;
    bool over = false;
    while (!over && !atomic_load(&j->failed)) {
        pthread_mutex_lock(&j->lock);
        struct timespec until = after_ms(SYNC_MS);
        while (!j->ending && !(j->flushing && j->dirty))
            if (pthread_cond_timedwait(&j->work, &j->lock, &until) == ETIMEDOUT)
                break;
        over = j->ending;
        const bool dirty = j->dirty && !over;
        const uint64_t written = j->written;
        j->dirty = false;
        pthread_mutex_unlock(&j->lock);
        if (dirty && fdatasync(j->fd) != 0 && errno != EINVAL && errno != EROFS)
            fail_by_errno(j);
        pthread_mutex_lock(&j->lock);
        j->synced = written;
        pthread_cond_broadcast(&j->done);
        pthread_mutex_unlock(&j->lock);
    }
    return NULL;
}

void td_journal_flush(struct td_journal *journal)
{
    if (!journal)
        return;
    const int64_t until_ms = td_mono_ms() + FLUSH_MS;
    bool late = false;
    pthread_mutex_lock(&journal->lock);
    journal->flushing = true;
    while (!late && !atomic_load(&journal->failed) &&
           ((journal->synced != journal->put && !journal->is_stream) || journal->written != journal->put)) {
        /* The two threads may wait with a later time than this: wake them. */
        pthread_cond_broadcast(&journal->work);
        const struct timespec soon = after_ms(20);
        pthread_cond_timedwait(&journal->done, &journal->lock, &soon);
        late = !journal->is_stream && td_mono_ms() > until_ms;
    }
    journal->flushing = false;
    pthread_mutex_unlock(&journal->lock);
}

/* ---- records ---- */

/* Under the lock. A chunk with room for the bytes; NULL: the journal has failed. */
static struct chunk *room_for(struct td_journal *j, size_t bytes)
{
    if (j->last && TD_JOURNAL_BLOCK_MAX - j->last->used >= bytes)
        return j->last;
    const struct timespec until = after_ms(TD_JOURNAL_WAIT_MS);
    while (j->is_stream && j->waiting >= CHUNKS_MAX && !atomic_load(&j->failed))
        pthread_cond_wait(&j->done, &j->lock);
    while (j->waiting >= CHUNKS_MAX && !atomic_load(&j->failed))
        if (pthread_cond_timedwait(&j->done, &j->lock, &until) == ETIMEDOUT && j->waiting >= CHUNKS_MAX)
            fail_journal(j, "the disk is slower than the recording");
    if (atomic_load(&j->failed))
        return NULL;
    struct chunk *chunk = j->spare;
    if (chunk) {
        j->spare = chunk->next;
        j->spares--;
    } else if (!(chunk = malloc(sizeof *chunk))) {
        fail_journal(j, "out of memory");
        return NULL;
    }
    chunk->next = NULL;
    chunk->used = chunk->packable = 0;
    if (j->last) {
        j->last->next = chunk;
        pthread_cond_broadcast(&j->work);
    } else {
        j->first = chunk;
    }
    j->last = chunk;
    j->waiting++;
    return chunk;
}

/* A client has packed its stream already. */
static bool is_packable(enum td_journal_kind kind)
{
    return kind != TD_JOURNAL_RECEIVED && kind != TD_JOURNAL_CLIENT;
}

void td_journal_put(struct td_journal *journal, enum td_journal_kind kind, uint16_t source, const void *head,
                    size_t head_bytes, const void *bytes, size_t count)
{
    if (!journal || atomic_load_explicit(&journal->failed, memory_order_relaxed))
        return;
    const size_t all = td_journal_record_bytes + head_bytes + count;
    const struct td_journal_record record = {
        .kind = (uint8_t)kind, .source = source, .bytes = (uint32_t)(head_bytes + count)};
    pthread_mutex_lock(&journal->lock);
    struct chunk *chunk = atomic_load(&journal->failed) ? NULL : room_for(journal, all);
    if (chunk) {
        uint8_t *at = chunk->raw + chunk->used;
        td_journal_put_record(at, &record);
        if (head_bytes)
            memcpy(at + td_journal_record_bytes, head, head_bytes);
        if (count)
            memcpy(at + td_journal_record_bytes + head_bytes, bytes, count);
        chunk->used += all;
        chunk->packable += is_packable(kind) ? all : 0;
        journal->put++;
    }
    pthread_mutex_unlock(&journal->lock);
    if (kind == TD_JOURNAL_CLIENT || td_journal_is_written(kind))
        atomic_store_explicit(&journal->has_data, true, memory_order_relaxed);
}

void td_journal_put_bytes(struct td_journal *journal, enum td_journal_kind kind, uint16_t source,
                          const void *bytes, size_t count)
{
    const uint8_t *at = bytes;
    for (size_t done = 0, n; done < count; done += n) {
        n = count - done < TD_JOURNAL_RECORD_MAX ? count - done : TD_JOURNAL_RECORD_MAX;
        td_journal_put(journal, kind, source, NULL, 0, at + done, n);
    }
}

void td_journal_put_setting(struct td_journal *journal, const char *name, const char *format, ...)
{
    char value[4300];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(value, sizeof value, format, args);
    va_end(args);
    if (n >= 0)
        td_journal_put(journal, TD_JOURNAL_SETTING, 0, name, strlen(name) + 1, value, strlen(value));
}

/* ---- the rest of the interface ---- */

static int write_head(struct td_journal *j, struct td_err *err)
{
    uint8_t bytes[td_journal_head_bytes];
    struct td_journal_head head = {.version = TD_JOURNAL_VERSION, .wall_ns = wall_ns()};
    memcpy(&head.magic, TD_JOURNAL_MAGIC, sizeof head.magic);
    td_journal_put_head(bytes, &head);
    head.sum = td_checksum(bytes, sizeof bytes - sizeof head.sum);
    td_journal_put_head(bytes, &head);
    return write_all(j, bytes, sizeof bytes) ? td_fail_errno(err, "cannot write '%s'", j->path) : 0;
}

static int start_threads(struct td_journal *j, struct td_err *err)
{
    int bad = td_thread_create_small(&j->writer, run_writer, j);
    j->threads += !bad;
    if (!bad && !j->is_stream)
        bad = td_thread_create_small(&j->syncer, run_syncer, j);
    j->threads += !bad && !j->is_stream;
    return bad ? td_fail(err, TD_E_NOMEM, "no thread for the journal '%s'", j->path) : 0;
}

/* Begins to write to j->fd. */
static struct td_journal *begin_journal(struct td_journal *j, struct td_err *err)
{
    pthread_mutex_init(&j->lock, NULL);
    td_condition_init(&j->work);
    td_condition_init(&j->done);
    j->wrote_ns = td_mono_ns();
    if (write_head(j, err) == 0 && start_threads(j, err) == 0)
        return j;
    td_journal_destroy(j, false);
    return NULL;
}

static struct td_journal *new_journal(struct td_err *err)
{
    struct td_journal *j = calloc(1, sizeof *j);
    if (!j)
        td_fail_no_memory(err, "for a journal");
    return j;
}

struct td_journal *td_journal_create(const char *output, struct td_err *err)
{
    struct td_journal *j = new_journal(err);
    if (!j)
        return NULL;
    j->fd = td_journal_file_create(output, j->path, err);
    if (j->fd >= 0)
        return begin_journal(j, err);
    free(j);
    return NULL;
}

struct td_journal *td_journal_create_stream(int fd, const char *name, struct td_err *err)
{
    struct td_journal *j = new_journal(err);
    if (!j)
        return NULL;
    j->fd = fd;
    j->is_stream = true;
    snprintf(j->path, sizeof j->path, "%s", name);
    return begin_journal(j, err);
}

void td_journal_destroy(struct td_journal *journal, bool keep)
{
    if (!journal)
        return;
    pthread_mutex_lock(&journal->lock);
    journal->ending = true;
    pthread_cond_broadcast(&journal->work);
    pthread_mutex_unlock(&journal->lock);
    if (journal->threads > 0)
        pthread_join(journal->writer, NULL);
    if (journal->threads > 1)
        pthread_join(journal->syncer, NULL);
    if (!journal->is_stream) {
        if (!keep)
            td_journal_file_remove(journal->fd, journal->path);
        else
            fdatasync(journal->fd);
        close(journal->fd);
    }
    free_chunks(journal->first);
    free_chunks(journal->spare);
    free(journal->packed);
    pthread_cond_destroy(&journal->done);
    pthread_cond_destroy(&journal->work);
    pthread_mutex_destroy(&journal->lock);
    free(journal);
}

const char *td_journal_path(const struct td_journal *journal)
{
    return journal->path;
}

uint16_t td_journal_new_source(struct td_journal *journal)
{
    return (uint16_t)atomic_fetch_add(&journal->sources, 1);
}

bool td_journal_trouble(struct td_journal *journal, char *line, size_t bytes)
{
    if (!journal || !atomic_load_explicit(&journal->failed, memory_order_relaxed) || journal->told)
        return false;
    pthread_mutex_lock(&journal->lock);
    journal->told = true;
    snprintf(line, bytes, "%s", journal->why.text);
    pthread_mutex_unlock(&journal->lock);
    return true;
}

bool td_journal_has_failed(const struct td_journal *journal)
{
    return atomic_load(&journal->failed);
}

bool td_journal_has_data(const struct td_journal *journal)
{
    return atomic_load(&journal->has_data);
}
