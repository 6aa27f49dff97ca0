/* Writes fields and rows of CSV. */
#pragma once
#include "host/tt/tt_text.h"

#include <stdio.h>

/* Writes a value as tt-metal's files have it: a comma becomes a semicolon, a newline a space; a value with
 * quotes is quoted. Writes no separator. Errors are left in the stream (ferror()). */
void td_csv_write_value(FILE *to, struct td_tt_text value);
