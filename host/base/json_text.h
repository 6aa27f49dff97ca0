/* Texts as strings of JSON. What is written is valid UTF-8 and a valid string, whatever bytes the text has:
 * names come from programs, files and the network. All code that writes JSON uses these functions, or what is
 * built on them (host/base/json.h, host/viewer/model/json_print.h). Thread-safe on distinct streams; errors
 * are left in the stream. */
#pragma once
#include <stddef.h>
#include <stdio.h>

/* Writes "TEXT" with its quotes. Bytes that are not UTF-8 become U+FFFD. Characters that could steer a terminal
 * are escaped, so a parser restores them; and those of `also` (ASCII; "": none). */
void td_json_write_string(FILE *to, const char *text, size_t bytes, const char *also);
/* Bytes of the escape sequence of JSON that begins there, such as \n and \u00e4; 0: none does. */
size_t td_json_escape_bytes(const char *text, size_t left);
/* JSON that another library wrote, malloc'ed: bytes that are not UTF-8 become U+FFFD. Returns the text or, in
 * place of it, a longer one; NULL: no memory. NULL is allowed. */
char *td_json_repair(char *text);
