#include "host/viewer/web/access.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

int td_web_token_make(char token[TD_WEB_TOKEN_BYTES + 1], struct td_err *err)
{
    unsigned char bytes[TD_WEB_TOKEN_BYTES / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return td_fail_errno(err, "cannot make a token");
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return 0;
}

bool td_web_token_is(const char *token, const char *given)
{
    const size_t bytes = strnlen(given, TD_WEB_TOKEN_BYTES + 1);
    unsigned char differs = bytes != TD_WEB_TOKEN_BYTES;
    for (size_t i = 0; i < TD_WEB_TOKEN_BYTES; i++)
        differs |= (unsigned char)(token[i] ^ (i < bytes ? given[i] : 0));
    return !differs;
}

bool td_web_origin_is_own(const char *origin, const char *host, bool tls)
{
    const char *scheme = tls ? "https://" : "http://";
    const size_t bytes = strlen(scheme);
    return *host && !strncasecmp(origin, scheme, bytes) && !strcasecmp(origin + bytes, host);
}

int td_web_address_parse(const char *text, char *address, size_t room, int *port, struct td_err *err)
{
    const char *colon = strrchr(text, ':'), *digits = colon ? colon + 1 : text;
    const char *from = text;
    size_t bytes = colon ? (size_t)(colon - text) : 0;
    char *end;
    errno = 0;
    const long number = strtol(digits, &end, 10);
    if (bytes > 1 && text[0] == '[' && text[bytes - 1] == ']') {
        from++;
        bytes -= 2;
    }
    if (*end || end == digits || *digits == '-' || *digits == '+' || errno || number > 65535 ||
        bytes >= room || (colon && !bytes))
        return td_fail(err, TD_E_USAGE, "--web %s is not [ADDRESS:]PORT, such as 8090 or any:8090", text);
    snprintf(address, room, "%.*s", (int)bytes, from);
    if (!colon)
        snprintf(address, room, "127.0.0.1");
    if (!strcmp(address, "any"))
        address[0] = 0;
    *port = (int)number;
    return 0;
}
