/* Writes the page about the format from the format's table. */
#ifndef TD_TESTS_FILE_DESCRIBE_H
#define TD_TESTS_FILE_DESCRIBE_H
#include <stdio.h>

void describe_format(FILE *to);
#endif
