#include "host/agent/import/perfetto_packets.h"
#include "host/base/grow.h"
#include "proto/perfetto.h"

#include <zlib.h>
#include <zstd.h>

#define PACKET_MAX (64u << 20)
#define PIECE      (1u << 16)

void td_pf_packets_free(struct td_pf_packets *packets)
{
    free(packets->bytes);
    *packets = (struct td_pf_packets){0};
}

/* What follows the key and the length, if these are whole. */
static void take_head(struct td_pf_packets *packets)
{
    struct td_pb_reader head = td_pb_read(packets->head, packets->head_bytes);
    uint64_t key, value = 0;
    if (!td_pb_varint(&head, &key)) {
        packets->is_broken = packets->head_bytes >= 10;
        return;
    }
    const unsigned wire = (unsigned)(key & 7);
    const bool has_varint = wire == TD_PB_VARINT || wire == TD_PB_BYTES;
    if (has_varint && !td_pb_varint(&head, &value)) {
        packets->is_broken = packets->head_bytes >= 20;
        return;
    }
    packets->head_bytes = 0;
    packets->skip = wire == TD_PB_FIXED64 ? 8 : wire == TD_PB_FIXED32 ? 4 : wire == TD_PB_BYTES ? value : 0;
    packets->is_broken = !key || (wire != TD_PB_FIXED32 && wire != TD_PB_FIXED64 && !has_varint);
    packets->in_packet = wire == TD_PB_BYTES && key >> 3 == TD_PF_TRACE_PACKET && value <= PACKET_MAX;
    packets->too_large += wire == TD_PB_BYTES && value > PACKET_MAX;
    packets->wanted = packets->in_packet ? (size_t)value : 0;
    packets->skip = packets->in_packet ? 0 : packets->skip;
    packets->filled = 0;
}

/* Takes a part of the packet; the whole one, if it is there. */
static int take_part(struct td_pf_packets *packets, const uint8_t *bytes, size_t count, size_t *used,
                     td_pf_take_packet *take, void *self)
{
    const size_t rest = packets->wanted - packets->filled;
    if (!packets->filled && count >= rest) {
        *used = rest;
        packets->in_packet = false;
        return take(self, td_pb_read(bytes, rest));
    }
    *used = count < rest ? count : rest;
    if (td_grow(&packets->bytes, &packets->room, packets->filled + *used, 1) < 0)
        return TD_E_NOMEM;
    memcpy(packets->bytes + packets->filled, bytes, *used);
    packets->filled += *used;
    if (packets->filled < packets->wanted)
        return 0;
    packets->in_packet = false;
    packets->filled = 0;
    return take(self, td_pb_read(packets->bytes, packets->wanted));
}

int td_pf_packets_feed(struct td_pf_packets *packets, const uint8_t *bytes, size_t count,
                       td_pf_take_packet *take, void *self)
{
    size_t used;
    int bad = 0;
    for (size_t at = 0; at < count && !bad && !packets->is_broken; at += used) {
        used = 1;
        if (packets->skip) {
            used = count - at < packets->skip ? count - at : (size_t)packets->skip;
            packets->skip -= used;
        } else if (packets->in_packet) {
            bad = take_part(packets, bytes + at, count - at, &used, take, self);
        } else {
            packets->head[packets->head_bytes++] = bytes[at];
            take_head(packets);
            if (packets->in_packet && !packets->wanted) { /* it is empty */
                packets->in_packet = false;
                bad = take(self, td_pb_read(bytes, 0));
            }
        }
    }
    return bad;
}

bool td_pf_packets_are_cut(const struct td_pf_packets *packets)
{
    return packets->is_broken || packets->head_bytes || packets->in_packet || packets->skip;
}

static int inflate_all(struct td_pf_packets *packets, struct td_pb_reader packed, uint8_t *piece,
                       td_pf_take_packet *take, void *self)
{
    z_stream stream = {.next_in = (z_const Bytef *)packed.at, .avail_in = (uInt)(packed.end - packed.at)};
    if (inflateInit(&stream) != Z_OK)
        return TD_E_NOMEM;
    int state, bad = 0;
    do {
        stream.next_out = piece;
        stream.avail_out = PIECE;
        state = inflate(&stream, Z_NO_FLUSH);
        bad = state == Z_OK || state == Z_STREAM_END
                  ? td_pf_packets_feed(packets, piece, PIECE - stream.avail_out, take, self)
              : state == Z_MEM_ERROR ? TD_E_NOMEM
                                     : TD_E_FORMAT;
    } while (!bad && state != Z_STREAM_END);
    inflateEnd(&stream);
    return bad;
}

static int unpack_zstd(struct td_pf_packets *packets, struct td_pb_reader packed, uint8_t *piece,
                       td_pf_take_packet *take, void *self)
{
    ZSTD_DCtx *context = ZSTD_createDCtx();
    ZSTD_inBuffer in = {packed.at, (size_t)(packed.end - packed.at), 0};
    size_t state = 1;
    int bad = context ? 0 : TD_E_NOMEM;
    while (!bad && state) {
        ZSTD_outBuffer out = {piece, PIECE, 0};
        state = ZSTD_decompressStream(context, &out, &in);
        if (ZSTD_isError(state) || (state && in.pos == in.size && out.pos < out.size))
            bad = TD_E_FORMAT;
        else
            bad = td_pf_packets_feed(packets, piece, out.pos, take, self);
    }
    ZSTD_freeDCtx(context);
    return bad;
}

int td_pf_unpack(struct td_pf_packets *packets, struct td_pb_reader packed, bool by_zstd,
                 td_pf_take_packet *take, void *self)
{
    uint8_t *piece = malloc(PIECE);
    if (!piece)
        return TD_E_NOMEM;
    const int bad = (by_zstd ? unpack_zstd : inflate_all)(packets, packed, piece, take, self);
    free(piece);
    return bad ? bad : td_pf_packets_are_cut(packets) ? TD_E_FORMAT : 0;
}
