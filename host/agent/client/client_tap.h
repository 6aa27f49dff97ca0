/* A tap on a client source: sees everything that decides what the source's events are. With it, the events
 * can be made again (host/agent/journal).
 *
 * All functions are called by the thread that pumps the source. What they get is valid during the call. */
#pragma once
#include "host/agent/client/client_stream.h"

/* How a stream begins. */
struct td_client_began {
    const struct td_client_stream_config *stream;
    const uint8_t *greeting; /* status, welcome and, on demand, the message after it */
    size_t greeting_bytes;
    int64_t connected_ticks; /* on demand */
    int same_clock, without_base_frames, in_space;
};

struct td_client_tap {
    void *self;
    void (*began)(void *self, const struct td_client_began *began);
    void (*received)(void *self, const uint8_t *bytes, size_t count); /* after the greeting */
    void (*sent)(void *self, const uint8_t *bytes, size_t count);     /* after the hello */
    /* A file of this machine was looked for; text NULL: not found. */
    void (*source_file)(void *self, const char *name, size_t name_bytes, const void *text, size_t bytes);
    /* Ticks are converted so from now on: zero_ns + (ticks - zero_ticks) * ns_per_tick. */
    void (*clock)(void *self, double ns_per_tick, int64_t zero_ticks, int64_t zero_ns);
    void (*left)(void *self); /* from now on only answers are taken */
    void (*ended)(void *self);
};
