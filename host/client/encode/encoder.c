/* Items are collected in a frame, which is sent when it is full. */
#include "host/client/encode/encoder.h"
#include "host/base/err.h"
#include "host/client/platform/client_api.h"
#include "host/client/platform/epoch.h"
#include "host/wire/items.h"

#include <string.h>

int td_encode_flush(struct td_encoder *encoder)
{
    const uint8_t *bytes;
    if (encoder->before_frame && encoder->before_frame(encoder) != 0)
        return TD_E_GONE;
    size_t count = td_packer_pack(encoder->packer, &bytes);
    return count && encoder->send(encoder->self, bytes, count) != 0 ? TD_E_GONE : 0;
}

uint8_t *td_encode_room(struct td_encoder *encoder, size_t bytes)
{
    if (td_packer_room(encoder->packer) < bytes && td_encode_flush(encoder) != 0)
        return NULL;
    return td_packer_at(encoder->packer);
}

void td_encode_put(struct td_encoder *encoder, const uint8_t *end)
{
    td_packer_add(encoder->packer, (size_t)(end - td_packer_at(encoder->packer)));
}

uint8_t *td_encode_text(struct td_encoder *encoder, uint8_t *p, const void *text, size_t bytes)
{
    p = td_wire_put_string_head(p, encoder->release, TD_ITEM_SingleStringData, bytes);
    memcpy(p, text, bytes);
    return p + bytes;
}

int td_encode_app_info(struct td_encoder *encoder, const char *text)
{
    size_t bytes = strlen(text);
    uint8_t *p = td_encode_room(encoder, TD_ENCODE_ITEM_MAX + bytes);
    if (!p)
        return TD_E_GONE;
    p = td_encode_text(encoder, p, text, bytes);
    struct td_wire_MessageAppInfo info = {(int64_t)td_client_ticks()};
    td_encode_put(encoder, td_wire_put_MessageAppInfo(p, encoder->release, &info));
    return 0;
}

void td_encode_unmatched(struct td_encoder *encoder, const struct td_thread_queue *queue,
                         const struct td_rec *rec)
{
    if (encoder->since != INT64_MIN || td_client_began_late())
        return;
    if (rec->kind > TD_REC_ZONE_NAME)
        encoder->unmatched.others++;
    else if (!encoder->unmatched.zones++)
        encoder->unmatched.thread = queue->thread;
}
