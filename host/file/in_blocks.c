#include "host/file/in_blocks.h"
#include "host/base/clock.h"
#include "host/base/thread.h"
#include "host/base/workers.h"
#include "host/file/bytes.h"
#include "host/file/format.h"
#include "host/file/block_unpacker.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PACKED_LIMIT   (80 * 1024) /* stock writers make at most 65824 bytes of a block */
#define STAGE_BLOCKS   96u
#define ALONE_RUN      16u /* instead of STAGE_BLOCKS if there is only one stream */
#define ALONE_BLOCKS   8   /* unpacked by the caller before threads are started */
#define PROGRESS_EVERY 16
#define WAIT_NS        100000000

/* Threads work in stages; a stage is some blocks of each stream. The thread that begins a stage reads all of
 * it from the file. Then each thread takes a stream and unpacks all its blocks in the stage. A stream's
 * history is megabytes, which stay in the processor's cache only if one thread unpacks many blocks; taking
 * turns block by block takes twice the time.
 *
 * A stream's blocks go to its own places in turn, so that most blocks directly follow their predecessor in
 * memory. LZ4 then needs no separate history. */
struct place {
    uint64_t done; /* number of the unpacked block in it plus one */
    struct td_in_block block;
    uint64_t file_bytes; /* of the file, up to the block's end */
    size_t packed_bytes; /* 0: there is no such block; `block` says why */
};

struct stage {
    uint64_t begin, end; /* numbers of its blocks */
};

struct td_in_blocks {
    struct td_in_source source;
    const char *name;
    struct td_progress progress;
    unsigned streams, places_each;
    enum td_file_compression compression;
    struct td_block_unpacker **unpack; /* of each stream, made when its first block comes */
    uint64_t *unpacked;                /* blocks of each stream so far */
    struct place *places;
    uint8_t *arena, *packed; /* the places' unpacked blocks; their packed blocks */
    uint64_t file_bytes;     /* up to the end of the last block that was returned */
    unsigned threads_wanted;
    struct td_workers workers;
    pthread_mutex_t lock;
    pthread_cond_t done, room, turn; /* for the caller; for threads */
    unsigned turn_waits;
    uint64_t awaited; /* by the caller: number of a block plus one, 0: none */
    struct stage stage;
    unsigned stage_rows;   /* blocks of each stream in the stage */
    unsigned streams_left; /* of the stage, not yet taken by a thread */
    int reading;           /* 1: a thread reads the stage */
    uint64_t read;         /* blocks that the caller read */
    uint64_t needed;       /* the stage is read once the caller has come to this block */
    uint64_t given;        /* number of the block that the caller has or waits for */
    uint64_t next;         /* number of the next block for the caller */
    int ended;             /* 1: there are no blocks after those that were read */
    atomic_int stop;
};

static bool is_stopped_by_progress(struct td_in_blocks *b)
{
    return b->progress.step && b->progress.step(b->progress.self, b->file_bytes, b->source.total_bytes);
}

/* Called while a pipe has no data: the caller polls its progress function, threads check whether to stop. */
static int caller_gave_up(void *self)
{
    return is_stopped_by_progress(self);
}

static int thread_gave_up(void *self)
{
    return atomic_load(&((struct td_in_blocks *)self)->stop);
}

static unsigned place_of(const struct td_in_blocks *b, uint64_t number)
{
    return (unsigned)(number % b->streams * b->places_each + number / b->streams % b->places_each);
}

static bool is_done(const struct td_in_blocks *b, uint64_t number)
{
    return b->places[place_of(b, number)].done == number + 1;
}

static struct td_in_block damaged(const char *how)
{
    return (struct td_in_block){.code = TD_E_FORMAT, .damage = how};
}

/* Reads `bytes` bytes of the file; false: there are fewer, and *instead says why. */
static bool read_bytes(struct td_in_blocks *b, void *to, size_t bytes, int threaded,
                       struct td_in_block *instead)
{
    if (td_in_source_read(&b->source, to, bytes, threaded ? thread_gave_up : caller_gave_up, b) == bytes)
        return true;
    if (b->source.given_up)
        *instead = (struct td_in_block){.code = TD_E_STOPPED};
    else if (b->source.error)
        *instead = (struct td_in_block){.code = TD_E_IO, .error = b->source.error};
    else
        *instead = damaged("it ends too early");
    return false;
}

/* Reads the next packed block. Returns its size; 0: there is none, and *instead says why. */
static size_t read_packed(struct td_in_blocks *b, uint8_t *packed, int threaded, struct td_in_block *instead)
{
    uint8_t size[4];
    if (!read_bytes(b, size, sizeof size, threaded, instead))
        return 0;
    uint32_t bytes = (uint32_t)td_bytes_get(size, sizeof size);
    if (bytes == 0 || bytes > PACKED_LIMIT) {
        *instead = damaged(bytes ? "a block has an impossible size" : "it ends too early");
        return 0;
    }
    return read_bytes(b, packed, bytes, threaded, instead) ? bytes : 0;
}

static uint8_t *packed_of(const struct td_in_blocks *b, uint64_t number)
{
    return b->packed + (size_t)place_of(b, number) * PACKED_LIMIT;
}

static struct td_in_block unpack_block(struct td_in_blocks *b, uint64_t number, const uint8_t *packed,
                                       size_t packed_bytes)
{
    struct td_block_unpacker **stream = &b->unpack[number % b->streams];
    uint8_t *to = b->arena + (size_t)place_of(b, number) * TD_FILE_BLOCK_BYTES;
    size_t history = (size_t)(b->places_each - 1) * TD_FILE_BLOCK_BYTES;
    if (!*stream && !(*stream = td_block_unpacker_create(b->compression, history)))
        return (struct td_in_block){.code = TD_E_NOMEM};
    int bytes = td_block_unpack(*stream, packed, packed_bytes, to);
    if (bytes < 0)
        return (struct td_in_block){.code = bytes};
    if (bytes == 0)
        return damaged("a block does not decompress");
    return (struct td_in_block){.data = to, .bytes = (size_t)bytes};
}

static void put_unpacked(struct td_in_blocks *b, uint64_t number, struct td_in_block block,
                         uint64_t file_bytes)
{
    struct place *place = &b->places[place_of(b, number)];
    place->block = block;
    place->file_bytes = file_bytes;
    place->done = number + 1;
    b->unpacked[number % b->streams]++;
    if (block.code || block.bytes < TD_FILE_BLOCK_BYTES)
        b->ended = 1;
}

/* ---- threads ---- */

/* Reads the stage's packed blocks, as many as there are. Returns the number after the last; clears *more if
 * the file ends. */
static uint64_t read_stage(struct td_in_blocks *b, struct stage stage, int *more)
{
    uint64_t n = stage.begin;
    while (*more && n < stage.end) {
        struct place *place = &b->places[place_of(b, n)];
        place->packed_bytes = read_packed(b, packed_of(b, n), 1, &place->block);
        place->file_bytes = b->source.taken_bytes;
        *more = place->packed_bytes != 0;
        n++;
    }
    return n;
}

/* Begins the next stage once there is room for it. The caller holds the lock, which is released while the
 * file is read. */
static void begin_stage(struct td_in_blocks *b)
{
    unsigned most = b->streams == 1 ? ALONE_RUN : b->streams < STAGE_BLOCKS ? STAGE_BLOCKS / b->streams : 1;
    b->reading = 1;
    b->stage_rows = b->stage_rows * 2 < most ? b->stage_rows * 2 : most;
    b->stage.begin = b->stage.end;
    b->stage.end += (uint64_t)b->stage_rows * b->streams;
    uint64_t last_row = (b->stage.end - 1) / b->streams;
    b->needed = last_row < b->places_each ? 0 : (last_row - b->places_each + 1) * b->streams;
    while (!atomic_load(&b->stop) && b->given < b->needed)
        pthread_cond_wait(&b->room, &b->lock);
    struct stage stage = b->stage;
    int more = !b->ended && !atomic_load(&b->stop);
    pthread_mutex_unlock(&b->lock);
    uint64_t end = read_stage(b, stage, &more);
    pthread_mutex_lock(&b->lock);
    b->stage.end = end;
    b->ended |= !more;
    b->streams_left = b->streams;
    b->reading = 0;
    pthread_cond_broadcast(&b->room);
}

/* Takes a stream of a stage; *first is its first block. false: there is no more work. Streams are taken in
 * the order of their first blocks, so earlier blocks of the stream are done or belong to a thread that never
 * waits for a later one. */
static bool claim_stream(struct td_in_blocks *b, uint64_t *first, uint64_t *end)
{
    bool go = true;
    pthread_mutex_lock(&b->lock);
    while (go && !b->streams_left) {
        go = !b->ended && !atomic_load(&b->stop);
        if (go && !b->reading)
            begin_stage(b);
        else if (go)
            pthread_cond_wait(&b->room, &b->lock);
    }
    go = go && !atomic_load(&b->stop);
    if (go)
        *first = b->stage.begin + (b->streams - b->streams_left--);
    *end = b->stage.end;
    pthread_mutex_unlock(&b->lock);
    return go;
}

/* Waits until the stream's previous block is unpacked; false: stopped. */
static bool wait_for_turn(struct td_in_blocks *b, uint64_t number)
{
    pthread_mutex_lock(&b->lock);
    b->turn_waits++;
    while (!atomic_load(&b->stop) && b->unpacked[number % b->streams] != number / b->streams)
        pthread_cond_wait(&b->turn, &b->lock);
    b->turn_waits--;
    pthread_mutex_unlock(&b->lock);
    return !atomic_load(&b->stop);
}

static void unpack_blocks(void *blocks, unsigned worker)
{
    struct td_in_blocks *b = blocks;
    uint64_t number, end;
    (void)worker;
    while (claim_stream(b, &number, &end)) {
        if (number < end && !wait_for_turn(b, number))
            break;
        for (; number < end && !atomic_load(&b->stop); number += b->streams) {
            const struct place *place = &b->places[place_of(b, number)];
            struct td_in_block block = place->block;
            if (place->packed_bytes)
                block = unpack_block(b, number, packed_of(b, number), place->packed_bytes);
            pthread_mutex_lock(&b->lock);
            put_unpacked(b, number, block, place->file_bytes);
            if (b->turn_waits)
                pthread_cond_broadcast(&b->turn);
            if (b->awaited == number + 1)
                pthread_cond_signal(&b->done);
            pthread_mutex_unlock(&b->lock);
        }
    }
}

static void start_threads(struct td_in_blocks *b)
{
    unsigned wanted = b->threads_wanted < b->streams ? b->threads_wanted : b->streams;
    b->threads_wanted = 0;
    b->stage.end = b->read;
    b->stage_rows = 1;
    td_workers_start(&b->workers, wanted, unpack_blocks, b);
}

static void stop_threads(struct td_in_blocks *b)
{
    pthread_mutex_lock(&b->lock);
    atomic_store(&b->stop, 1);
    pthread_cond_broadcast(&b->room);
    pthread_cond_broadcast(&b->turn);
    pthread_mutex_unlock(&b->lock);
    td_workers_join(&b->workers);
}

/* ---- the caller ---- */

/* The header: compression and number of streams. */
static int read_header(struct td_in_blocks *b, struct td_err *err)
{
    uint8_t magic[4], parallel[2] = {TD_FILE_LZ4, 1};
    struct td_in_block instead = {0};
    int known = read_bytes(b, magic, 4, 0, &instead);
    if (known && !memcmp(magic, TD_FILE_MAGIC_ZSTD, 4))
        parallel[0] = TD_FILE_ZSTD;
    else if (known && !memcmp(magic, TD_FILE_MAGIC_PARALLEL, 4))
        known = read_bytes(b, parallel, 2, 0, &instead) && parallel[0] <= TD_FILE_ZSTD && parallel[1] > 0;
    else
        known = known && !memcmp(magic, TD_FILE_MAGIC_LZ4, 4);
    if (instead.code == TD_E_IO) {
        errno = instead.error;
        return td_fail_errno(err, "cannot read '%s'", b->name);
    }
    if (instead.code == TD_E_STOPPED)
        return td_fail(err, TD_E_STOPPED, "stopped while reading '%s'", b->name);
    if (!known)
        return td_fail(err, TD_E_FORMAT, "'%s' is not a trace file", b->name);
    b->compression = (enum td_file_compression)parallel[0];
    b->streams = parallel[1];
    return 0;
}

static int alloc_places(struct td_in_blocks *b)
{
    unsigned rows = b->streams == 1 ? ALONE_RUN : (STAGE_BLOCKS + b->streams - 1) / b->streams;
    b->places_each = rows == 1 ? 2 : 2 * rows + rows / 2;
    unsigned places = b->streams * b->places_each;
    b->unpack = calloc(b->streams, sizeof *b->unpack);
    b->unpacked = calloc(b->streams, sizeof *b->unpacked);
    b->places = calloc(places, sizeof *b->places);
    b->packed = malloc((size_t)places * PACKED_LIMIT); /* small files touch only the beginning of both */
    b->arena = malloc((size_t)places * TD_FILE_BLOCK_BYTES);
    return b->unpack && b->unpacked && b->places && b->packed && b->arena ? 0 : TD_E_NOMEM;
}

int td_in_blocks_open(struct td_in_source *source, const char *name, int threads,
                      const struct td_progress *progress, struct td_in_blocks **blocks, struct td_err *err)
{
    struct td_in_blocks *b = calloc(1, sizeof *b);
    *blocks = b;
    if (!b) {
        td_in_source_close(source);
        return td_fail(err, TD_E_NOMEM, "out of memory while reading '%s'", name);
    }
    b->source = *source;
    b->name = name;
    b->progress = *progress;
    b->threads_wanted = td_workers_wanted(threads);
    pthread_mutex_init(&b->lock, NULL);
    td_condition_init(&b->done);
    pthread_cond_init(&b->room, NULL);
    pthread_cond_init(&b->turn, NULL);
    int rc = read_header(b, err);
    if (rc == 0 && alloc_places(b) < 0)
        rc = td_fail(err, TD_E_NOMEM, "out of memory while reading '%s'", name);
    if (rc < 0) {
        td_in_blocks_close(b);
        *blocks = NULL;
    }
    return rc;
}

void td_in_blocks_close(struct td_in_blocks *b)
{
    if (!b)
        return;
    stop_threads(b);
    for (unsigned i = 0; b->unpack && i < b->streams; i++)
        td_block_unpacker_destroy(b->unpack[i]);
    free(b->unpack);
    free(b->unpacked);
    free(b->places);
    free(b->packed);
    free(b->arena);
    td_in_source_close(&b->source);
    pthread_mutex_destroy(&b->lock);
    pthread_cond_destroy(&b->done);
    pthread_cond_destroy(&b->room);
    pthread_cond_destroy(&b->turn);
    free(b);
}

static void unpack_alone(struct td_in_blocks *b, uint64_t number)
{
    struct td_in_block block = {0};
    size_t bytes = read_packed(b, b->packed, 0, &block);
    b->read++;
    if (bytes)
        block = unpack_block(b, number, b->packed, bytes);
    put_unpacked(b, number, block, b->source.taken_bytes);
}

/* The block after which the waiting caller is woken: the last one of its stage while that is not done. Waking
 * takes about as long as unpacking a block, and threads continue with the next stage meanwhile. */
static uint64_t worth_waking(const struct td_in_blocks *b, uint64_t number)
{
    uint64_t last = number < b->stage.begin ? b->stage.begin - 1 : number;
    if (number >= b->stage.begin && number < b->stage.end && !b->reading)
        last = b->stage.end - 1;
    return is_done(b, last) ? number : last;
}

/* Gives the blocks before this one back and waits for it; false: the progress function says stop. */
static bool wait_for_block(struct td_in_blocks *b, uint64_t number)
{
    bool go_on = true;
    pthread_mutex_lock(&b->lock);
    b->given = number;
    if (number >= b->needed && b->reading)
        pthread_cond_broadcast(&b->room);
    while (!is_done(b, number) && go_on) {
        struct timespec until = td_deadline(CLOCK_MONOTONIC, WAIT_NS);
        b->awaited = worth_waking(b, number) + 1;
        if (pthread_cond_timedwait(&b->done, &b->lock, &until) == ETIMEDOUT) {
            pthread_mutex_unlock(&b->lock);
            go_on = !is_stopped_by_progress(b);
            pthread_mutex_lock(&b->lock);
        }
    }
    b->awaited = 0;
    pthread_mutex_unlock(&b->lock);
    return go_on;
}

struct td_in_block td_in_blocks_next(struct td_in_blocks *b)
{
    uint64_t number = b->next++;
    struct place *place = &b->places[place_of(b, number)];
    int stopped = number % PROGRESS_EVERY == 0 && number && is_stopped_by_progress(b);
    if (!stopped && number == ALONE_BLOCKS && b->threads_wanted)
        start_threads(b);
    if (!stopped && !b->workers.count)
        unpack_alone(b, number);
    else if (!stopped)
        stopped = !wait_for_block(b, number);
    if (stopped)
        return (struct td_in_block){.code = TD_E_STOPPED};
    b->file_bytes = place->file_bytes;
    return place->block;
}
