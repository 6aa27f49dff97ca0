#include "host/file/out_blocks.h"
#include "host/base/err.h"
#include "host/base/workers.h"
#include "host/file/block_packer.h"

#include <pthread.h>
#include <stdlib.h>

#define AHEAD_BLOCKS 32 /* filled and not taken at most; or twice the number of threads, if that is more */
#define FILLED_BLOCKS                                                                                        \
    3 /* of a stream: one is packed, one is filled, and the place after it gets what is spilt */
#define ALONE_BLOCKS 4  /* if more are filled and not taken, the threads are started */
#define WAKE_BLOCKS  16 /* for each wake-up, which takes about as long as packing one; shared by the threads */

struct place {
    size_t bytes;
    struct td_out_packed packed;
    uint64_t done; /* number of the block in it plus one, when it is packed */
};

struct td_out_blocks {
    enum td_file_packing packing;
    int level, in_order;
    unsigned streams, turns, place_count, ahead, wake;
    size_t stream_bytes; /* of raw, for the turns of a stream and what is spilt */
    struct place *places;
    uint8_t *raw, *packed;         /* filled blocks by stream; the places' packed blocks */
    struct td_block_packer **pack; /* with in_order: of each stream, made for its first block */
    /* Without in_order: of each thread. */
    struct td_block_packer *worker_pack[TD_WORKERS_MAX], *caller_pack;
    uint64_t *stream_done; /* blocks of each stream so far */
    unsigned threads_wanted;
    struct td_workers workers;
    pthread_mutex_t lock;
    pthread_cond_t work, turn, done; /* for threads; for the caller */
    unsigned turn_waits;
    uint64_t put, claimed, taken; /* numbers of blocks */
    uint64_t awaited;             /* by the caller: number of a block plus one, 0: none */
    int stop;
};

/* Blocks of a stream follow each other in memory. */
static uint8_t *raw_of(const struct td_out_blocks *b, uint64_t number)
{
    return b->raw + number % b->streams * b->stream_bytes +
           number / b->streams % b->turns * TD_FILE_BLOCK_BYTES;
}

static void pack_block(struct td_out_blocks *b, uint64_t number, struct td_block_packer **pack)
{
    struct place *place = &b->places[number % b->place_count];
    struct td_out_packed *packed = &place->packed;
    uint8_t *to = b->packed + number % b->place_count * TD_PACKED_ROOM;
    *packed = (struct td_out_packed){.data = to, .code = TD_E_NOMEM, .error = "out of memory"};
    if (!*pack && !(*pack = td_block_packer_create(b->packing, b->level)))
        return;
    const uint8_t *history = number < b->streams ? NULL : raw_of(b, number - b->streams);
    packed->bytes = td_block_pack(*pack, raw_of(b, number), place->bytes, history, to, &packed->error);
    packed->code = packed->bytes ? 0 : TD_E_IO;
}

/* `own`: the packer of the thread that packs the block. */
static struct td_block_packer **pack_of(struct td_out_blocks *b, uint64_t number,
                                        struct td_block_packer **own)
{
    return b->in_order ? &b->pack[number % b->streams] : own;
}

static void put_done(struct td_out_blocks *b, uint64_t number)
{
    b->places[number % b->place_count].done = number + 1;
    b->stream_done[number % b->streams]++;
}

/* ---- threads ---- */

/* Claims the next block and waits until its predecessor in the stream is packed; false: stopped. Blocks are
 * claimed in order, so the predecessor is done or belongs to a thread that never waits for a later block. */
static bool claim_block(struct td_out_blocks *b, uint64_t *number)
{
    while (!b->stop && b->claimed == b->put)
        pthread_cond_wait(&b->work, &b->lock);
    if (b->stop)
        return false;
    *number = b->claimed++;
    b->turn_waits++;
    while (!b->stop && b->in_order && b->stream_done[*number % b->streams] != *number / b->streams)
        pthread_cond_wait(&b->turn, &b->lock);
    b->turn_waits--;
    return !b->stop;
}

static void pack_blocks(void *blocks, unsigned worker)
{
    struct td_out_blocks *b = blocks;
    uint64_t number;
    pthread_mutex_lock(&b->lock);
    while (claim_block(b, &number)) {
        pthread_mutex_unlock(&b->lock);
        pack_block(b, number, pack_of(b, number, &b->worker_pack[worker]));
        pthread_mutex_lock(&b->lock);
        put_done(b, number);
        if (b->turn_waits)
            pthread_cond_broadcast(&b->turn);
        if (b->awaited && b->awaited <= number + 1)
            pthread_cond_signal(&b->done);
    }
    pthread_mutex_unlock(&b->lock);
}

static void start_threads(struct td_out_blocks *b)
{
    unsigned wanted = b->threads_wanted;
    b->threads_wanted = 0;
    td_workers_start(&b->workers, wanted, pack_blocks, b);
}

static void stop_threads(struct td_out_blocks *b)
{
    pthread_mutex_lock(&b->lock);
    b->stop = 1;
    pthread_cond_broadcast(&b->work);
    pthread_cond_broadcast(&b->turn);
    pthread_mutex_unlock(&b->lock);
    td_workers_join(&b->workers);
    for (unsigned i = 0; i < TD_WORKERS_MAX; i++)
        td_block_packer_destroy(b->worker_pack[i]);
}

/* ---- the caller ---- */

/* Where blocks are decides which bytes the file has. So with in_order the turns do not depend on the number of
 * threads. */
static void set_places(struct td_out_blocks *b, size_t spill)
{
    unsigned ahead = b->ahead;
    if (b->in_order)
        ahead = 2 * b->streams > AHEAD_BLOCKS ? 2 * b->streams : AHEAD_BLOCKS;
    b->turns = TD_PACK_HISTORY + (ahead + b->streams - 1) / b->streams + FILLED_BLOCKS;
    b->place_count = b->ahead + 1;
    b->stream_bytes = (size_t)b->turns * TD_FILE_BLOCK_BYTES + spill;
}

struct td_out_blocks *td_out_blocks_create(enum td_file_packing packing, int level, unsigned streams,
                                           int threads, size_t spill)
{
    struct td_out_blocks *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->threads_wanted = td_workers_wanted(threads);
    if (b->threads_wanted > 1) /* the caller, which fills the blocks, is one of them */
        b->threads_wanted--;
    b->packing = packing;
    b->level = level;
    b->in_order = td_block_packer_is_ordered(packing);
    b->streams = streams;
    if (b->in_order && b->threads_wanted > streams)
        b->threads_wanted = streams; /* more would wait for each other */
    b->ahead = 2 * b->threads_wanted > AHEAD_BLOCKS ? 2 * b->threads_wanted : AHEAD_BLOCKS;
    b->wake = b->threads_wanted < WAKE_BLOCKS ? WAKE_BLOCKS / (b->threads_wanted ? b->threads_wanted : 1) : 1;
    set_places(b, spill);
    b->places = calloc(b->place_count, sizeof *b->places);
    b->raw = malloc(streams * b->stream_bytes);
    b->packed = malloc((size_t)b->place_count * TD_PACKED_ROOM);
    b->pack = calloc(streams, sizeof *b->pack);
    b->stream_done = calloc(streams, sizeof *b->stream_done);
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->work, NULL);
    pthread_cond_init(&b->turn, NULL);
    pthread_cond_init(&b->done, NULL);
    if (b->places && b->raw && b->packed && b->pack && b->stream_done)
        return b;
    td_out_blocks_destroy(b);
    return NULL;
}

void td_out_blocks_destroy(struct td_out_blocks *b)
{
    if (!b)
        return;
    stop_threads(b);
    for (unsigned i = 0; b->pack && i < b->streams; i++)
        td_block_packer_destroy(b->pack[i]);
    td_block_packer_destroy(b->caller_pack);
    free(b->pack);
    free(b->stream_done);
    free(b->places);
    free(b->raw);
    free(b->packed);
    pthread_mutex_destroy(&b->lock);
    pthread_cond_destroy(&b->work);
    pthread_cond_destroy(&b->turn);
    pthread_cond_destroy(&b->done);
    free(b);
}

uint8_t *td_out_blocks_buffer(struct td_out_blocks *b)
{
    return raw_of(b, b->put);
}

bool td_out_blocks_is_full(const struct td_out_blocks *b)
{
    return b->put - b->taken >= (b->workers.count || b->threads_wanted ? b->ahead : 1);
}

void td_out_blocks_put(struct td_out_blocks *b, size_t bytes)
{
    b->places[b->put % b->place_count].bytes = bytes;
    pthread_mutex_lock(&b->lock);
    b->put++;
    if (b->put - b->claimed >= b->wake)
        pthread_cond_signal(&b->work);
    pthread_mutex_unlock(&b->lock);
    if (b->threads_wanted && b->put - b->taken > ALONE_BLOCKS)
        start_threads(b);
}

static bool is_done(const struct td_out_blocks *b, uint64_t number)
{
    return b->places[number % b->place_count].done == number + 1;
}

/* Waits for a block. If it is not done, waits for some blocks after it too, as each wake-up costs time. */
static void wait_for_block(struct td_out_blocks *b, uint64_t number)
{
    pthread_mutex_lock(&b->lock);
    while (!is_done(b, number)) {
        uint64_t last = number + b->wake < b->put ? number + b->wake - 1 : b->put - 1;
        b->awaited = (is_done(b, last) ? number : last) + 1;
        pthread_cond_broadcast(&b->work);
        pthread_cond_wait(&b->done, &b->lock);
    }
    b->awaited = 0;
    pthread_mutex_unlock(&b->lock);
}

bool td_out_blocks_take(struct td_out_blocks *b, struct td_out_packed *packed)
{
    uint64_t number = b->taken;
    const struct place *place = &b->places[number % b->place_count];
    if (number == b->put)
        return false;
    if (!b->workers.count) {
        pack_block(b, number, pack_of(b, number, &b->caller_pack));
        put_done(b, number);
        b->claimed++;
    }
    if (b->workers.count)
        wait_for_block(b, number);
    b->taken++;
    *packed = place->packed;
    return true;
}
