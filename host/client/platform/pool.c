/* Memory comes in chunks of blocks. A block is given as it is, or cut into pieces of one class of sizes. */
#include "host/client/platform/pool.h"
#include "host/client/platform/observed.h"
#include "host/base/err.h"
#include "host/client/platform/client_api.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE /* musl's headers; Linux has it since 5.14 */
#define MADV_POPULATE_WRITE 23
#endif

#define BLOCK     ((size_t)TD_CLIENT_BLOCK_BYTES)
#define CHUNK     (16 * BLOCK)
#define SMALLEST  64u
#define CLASSES   12 /* 64 bytes to 128 KiB */
#define TIGHT_MAX 0x2000u

struct free_piece {
    struct free_piece *next;
};
/* Precedes every piece, so that freeing needs no size. */
struct piece_head {
    uint64_t bytes; /* of the piece's own mapping, or class + 1 */
    uint64_t reserved;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct free_piece *warm, *cold, *pieces[CLASSES];
static unsigned warm_count, chunks;
static atomic_size_t used;
static char *fresh, *fresh_end; /* memory of the newest chunk that was never used */
static __thread bool stay_blocked __attribute__((tls_model("initial-exec")));

void td_signals_stay_blocked(void)
{
    stay_blocked = true;
}

/* In a process of its own, a client has no handlers and does not fork. */
static bool needs_no_block(void)
{
    return stay_blocked || td_client_observed();
}

void td_signals_block(struct td_signals *signals)
{
    signals->error = errno;
    if (needs_no_block())
        return;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &signals->before);
}

void td_signals_restore(const struct td_signals *signals)
{
    if (!needs_no_block())
        pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
    errno = signals->error;
}

void td_pool_lock(void)
{
    pthread_mutex_lock(&lock);
}

void td_pool_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

/* Maps a chunk at a multiple of the block's size. All but the first chunk come with their pages: a page fault
 * costs more than the marker that meets it. */
static int map_chunk(void)
{
    char *at = mmap(NULL, CHUNK + BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return TD_E_NOMEM;
    size_t before = (BLOCK - ((uintptr_t)at & (BLOCK - 1))) & (BLOCK - 1);
    if (before)
        munmap(at, before);
    munmap(at + before + CHUNK, BLOCK - before);
    fresh = at + before;
    fresh_end = fresh + CHUNK;
    if (chunks++)
        madvise(fresh, CHUNK, MADV_POPULATE_WRITE);
    return 0;
}

static void *take_fresh(size_t bytes)
{
    if ((size_t)(fresh_end - fresh) < bytes) {
        for (; fresh && fresh < fresh_end; fresh += BLOCK) { /* what is left serves as blocks */
            struct free_piece *rest = (struct free_piece *)(void *)fresh;
            rest->next = cold;
            cold = rest;
        }
        if (map_chunk() != 0)
            return NULL;
    }
    char *at = fresh;
    fresh += bytes;
    return at;
}

static void *block_locked(void)
{
    struct free_piece *piece = warm;
    if (piece) {
        warm = piece->next;
        warm_count--;
    } else if ((piece = cold)) {
        cold = piece->next;
    } else {
        return take_fresh(BLOCK);
    }
    piece->next = NULL;
    return piece;
}

void *td_pool_alloc_block(void)
{
    struct td_signals signals;
    td_signals_block(&signals);
    pthread_mutex_lock(&lock);
    void *block = block_locked();
    pthread_mutex_unlock(&lock);
    td_signals_restore(&signals);
    if (block)
        atomic_fetch_add(&used, BLOCK);
    return block;
}

size_t td_pool_used(void)
{
    return atomic_load_explicit(&used, memory_order_relaxed);
}

static size_t bytes_of(const struct piece_head *head)
{
    return head->bytes > CLASSES ? head->bytes : (size_t)SMALLEST << (head->bytes - 1);
}

void td_pool_free_block(void *block)
{
    struct td_signals signals;
    td_signals_block(&signals);
    pthread_mutex_lock(&lock);
    struct free_piece *piece = block;
    atomic_fetch_sub(&used, BLOCK);
    if (warm_count < TD_POOL_WARM) {
        piece->next = warm;
        warm = piece;
        warm_count++;
    } else {
        madvise(block, BLOCK, MADV_DONTNEED);
        piece->next = cold;
        cold = piece;
    }
    pthread_mutex_unlock(&lock);
    td_signals_restore(&signals);
}

static unsigned class_of(size_t bytes)
{
    unsigned class = 0;
    while ((size_t)SMALLEST << class < bytes)
        class ++;
    return class;
}

/* A piece of the class; cuts up a block when none is free. */
static void *piece_locked(unsigned class)
{
    struct free_piece *piece = pieces[class];
    if (piece) {
        pieces[class] = piece->next;
        return piece;
    }
    size_t bytes = (size_t)SMALLEST << class;
    if (bytes >= BLOCK)
        return bytes == BLOCK ? block_locked() : take_fresh(bytes);
    char *block = block_locked();
    if (!block)
        return NULL;
    for (size_t at = bytes; at < BLOCK; at += bytes) {
        struct free_piece *rest = (struct free_piece *)(void *)(block + at);
        rest->next = pieces[class];
        pieces[class] = rest;
    }
    return block;
}

static struct piece_head *map_large_piece(size_t bytes)
{
    struct piece_head *head = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (head == MAP_FAILED)
        return NULL;
    head->bytes = bytes;
    return head;
}

/* A piece of more than `most` bytes gets a mapping of its own. */
static void *alloc_piece(size_t bytes, size_t most)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    bytes += sizeof(struct piece_head);
    struct td_signals signals;
    td_signals_block(&signals);
    struct piece_head *head;
    if (bytes > most) {
        head = map_large_piece(bytes);
    } else {
        unsigned class = class_of(bytes);
        pthread_mutex_lock(&lock);
        head = piece_locked(class);
        pthread_mutex_unlock(&lock);
        if (head)
            head->bytes = class + 1;
    }
    td_signals_restore(&signals);
    if (head)
        atomic_fetch_add(&used, bytes_of(head));
    return head ? head + 1 : NULL;
}

void *td_pool_alloc(size_t bytes)
{
    return alloc_piece(bytes, TD_POOL_MAX);
}

void *td_pool_take_tight(size_t bytes)
{
    return alloc_piece(bytes, TIGHT_MAX);
}

size_t td_pool_room(const void *piece)
{
    const struct piece_head *head = (const struct piece_head *)piece - 1;
    size_t bytes = head->bytes > CLASSES ? head->bytes : (size_t)SMALLEST << (head->bytes - 1);
    return bytes - sizeof *head;
}

void td_pool_free(void *piece)
{
    if (!piece)
        return;
    struct piece_head *head = (struct piece_head *)piece - 1;
    atomic_fetch_sub(&used, bytes_of(head));
    struct td_signals signals;
    td_signals_block(&signals);
    if (head->bytes > CLASSES) {
        munmap(head, head->bytes);
    } else {
        unsigned class = (unsigned)head->bytes - 1;
        struct free_piece *free_one = (struct free_piece *)(void *)head;
        pthread_mutex_lock(&lock);
        free_one->next = pieces[class];
        pieces[class] = free_one;
        pthread_mutex_unlock(&lock);
    }
    td_signals_restore(&signals);
}

void *td_client_alloc(size_t size)
{
    return td_pool_alloc(size);
}

void *td_client_realloc(void *memory, size_t size)
{
    size_t room = memory ? td_pool_room(memory) : 0;
    if (memory && size <= room)
        return memory;
    void *larger = td_pool_alloc(size);
    if (larger && memory) {
        memcpy(larger, memory, room);
        td_pool_free(memory);
    }
    return larger;
}

void td_client_free(void *memory)
{
    td_pool_free(memory);
}
