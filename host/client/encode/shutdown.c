#include "host/client/encode/shutdown.h"
#include "host/base/err.h"
#include "host/client/encode/announced.h"
#include "host/client/encode/code_named.h"
#include "host/client/encode/encoder.h"
#include "host/client/encode/zone_tracks.h"
#include "host/client/queue/queue.h"
#include "host/client/queue/records.h"
#include "host/client/queue/replayed.h"
#include "host/client/symbols/unloaded.h"
#include "host/wire/items.h"
#include "proto/notes.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static _Atomic(const struct td_crash_report *) crash;

void td_shutdown_crashed(const struct td_crash_report *why)
{
    atomic_store(&crash, why);
}

/* The crash, on its thread. */
static uint8_t *put_crash(struct td_encoder *encoder, uint8_t *p, const struct td_crash_report *why)
{
    const struct td_wire_release *release = encoder->release;
    p = td_wire_put_ThreadContext(p, release, &(struct td_wire_ThreadContext){why->thread});
    if (why->frames) {
        uint16_t bytes = (uint16_t)(8 * why->frames);
        p = td_wire_put_CallstackPayload(p, release, &(struct td_wire_CallstackPayload){1});
        memcpy(p, &bytes, 2);
        memcpy(p + 2, why->stack, bytes);
        p = td_wire_put_Callstack(p + 2 + bytes, release, NULL);
        for (uint32_t i = 0; i < why->frames; i++)
            td_code_saw(encoder, why->stack[i]);
    }
    td_announced_add(encoder->announced, TD_ANNOUNCED_TEXT, (uintptr_t)why->text);
    p = td_wire_put_CrashReport(p, release, &(struct td_wire_CrashReport){why->time, (uintptr_t)why->text});
    return td_wire_put_Crash(p, release, NULL);
}

/* Sends a note, if it is so. */
__attribute__((format(printf, 3, 4))) static int note(struct td_encoder *encoder, bool is_so,
                                                      const char *format, ...)
{
    char text[200];
    va_list args;
    if (!is_so)
        return 0;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return td_encode_app_info(encoder, text) != 0 ? TD_E_GONE : 0;
}

#define LOST      TD_NOTE_CLIENT_LOST ": "
#define UNMATCHED TD_NOTE_CLIENT_UNMATCHED ": "

/* Reports faulty markers of the program. */
static int put_unmatched(struct td_encoder *encoder)
{
    const unsigned long long zones = encoder->unmatched.zones, cut = encoder->tracks.cut,
                             never = encoder->tracks.never, others = encoder->unmatched.others;
    int rc = note(encoder, zones,
                  UNMATCHED "%llu ends, texts and values of zones outside of every zone of their thread, "
                            "first in thread %u",
                  zones, encoder->unmatched.thread);
    rc = rc ? rc
            : note(encoder, cut, UNMATCHED "%llu zones were never ended, and end with the zone around them",
                   cut);
    rc = rc ? rc
            : note(encoder, never,
                   LOST "%llu ends, texts and values of zones that others were left open inside", never);
    return rc ? rc
              : note(encoder, others,
                     UNMATCHED "%llu ends of frames, locks and GPU zones without their begin, images and GPU "
                               "queries used twice, and the like",
                     others);
}

/* Reports what did not reach the peer, each loss as a line of the trace's description. */
static int put_losses(struct td_encoder *encoder)
{
    const unsigned long events = atomic_load(&td_queue_lost);
    const unsigned long long locks = encoder->lost_lock_events;
    const unsigned libraries = td_unloaded_lost_count(), lines = td_replayed_left_out(),
                   contexts = encoder->lost_gpu_contexts;
    int rc = put_unmatched(encoder);
    rc = rc ? rc
            : note(encoder, atomic_load(&td_queue_stopped),
                   LOST "everything after this; too much waited to be sent (TENDRIL_MEMORY_MB)");
    rc = rc ? rc : note(encoder, events, LOST "%lu events", events);
    rc = rc ? rc : note(encoder, locks, LOST "%llu lock events (of more than 64 threads a lock)", locks);
    rc = rc ? rc
            : note(encoder, libraries, LOST "names of %u unloaded libraries (TENDRIL_MEMORY_MB)", libraries);
    rc =
        rc ? rc
           : note(encoder, lines, LOST "%u lines of application information of before the connection", lines);
    rc = rc ? rc
            : note(encoder, contexts, LOST "%u GPU contexts (from 256 on; only the fork's traces have them)",
                   contexts);
    return rc ? rc : note(encoder, encoder->lost_discards, LOST "memory discards (newer releases have them)");
}

int td_shutdown_put(struct td_encoder *encoder)
{
    uint8_t *p = td_zone_tracks_end(encoder) == 0 && put_losses(encoder) == 0
                     ? td_encode_room(encoder, 128 + 8 * TD_REC_STACK_MAX)
                     : NULL;
    if (!p)
        return TD_E_GONE;
    const struct td_crash_report *why = atomic_load(&crash);
    if (why)
        p = put_crash(encoder, p, why);
    else if (encoder->open_zones) /* without it a peer waits for their ends */
        p = td_wire_put_Crash(p, encoder->release, NULL);
    td_encode_put(encoder, p);
    return td_encode_flush(encoder);
}

int td_shutdown_terminate(struct td_encoder *encoder)
{
    td_encode_put(encoder, td_wire_put_Terminate(td_packer_at(encoder->packer), encoder->release, NULL));
    return td_encode_flush(encoder);
}
