/* Which markers of kernels are recorded: the patches of each image, and their way to the cores. */
#include "host/base/debug_log.h"
#include "host/device/device_internal.h"
#include "host/device/image/core_load.h"

static bool is_unwanted(const void *rules, const struct td_site *site)
{
    return site && !td_zone_rules_has_marker(rules, (enum td_site_kind)site->kind, site->name);
}

static bool is_any(const void *none, const struct td_site *site)
{
    (void)none;
    (void)site;
    return true;
}

static void forget_patches(struct td_device *device)
{
    for (struct td_device_image *i = device->images; i; i = i->next)
        td_device_free_patches(i);
    for (size_t i = 0; i < device->tile_count; i++)
        for (uint32_t core = 0; core < device->board.core_count; core++)
            device->tiles[i].cores[core].zones = TD_ZONES_UNKNOWN;
}

void td_device_free_patches(struct td_device_image *image)
{
    for (int i = 0; i < TD_ZONES_UNKNOWN; i++) {
        td_patches_free(&image->patches[i]);
        image->has_patches[i] = false;
    }
}

int td_device_set_zones(struct td_device *device, const char *rules, struct td_err *err)
{
    struct td_zone_rules *new = td_zone_rules_create(rules, err);
    if (!new)
        return err ? err->code : TD_E_USAGE;
    td_zone_rules_destroy(device->rules);
    device->rules = new;
    forget_patches(device);
    return 0;
}

static enum td_zones_state wanted_state(const struct td_device *device, const struct td_device_tile *tile,
                                        uint32_t core)
{
    const char *name = device->board.cores[core].name;
    return td_zone_rules_has_core(device->rules, tile->x, tile->y, name) &&
                   td_zone_rules_has_launch(device->rules, device->launches)
               ? TD_ZONES_WANTED
               : TD_ZONES_NONE;
}

/* The patches of this state, made when they are first needed. */
static const struct td_patches *patches_of(const struct td_device *device, struct td_device_image *image,
                                           enum td_zones_state state, struct td_err *err)
{
    struct td_patches *patches = &image->patches[state];
    if (!image->has_patches[state] &&
        td_image_switch_off(image->image, state == TD_ZONES_NONE ? is_any : is_unwanted, device->rules,
                            patches)) {
        td_patches_free(patches);
        td_fail(err, TD_E_NOMEM, "no memory to switch off markers of %s", image->path);
        return NULL;
    }
    image->has_patches[state] = true;
    return patches;
}

const struct td_patches *td_device_patches(const struct td_device *device, const struct td_device_tile *tile,
                                           uint32_t core, struct td_device_image *image,
                                           enum td_zones_state *state, struct td_err *err)
{
    *state = wanted_state(device, tile, core);
    return patches_of(device, image, *state, err);
}

int td_device_update_zones(struct td_device *device, struct td_device_tile *tile, uint32_t core,
                           struct td_err *err)
{
    struct td_loaded_core *c = &tile->cores[core];
    const enum td_zones_state was = c->zones, state = wanted_state(device, tile, core);
    if (was == state)
        return 0;
    const struct td_patches *new = patches_of(device, c->source, state, err);
    /* After a change of the rules: what the core has is not known, but it can be changed in these places only. */
    const struct td_patches *old =
        new ? patches_of(device, c->source, was == TD_ZONES_UNKNOWN ? TD_ZONES_NONE : was, err) : NULL;
    if (!old)
        return TD_E_NOMEM;
    const int rc = td_core_load_patches(device->transport, tile->at, c->image, old, new, err);
    td_debug(launch, "chip %u, tile %u,%u, %s: markers are %s%s", tile->at.chip, tile->x, tile->y,
             device->board.cores[core].name, state == TD_ZONES_NONE ? "off" : "recorded by the rules",
             rc ? ": failed" : "");
    c->zones = rc ? TD_ZONES_UNKNOWN : state;
    return rc;
}
