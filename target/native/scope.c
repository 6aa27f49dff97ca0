/* Zones of native cores; on a real core this code is inlined into the kernel. */
#include "target/src/lane.h"

void td_zone_slow_c(uint32_t end, uint32_t ticks, uint32_t site, uint32_t start_high);

/* As the inlined code of a core's zone (tendril/zone.h), with one clock read for both halves. */
struct td_scope td_scope_open(void)
{
    uint64_t now = td_native_clock();
    return (struct td_scope){(uint32_t)now, (uint32_t)(now >> 32), TD_RT(HIGH)};
}

void td_scope_close(const struct td_scope *z, uint32_t id)
{
    uint64_t now = td_native_clock();
    uint32_t end = (uint32_t)now, ticks = end - z->start;
    volatile uint32_t *at = td_tp();
    if ((uint32_t)(now >> 32) != z->high || ticks > TD_SHORT_DUR_MASK ||
        (uint32_t)(uintptr_t)at == TD_RT(LIMIT)) {
        td_zone_slow_c(end, ticks, id, z->start_high);
        return;
    }
    at[1] = end;
    at[0] = ticks | id;
    td_set_tp(at + 2);
}
