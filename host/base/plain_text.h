/* Text from outside (names that programs, files and kernels give), made plain for a terminal, a window or a
 * line of text: what could steer a terminal or change how a line reads is replaced by '?', a character each.
 * That is control characters (C0, DEL, C1: newlines and tabs are among them), the characters that order text
 * from right to left or end lines in Unicode, and bytes that are no UTF-8. Data that programs read (CSV,
 * JSON, traces) is not changed. No state; any thread. */
#ifndef TD_HOST_BASE_PLAIN_TEXT_H
#define TD_HOST_BASE_PLAIN_TEXT_H
#include <stddef.h>
#include <stdio.h>

/* Bytes of the valid UTF-8 character that begins there; 0: none does. */
size_t td_utf8_bytes(const char *text, size_t left);
/* 1: a valid character of so many bytes is one of those that are replaced. */
int td_utf8_steers(const char *text, size_t bytes);

/* In place; never longer. Returns the text. */
char *td_plain(char *text);
/* The text as far as whole characters of it fit in `room` bytes, with a NUL. Returns `to`. */
const char *td_plain_copy(char *to, size_t room, const char *text);
/* So for an argument of printf(); longer texts are cut. Lives to the end of the block. */
#define TD_PLAIN_MAX   4096
#define TD_PLAIN(text) td_plain_copy((char[TD_PLAIN_MAX]){0}, TD_PLAIN_MAX, text)
/* All of it, however long. */
void td_plain_print(FILE *to, const char *text, size_t bytes);
/* The same for text of several lines: newlines and tabs stay. In place; returns the bytes that are left. */
size_t td_plain_lines(char *text, size_t bytes);
#endif
