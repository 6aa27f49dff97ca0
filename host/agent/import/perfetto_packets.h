/* Cuts a Perfetto trace into packets, as its bytes come. */
#pragma once
#include "host/agent/import/protobuf.h"
#include "host/base/err.h"

struct td_pf_packets { /* all zero: at the beginning */
    uint8_t head[24];  /* key and length */
    size_t head_bytes;
    uint8_t *bytes; /* of a packet that comes in parts */
    size_t filled, room, wanted;
    uint64_t skip;      /* bytes that are left out */
    uint64_t too_large; /* packets that are left out */
    bool in_packet;
    bool is_broken; /* nothing can be read any more */
};
void td_pf_packets_free(struct td_pf_packets *packets);
/* 0, TD_E_NOMEM, or what `take` returned. */
typedef int td_pf_take_packet(void *self, struct td_pb_reader packet);
int td_pf_packets_feed(struct td_pf_packets *packets, const uint8_t *bytes, size_t count,
                       td_pf_take_packet *take, void *self);
/* Whether a packet, or what is around it, breaks off. */
bool td_pf_packets_are_cut(const struct td_pf_packets *packets);
/* The packets in one that is packed: by deflate or zstd. TD_E_FORMAT: damaged. */
int td_pf_unpack(struct td_pf_packets *packets, struct td_pb_reader packed, bool by_zstd,
                 td_pf_take_packet *take, void *self);
