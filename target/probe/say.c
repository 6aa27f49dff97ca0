/* Sends a probe's messages to the host, and puts reasons in words. */
#include "proto/probe/memory.h"
#include "target/probe/engine.h"

void td_probe_copy_text(char *to, uint32_t room, const char *from)
{
    uint32_t n = 0;
    for (; n + 1 < room && from && from[n]; n++)
        to[n] = from[n];
    memset(to + n, 0, room - n);
}

int td_probe_fail(struct td_probe *p, int code, const char *text)
{
    if (!p->why[0])
        td_probe_copy_text(p->why, sizeof p->why, text);
    return code;
}

void td_probe_send(struct td_probe *p, uint8_t type, int status, uint16_t seq, uint32_t payload_bytes)
{
    struct td_probe_head head = {type, 0, (int16_t)status, seq, (uint16_t)payload_bytes};
    if (p->send_failed)
        return;
    memcpy(p->config.out, &head, sizeof head);
    const uint32_t bytes = (uint32_t)sizeof head + payload_bytes;
    if (p->config.link.send(p->config.link.self, p->config.out, bytes) < 0)
        p->send_failed = 1;
}
