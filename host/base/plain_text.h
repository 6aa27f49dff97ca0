/* Makes text from outside (names from programs, files and kernels) safe for a terminal, a window or a line
 * of text. Each character that could steer a terminal or change how a line reads is replaced by '?':
 * control characters (C0, DEL, C1; newlines and tabs are among them), Unicode's characters for
 * right-to-left order and line ends, and bytes that are not UTF-8. Do not use it for data that programs
 * read (CSV, JSON, traces). Thread-safe. */
#pragma once
#include "host/base/byte_buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Bytes of the valid UTF-8 character that begins there; 0: none does. */
size_t td_utf8_bytes(const char *text, size_t left);
/* How many bytes at the beginning are valid UTF-8: whole characters. */
size_t td_utf8_valid(const char *text, size_t bytes);
/* Appends a text in UTF-8, in which each byte that is not becomes U+FFFD, as in JSON. */
void td_utf8_append(struct td_byte_buffer *to, const char *text, size_t bytes);
/* Whether this valid character of `bytes` bytes is one that is replaced. */
bool td_utf8_steers(const char *text, size_t bytes);

/* In place; never longer. Returns the text. */
char *td_plain(char *text);
/* Copies as many whole characters as fit in `room` bytes, with a NUL. Returns `to`. */
const char *td_plain_copy(char *to, size_t room, const char *text);
/* A plain copy as an argument of printf(), cut to TD_PLAIN_MAX. Valid to the end of the block. */
#define TD_PLAIN_MAX   4096
#define TD_PLAIN(text) td_plain_copy((char[TD_PLAIN_MAX]){0}, TD_PLAIN_MAX, text)
/* Prints a text of any length. */
void td_plain_print(FILE *to, const char *text, size_t bytes);
/* The same for text of several lines: newlines and tabs stay. In place; returns the bytes that are left. */
size_t td_plain_lines(char *text, size_t bytes);
