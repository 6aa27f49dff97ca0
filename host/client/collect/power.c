#include "host/client/collect/power.h"
#include "host/base/debug_log.h"
#include "host/base/err.h"
#include "host/client/platform/client_api.h"
#include "host/client/platform/settings.h"
#include "host/client/platform/text_file.h"
#include "host/wire/items.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define POWER_MS 100
#define FOLDER   "/sys/class/powercap"
#define PACKAGES 8 /* of the machine, and domains of a package */

static bool read_line(const char *folder, const char *file, char *text, size_t room)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    if (!td_client_read_text(path, text, room))
        return false;
    text[strcspn(text, "\n")] = 0;
    return true;
}

/* Adds the domain of a folder with the name of its package before its own. False: there is none. */
static bool add_domain(struct td_power *power, const char *folder, const char *package)
{
    char name[48], most[32], path[300];
    if (!read_line(folder, "name", name, sizeof name) ||
        !read_line(folder, "max_energy_range_uj", most, sizeof most))
        return false;
    if (power->count == TD_POWER_DOMAINS)
        return true;
    struct td_power_domain *domain = &power->domains[power->count];
    snprintf(path, sizeof path, "%s/energy_uj", folder);
    domain->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (domain->fd < 0) {
        td_debug(collect, "no power of %s: %s: %s; run as root", name, path, strerror(errno));
        return true;
    }
    snprintf(domain->name, sizeof domain->name, "%s%s%s", package, *package ? ":" : "", name);
    domain->most_uj = strtoull(most, NULL, 10);
    domain->last_uj = 0;
    power->count++;
    return true;
}

void td_power_look(struct td_power *power, const char *root)
{
    char folder[200], name[48];
    for (int package = 0; package < PACKAGES; package++) {
        snprintf(folder, sizeof folder, "%s/intel-rapl:%d", root, package);
        if (!add_domain(power, folder, ""))
            continue;
        if (!read_line(folder, "name", name, sizeof name))
            *name = 0;
        for (int part = 0; part < PACKAGES; part++) {
            snprintf(folder, sizeof folder, "%s/intel-rapl:%d:%d", root, package, part);
            if (!add_domain(power, folder, name))
                break;
        }
    }
    if (!power->count)
        td_debug(collect, "no power: %s has no counters that can be read", root);
}

/* The energy between two values of a counter. */
static uint64_t used_uj(uint64_t before, uint64_t now, uint64_t most)
{
    return now >= before ? now - before : most - before + now;
}

int td_power_send(struct td_power *power, struct td_encoder *encoder, int64_t now_ms)
{
    if (now_ms < power->next_ms || !td_wire_has(encoder->release, TD_ITEM_SysPowerReport) ||
        td_setting_value(TD_SETTING_NO_SYSTEM_TRACING))
        return 0;
    power->next_ms = now_ms + POWER_MS;
    if (!power->looked)
        td_power_look(power, FOLDER);
    power->looked = true;
    for (unsigned i = 0; i < power->count; i++) {
        struct td_power_domain *domain = &power->domains[i];
        char text[32];
        const ssize_t bytes = pread(domain->fd, text, sizeof text - 1, 0);
        uint8_t *p = bytes > 0 ? td_encode_room(encoder, TD_ENCODE_ITEM_MAX) : NULL;
        if (bytes <= 0)
            continue;
        if (!p)
            return TD_E_GONE;
        text[bytes] = 0;
        const uint64_t now_uj = strtoull(text, NULL, 10);
        td_announced_add(encoder->announced, TD_ANNOUNCED_TEXT, (uintptr_t)domain->name);
        const struct td_wire_SysPowerReport item = {(int64_t)td_client_ticks(),
                                                    used_uj(domain->last_uj, now_uj, domain->most_uj),
                                                    (uintptr_t)domain->name};
        domain->last_uj = now_uj;
        td_encode_put(encoder, td_wire_put_SysPowerReport(p, encoder->release, &item));
    }
    return 0;
}

void td_power_close(struct td_power *power)
{
    for (unsigned i = 0; i < power->count; i++)
        close(power->domains[i].fd);
    power->count = 0;
    power->looked = false;
}
