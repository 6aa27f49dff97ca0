#include "host/tools/export/export_fleet.h"
#include "host/base/path.h"
#include "host/base/plain_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 200
#define NAME_ROOM  (3 * NAME_BYTES + 4)         /* the last letter may go on */
#define UNKNOWN    "__HIVE_DEFAULT_PARTITION__" /* readers have NULL for it */

/* Letters that a name of a folder may have are kept; other bytes are %XX, which readers take back. */
static const char *escape(char room[NAME_ROOM], const char *name, size_t bytes)
{
    char *to = room;
    for (size_t i = 0, n; i < bytes && i < NAME_BYTES; i += n) {
        const unsigned char c = (unsigned char)name[i];
        const size_t letter = td_utf8_bytes(name + i, bytes - i);
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           letter > 1 || c == '-' || c == '_' || (c == '.' && i);
        n = plain ? letter : 1;
        if (plain)
            memcpy(to, name + i, n);
        to += plain ? (int)n : snprintf(to, 4, "%%%02X", c);
    }
    *to = 0;
    return *room ? room : UNKNOWN;
}

/* The name of the host in the client's lines about it, "User: LOGIN@HOST". */
static const char *host_of(const struct td_trace *trace, size_t *bytes)
{
    const char *text = td_trace_get_info(trace)->host_info;
    const char *user = text ? strstr(text, "User: ") : NULL;
    const size_t line = user ? strcspn(user, "\n") : 0;
    const char *at = user ? memchr(user, '@', line) : NULL;
    *bytes = at ? (size_t)(user + line - at) - 1 : 0;
    return at ? at + 1 : "";
}

int export_fleet_path(const char *out, const struct td_trace *trace, const char *host, const char *file,
                      char **path, struct td_err *err)
{
    char rooms[2][NAME_ROOM];
    size_t host_bytes = host ? strlen(host) : 0;
    const char *name = td_path_name(file), *dot = strrchr(name, '.');
    if (!host)
        host = host_of(trace, &host_bytes);
    const size_t name_bytes = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    if (asprintf(path, "%s/host=%s/run=%s", out, escape(rooms[0], host, host_bytes),
                 escape(rooms[1], name, name_bytes)) < 0) {
        *path = NULL;
        return td_fail_no_memory(err, NULL);
    }
    const int rc = td_folders_make(*path, 0777, err);
    if (rc < 0) {
        free(*path);
        *path = NULL;
    }
    return rc;
}
