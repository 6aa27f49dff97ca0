/* What the probe engine asks of the board: the tile's memory, its reset word and its clock. */
#pragma once
#include "target/probe/probe.h"

extern const struct td_probe_board memory_board;
