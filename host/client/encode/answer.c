/* Only memory whose address the session has sent is read: a peer cannot read the rest of the program. */
#include "host/client/encode/answer.h"
#include "host/base/err.h"
#include "host/client/encode/ahead.h"
#include "host/client/encode/announced.h"
#include "host/client/encode/callbacks.h"
#include "host/client/encode/code_named.h"
#include "host/client/encode/encoder.h"
#include "host/client/encode/wire_keys.h"
#include "host/client/include/tracy/TracyC.h"
#include "host/client/platform/observed.h"
#include "host/client/queue/names.h"
#include "host/perf/proc.h"
#include "host/perf/thread_names.h"
#include "host/wire/hello.h"
#include "host/wire/items.h"
#include "host/wire/names_ahead.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Ends a keyed item, whose fields are before `p`, with the u16 count and the text. */
static int put_counted_text(struct td_encoder *encoder, uint8_t *p, const char *text)
{
    size_t bytes = strnlen(text, TD_WIRE_TEXT_MAX);
    uint16_t count = (uint16_t)bytes;
    memcpy(p, &count, 2);
    memcpy(p + 2, text, bytes);
    td_encode_put(encoder, p + 2 + bytes);
    return 0;
}

static bool may_read(const struct td_encoder *encoder, const struct td_wire_query *query)
{
    enum td_announced_kind kind = query->query == TD_QUERY_PlotName    ? TD_ANNOUNCED_PLOT
                                  : query->query == TD_QUERY_FrameName ? TD_ANNOUNCED_FRAME_NAME
                                  : query->query == TD_QUERY_FiberName ? TD_ANNOUNCED_FIBER
                                                                       : TD_ANNOUNCED_TEXT;
    return td_announced_has(encoder->announced, kind, query->ptr);
}

static int answer_text(struct td_encoder *encoder, const struct td_wire_query *query)
{
    uint8_t *p = td_encode_room(encoder, TD_ENCODE_ITEM_MAX + TD_WIRE_TEXT_MAX);
    if (!p)
        return TD_E_GONE;
    switch (query->query) {
    case TD_QUERY_PlotName:
        p = td_wire_put_PlotName(p, encoder->release, &(struct td_wire_PlotName){query->ptr});
        break;
    case TD_QUERY_FrameName:
        p = td_wire_put_FrameName(p, encoder->release, &(struct td_wire_FrameName){query->ptr});
        break;
    case TD_QUERY_FiberName:
        p = td_wire_put_FiberName(p, encoder->release, &(struct td_wire_FiberName){query->ptr});
        break;
    default:
        p = td_wire_put_StringData(p, encoder->release, &(struct td_wire_StringData){query->ptr});
        break;
    }
    uint16_t bytes = 0;
    if (may_read(encoder, query))
        bytes = (uint16_t)td_wire_key_text(
            encoder, query->query == TD_QUERY_FiberName ? TD_ANNOUNCED_FIBER : TD_ANNOUNCED_TEXT, query->ptr,
            (char *)p + 2, TD_WIRE_TEXT_MAX);
    memcpy(p, &bytes, 2);
    td_encode_put(encoder, p + 2 + bytes);
    return 0;
}

int td_answer_thread(struct td_encoder *encoder, uint64_t thread)
{
    char name[256];
    int32_t hint = 0;
    const struct td_observed *others = td_client_observed();
    if (thread >> 32 == TD_WIRE_CLOCK_KEY >> 32)
        snprintf(name, sizeof name, "%llu", (unsigned long long)td_client_ticks());
    else if (others)
        others->thread_name((uint32_t)thread, name, sizeof name);
    else
        hint = td_client_thread_name((uint32_t)thread, name, sizeof name);
    uint8_t *p = td_encode_room(encoder, 64 + sizeof name);
    if (!p)
        return TD_E_GONE;
    put_counted_text(encoder,
                     td_wire_put_ThreadName(p, encoder->release, &(struct td_wire_ThreadName){thread}), name);
    if (hint && td_wire_has(encoder->release, TD_ITEM_ThreadGroupHint) && (p = td_encode_room(encoder, 64)))
        td_encode_put(encoder,
                      td_wire_put_ThreadGroupHint(p, encoder->release,
                                                  &(struct td_wire_ThreadGroupHint){(uint32_t)thread, hint}));
    return p ? 0 : TD_E_GONE;
}

static int answer_srcloc(struct td_encoder *encoder, const struct td_wire_query *query)
{
    struct td_wire_SourceLocation answer = {0};
    if (td_announced_has(encoder->announced, TD_ANNOUNCED_SRCLOC, query->ptr) &&
        td_wire_key_location(encoder, query->ptr, &answer)) {
        const uint64_t texts[] = {answer.name, answer.file, answer.function};
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            if (texts[i])
                td_announced_add(encoder->announced, TD_ANNOUNCED_TEXT, texts[i]);
        char file[1024];
        if (answer.file)
            td_code_names_file(encoder, file,
                               td_wire_key_text(encoder, TD_ANNOUNCED_TEXT, answer.file, file, sizeof file));
    }
    uint8_t *p = td_encode_room(encoder, 64);
    if (!p)
        return TD_E_GONE;
    td_encode_put(encoder, td_wire_put_SourceLocation(p, encoder->release, &answer));
    return 0;
}

/* The same of a thread that has ended: switches had its name, and often its process. */
static uint32_t name_ended(const struct td_encoder *encoder, uint32_t thread, char name[256],
                           char process[64])
{
    const struct td_thread_name *known =
        encoder->thread_names ? td_thread_names_find(encoder->thread_names, thread) : NULL;
    const struct td_thread_name *first =
        known && known->process ? td_thread_names_find(encoder->thread_names, known->process) : NULL;
    snprintf(name, 256, "%u", thread);
    snprintf(process, 64, "???");
    if (known)
        snprintf(name, 256, "%s", known->name);
    if (first)
        snprintf(process, 64, "%s", first->name);
    else if (known && known->process)
        (void)td_proc_name(known->process, process, 64);
    return known ? known->process : 0;
}

/* The names of a thread of any process and of that process, whose number is returned; 0: it has ended. */
static uint32_t name_external(const struct td_encoder *encoder, uint32_t thread, char name[256],
                              char process[64])
{
    const struct td_observed *others = td_client_observed();
    uint32_t pid = others ? others->process(thread, process, 64) : 0;
    if (pid) {
        others->thread_name(thread, name, 256);
        return pid;
    }
    pid = td_proc_process(thread);
    if (pid && pid != (uint32_t)getpid()) {
        if (!td_proc_name(thread, name, 256) || !td_proc_name(pid, process, 64))
            snprintf(name, 256, "%u", thread), snprintf(process, 64, "???");
    } else if (pid || (!others && td_announced_has(encoder->announced, TD_ANNOUNCED_THREAD, thread))) {
        td_client_thread_name(thread, name, 256);
        td_client_program_name(process, 64);
    } else {
        pid = name_ended(encoder, thread, name, process);
    }
    return pid;
}

static int answer_external(struct td_encoder *encoder, const struct td_wire_query *query)
{
    char name[256], process[64];
    const uint32_t thread = (uint32_t)query->ptr, pid = name_external(encoder, thread, name, process);
    uint8_t *p = td_encode_room(encoder, 64 + sizeof name);
    if (!p)
        return TD_E_GONE;
    put_counted_text(
        encoder,
        td_wire_put_ExternalThreadName(p, encoder->release, &(struct td_wire_ExternalThreadName){query->ptr}),
        name);
    if (pid) {
        if (!(p = td_encode_room(encoder, TD_ENCODE_ITEM_MAX)))
            return TD_E_GONE;
        td_encode_put(encoder,
                      td_wire_put_TidToPid(p, encoder->release, &(struct td_wire_TidToPid){thread, pid}));
    }
    p = td_encode_room(encoder, 64 + sizeof process);
    if (!p)
        return TD_E_GONE;
    return put_counted_text(
        encoder, td_wire_put_ExternalName(p, encoder->release, &(struct td_wire_ExternalName){query->ptr}),
        process);
}

/* Answers a query for what the client lacks: a peer counts answers to limit its open queries. */
static int answer_without(struct td_encoder *encoder)
{
    uint8_t *p = td_encode_room(encoder, 64);
    if (!p)
        return TD_E_GONE;
    td_encode_put(encoder, td_wire_put_AckServerQueryNoop(p, encoder->release, NULL));
    return 0;
}

/* ---- names ahead (names_ahead.h) ---- */

static int put_ahead_key(struct td_encoder *encoder, uint64_t key, const char *text)
{
    uint8_t *p = td_encode_room(encoder, TD_ENCODE_ITEM_MAX);
    if (!p)
        return TD_E_GONE;
    return put_counted_text(
        encoder, td_wire_put_ThreadName(p, encoder->release, &(struct td_wire_ThreadName){key}), text);
}

/* Answers a question that the peer has not asked. */
static int answer_ahead(struct td_encoder *encoder, enum td_query what, uint64_t ptr)
{
    char text[20];
    uint8_t bytes[TD_WIRE_QUERY_BYTES];
    snprintf(text, sizeof text, "%" PRIx64, ptr);
    td_wire_put_query(bytes, encoder->release, &(struct td_wire_query){what, ptr, 0});
    return put_ahead_key(encoder, TD_WIRE_AHEAD_KEY | (uint32_t)what, text) == 0 &&
                   td_answer(encoder, bytes) >= 0
               ? 0
               : TD_E_GONE;
}

/* Without memory, the peer asks for the names as others do. */
static int begin_ahead(struct td_encoder *encoder)
{
    (void)td_ahead_begin(encoder, answer_ahead);
    return put_ahead_key(encoder, TD_WIRE_AHEAD_KEY, "");
}

int td_answer(struct td_encoder *encoder, const uint8_t *bytes)
{
    struct td_wire_query query;
    td_wire_get_query(bytes, encoder->release, &query);
    switch (query.query) {
    case TD_QUERY_Terminate:
    case TD_QUERY_COUNT: /* unknown: the peer does not speak the protocol */
        return 1;
    case TD_QUERY_Disconnect:
        return 2;
    case TD_QUERY_String:
    case TD_QUERY_PlotName:
    case TD_QUERY_FrameName:
    case TD_QUERY_FiberName:
        return answer_text(encoder, &query);
    case TD_QUERY_ThreadString:
        return query.ptr == TD_WIRE_AHEAD_KEY ? begin_ahead(encoder) : td_answer_thread(encoder, query.ptr);
    case TD_QUERY_SourceLocation:
        return answer_srcloc(encoder, &query);
    case TD_QUERY_ExternalName:
        return answer_external(encoder, &query);
    case TD_QUERY_CallstackFrame:
        return td_answer_frame(encoder, query.ptr);
    case TD_QUERY_Symbol:
        return td_answer_symbol(encoder, query.ptr);
    case TD_QUERY_SymbolCode:
        return td_answer_code(encoder, query.ptr, query.extra);
    case TD_QUERY_SourceCode:
        return td_answer_source_code(encoder, (uint32_t)query.ptr);
    case TD_QUERY_DataTransfer:
        td_code_transfer_begins(encoder, query.ptr);
        return answer_without(encoder);
    case TD_QUERY_DataTransferPart:
        td_code_transfer_goes_on(encoder, query.ptr, query.extra);
        return answer_without(encoder);
    case TD_QUERY_Parameter:
        td_call_parameter((uint32_t)(query.ptr >> 32), (int32_t)(uint32_t)query.ptr);
        return answer_without(encoder);
    default:
        return answer_without(encoder);
    }
}
