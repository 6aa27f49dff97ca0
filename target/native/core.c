/* What the runtime and the markers ask of the core that the thread is: its clock, its sites, its lane. */
#include "target/src/lane.h"

#include <string.h>

#define NO_SITE 0xbff /* nothing has so high a number: shown as an unknown site */

_Thread_local struct td_native_places *td_native_places;

void td_zone_slow_c(uint32_t end, uint32_t ticks, uint32_t site, uint32_t start_high);

uint64_t td_clock64(void)
{
    struct td_native_core *core = td_native_core();
    return core->config.clock(core->config.self);
}

void td_native_pause(void)
{
    struct td_native_core *core = td_native_core();
    if (core->config.pause)
        core->config.pause(core->config.self);
}

uint32_t td_arg(void)
{
    return TD_RT(ARG);
}

static int is_name(const struct td_native_site *site, const char *name)
{
    return site->name && name ? strcmp(site->name, name) == 0 : site->name == name;
}

uint32_t td_native_site(const char *name)
{
    struct td_native_core *core = td_native_core();
    const struct td_native_config *c = &core->config;
    for (size_t i = 0; i < c->site_count; i++)
        if ((name && core->literals[i] == name) || is_name(&c->sites[i], name)) {
            core->literals[i] = name;
            return TD_ID_BASE | c->sites[i].id << TD_SHORT_ID_SHIFT;
        }
    return TD_ID_BASE | NO_SITE << TD_SHORT_ID_SHIFT;
}

/* As the inlined code of a core's zone (tendril/zone.h), with one clock read for both halves. */
struct td_zone td_scope_open(void)
{
    uint64_t now = td_clock64();
    return (struct td_zone){(uint32_t)now, (uint32_t)(now >> 32), TD_RT(HIGH)};
}

void td_scope_close(const struct td_zone *z, uint32_t id)
{
    uint64_t now = td_clock64();
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
