/* Announcements with any bytes, from several machines, as time passes. Each datagram begins with a byte for the
 * machine and the time that has passed, and one for its length. */
#include "host/agent/client/announced_clients.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check_report(void *self, enum td_announced_change change,
                         const struct td_announced_client *client)
{
    size_t *known = self;
    *known += change == TD_ANNOUNCED_NEW;
    *known -= change == TD_ANNOUNCED_GONE;
    if (!client->port || client->active_s < 0 || !memchr(client->program, 0, sizeof client->program) ||
        !memchr(client->host, 0, sizeof client->host) || !td_announced_releases(client->protocol)[0])
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    size_t known = 0;
    int64_t now_ms = 1000;
    struct td_announced_list *a = td_announced_list_create(check_report, &known);
    if (!a)
        return 0;
    for (size_t at = 0; at + 2 <= bytes;) {
        uint32_t machine = data[at] & 3;
        size_t count = data[at + 1];
        now_ms += (data[at] >> 2) * 100;
        at += 2;
        count = count < bytes - at ? count : bytes - at;
        td_announced_datagram(a, data + at, count, machine, now_ms);
        at += count;
        if (td_announced_count(a) != known || known > TD_ANNOUNCED_MAX)
            abort();
    }
    for (size_t i = 0; i < td_announced_count(a); i++)
        for (size_t k = 0; k < i; k++)
            if (td_announced_at(a, i)->ipv4 == td_announced_at(a, k)->ipv4 &&
                td_announced_at(a, i)->port == td_announced_at(a, k)->port)
                abort();
    td_announced_close(a);
    return 0;
}
