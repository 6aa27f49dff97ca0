#include "host/agent/import/tt_chip.h"

int64_t td_tt_chip_ns(const struct td_tt_chip *chip, int64_t cycle)
{
    const int64_t khz = chip->mhz > 0 ? (int64_t)(chip->mhz * 1000 + 0.5) : 1000000;
    const int64_t cycles = cycle > chip->zero_cycle ? cycle - chip->zero_cycle : 0;
    const int64_t ms = cycles / khz; /* khz cycles are 1 ms */
    if (ms >= INT64_MAX / 1000000)
        return INT64_MAX / 2;
    return ms * 1000000 + (int64_t)(((double)(cycles % khz) * 1e6) / (double)khz + 0.5);
}
