#include "target/src/lane.h"

#ifdef TD_NATIVE
#define wait_a_little() td_native_pause()
#else
#define wait_a_little() ((void)0)
struct td_lane_state td_state;
uint32_t td_packet_room[2 * TD_MAX_PACKET_SLOTS];
#endif

#define RING_BYTES  (TD_RING_SLOTS * TD_SLOT_BYTES)
#define BLOCK_BYTES (TD_BLOCK_SLOTS * TD_SLOT_BYTES)
/* What `drop` keeps free for the launch's end: LOST, EXIT, sticky packets, and a gap at the ring's end. */
#define DROP_KEEP 32

/* The low 32 bits are all of it on a core. */
static uint32_t address(const volatile uint32_t *at)
{
    return (uint32_t)(uintptr_t)at;
}

static uint32_t offset(void)
{
    return address(td_tp()) - address(td_ring);
}

uint32_t td_lane_position(void)
{
    return td_state.round + offset() / TD_SLOT_BYTES;
}

uint32_t td_keep(void)
{
    return td_state.policy == TD_POLICY_DROP ? DROP_KEEP + td_state.reserved : 0;
}

static uint32_t free_slots(void)
{
    uint32_t used = td_lane_position() - td_state.head;
    return used < TD_RING_SLOTS ? TD_RING_SLOTS - used : 0;
}

static void publish(void)
{
    td_fence();
    TD_LANE(tail) = td_lane_position();
}

static void read_head(void)
{
    td_fence();
    td_state.head = TD_LANE(head);
}

static uint32_t min(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* A LOST packet has to come before anything else. */
static bool untold(void)
{
    return (td_state.untold_zones | td_state.untold_other) && td_state.policy == TD_POLICY_DROP;
}

/* Bytes that zones may write from tp on without a call. */
static uint32_t span(void)
{
    uint32_t at = offset(), quarter = RING_BYTES / 4;
    uint32_t bytes = min(RING_BYTES - at, quarter - at % quarter);
    if (td_state.mute || untold())
        return 0;
    if (td_state.policy == TD_POLICY_OVERWRITE) /* a block's border: the next one is not ready */
        return min(bytes, at % BLOCK_BYTES ? BLOCK_BYTES - at % BLOCK_BYTES : 0);
    if (td_state.policy == TD_POLICY_OFF)
        return bytes;
    uint32_t keep = td_keep();
    if (free_slots() < quarter / TD_SLOT_BYTES + keep)
        read_head();
    uint32_t room = free_slots();
    return min(bytes, room > keep ? (room - keep) * TD_SLOT_BYTES : 0);
}

void td_lane_settle(void)
{
    if (td_state.dead) {
        TD_RT(LIMIT) = address(td_tp());
        return;
    }
    publish();
    TD_RT(LIMIT) = address(td_tp()) + span();
}

static void wrap(void)
{
    td_state.round += TD_RING_SLOTS;
    td_set_tp(td_ring);
}

/* Fills `slots` slots with nothing, up to the ring's or a block's end. */
static void pad(uint32_t slots)
{
    volatile uint32_t *at = td_tp();
    for (uint32_t i = 0; i < slots; i++, at += 2) {
        at[1] = 0;
        at[0] = TD_TAG_HEAD | TD_PACKET_PAD << TD_HEAD_TYPE_SHIFT;
    }
    td_set_tp(at);
}

/* Off: nobody reads, so the ring is used again and again. */
static void room_off(uint32_t slots)
{
    if (offset() + slots * TD_SLOT_BYTES > RING_BYTES)
        wrap();
}

/* Is this slot the begin of a zone that is still open? Then its end will be a whole ZONE packet. */
static bool begin_of_open(uint32_t slot)
{
    for (struct td_main_zone *z = td_state.open; z; z = z->outer)
        if (z->written && z->slot == slot) {
            z->written = 0;
            return true;
        }
    return false;
}

/* Gives up the block at tp: counts what is in it and clears it. An END is counted with its BEGIN. */
static void recycle(void)
{
    uint32_t zones = 0, other = 0, position = td_lane_position() - TD_RING_SLOTS;
    volatile uint32_t *slot = td_tp();
    for (uint32_t i = 0; i < TD_BLOCK_SLOTS; i++, slot += 2) {
        uint32_t head = slot[0];
        slot[0] = slot[1] = 0;
        if (!(head & TD_SLOT_VALID) || (head & TD_TAG_MASK) == TD_TAG_CONT)
            continue;
        uint32_t type = head >> TD_HEAD_TYPE_SHIFT & TD_HEAD_TYPE_MASK;
        if ((head & TD_TAG_MASK) != TD_TAG_HEAD || type == TD_PACKET_ZONE)
            zones++;
        else if (type == TD_PACKET_BEGIN)
            zones += !begin_of_open(position + i);
        else if (type != TD_PACKET_TIME && type != TD_PACKET_OP && type != TD_PACKET_IMAGE &&
                 type != TD_PACKET_PAD && type != TD_PACKET_END)
            other++;
    }
    TD_LANE(lost_zones) += zones;
    TD_LANE(lost_other) += other;
}

static void image_words(uint32_t word[4])
{
    const uint32_t *id = (const uint32_t *)(td_build_id_note + 16);
    word[0] = TD_TAG_HEAD | TD_PACKET_IMAGE << TD_HEAD_TYPE_SHIFT | TD_DEVICE_PROTO_VERSION;
    word[1] = id[0];
    word[2] = TD_TAG_CONT;
    word[3] = id[1];
}

/* Writes slots, the first one last, so that a consumer sees all or nothing. */
static void put(const uint32_t *word, uint32_t slots)
{
    volatile uint32_t *at = td_tp();
    for (uint32_t i = slots; i-- > 0;) {
        at[2 * i + 1] = word[2 * i + 1];
        at[2 * i] = word[2 * i];
    }
    td_set_tp(at + 2 * slots);
}

static void put_head(enum td_packet type, uint32_t second)
{
    const uint32_t word[2] = {TD_TAG_HEAD | (uint32_t)type << TD_HEAD_TYPE_SHIFT, second};
    put(word, 1);
}

static void put_image(void)
{
    uint32_t word[4];
    image_words(word);
    put(word, 2);
    td_state.image_written = true;
}

static void put_op(void)
{
    put_head(TD_PACKET_OP, td_state.op);
    td_state.written_op = td_state.op;
}

static void put_time(uint32_t high)
{
    put_head(TD_PACKET_TIME, high);
    TD_RT(HIGH) = TD_LANE(time_high) = high;
}

/* Overwrite: the next block is given up and begins with all that its packets need to be understood alone. */
static void room_overwrite(uint32_t slots)
{
    uint32_t at = offset() % BLOCK_BYTES;
    uint32_t left = at ? (BLOCK_BYTES - at) / TD_SLOT_BYTES : 0;
    if (slots <= left)
        return;
    pad(left);
    if (offset() == RING_BYTES)
        wrap();
    recycle();
    put_image();
    put_time(TD_RT(HIGH));
    put_op();
}

/* Block: waits until a quarter of the ring is free, so that a slow consumer makes few long waits instead of
 * many short ones. */
static void wait_for_room(uint32_t slots)
{
    uint32_t enough = TD_RING_SLOTS / 4 > slots ? TD_RING_SLOTS / 4 : slots;
    if (!td_state.stalled)
        td_state.stall_ticks = td_clock64();
    td_state.stalled = true;
    TD_LANE(stalls)++;
    publish();
    do {
        wait_a_little();
        read_head();
        if (TD_LANE(policy) == TD_POLICY_OFF || td_tile_ctrl[TD_TILE_agent / 4] == 0) {
            td_state.policy = TD_POLICY_OFF;
            td_state.stalled = false;
        }
    } while (free_slots() < enough && td_state.policy == TD_POLICY_BLOCK);
}

static bool room_shared(uint32_t slots, uint32_t keep)
{
    while (td_state.policy != TD_POLICY_OFF) {
        if (offset() == RING_BYTES)
            wrap();
        uint32_t left = (RING_BYTES - offset()) / TD_SLOT_BYTES;
        uint32_t gap = slots > left ? left : 0;
        if (free_slots() < slots + gap + keep)
            read_head();
        if (free_slots() >= slots + gap + keep) {
            pad(gap);
            if (gap)
                wrap();
            return true;
        }
        if (td_state.policy == TD_POLICY_DROP && TD_LANE(policy) != TD_POLICY_OFF)
            return false;
        if (td_state.policy == TD_POLICY_DROP)
            td_state.policy = TD_POLICY_OFF;
        else
            wait_for_room(slots + gap + keep);
    }
    room_off(slots);
    return true;
}

bool td_lane_room(uint32_t slots, uint32_t keep)
{
    if (td_state.policy == TD_POLICY_OVERWRITE)
        room_overwrite(slots);
    else
        return room_shared(slots, keep);
    return true;
}

static void count_lost(const struct td_packet_words *p)
{
    uint64_t ticks = (uint64_t)p->high << 32 | p->word[1];
    if (!(td_state.untold_zones | td_state.untold_other))
        td_state.lost_from_ticks = ticks;
    td_state.lost_to_ticks = ticks;
    if (p->is_zone) {
        td_state.untold_zones++;
        TD_LANE(lost_zones)++;
    } else {
        td_state.untold_other++;
        TD_LANE(lost_other)++;
    }
}

bool td_lane_drop_zone(uint64_t end_ticks)
{
    if (!untold() || TD_LANE(head) != td_state.head || td_state.mute)
        return false;
    td_state.lost_to_ticks = end_ticks;
    td_state.untold_zones++;
    TD_LANE(lost_zones)++;
    return true;
}

static void put_lost(void)
{
    uint64_t to = td_state.lost_to_ticks;
    uint32_t room[8];
    struct td_packet_words p;
    td_packet_begin(&p, room, TD_PACKET_LOST, 0, to);
    td_packet_add(&p, to - td_state.lost_from_ticks);
    td_packet_add(&p, td_state.untold_zones);
    td_packet_add(&p, td_state.untold_other);
    if (p.high != TD_RT(HIGH))
        put_time(p.high);
    put(p.word, p.slots);
    TD_LANE(told_zones) += td_state.untold_zones;
    TD_LANE(told_other) += td_state.untold_other;
    td_state.untold_zones = td_state.untold_other = 0;
}

static void put_stall(void)
{
    uint64_t now = td_clock64();
    uint32_t room[4];
    struct td_packet_words p;
    td_packet_begin(&p, room, TD_PACKET_STALL, 0, now);
    td_packet_add(&p, now - td_state.stall_ticks);
    if (p.high != TD_RT(HIGH))
        put_time(p.high);
    put(p.word, p.slots);
    td_state.stalled = false;
}

/* Sticky packets and a LOST packet that have to stand before the next one. */
#define PREFIX_SLOTS 9 /* IMAGE 2, TIME 1, OP 1, LOST 4 and its TIME */
#define STALL_SLOTS  3 /* with a TIME */

static uint32_t prefix_slots(const struct td_packet_words *p, bool tell)
{
    if (tell || !td_state.image_written)
        return PREFIX_SLOTS;
    return (p->high != TD_RT(HIGH)) + (td_state.op != td_state.written_op);
}

/* Room for the packet and what goes before and behind it, in one piece. */
static bool room_for(const struct td_packet_words *p, uint32_t keep, bool tell)
{
    uint32_t slots = p->slots + prefix_slots(p, tell);
    if (td_state.policy == TD_POLICY_BLOCK)
        slots += STALL_SLOTS;
    return td_lane_room(slots, keep);
}

static void write_all(const struct td_packet_words *p, bool tell)
{
    if (!td_state.image_written)
        put_image();
    if (tell)
        put_lost();
    if (p->high != TD_RT(HIGH))
        put_time(p->high);
    if (td_state.op != td_state.written_op)
        put_op();
    td_state.last_head = td_lane_position();
    put(p->word, p->slots);
    if (td_state.stalled)
        put_stall();
    td_lane_settle();
}

bool td_packet_try(struct td_packet_words *p, uint32_t keep)
{
    if (td_state.mute || td_state.dead)
        return false;
    bool tell = untold();
    /* After a loss there shall be room for more than one packet before the next one is kept. */
    uint32_t spare = tell && keep ? TD_RING_SLOTS / 8 : 0;
    bool fits = room_for(p, keep + spare, tell);
    if (fits)
        write_all(p, tell && untold());
    return fits;
}

bool td_packet_write(struct td_packet_words *p, uint32_t keep)
{
    if (td_packet_try(p, keep))
        return true;
    if (!td_state.mute && !td_state.dead)
        count_lost(p);
    td_lane_settle();
    return false;
}

bool td_packet_write_reserved(struct td_packet_words *p, uint32_t keep)
{
    if (td_state.dead)
        return false;
    bool tell = untold();
    if (room_for(p, keep, tell)) {
        write_all(p, tell && untold());
        return true;
    }
    if (!room_for(p, 0, false))
        return false;
    /* The LOST packet has to follow later, and packets stand in the order of their ends. */
    td_state.lost_to_ticks = (uint64_t)p->high << 32 | p->word[1];
    write_all(p, false);
    return true;
}

void td_packet_begin(struct td_packet_words *p, uint32_t *room, enum td_packet type, uint32_t id,
                     uint64_t ticks)
{
    p->word = room;
    p->slots = 1;
    p->is_zone = type == TD_PACKET_ZONE;
    p->high = (uint32_t)(ticks >> 32);
    room[0] = TD_TAG_HEAD | (uint32_t)type << TD_HEAD_TYPE_SHIFT | (id & TD_HEAD_ID_MASK);
    room[1] = (uint32_t)ticks;
}

void td_packet_add(struct td_packet_words *p, uint64_t v48)
{
    if (v48 >> 48)
        v48 = ((uint64_t)1 << 48) - 1;
    uint32_t *slot = p->word + 2 * p->slots;
    slot[0] = TD_TAG_CONT | (uint32_t)(v48 >> 32);
    slot[1] = (uint32_t)v48;
    /* Each earlier continuation has one more behind it now. */
    for (uint32_t *s = p->word + 2; s < slot; s += 2)
        s[0] += 1u << TD_CONT_LEFT_SHIFT;
    p->slots++;
}

void td_lane_open(void)
{
    td_state = (struct td_lane_state){.policy = TD_LANE(policy), .op = TD_LANE(op)};
    td_state.written_op = ~td_state.op;
    td_state.dead = td_tile_ctrl[TD_TILE_magic / 4] != TD_LANE_MAGIC ||
                    td_tile_ctrl[TD_TILE_version / 4] != TD_DEVICE_PROTO_VERSION ||
                    td_tile_ctrl[TD_TILE_ring_slots / 4] != TD_RING_SLOTS;
    read_head();
    uint32_t tail = TD_LANE(tail), head = td_state.head;
    bool shared = td_state.policy == TD_POLICY_BLOCK || td_state.policy == TD_POLICY_DROP;
    if (shared && (int32_t)(tail - head) < 0)
        tail = head;
    /* The tail of a launch that ended by a fault is a hint: what stands behind it was not taken yet. */
    while (shared && tail - head < TD_RING_SLOTS && td_ring[tail % TD_RING_SLOTS * 2] & TD_SLOT_VALID)
        tail++;
    td_state.round = tail - tail % TD_RING_SLOTS;
    td_set_tp(td_ring + tail % TD_RING_SLOTS * 2);
    if (td_state.policy == TD_POLICY_DROP) {
        td_state.untold_zones = TD_LANE(lost_zones) - TD_LANE(told_zones);
        td_state.untold_other = TD_LANE(lost_other) - TD_LANE(told_other);
    }
    uint64_t now = td_clock64();
    td_state.lost_from_ticks = td_state.lost_to_ticks = now;
    TD_RT(HIGH) = (uint32_t)(now >> 32) - 1; /* no TIME packet of this launch yet */
    td_lane_settle();
}
