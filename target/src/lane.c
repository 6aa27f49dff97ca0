#include "target/src/ring.h"

#ifdef TD_NATIVE
#define wait_a_little() td_native_pause()
#else
#define wait_a_little() ((void)0)
struct td_lane_state td_state;
uint32_t td_packet_room[2 * TD_MAX_PACKET_SLOTS];
#endif

#define SELDOM __attribute__((noinline)) /* others need fewer registers */
/* What `drop` keeps free for the launch's end: LOST, EXIT, sticky packets, and a gap at the ring's end. */
#define DROP_KEEP 32

uint32_t td_lane_position(void)
{
    return td_state.round + offset() / TD_SLOT_BYTES;
}

uint32_t td_keep(void)
{
    return td_state.policy == TD_POLICY_DROP ? DROP_KEEP + td_state.reserved : 0;
}

static uint32_t free_at(uint32_t position)
{
    uint32_t used = position - td_state.head;
    return used < TD_RING_SLOTS ? TD_RING_SLOTS - used : 0;
}

static uint32_t free_slots(void)
{
    return free_at(td_lane_position());
}

/* Only a head between the last one and the core's own place can be the consumer's: a kernel may have written
 * over it. */
static void read_head(uint32_t position)
{
    td_fence();
    uint32_t head = TD_LANE(head);
    if (head - td_state.head <= position - td_state.head)
        td_state.head = head;
}

static bool more_room(uint32_t slots)
{
    const uint32_t position = td_lane_position();
    read_head(position);
    return free_at(position) >= slots;
}

/* A LOST packet has to come before anything else. */
static bool untold(void)
{
    return td_state.untold && td_state.policy == TD_POLICY_DROP;
}

/* Without the ring's last slot: only a call writes that, and then begins the next round. So while the kernel
 * runs, tp is never the end of the ring, which is the begin of another core's: the end of a stamped zone
 * says by tp which core it is of (proto/device/stamp.h). */
static uint32_t but_last_slot(uint32_t at, uint32_t bytes)
{
    return at + bytes == RING_BYTES ? bytes - TD_SLOT_BYTES : bytes;
}

/* Bytes that zones may write from tp on without a call. */
static uint32_t span(uint32_t position)
{
    uint32_t at = offset(), quarter = RING_BYTES / 4;
    if (td_state.mute || untold())
        return 0;
    if (td_state.policy == TD_POLICY_OVERWRITE) /* a block's border: the next one is not ready */
        return at % BLOCK_BYTES ? but_last_slot(at, BLOCK_BYTES - at % BLOCK_BYTES) : 0;
    uint32_t bytes = but_last_slot(at, quarter - (at & (quarter - 1)));
    if (td_state.policy == TD_POLICY_OFF)
        return bytes;
    uint32_t keep = td_keep(), room = free_at(position);
    if (room < quarter / TD_SLOT_BYTES + keep) {
        read_head(position);
        room = free_at(position);
    }
    return min(bytes, room > keep ? (room - keep) * TD_SLOT_BYTES : 0);
}

void td_lane_settle(void)
{
    if (td_state.dead) {
        TD_RT(LIMIT) = address(td_tp());
        return;
    }
    if (offset() == RING_BYTES)
        wrap();
    const uint32_t position = td_lane_position();
    TD_LANE(calls)++;
    publish(position);
    TD_RT(LIMIT) = address(td_tp()) + span(position);
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

/* Off: there is no reader, so the ring is simply reused. */
static void room_off(uint32_t slots)
{
    if (offset() + slots * TD_SLOT_BYTES > RING_BYTES)
        wrap();
}

/* No slot is valid any more. */
static void clear_block(volatile uint32_t *slot)
{
    for (volatile uint32_t *end = slot + 2 * TD_BLOCK_SLOTS; slot != end; slot += 8)
        slot[0] = slot[2] = slot[4] = slot[6] = 0;
}

/* The first slots of most blocks, which put_context() has written. */
#define CONTEXT_SLOTS 4

static bool has_context(const volatile uint32_t *slot)
{
    return slot[0] >> TD_HEAD_TYPE_SHIFT == (TD_TAG_HEAD >> TD_HEAD_TYPE_SHIFT | TD_PACKET_IMAGE) &&
           slot[2] == TD_TAG_CONT && slot[4] == (TD_TAG_HEAD | TD_PACKET_TIME << TD_HEAD_TYPE_SHIFT) &&
           slot[6] == (TD_TAG_HEAD | TD_PACKET_OP << TD_HEAD_TYPE_SHIFT);
}

/* Slots at the begin of the block at tp that hold nothing, because the recording began after them; all of them if a
 * launch was stopped when it had given up the block and not yet written into it. */
static uint32_t empty_slots(uint32_t given)
{
    const uint32_t empty = td_state.told_other - (given - TD_BLOCK_SLOTS);
    if (TD_LANE(given) == given)
        return TD_BLOCK_SLOTS;
    return empty >> 31 ? 0 : min(empty, TD_BLOCK_SLOTS);
}

/* The last slot of the packet that begins at `slot`: its continuations count down to 0. */
static inline const volatile uint32_t *last_slot(const volatile uint32_t *slot, const volatile uint32_t *end)
{
    if (slot + 2 == end || slot[2] < TD_TAG_CONT)
        return slot;
    uint32_t left = slot[2] >> TD_CONT_LEFT_SHIFT;
    for (; slot + 2 != end && slot[2] >> TD_CONT_LEFT_SHIFT == left; left--)
        slot += 2;
    td_state.told_zones += left != (TD_TAG_CONT >> TD_CONT_LEFT_SHIFT) - 1;
    return slot;
}

/* Gives up the block at tp: counts its packets, and slots that no marker has written, and clears it. */
static void recycle(void)
{
    const uint32_t given = td_lane_position() - TD_RING_SLOTS + TD_BLOCK_SLOTS;
    const volatile uint32_t *slot = td_tp(), *end = slot + 2 * TD_BLOCK_SLOTS;
    slot += 2 * empty_slots(given);
    if (slot == td_tp() && has_context(slot))
        slot += 2 * CONTEXT_SLOTS;
    uint32_t zones = (uint32_t)(end - slot) / 2, other = 0; /* most slots are short zones */
    for (; slot != end; slot += 2) {
        const uint32_t head = slot[0], type = head >> TD_HEAD_TYPE_SHIFT & TD_HEAD_TYPE_MASK;
        if (TD_IS_SHORT_ZONE(head))
            continue;
        zones--;
        if (head < TD_SLOT_VALID || head >= TD_TAG_CONT || type >= TD_PACKET_STAMPED) {
            td_state.told_zones++;
            continue;
        }
        if (td_packet_counts_as(type, TD_COUNTS_ZONE))
            zones++;
        else if (!td_packet_counts_as(type, TD_COUNTS_NOTHING))
            other++;
        const volatile uint32_t *last = last_slot(slot, end);
        zones -= (uint32_t)(last - slot) / 2;
        slot = last;
    }
    TD_LANE(given) = given | TD_GIVEN_BUSY;
    td_fence();
    TD_LANE(lost_zones) = td_state.lost_zones += zones;
    if (other)
        TD_LANE(lost_other) = td_state.lost_other += other;
    TD_LANE(told_zones) = given_check(given);
    clear_block(td_tp());
    td_fence();
    TD_LANE(given) = given;
}

static void image_words(uint32_t word[TD_PACKET_WORDS_IMAGE])
{
    const uint32_t *id = td_image_id();
    word[0] = TD_TAG_HEAD | TD_PACKET_IMAGE << TD_HEAD_TYPE_SHIFT | TD_DEVICE_PROTO_VERSION |
              TD_IS_STAMPED * TD_IMAGE_IS_STAMPED;
    word[1] = id[0];
    word[2] = TD_TAG_CONT;
    word[3] = id[1];
}

/* Writes slots, the first one last, so that a consumer sees all or nothing. */
static void put_slots(const uint32_t *word, uint32_t slots)
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
    put_slots(word, 1);
}

static void put_image(void)
{
    uint32_t word[TD_PACKET_WORDS_IMAGE];
    image_words(word);
    put_slots(word, 2);
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

/* IMAGE, TIME, OP. */
static void put_context(void)
{
    volatile uint32_t *at = td_tp();
    uint32_t image[TD_PACKET_WORDS_IMAGE];
    image_words(image);
    for (uint32_t i = TD_PACKET_WORDS_IMAGE; i-- > 0;)
        at[i] = image[i];
    at[5] = TD_RT(HIGH);
    at[4] = TD_TAG_HEAD | TD_PACKET_TIME << TD_HEAD_TYPE_SHIFT;
    at[7] = td_state.written_op = td_state.op;
    at[6] = TD_TAG_HEAD | TD_PACKET_OP << TD_HEAD_TYPE_SHIFT;
    td_state.image_written = true;
    td_set_tp(at + 8);
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
    put_context();
}

/* Writes `given` anew, and returns the check of the counts. A launch that was stopped may have given up the block at tp,
 * too. */
static uint32_t rewrite_given(void)
{
    const uint32_t position = td_lane_position();
    const uint32_t given = (position + TD_BLOCK_SLOTS - 1) / TD_BLOCK_SLOTS * TD_BLOCK_SLOTS - TD_RING_SLOTS;
    if (position % TD_BLOCK_SLOTS || TD_LANE(given) != given + TD_BLOCK_SLOTS)
        TD_LANE(given) = given;
    return given_check(TD_LANE(given));
}

void td_lane_rewrite(void)
{
    if (td_state.dead)
        return;
    publish_lost();
    TD_LANE(told_zones) = td_state.policy == TD_POLICY_OVERWRITE ? rewrite_given() : td_state.told_zones;
    TD_LANE(told_other) = td_state.told_other;
    TD_LANE(skipped) = td_state.skipped;
    TD_LANE(time_high) = TD_RT(HIGH);
    td_fence();
    TD_LANE(joined) = td_state.joined;
}

/* The core leaves the recording. The consumer has to know before anything in the ring changes. */
SELDOM void td_lane_leave(void)
{
    TD_LANE(joined) = td_state.joined |= TD_JOIN_LEFT;
    td_fence();
    td_state.policy = TD_POLICY_OFF;
    td_state.stalled = false;
}

/* A policy that there is not has been written over, and `join` next to it may have been: the agent writes both
 * again. */
static bool is_left_alone(void)
{
    const uint32_t policy = TD_LANE(policy);
    return policy == TD_POLICY_OFF || (policy <= TD_POLICY_OVERWRITE && TD_LANE(join) != td_state.joined);
}

/* Not if a kernel has cleared all of the header: the agent writes `agent` again, then the rest. It may do so
 * between two of these reads. */
static bool is_disarmed(void)
{
    return td_tile_ctrl[TD_TILE_agent / 4] == 0 && td_tile_ctrl[TD_TILE_magic / 4] == TD_LANE_MAGIC &&
           td_tile_ctrl[TD_TILE_agent / 4] == 0;
}

/* A kernel wrote over the ring and the consumer took those bytes as slots, so its head is ahead of the core:
 * the core continues at the head. */
static SELDOM bool catch_up(void)
{
    const uint32_t head = TD_LANE(head);
    if (head - td_lane_position() - 1 >= TD_RING_SLOTS)
        return false;
    clear_slots(head, head + TD_RING_SLOTS);
    go_to(head);
    td_state.head = head;
    publish(td_lane_position());
    return true;
}

/* Block: waits until a quarter of the ring is free, so that a slow consumer makes few long waits instead of
 * many short ones. */
static SELDOM void wait_for_room(uint32_t slots)
{
    uint32_t enough = TD_RING_SLOTS / 4 > slots ? TD_RING_SLOTS / 4 : slots;
    if (!td_state.stalled)
        td_state.stall_ticks = td_clock64();
    td_state.stalled = true;
    TD_LANE(stalls)++;
    td_lane_rewrite();
    publish(td_lane_position());
    do {
        wait_a_little();
        read_head(td_lane_position());
        if (is_left_alone() || is_disarmed())
            td_lane_leave();
    } while (!catch_up() && free_slots() < enough && td_state.policy == TD_POLICY_BLOCK);
}

static bool room_shared(uint32_t slots, uint32_t keep)
{
    while (td_state.policy != TD_POLICY_OFF) {
        if (offset() == RING_BYTES)
            wrap();
        uint32_t left = (RING_BYTES - offset()) / TD_SLOT_BYTES;
        uint32_t gap = slots > left ? left : 0, wanted = slots + gap + keep;
        if (free_slots() >= wanted || more_room(wanted)) {
            if (gap) {
                pad(gap);
                wrap();
            }
            return true;
        }
        if (td_state.policy == TD_POLICY_BLOCK)
            wait_for_room(wanted);
        else if (is_left_alone())
            td_lane_leave();
        else if (!catch_up())
            return false;
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
    if (!td_state.untold)
        td_state.lost_from_ticks = ticks;
    td_state.untold = true;
    td_state.lost_to_ticks = ticks;
    if (p->is_zone)
        td_state.lost_zones++;
    else
        td_state.lost_other++;
    publish_lost();
}

bool td_lane_drop_zone(uint64_t end_ticks)
{
    if (!untold() || TD_LANE(head) != td_state.head || td_state.mute)
        return false;
    td_state.lost_to_ticks = end_ticks;
    TD_LANE(lost_zones) = ++td_state.lost_zones;
    TD_LANE(given) = TD_LOST_CHECK(td_state.lost_zones, td_state.lost_other);
    return true;
}

static void put_lost(void)
{
    uint64_t to = td_state.lost_to_ticks;
    uint32_t room[TD_PACKET_WORDS_LOST];
    struct td_packet_words p;
    td_packet_begin(&p, room, TD_PACKET_LOST, 0, to);
    td_packet_add(&p, to - td_state.lost_from_ticks);
    td_packet_add(&p, td_state.lost_zones - td_state.told_zones);
    td_packet_add(&p, td_state.lost_other - td_state.told_other);
    if (p.high != TD_RT(HIGH))
        put_time(p.high);
    put_slots(p.word, p.slots);
    TD_LANE(told_zones) = td_state.told_zones = td_state.lost_zones;
    TD_LANE(told_other) = td_state.told_other = td_state.lost_other;
    td_state.untold = false;
}

static void put_stall(void)
{
    uint64_t now = td_clock64();
    uint32_t room[TD_PACKET_WORDS_STALL];
    struct td_packet_words p;
    td_packet_begin(&p, room, TD_PACKET_STALL, 0, now);
    td_packet_add(&p, now - td_state.stall_ticks);
    if (p.high != TD_RT(HIGH))
        put_time(p.high);
    put_slots(p.word, p.slots);
    td_state.stalled = false;
}

/* Sticky packets and a LOST packet that have to precede the next one. */
#define PREFIX_SLOTS 9 /* IMAGE 2, TIME 1, OP 1, LOST 4 and its TIME */
#define STALL_SLOTS  3 /* with a TIME */

static uint32_t prefix_slots(const struct td_packet_words *p, bool tell)
{
    if (tell || !td_state.image_written)
        return PREFIX_SLOTS;
    return (p->high != TD_RT(HIGH)) + (td_state.op != td_state.written_op);
}

/* Room for the packet and for those written before and after it, in one piece. */
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
    put_slots(p->word, p->slots);
    if (td_state.stalled)
        put_stall();
    td_lane_settle();
}

bool td_packet_try(struct td_packet_words *p, uint32_t keep)
{
    if (td_state.mute || td_state.dead)
        return false;
    bool tell = untold();
    /* After a loss there should be room for more than one packet before the next one is kept. */
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
    /* The LOST packet has to follow later, and packets are in the order of their ends. */
    td_state.lost_to_ticks = (uint64_t)p->high << 32 | p->word[1];
    write_all(p, false);
    return true;
}

void td_packet_begin(struct td_packet_words *p, uint32_t *room, enum td_packet type, uint32_t id,
                     uint64_t ticks)
{
    p->word = room;
    p->slots = 1;
    p->is_zone = td_packet_counts_as(type, TD_COUNTS_ZONE);
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
    /* Each earlier continuation now has one more after it. */
    for (uint32_t *s = p->word + 2; s < slot; s += 2)
        s[0] += 1u << TD_CONT_LEFT_SHIFT;
    p->slots++;
}
