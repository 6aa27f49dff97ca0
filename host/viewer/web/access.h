/* Who may use the viewer from a browser: those who know its token, from its own page. */
#pragma once
#include "host/base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define TD_WEB_TOKEN_BYTES 32 /* of text, without its end */

/* A token that cannot be guessed. 0, or a negative enum td_e. */
int td_web_token_make(char token[TD_WEB_TOKEN_BYTES + 1], struct td_err *err);
/* Takes the same time wherever they differ. */
bool td_web_token_is(const char *token, const char *given);
/* The page that connects, "http://HOST:PORT", is that of the server it connects to, "HOST:PORT". */
bool td_web_origin_is_own(const char *origin, const char *host, bool tls);
/* "[ADDRESS:]PORT"; the address is 127.0.0.1 unless given, "any": "". 0, or TD_E_USAGE. */
int td_web_address_parse(const char *text, char *address, size_t room, int *port, struct td_err *err);
