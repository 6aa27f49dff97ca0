/* What the runtime and the markers ask of the core that the thread is. */
#include "target/src/lane.h"

#include <stdbool.h>
#include <string.h>

#define NO_SITE 0xbff /* nothing has so high a number: shown as an unknown site */

_Thread_local struct td_native_places *td_native_places;

uint64_t td_clock64(void)
{
    return td_native_clock();
}

void td_native_pause(void)
{
    struct td_native_core *core = td_native_current_core();
    if (core->config.pause)
        core->config.pause(core->config.self);
}

uint32_t td_arg(void)
{
    return TD_RT(ARG);
}

static bool is_name(const struct td_native_site *site, const char *name)
{
    return site->name && name ? strcmp(site->name, name) == 0 : site->name == name;
}

uint32_t td_native_find_site(const char *name)
{
    struct td_native_core *core = td_native_current_core();
    const struct td_native_config *c = &core->config;
    for (size_t i = 0; i < c->site_count; i++)
        if ((name && core->literals[i] == name) || is_name(&c->sites[i], name)) {
            core->literals[i] = name;
            return TD_ID_BASE | c->sites[i].id << TD_SHORT_ID_SHIFT;
        }
    return TD_ID_BASE | NO_SITE << TD_SHORT_ID_SHIFT;
}
