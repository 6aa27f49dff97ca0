/* A board of native cores in this process's memory: one thread is all its cores and fills their lanes. Only
 * the cores' code is native; lanes, drain and decoder are those of every board. */
#pragma once
#include "host/device/board/board.h"
#include "host/device/drain/drain.h"

#include <stdint.h>

struct farm;
/* grid: "12x10" ...; cores and rings as the simulated board has them. NULL: *err says why. */
struct farm *farm_create(const char *grid, struct td_err *err);
void farm_destroy(struct farm *farm);
struct td_transport *farm_transport(struct farm *farm);
const struct td_board *farm_board(const struct farm *farm);
uint32_t farm_lanes(const struct farm *farm);

struct farm_result {
    uint64_t zones;        /* closed by the cores, over all lanes */
    uint64_t stalls, lost; /* waits for room, zones dropped */
    double seconds;        /* from the first zone to the last */
    int behind;            /* the producing thread did not keep up with the rate */
};
/* Piece by piece, on the caller's thread: launches all cores; closes `each` zones on every lane, calling
 * wait(self) again and again where a core waits for room; ends all launches. */
void farm_begin(struct farm *farm, void (*wait)(void *self), void *self);
void farm_zones(struct farm *farm, uint64_t each);
struct farm_result farm_end(struct farm *farm);
/* Or by a thread: starts one that launches all cores and closes zones at `zones_per_s` over all lanes
 * together (0: as fast as it can) for `seconds`, then ends all launches. Lanes must be armed before. */
int farm_start(struct farm *farm, double zones_per_s, double seconds, struct td_err *err);
int farm_running(const struct farm *farm);
/* After it ended. */
struct farm_result farm_join(struct farm *farm);
/* Asks it to end early. */
void farm_stop(struct farm *farm);
