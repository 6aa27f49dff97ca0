/* Times of the picture as times of the model. */
#pragma once
#include <stdint.h>

/* Rounds down to whole ns; values out of range become the least or greatest time. */
int64_t td_lod_time(double ns);
