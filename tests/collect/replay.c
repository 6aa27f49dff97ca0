/* Makes a trace file of a recorded session: collect_replay STREAM FILE VERSION [CHUNK]
 *
 * The client's bytes are fed in pieces (portion()); queries of the recorder are discarded.
 * VERSION: 0.11.1, or tt. */
#include "host/agent/client/client_stream.h"
#include "host/file/file.h"
#include "host/trace/trace.h"
#include "host/wire/pack.h"
#include "tests/collect/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void die(const char *what, const struct td_err *err)
{
    fprintf(stderr, "%s: %s\n", what, err ? err->text : "no memory");
    exit(1);
}

/* The size of the next piece. `chunk` > 0: that many bytes; 0: all that there is room for; < 0: a random
 * size. */
static size_t portion(long chunk, size_t most)
{
    static uint64_t seed = 88172645463325252u;
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    size_t n = chunk > 0 ? (size_t)chunk : chunk < 0 ? 1 + seed % 5000 : most;
    return n < most ? n : most;
}

static void feed(struct td_client_stream *stream, const uint8_t *bytes, size_t count, long chunk)
{
    struct td_unpacker *unpacker = td_unpacker_create();
    struct td_err err = {0};
    while (count) {
        uint8_t *at, queries[4096 * TD_WIRE_QUERY_BYTES];
        const uint8_t *frame;
        size_t n = td_unpacker_room(unpacker, &at);
        int got;
        n = portion(chunk, n > count ? count : n);
        memcpy(at, bytes, n);
        td_unpacker_fed(unpacker, n);
        bytes += n;
        count -= n;
        while ((got = td_unpacker_next(unpacker, &frame, &err)) > 0) {
            if (td_client_stream_frame(stream, frame, (size_t)got, &err) < 0)
                die("frame", &err);
            td_client_stream_queries(stream, queries, sizeof queries);
        }
        if (got < 0)
            die("frames", &err);
    }
    td_unpacker_destroy(unpacker);
}

static void print_counts(const struct td_client_stream *stream)
{
    const struct td_client_counts *c = td_client_stream_counts(stream);
    printf("terminated %d\ncomplete %d\nignored %llu\nunnamed %llu\ntime_bent %llu\nodd_memory %llu\nother "
           "%llu\n",
           td_client_stream_is_terminated(stream), td_client_stream_is_complete(stream),
           (unsigned long long)c->ignored, (unsigned long long)c->unnamed, (unsigned long long)c->time_bent,
           (unsigned long long)c->odd_memory, (unsigned long long)c->other);
}

static void take_welcome(struct td_trace *trace, const struct td_wire_welcome *w, uint64_t frame_offset)
{
    struct td_trace_info *info = td_trace_edit_info(trace);
    info->pid = w->pid;
    info->timer_mul = w->timerMul;
    info->frame_offset = frame_offset;
    info->on_demand = w->flags & TD_WIRE_FLAG_ON_DEMAND;
    td_trace_set_string(&info->program, w->programName);
}

static void save(const struct td_trace *trace, const char *path, const char *version)
{
    struct td_err err = {0};
    struct td_file_options options = {0};
    unsigned a = 0, b = 0, c = 0;
    options.tenstorrent = !strcmp(version, "tt");
    if (options.tenstorrent)
        b = 10;
    else
        sscanf(version, "%u.%u.%u", &a, &b, &c);
    options.version = TD_FILE_VERSION(a, b, c);
    if (td_file_write(trace, path, &options, &err) < 0)
        die(path, &err);
}

int main(int argc, char **argv)
{
    struct recording session;
    struct td_err err = {0};
    if (argc != 4 && argc != 5)
        return 2;
    if (recording_read(argv[1], &session) != 0)
        return 1;
    struct td_wire_welcome welcome;
    td_wire_get_welcome(session.said + 1, session.release, &welcome);
    size_t at = 1 + session.release->welcome_bytes;
    uint64_t demand[2] = {0, 0};
    int on_demand = welcome.flags & TD_WIRE_FLAG_ON_DEMAND;
    if (on_demand) {
        memcpy(demand, session.said + at, sizeof demand);
        at += TD_WIRE_ONDEMAND_BYTES;
    }
    struct td_dict *dict = td_dict_create();
    struct td_trace *trace = td_trace_create(dict);
    struct td_hub *hub = trace ? td_hub_create(dict) : NULL;
    if (!hub || td_hub_add_sink(hub, td_trace_sink(trace)) < 0)
        die("trace", NULL);
    struct td_client_stream_config config = {.release = session.release,
                                             .hub = hub,
                                             .ns_per_tick = welcome.timerMul,
                                             .zero_ticks = welcome.initBegin,
                                             .query_space = 8188,
                                             .frame_offset = demand[0],
                                             .code_transfer = welcome.flags & TD_WIRE_FLAG_CODE_TRANSFER,
                                             .pid = welcome.pid};
    config.sources = welcome.exectime && (!session.release->sources_with_code || config.code_transfer);
    struct td_client_stream *stream = td_client_stream_create(&config);
    if (!stream || td_client_stream_base_frame(stream, welcome.initBegin, &err) < 0 ||
        td_client_stream_base_frame(stream, welcome.initEnd, &err) < 0 ||
        (on_demand && td_client_stream_base_frame(stream, (int64_t)demand[1], &err) < 0))
        die("stream", &err);
    feed(stream, session.said + at, session.said_count - at, argc > 4 ? atol(argv[4]) : 0);
    print_counts(stream);
    if (td_client_stream_close(stream, &err) < 0)
        die("close", &err);
    take_welcome(trace, &welcome, demand[0]);
    if (td_trace_finish(trace, &err) < 0)
        die("finish", &err);
    printf("clamped %llu\n", (unsigned long long)td_trace_clamped(trace));
    save(trace, argv[2], argv[3]);
    td_client_stream_destroy(stream);
    td_hub_destroy(hub);
    td_trace_destroy(trace);
    recording_free(&session);
    return 0;
}
