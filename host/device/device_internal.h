/* The inside of a device handle, shared by device.c, load.c, launch.c and zones.c. */
#pragma once
#include "host/device/device.h"
#include "host/device/image/image.h"
#include "host/device/image/zone_rules.h"

#include <sys/stat.h>

/* Zones of a core's program that are on: those that the rules name, none, or it is not known. */
enum td_zones_state { TD_ZONES_WANTED, TD_ZONES_NONE, TD_ZONES_UNKNOWN };

struct td_loaded_core {
    const struct td_image *image;   /* NULL: nothing loaded */
    struct td_device_image *source; /* where it is from */
    enum td_zones_state zones;
    uint32_t launch; /* number of the last launch that was prepared */
};

struct td_device_tile {
    struct td_tile_at at;
    uint16_t x, y;               /* logical */
    int ready;                   /* its control words are initialised */
    uint32_t prepared, launched; /* bit a core */
    struct td_loaded_core cores[TD_MAX_CORES];
};

/* An ELF that was loaded, kept for symbols. */
struct td_device_image {
    char *path;
    struct stat st;
    struct td_image *image;
    struct td_patches patches[TD_ZONES_UNKNOWN]; /* by enum td_zones_state */
    bool has_patches[TD_ZONES_UNKNOWN];
    struct td_device_image *next;
};

struct td_device {
    struct td_transport *transport;
    struct td_board board;
    struct td_device_tile *tiles;
    size_t tile_count;
    struct td_device_image *images;
    struct td_zone_rules *rules;
    int cores_are_awake; /* the card's firmware was asked to let them leave reset */
    uint64_t launches;   /* calls of td_device_launch() */
};

/* The tile of a core, checked; NULL with an error. */
struct td_device_tile *td_device_get_tile(struct td_device *device, uint16_t chip, uint16_t x, uint16_t y,
                                          struct td_err *err);
struct td_device_tile *td_device_get_tile_of(struct td_device *device, struct td_core_at core,
                                             struct td_err *err);
/* Sets or clears the soft-reset bits of these cores (bit a core). */
int td_device_reset(struct td_device *device, const struct td_device_tile *tile, uint32_t cores, int hold,
                    struct td_err *err);
/* Address of a lane control word. */
uint32_t td_device_lane(const struct td_device *device, uint32_t core, uint32_t offset);
/* zones.c. The patches for a core whose program is loaded now, and the state in which they put it. */
const struct td_patches *td_device_patches(const struct td_device *device, const struct td_device_tile *tile,
                                           uint32_t core, struct td_device_image *image,
                                           enum td_zones_state *state, struct td_err *err);
/* Switches a loaded core's zones on or off for the next launch. */
int td_device_update_zones(struct td_device *device, struct td_device_tile *tile, uint32_t core,
                           struct td_err *err);
void td_device_free_patches(struct td_device_image *image);
/* Marks a simulated board as frozen (+1) or not (-1); nothing on other boards. */
int td_device_freeze(struct td_device *device, int delta, struct td_err *err);
