/* The windows of the library's chips: a card's, whose registers are pointed as without a driver. */
#pragma once
#include "boards/ttsim/library.h"
#include "host/transport/card/window.h"

/* path: of the library, for messages; both stay the caller's. NULL: no memory. */
struct td_windows *ttsim_windows(const struct library *lib, const char *path, struct td_err *err);
