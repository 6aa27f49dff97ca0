/* Writes the page about the format from the format's table. */
#pragma once
#include <stdio.h>

void describe_format(FILE *to);
