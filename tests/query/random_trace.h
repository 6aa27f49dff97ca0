/* Small traces with random zones, plots and messages, the same for the same number. */
#pragma once
#include "host/trace/trace.h"

/* The numbers that follow depend on this one; at first it is 1. */
void draw_from(uint32_t number);
uint32_t draw(uint32_t below);
/* `has_own_names`: some zones have names of their own. */
struct td_trace *random_trace(bool has_own_names);
