#include "target/native/native.h"

#include "target/src/lane.h"
#include "target/src/launch_words.h"

#include <stdlib.h>
#include <string.h>

struct td_native_core *td_native_create(const struct td_native_config *config)
{
    struct td_native_core *core = calloc(1, sizeof *core + config->site_count * sizeof *core->literals);
    if (!core)
        return NULL;
    core->config = *config;
    core->places.tile_ctrl = config->tile_ctrl;
    core->places.lane = config->lane;
    core->places.ring = config->ring;
    core->places.ring_slots = config->ring_slots;
    memcpy(core->places.build_id_note + 16, &config->build_id, sizeof config->build_id);
    return core;
}

void td_native_destroy(struct td_native_core *core)
{
    free(core);
}

void td_native_enter(struct td_native_core *core)
{
    td_native_places = &core->places;
}

void td_native_begin(struct td_native_core *core)
{
    td_native_enter(core);
    memset(&core->state, 0, sizeof core->state);
    memset(&core->kernel_zone, 0, sizeof core->kernel_zone);
    td_launch_begin();
}

void td_native_end(struct td_native_core *core, int code)
{
    td_native_enter(core);
    td_launch_end(code);
}

int td_native_run(struct td_native_core *core, int (*kernel)(void))
{
    td_native_begin(core);
    int code = kernel();
    td_native_end(core, code);
    return code;
}
