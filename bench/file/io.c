/* The container of trace files against the libraries alone: a plain loop over the same blocks on one
 * processor. Rates are the best of some tries, ours and the baseline's in turn. */
#include "bench/report.h"
#include "host/file/in.h"
#include "host/file/out.h"

#include <lz4.h>
#include <lz4hc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#define BLOCK   TD_FILE_BLOCK_BYTES
#define PACKED  (80 * 1024)
#define STREAMS 4

static struct report lines = {.program = "file_io"};

static void fail(const char *what, const char *why)
{
    report_failure(&lines, what, why);
    exit(1);
}

/* Real time, and that of the processors, which says what it costs also where others are at work. */
struct cost {
    double real_s, processor_s;
};

static struct cost now(void)
{
    return (struct cost){wall_seconds(), cpu_seconds()};
}

static void keep_least(struct cost *least, struct cost start)
{
    struct cost end = now();
    double real_s = end.real_s - start.real_s, processor_s = end.processor_s - start.processor_s;
    if (least->real_s == 0 || real_s < least->real_s)
        least->real_s = real_s;
    if (least->processor_s == 0 || processor_s < least->processor_s)
        least->processor_s = processor_s;
}

/* limit: the least that ours shall be (rates), the most (sizes, times). */
static void report_cost(const char *what, const char *packing, int streams, size_t bytes, struct cost ours,
                        struct cost plain)
{
    char name[80];
    double mb = (double)bytes / 1e6;
    snprintf(name, sizeof name, "%s_%s_%d_streams", what, packing, streams);
    report(&lines, name, "MB/s", mb / ours.real_s, mb / plain.real_s, 0.85 * mb / plain.real_s);
    snprintf(name, sizeof name, "%s_%s_%d_streams_cpu", what, packing, streams);
    report(&lines, name, "s", ours.processor_s, plain.processor_s, 1.35 * plain.processor_s);
}

/* Records as lists of zones have them: small numbers in wide fields. */
static uint8_t *make_payload(size_t bytes)
{
    uint8_t *data = malloc(bytes + 32);
    uint64_t x = 88172645463325252u;
    if (!data)
        fail("payload", "out of memory");
    for (size_t at = 0; at < bytes; at += 26) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        td_bytes_put(data + at, 1 + x % 23, 2);
        td_bytes_put(data + at + 2, 20 + (x >> 8) % 1000, 8);
        td_bytes_put(data + at + 10, (x >> 20) % 64 ? 0 : x >> 44, 4);
        td_bytes_put(data + at + 14, 5 + (x >> 28) % 300, 8);
        td_bytes_put(data + at + 22, 0, 4);
    }
    return data;
}

/* ---- unpacking ---- */

struct plain_file {
    FILE *file;
    int zstd, streams;
};

static struct plain_file plain_open(const char *path)
{
    uint8_t head[6];
    struct plain_file f = {.file = fopen(path, "rb")};
    if (!f.file || fread(head, 1, 6, f.file) != 6)
        fail(path, "cannot be read");
    f.zstd = head[4];
    f.streams = head[5];
    return f;
}

/* The floor: no threads, no checks; the sum keeps the work from being left out. */
static void unpack_plain(const char *path, uint64_t *sum, struct cost *least)
{
    static uint8_t decoded[STREAMS][2][BLOCK], packed[PACKED];
    ZSTD_DCtx *contexts[STREAMS] = {0};
    struct cost start = now();
    struct plain_file f = plain_open(path);
    uint8_t size[4];
    for (uint64_t i = 0; fread(size, 1, 4, f.file) == 4; i++) {
        size_t bytes = td_bytes_get(size, 4), s = i % (uint64_t)f.streams,
               which = i / (uint64_t)f.streams % 2;
        uint8_t *to = decoded[s][which];
        if (fread(packed, 1, bytes, f.file) != bytes)
            fail(path, "ends too early");
        if (f.zstd) {
            ZSTD_inBuffer in = {packed, bytes, 0};
            ZSTD_outBuffer out = {to, BLOCK, 0};
            if (!contexts[s])
                contexts[s] = ZSTD_createDCtx();
            ZSTD_decompressStream(contexts[s], &out, &in);
        } else {
            LZ4_decompress_safe_usingDict((const char *)packed, (char *)to, (int)bytes, BLOCK,
                                          (const char *)decoded[s][1 - which],
                                          i < (uint64_t)f.streams ? 0 : BLOCK);
        }
        *sum += td_bytes_get(to, 8);
    }
    for (int s = 0; s < STREAMS; s++)
        ZSTD_freeDCtx(contexts[s]);
    fclose(f.file);
    keep_least(least, start);
}

static void unpack_ours(const char *path, size_t bytes, uint64_t *sum, struct cost *least)
{
    struct td_in in;
    struct td_err err = {0};
    struct cost start = now();
    if (td_in_open(&in, path, NULL, &err) < 0)
        fail(path, err.text);
    while (td_in_offset(&in) + in.bytes < bytes && td_in_next_block_(&in) == 0)
        *sum += td_bytes_get(in.block, 8);
    if (in.failed)
        fail(path, err.text);
    td_in_close(&in);
    keep_least(least, start);
}

/* ---- packing ---- */

struct packing {
    const char *name;
    enum td_file_packing packing;
    int level, divide; /* how much of the payload: some are slow */
};

/* The libraries as they are meant to be used, block after block. */
static size_t pack_plain(const struct packing *p, int streams, const uint8_t *data, size_t bytes,
                         struct cost *least)
{
    static char packed[PACKED];
    ZSTD_CCtx *zstd[STREAMS];
    LZ4_stream_t *fast[STREAMS];
    LZ4_streamHC_t *high[STREAMS];
    size_t packed_bytes = 6;
    for (int s = 0; s < streams; s++) {
        zstd[s] = ZSTD_createCCtx();
        ZSTD_CCtx_setParameter(zstd[s], ZSTD_c_compressionLevel, p->level);
        fast[s] = LZ4_createStream();
        high[s] = LZ4_createStreamHC();
        LZ4_resetStreamHC_fast(high[s],
                               p->packing == TD_PACK_LZ4_HC ? LZ4HC_CLEVEL_DEFAULT : LZ4HC_CLEVEL_MAX);
    }
    struct cost start = now();
    for (size_t at = 0, s = 0; at < bytes; at += BLOCK, s = (s + 1) % (size_t)streams) {
        int n = (int)(bytes - at < BLOCK ? bytes - at : BLOCK);
        const char *from = (const char *)data + at;
        if (p->packing == TD_PACK_ZSTD) {
            ZSTD_inBuffer in = {from, (size_t)n, 0};
            ZSTD_outBuffer out = {packed, PACKED, 0};
            ZSTD_compressStream2(zstd[s], &out, &in, ZSTD_e_flush);
            n = (int)out.pos;
        } else if (p->packing == TD_PACK_LZ4) {
            n = LZ4_compress_fast_continue(fast[s], from, packed, n, PACKED, 1);
        } else {
            n = LZ4_compress_HC_continue(high[s], from, packed, n, PACKED);
        }
        packed_bytes += 4 + (size_t)n;
    }
    keep_least(least, start);
    for (int s = 0; s < streams; s++) {
        ZSTD_freeCCtx(zstd[s]);
        LZ4_freeStream(fast[s]);
        LZ4_freeStreamHC(high[s]);
    }
    return packed_bytes;
}

static void pack_ours(const struct packing *p, int streams, const uint8_t *data, size_t bytes,
                      const char *path, struct cost *least)
{
    struct td_out out;
    struct td_err err = {0};
    struct td_out_options o = {.parallel = 1, .packing = p->packing, .level = p->level, .streams = streams};
    struct cost start = now();
    if (td_out_open(&out, path, &o, &err) < 0)
        fail(path, err.text);
    td_out_bytes(&out, data, bytes);
    if (td_out_close(&out, 0, &err) < 0)
        fail(path, err.text);
    keep_least(least, start);
}

static void bench_pack(const struct packing *p, int streams, const uint8_t *data, size_t bytes, int tries,
                       const char *path)
{
    char name[60];
    struct cost ours = {0}, plain = {0}, unused = {0};
    size_t packed_bytes = 0;
    for (int i = 0; i < tries; i++) {
        packed_bytes = pack_plain(p, streams, data, bytes, &plain);
        pack_ours(p, streams, data, bytes, "/dev/null", &ours);
    }
    report_cost("pack", p->name, streams, bytes, ours, plain);
    pack_ours(p, streams, data, bytes, path, &unused);
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) < 0)
        fail(path, "cannot be read");
    snprintf(name, sizeof name, "packed_%s_%d_streams", p->name, streams);
    report(&lines, name, "bytes", (double)ftell(file), (double)packed_bytes, 1.001 * (double)packed_bytes);
    fclose(file);
}

static void bench_unpack(const char *packing, int streams, size_t bytes, int tries, const char *path)
{
    struct cost ours = {0}, plain = {0};
    for (int i = 0; i < tries; i++) {
        uint64_t sum = 0, expected = 0;
        unpack_plain(path, &expected, &plain);
        unpack_ours(path, bytes, &sum, &ours);
        if (sum != expected)
            fail(path, "comes back differently");
    }
    report_cost("unpack", packing, streams, bytes, ours, plain);
}

int main(int argc, char **argv)
{
    static const struct packing packings[] = {
        {"lz4", TD_PACK_LZ4, 0, 1},       {"zstd3", TD_PACK_ZSTD, 3, 1},
        {"zstd1", TD_PACK_ZSTD, 1, 1},    {"zstd19", TD_PACK_ZSTD, 19, 64},
        {"lz4hc", TD_PACK_LZ4_HC, 0, 16}, {"lz4extreme", TD_PACK_LZ4_EXTREME, 0, 64}};
    size_t mib = 256;
    int tries = 3;
    char path[] = "/tmp/tendril-file-io-XXXXXX";
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json"))
            lines.json = 1;
        else if (!strncmp(argv[i], "--mib=", 6) && atoi(argv[i] + 6) > 0)
            mib = (size_t)atoi(argv[i] + 6);
        else if (!strncmp(argv[i], "--tries=", 8) && atoi(argv[i] + 8) > 0)
            tries = atoi(argv[i] + 8);
        else
            fail(argv[i], "not one of --json --mib=N --tries=N");
    }
    int fd = mkstemp(path);
    if (fd < 0)
        fail(path, "cannot be made");
    close(fd);
    uint8_t *data = make_payload(mib << 20);
    report_head(&lines);
    for (size_t i = 0; i < sizeof packings / sizeof *packings; i++) {
        const struct packing *p = &packings[i];
        size_t bytes = (mib << 20) / (size_t)p->divide;
        for (int streams = 1; streams <= STREAMS; streams += STREAMS - 1) {
            bench_pack(p, streams, data, bytes, p->divide > 1 ? 1 : tries, path);
            if (p->divide == 1)
                bench_unpack(p->name, streams, bytes, tries, path);
        }
    }
    free(data);
    unlink(path);
    return 0;
}
