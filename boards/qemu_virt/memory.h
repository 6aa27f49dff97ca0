/* What the probe engine asks of the board: the tile's memory, its reset word and its clock. */
#ifndef TD_BOARDS_QEMU_VIRT_MEMORY_H
#define TD_BOARDS_QEMU_VIRT_MEMORY_H
#include "target/probe/probe.h"

extern const struct td_probe_board memory_board;
#endif
