/* A kernel whose markers go into a ring as those of tt-metal's streaming device profiler (proto/tt/stream_ring.h), on any of
 * the five cores of a tile.
 *
 *   argument 0: host id of the launch; 1: zones, "inner" in "outer"; 2: values
 *
 * The ELF names its zones as tt-metal's do. */
#include "proto/tt/stream_ring.h"
#include "tests/agent/tt/tt_place.h"

#include <tendril/tendril.h>

#include <stdint.h>

enum {
    CLOCK_LOW = -0x4EDE10,
    CLOCK_HIGH = -0x4EDE0C,
    RESERVE = 4,
    USABLE = TD_TT_RING_WORDS - RESERVE,
    BATCH = 16
};
enum { MAIN = TT_CORE << 14 | 1, OUTER, INNER, VALUE, EVENT };

#define NAME(id, name, line)                                                                                 \
    __asm__(".pushsection ." TD_TT_ZONE_TEXTS ",\"MS\",@progbits,1\n"                                        \
            ".Lname" #id ": .asciz \"" name "\"\n.Lfile" #id ": .asciz \"tt_ring_marks.c\"\n.popsection\n"   \
            ".pushsection ." TD_TT_ZONE_RECORDS ",\"R\",@progbits\n"                                         \
            ".long " TEXT(TT_CORE) " << 14 | " #id ", .Lname" #id ", .Lfile" #id ", " #line "\n.popsection")
#define TEXT(x)  TEXT_(x)
#define TEXT_(x) #x
NAME(1, TT_NAME "-KERNEL", 2);
NAME(2, "outer", 10);
NAME(3, "inner", 11);
NAME(4, "value", 12);
NAME(5, "event", 13);

struct ticks {
    uint32_t high, low;
};

static uint32_t next, high_before = UINT32_MAX;
static struct ticks cursor = {UINT32_MAX, 0};

static volatile uint32_t *control(uint32_t index)
{
    return (volatile uint32_t *)(uintptr_t)(TT_RING_CONTROL + 4 * (index + TT_CORE));
}

static volatile uint32_t *is_armed(void)
{
    return (volatile uint32_t *)(uintptr_t)(TT_RING_CONTROL + 4 * TD_TT_RING_ARMED);
}

static struct ticks now(void)
{
    const uint32_t high = *(volatile uint32_t *)(uintptr_t)(uint32_t)CLOCK_HIGH,
                   low = *(volatile uint32_t *)(uintptr_t)(uint32_t)CLOCK_LOW;
    return (struct ticks){high, low};
}

static void publish(void)
{
    *control(TD_TT_RING_TAIL) = next;
}

static void put(uint32_t word)
{
    volatile uint32_t *ring =
        (volatile uint32_t *)(uintptr_t)(TT_RING_CONTROL +
                                         4 * (TD_TT_RING_CONTROL_WORDS + TD_TT_RING_WORDS * TT_CORE));
    ring[next++ % TD_TT_RING_WORDS] = word;
}

static void put_first(uint32_t kind, uint32_t value)
{
    put(kind << TD_TT_RING_VALUE_BITS | value);
}

static void put_high(uint32_t high)
{
    if (high == high_before)
        return;
    put_first(TD_TT_RING_CLOCK_HIGH, high);
    high_before = high;
    cursor.high = UINT32_MAX;
}

static void put_zone(uint32_t id, struct ticks begin, struct ticks end)
{
    put_high(end.high);
    put_first(TD_TT_RING_ZONE, id);
    put(end.low);
    put(end.low - begin.low);
    cursor = end;
}

/* Waits if a relay serves the tile; else old words are written over. */
static void need(uint32_t words)
{
    if (next - *control(TD_TT_RING_HEAD) <= USABLE - words || !*is_armed())
        return;
    const struct ticks begin = now();
    *control(TD_TT_RING_STALLS) += 1;
    publish();
    while (next - *control(TD_TT_RING_HEAD) > USABLE - words - RESERVE && *is_armed())
        ;
    put_zone(TD_TT_RING_STALL_27, begin, now());
    publish();
}

static void publish_after(uint32_t words)
{
    if (next / BATCH != (next - words) / BATCH)
        publish();
}

static void end_zone(uint32_t id, struct ticks begin)
{
    need(RESERVE);
    const struct ticks end = now();
    const uint32_t ticks = end.low - begin.low, from_cursor = end.low - cursor.low;
    if (end.high == cursor.high && ticks < 0x10000 && from_cursor < 0x10000) {
        put_first(TD_TT_RING_ZONE_S, id);
        put(from_cursor << 16 | ticks);
        cursor = end;
        publish_after(2);
    } else {
        put_zone(id, begin, end);
        publish_after(RESERVE);
    }
}

static void put_values(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        need(6);
        const struct ticks at = now();
        put_high(at.high);
        put_first(TD_TT_RING_DATA, VALUE);
        put(at.low);
        put(2u << TD_TT_RING_COUNT_BIT);
        put(0x80000001);
        put(i);
        publish_after(6);
    }
    need(3);
    const struct ticks at = now();
    put_high(at.high);
    put_first(TD_TT_RING_EVENT, EVENT);
    put(at.low);
    publish_after(3);
}

int main(void)
{
    next = *control(TD_TT_RING_TAIL);
    need(1);
    put_first(TD_TT_RING_HOST_ID, td_arg_at(0));
    publish();
    const struct ticks begin = now();
    for (uint32_t i = 0; i + 1 < td_arg_at(1); i += 2) {
        const struct ticks outer = now(), inner = now();
        end_zone(INNER, inner);
        end_zone(OUTER, outer);
    }
    put_values(td_arg_at(2));
    end_zone(MAIN, begin);
    publish();
    return 0;
}
