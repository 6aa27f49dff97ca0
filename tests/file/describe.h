/* The page about the format, made from its table. */
#ifndef TD_TESTS_FILE_DESCRIBE_H
#define TD_TESTS_FILE_DESCRIBE_H
#include <stdio.h>

void describe_format(FILE *to);
#endif
