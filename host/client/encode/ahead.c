#include "host/client/encode/ahead.h"
#include "host/base/err.h"
#include "host/client/encode/announced.h"
#include "host/client/platform/client_api.h"
#include "host/base/hash.h"
#include "host/client/platform/pool.h"
#include "host/client/queue/names.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int td_ahead_thread(struct td_encoder *encoder, uint32_t thread)
{
    char name[256], number[16];
    uint32_t *last = td_announced_value(encoder->announced, TD_ANNOUNCED_THREAD, thread);
    if (!last)
        return 0;
    td_client_thread_name(thread, name, sizeof name);
    snprintf(number, sizeof number, "%u", thread);
    uint32_t hash = (uint32_t)td_hash(name, strlen(name)) | 1;
    if (hash == *last || (*last && !strcmp(name, number)))
        return 0;
    *last = hash;
    return encoder->ahead.ask(encoder, TD_QUERY_ThreadString, thread);
}

static int put_name(struct td_encoder *encoder, enum td_announced_kind kind, uint64_t key)
{
    switch (kind) {
    case TD_ANNOUNCED_TEXT:
        return encoder->ahead.ask(encoder, TD_QUERY_String, key);
    case TD_ANNOUNCED_PLOT:
        return encoder->ahead.ask(encoder, TD_QUERY_PlotName, key);
    case TD_ANNOUNCED_FRAME_NAME:
        return encoder->ahead.ask(encoder, TD_QUERY_FrameName, key);
    case TD_ANNOUNCED_THREAD:
        return td_ahead_thread(encoder, (uint32_t)key);
    case TD_ANNOUNCED_SRCLOC:
        return encoder->ahead.ask(encoder, TD_QUERY_SourceLocation, key);
    case TD_ANNOUNCED_FIBER:
        return encoder->ahead.ask(encoder, TD_QUERY_FiberName, key);
    default:
        return 0;
    }
}

/* An answer may announce new keys. */
static int put_names(struct td_encoder *encoder)
{
    struct td_ahead *ahead = &encoder->ahead;
    enum td_announced_kind kind;
    uint64_t key;
    int failed = 0;
    if (ahead->is_putting || !td_announced_at(encoder->announced, ahead->named, &kind, &key))
        return 0;
    ahead->is_putting = true;
    size_t bytes = td_packer_set_aside(encoder->packer, ahead->aside);
    for (; !failed && td_announced_at(encoder->announced, ahead->named, &kind, &key); ahead->named++)
        failed = put_name(encoder, kind, key);
    failed = failed || td_encode_flush(encoder) != 0;
    memcpy(td_packer_at(encoder->packer), ahead->aside, bytes);
    td_packer_add(encoder->packer, bytes);
    ahead->is_putting = false;
    return failed ? TD_E_GONE : 0;
}

int td_ahead_begin(struct td_encoder *encoder,
                   int (*ask)(struct td_encoder *encoder, enum td_query what, uint64_t ptr))
{
    if (encoder->ahead.ask)
        return 0;
    encoder->ahead.aside = td_pool_alloc(TD_WIRE_FRAME_MAX);
    if (!encoder->ahead.aside)
        return TD_E_NOMEM;
    encoder->ahead.ask = ask;
    encoder->before_frame = put_names;
    return 0;
}
