/* Text from outside in tables of lines: rows of a list that is copied, lines of a log. A tab, a newline and a carriage
 * return, which would begin another cell or line, become "\t", "\n" and "\r", two characters each. All other text,
 * backslashes too, is as it is. Thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Whether td_cell_copy() changes the text. */
bool td_cell_is_changed(const char *text, size_t bytes);
/* Copies as many whole characters as fit in `room` bytes, with a NUL. Returns `to`. */
const char *td_cell_copy(char *to, size_t room, const char *text);
/* A copy as an argument of printf(), cut to TD_CELL_MAX. Valid to the end of the block. */
#define TD_CELL_MAX   4096
#define TD_CELL(text) td_cell_copy((char[TD_CELL_MAX]){0}, TD_CELL_MAX, text)
/* Prints a text of any length. */
void td_cell_print(FILE *to, const char *text);
