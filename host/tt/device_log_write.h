/* Writes a device log of any era. Errors are left in the stream (ferror()). */
#pragma once
#include "host/tt/device_log_read.h"

#include <stdio.h>

/* The two first lines; of `head`, arch, frequency_mhz, max_compute_cores (0: left out) and era are used. */
void td_tt_log_write_head(FILE *to, const struct td_tt_log_head *head);
/* A row with the columns of `era`. In eras before 2025, an end has its own timer id. */
void td_tt_log_write_row(FILE *to, enum td_tt_log_era era, const struct td_tt_log_row *row);
