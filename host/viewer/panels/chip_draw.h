/* Draws the chips of the panel Chips: their cores by colour, and what else is on the chip. */
#pragma once
#include "host/viewer/panels/chip_places.h"
#include "host/viewer/panels/chip_values.h"

void td_chip_draw(struct td_view *view, const struct td_chip_values *values, const struct td_chip_places *m);
