#include "bench/recording/cores.h"
#include "proto/device/packet.h"

#define INNER  7 /* zones in each outer one */
#define IDS    24
#define KERNEL 100  /* the site of the zone around a launch */
#define LAUNCH 2000 /* zones */

struct td_board_source *cores_begin(struct cores *c, cores_clock *clock, struct td_dict *dict,
                                    struct td_err *err)
{
    static const struct td_board_source_options options = {.policy = TD_POLICY_BLOCK};
    c->fake = fake_board_create(1);
    c->ops = *c->fake->transport.ops;
    c->ops.clock = clock;
    c->fake->transport.ops = &c->ops;
    for (uint32_t i = 0; i < CORES_LANES; i++)
        c->kernels[i] = (struct kernel){.core = {c->fake, i / 2, i % 2, 0}, .step_ticks = CORES_STEP_TICKS};
    return td_board_source_create(&c->fake->transport, &c->fake->board, &options, dict, err);
}

void cores_end(struct cores *c)
{
    fake_board_destroy(c->fake);
}

static uint32_t head(enum td_packet type, uint32_t id)
{
    return (uint32_t)TD_TAG_HEAD | (uint32_t)type << TD_HEAD_TYPE_SHIFT | id;
}

/* The first launch writes its image and the clock, too. False: the ring is full. */
static bool begin_launch(struct kernel *k)
{
    if (!k->started) {
        fake_core_put(&k->core, head(TD_PACKET_IMAGE, TD_DEVICE_PROTO_VERSION), 0x1234);
        fake_core_put(&k->core, (uint32_t)TD_TAG_CONT, 0x5678);
        fake_core_put(&k->core, head(TD_PACKET_TIME, 0), k->high = (uint32_t)(k->now >> 32));
        k->started = 1;
    }
    k->running = fake_core_put(&k->core, head(TD_PACKET_BEGIN, KERNEL), (uint32_t)(k->now + 1));
    k->now += k->running ? 2 : 0;
    return k->running;
}

static bool end_launch(struct kernel *k)
{
    if (!fake_core_put(&k->core, head(TD_PACKET_END, KERNEL), (uint32_t)(k->now + 1)))
        return false;
    k->now += 2;
    k->in_launch = 0;
    k->running = 0;
    return true;
}

static bool write_zone(struct kernel *k)
{
    const uint32_t outer = k->inner == INNER, duration = outer ? INNER * k->step_ticks : k->step_ticks - 8;
    const uint64_t end = k->now + (outer ? 2 : k->step_ticks);
    if ((uint32_t)(end >> 32) != k->high) {
        if (!fake_core_put(&k->core, head(TD_PACKET_TIME, 0), (uint32_t)(end >> 32)))
            return false;
        k->high = (uint32_t)(end >> 32);
    }
    const uint32_t id = outer ? 0 : 1 + (uint32_t)(end / k->step_ticks) % (IDS - 1);
    if (!fake_core_put(&k->core, TD_SLOT_VALID | id << TD_SHORT_ID_SHIFT | duration, (uint32_t)end))
        return false;
    k->now = end;
    k->inner = outer ? 0 : k->inner + 1;
    k->in_launch++;
    return true;
}

uint64_t cores_fill(struct kernel *k, uint64_t until)
{
    uint64_t zones = 0;
    while (k->now + 2 * (uint64_t)k->step_ticks < until) {
        if (!k->running && !begin_launch(k))
            break;
        if (k->in_launch >= LAUNCH && k->inner == 0) {
            if (!end_launch(k))
                break;
            zones++;
        } else if (!write_zone(k)) {
            break;
        } else {
            zones++;
        }
    }
    fake_core_publish(&k->core);
    return zones;
}
