/* Gives any answers to the remote transport. Each call ends with an error or a result. */
#include "host/base/err.h"
#include "host/transport/gather.h"
#include "host/transport/link.h"
#include "host/transport/transport.h"
#include "proto/probe/message.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct replay {
    struct td_link base;
    const uint8_t *data;
    size_t size;
    struct td_probe_head asked;
};

static int replay_send(struct td_link *l, const void *message, size_t bytes, struct td_err *err)
{
    struct replay *r = (struct replay *)l;
    if (bytes < sizeof r->asked || bytes > TD_PROBE_MAX_BYTES)
        abort();
    memcpy(&r->asked, message, sizeof r->asked);
    return 0;
}

/* Input: a byte of flags (1: an answer to the last request, 2: LANES, 4: with an error), two bytes of length,
 * the payload. Without flags 1 and 2 the payload is the whole message. */
static int replay_receive(struct td_link *l, void *to, size_t room, int timeout_ms, struct td_err *err)
{
    struct replay *r = (struct replay *)l;
    struct td_probe_head head = r->asked;
    if (r->size < 3)
        return td_fail(err, TD_E_GONE, "no more answers");
    const uint8_t kind = r->data[0];
    size_t bytes = r->data[1] | (size_t)(r->data[2] & 7) << 8;
    if (bytes > r->size - 3)
        bytes = r->size - 3;
    if (kind & 3) {
        head.type = kind & 2 ? TD_PROBE_LANES | TD_PROBE_ANSWER : head.type | TD_PROBE_ANSWER;
        head.status = kind & 4 ? (int16_t)(kind >> 4) - 16 : 0;
        head.bytes = (uint16_t)bytes;
        memcpy(to, &head, sizeof head);
        memcpy((uint8_t *)to + sizeof head, r->data + 3, bytes);
    } else {
        memcpy(to, r->data + 3, bytes);
    }
    r->data += 3 + bytes;
    r->size -= 3 + bytes;
    return (int)(kind & 3 ? bytes + sizeof head : bytes);
}

static void replay_close(struct td_link *l)
{
}

static const struct td_link_ops replay_ops = {
    .name = "replay", .send = replay_send, .receive = replay_receive, .close = replay_close};

static int take_words(void *self, uint32_t lane, uint32_t first_slot, const uint32_t *words, size_t slots,
                      struct td_err *err)
{
    for (size_t i = 0; i < slots; i++)
        if (!(words[2 * i] & 0x80000000u) || lane > 3)
            abort();
    return 0;
}

static void use(struct td_transport *t)
{
    static const uint8_t zeros[256];
    uint8_t bytes[100];
    struct td_clock_sample sample;
    const struct td_tile_at at = {0, 0, 0};
    const struct td_gather_lane lanes[] = {{.lane = 0, .ring_slots = 16}, {.lane = 3, .ring_slots = 16}};
    const char *text, *grid;
    size_t taken;
    struct td_gather *g = t->ops->gather(t);
    if (t->ops->describe && t->ops->describe(t, &text, &grid, NULL) == 0 &&
        strlen(grid) >= TD_PROBE_GRID_BYTES)
        abort();
    t->ops->read(t, at, 4, bytes, sizeof bytes, NULL);
    t->ops->write(t, at, 4, zeros, sizeof zeros, NULL);
    t->ops->write(t, at, 5, bytes, 9, NULL);
    t->ops->clock(t, at, &sample, NULL);
    t->ops->alive(t, NULL);
    if (g->ops->add(g, lanes, 2, NULL) == 0) {
        g->ops->take(g, 100, 0, take_words, NULL, &taken, NULL);
        t->ops->wait(t, 0, NULL);
        g->ops->take(g, 100, 0, take_words, NULL, &taken, NULL);
        t->ops->clock(t, at, &sample, NULL);
    }
    g->ops->finish(g, take_words, NULL, NULL);
    t->ops->alive(t, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct td_err err = {0};
    struct replay r = {.base = {.ops = &replay_ops, .lossy = 1}, .data = data, .size = size};
    struct td_transport *t = td_remote_open(&r.base, "replay", &err);
    if (!t && !err.code)
        abort();
    if (t) {
        use(t);
        td_transport_close(t);
    }
    return 0;
}
