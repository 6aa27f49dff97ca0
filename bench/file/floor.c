#include "bench/file/floor.h"
#include "bench/report.h"

#include "host/file/format.h"

#include <lz4.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zstd.h>

#define THREADS_MOST 64u

struct packed {
    const uint8_t *data;
    uint32_t bytes;
};

struct job {
    const struct packed *blocks;
    size_t count;
    unsigned first, streams, step; /* this thread's streams: first, first + step, ... */
    int zstd;
    uint64_t bytes;
    int failed;
};

static uint8_t *read_whole(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (data = malloc((size_t)ftell(file) + 1))) {
        *bytes = (size_t)ftell(file);
        rewind(file);
        if (fread(data, 1, *bytes, file) != *bytes) {
            free(data);
            data = NULL;
        }
    }
    fclose(file);
    return data;
}

static struct packed *split(const uint8_t *data, size_t bytes, size_t at, size_t *count)
{
    size_t room = bytes / 1024 + 16;
    struct packed *blocks = malloc(room * sizeof *blocks);
    for (*count = 0; blocks && at + 4 <= bytes; (*count)++) {
        uint32_t length;
        memcpy(&length, data + at, 4);
        if (*count == room && !(blocks = realloc(blocks, (room *= 2) * sizeof *blocks)))
            break;
        blocks[*count] = (struct packed){data + at + 4, length};
        at += 4 + length;
    }
    return blocks;
}

static void unpack_lz4(struct job *job, size_t stream, uint8_t *room)
{
    uint8_t *now = room, *before = room + TD_FILE_BLOCK_BYTES;
    int before_bytes = 0;
    for (size_t i = stream; i < job->count; i += job->streams) {
        int bytes = LZ4_decompress_safe_usingDict((const char *)job->blocks[i].data, (char *)now,
                                                  (int)job->blocks[i].bytes, TD_FILE_BLOCK_BYTES,
                                                  (const char *)before, before_bytes);
        job->failed |= bytes < 0;
        job->bytes += bytes > 0 ? (uint64_t)bytes : 0;
        uint8_t *swap = now;
        now = before;
        before = swap;
        before_bytes = bytes > 0 ? bytes : 0;
    }
}

static void unpack_zstd(struct job *job, size_t stream, uint8_t *room)
{
    ZSTD_DStream *context = ZSTD_createDStream();
    for (size_t i = stream; context && i < job->count; i += job->streams) {
        ZSTD_inBuffer in = {job->blocks[i].data, job->blocks[i].bytes, 0};
        ZSTD_outBuffer out = {room, TD_FILE_BLOCK_BYTES, 0};
        while (in.pos < in.size && out.pos < out.size) {
            if (ZSTD_isError(ZSTD_decompressStream(context, &out, &in))) {
                job->failed = 1;
                break;
            }
        }
        job->bytes += out.pos;
    }
    job->failed |= !context;
    ZSTD_freeDStream(context);
}

static void *unpack(void *argument)
{
    struct job *job = argument;
    uint8_t *room = malloc(2 * TD_FILE_BLOCK_BYTES);
    job->failed = !room;
    for (size_t stream = job->first; room && stream < job->streams; stream += job->step)
        (job->zstd ? unpack_zstd : unpack_lz4)(job, stream, room);
    free(room);
    return NULL;
}

double floor_seconds(const char *path, unsigned threads, uint64_t *payload_bytes)
{
    size_t bytes = 0, count = 0;
    uint8_t *data = read_whole(path, &bytes);
    if (!data || bytes < 8)
        return free(data), -1;
    int parallel = !memcmp(data, TD_FILE_MAGIC_PARALLEL, 4);
    unsigned streams = parallel ? data[5] : 1;
    int zstd = parallel ? data[4] == TD_FILE_ZSTD : !memcmp(data, TD_FILE_MAGIC_ZSTD, 4);
    struct packed *blocks = split(data, bytes, parallel ? 6 : 4, &count);
    threads = threads < streams ? threads : streams;
    threads = threads < THREADS_MOST ? threads : THREADS_MOST;
    struct job jobs[THREADS_MOST];
    pthread_t started[THREADS_MOST];
    double start = wall_seconds();
    int failed = !blocks || !threads;
    *payload_bytes = 0;
    for (unsigned i = 0; !failed && i < threads; i++) {
        jobs[i] = (struct job){blocks, count, i, streams, threads, zstd, 0, 0};
        if (pthread_create(&started[i], NULL, unpack, &jobs[i]))
            abort();
    }
    for (unsigned i = 0; !failed && i < threads; i++) {
        pthread_join(started[i], NULL);
        *payload_bytes += jobs[i].bytes;
        failed |= jobs[i].failed;
    }
    double seconds = wall_seconds() - start;
    free(blocks);
    free(data);
    return failed ? -1 : seconds;
}
