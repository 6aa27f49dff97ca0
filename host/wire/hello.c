#include "host/wire/hello.h"

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
