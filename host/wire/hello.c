#include "host/wire/hello.h"

#include <string.h>

#define PUT(type, name)                                                                                      \
    memcpy(p, &v->name, TD_WS_##type);                                                                       \
    p += TD_WS_##type;
#define PUT_TEXT(name, bytes)                                                                                \
    memcpy(p, v->name, bytes);                                                                               \
    p += bytes;
#define GET(type, name)                                                                                      \
    memcpy(&v->name, p, TD_WS_##type);                                                                       \
    p += TD_WS_##type;
#define GET_TEXT(name, bytes)                                                                                \
    memcpy(v->name, p, bytes);                                                                               \
    p += bytes;

void td_wire_put_hello(uint8_t *p, uint32_t protocol)
{
    memcpy(p, TD_WIRE_MAGIC, TD_WIRE_MAGIC_BYTES);
    memcpy(p + TD_WIRE_MAGIC_BYTES, &protocol, 4);
}

int td_wire_get_hello(const uint8_t *p, uint32_t *protocol)
{
    if (memcmp(p, TD_WIRE_MAGIC, TD_WIRE_MAGIC_BYTES) != 0)
        return TD_E_FORMAT;
    memcpy(protocol, p + TD_WIRE_MAGIC_BYTES, 4);
    return 0;
}

#define PUT_UNTIL(type, name, until)                                                                         \
    if (release->protocol <= until) {                                                                        \
        PUT(type, name)                                                                                      \
    }
#define GET_UNTIL(type, name, until)                                                                         \
    if (release->protocol <= until) {                                                                        \
        GET(type, name)                                                                                      \
    }

void td_wire_put_welcome(uint8_t *p, const struct td_wire_release *release, const struct td_wire_welcome *v)
{
    TD_WIRE_WELCOME(PUT, PUT_UNTIL, PUT_TEXT)
    (void)p;
}

void td_wire_get_welcome(const uint8_t *p, const struct td_wire_release *release, struct td_wire_welcome *v)
{
    memset(v, 0, sizeof *v);
    TD_WIRE_WELCOME(GET, GET_UNTIL, GET_TEXT)
    (void)p;
    v->programName[sizeof v->programName - 1] = 0;
    v->hostInfo[sizeof v->hostInfo - 1] = 0;
}

#define CLOCK_MAGIC       "TDclock"
#define CLOCK_MAGIC_BYTES 8
#define CLOCK_BYTES       (CLOCK_MAGIC_BYTES + 8 + 1) /* the last byte of a text is NUL */

bool td_wire_is_own_client(const struct td_wire_welcome *welcome)
{
    return strstr(welcome->hostInfo, TD_WIRE_OWN_CLIENT) != NULL;
}

bool td_wire_is_observer(const struct td_wire_welcome *welcome)
{
    return strstr(welcome->hostInfo, TD_WIRE_OBSERVER) != NULL;
}

void td_wire_put_clock(struct td_wire_welcome *welcome, uint64_t ticks)
{
    char *at = welcome->hostInfo + sizeof welcome->hostInfo - CLOCK_BYTES;
    if (strnlen(welcome->hostInfo, sizeof welcome->hostInfo) >= sizeof welcome->hostInfo - CLOCK_BYTES)
        return;
    memcpy(at, CLOCK_MAGIC, CLOCK_MAGIC_BYTES);
    memcpy(at + CLOCK_MAGIC_BYTES, &ticks, sizeof ticks);
}

bool td_wire_get_clock(const struct td_wire_welcome *welcome, uint64_t *ticks)
{
    const char *at = welcome->hostInfo + sizeof welcome->hostInfo - CLOCK_BYTES;
    if (memcmp(at, CLOCK_MAGIC, CLOCK_MAGIC_BYTES) != 0 || !td_wire_is_own_client(welcome))
        return false;
    memcpy(ticks, at + CLOCK_MAGIC_BYTES, sizeof *ticks);
    return true;
}

void td_wire_put_query(uint8_t *p, const struct td_wire_release *release, const struct td_wire_query *query)
{
    p[0] = td_wire_query_id(release, query->query);
    memcpy(p + 1, &query->ptr, 8);
    memcpy(p + 9, &query->extra, 4);
}

void td_wire_get_query(const uint8_t *p, const struct td_wire_release *release, struct td_wire_query *query)
{
    query->query = TD_QUERY_COUNT;
    for (uint32_t i = 0; i < TD_QUERY_COUNT; i++)
        if (td_wire_query_id(release, i) == p[0])
            query->query = i;
    memcpy(&query->ptr, p + 1, 8);
    memcpy(&query->extra, p + 9, 4);
}

size_t td_wire_put_broadcast(uint8_t *start, const struct td_wire_broadcast *v)
{
    uint8_t *p = start;
    TD_WIRE_BROADCAST(PUT, PUT_TEXT)
    size_t name = (size_t)(p - start) - sizeof v->programName;
    return name + strnlen(v->programName, sizeof v->programName - 1) + 1;
}

/* Reads the fields of one version into *v, of all versions. */
#define READ_FIELD(type, name)                                                                               \
    {                                                                                                        \
        td_wt_##type field;                                                                                  \
        memcpy(&field, p, TD_WS_##type);                                                                     \
        p += TD_WS_##type;                                                                                   \
        memcpy(&v->name, &field, sizeof v->name < sizeof field ? sizeof v->name : sizeof field);             \
    }
#define COUNT_FIELD(type, name) +TD_WS_##type
#define COUNT_TEXT(name, bytes) +0
#define SKIP_TEXT(name, bytes)
#define READ_VERSION(number, FIELDS)                                                                         \
    case number:                                                                                             \
        head = 0 FIELDS(COUNT_FIELD, COUNT_TEXT);                                                            \
        if (bytes <= head || bytes > head + sizeof v->programName)                                           \
            return TD_E_FORMAT;                                                                              \
        FIELDS(READ_FIELD, SKIP_TEXT)                                                                        \
        break;

int td_wire_get_broadcast(const uint8_t *p, size_t bytes, struct td_wire_broadcast *v)
{
    uint16_t version;
    size_t head;
    memset(v, 0, sizeof *v);
    v->listenPort = TD_WIRE_PORT;
    if (bytes < sizeof version)
        return TD_E_FORMAT;
    memcpy(&version, p, sizeof version); /* 32 bits in versions 0 and 1, of which the upper half is 0 */
    switch (version) {
        READ_VERSION(3, TD_WIRE_BROADCAST)
        READ_VERSION(2, TD_WIRE_BROADCAST_2)
        READ_VERSION(1, TD_WIRE_BROADCAST_1)
        READ_VERSION(0, TD_WIRE_BROADCAST_0)
    default:
        return TD_E_FORMAT;
    }
    memcpy(v->programName, p, bytes - head);
    v->programName[sizeof v->programName - 1] = 0;
    return 0;
}
