#include "host/client/encode/system.h"
#include "host/base/err.h"
#include "host/client/encode/encoder.h"
#include "host/client/platform/client_api.h"
#include "host/client/platform/settings.h"
#include "host/client/platform/text_file.h"
#include "host/wire/items.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOAD_MS 100 /* as in Tracy's clients */

/* A number from the system's description of the processor, or negative: it has none. */
static int place_of(int cpu, const char *what)
{
    char path[96], text[32];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, what);
    return td_client_read_text(path, text, sizeof text) ? atoi(text) : TD_E_NOTFOUND;
}

int td_system_send_topology(struct td_encoder *encoder)
{
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    for (int cpu = 0; cpu < cpus && !td_setting_value(TD_SETTING_NO_SYSTEM_TRACING); cpu++) {
        int package = place_of(cpu, "physical_package_id"), die = place_of(cpu, "die_id");
        int core = place_of(cpu, "core_id");
        if (package < 0 || core < 0)
            continue;
        uint8_t *p = td_encode_room(encoder, TD_ENCODE_ITEM_MAX);
        if (!p)
            return TD_E_GONE;
        struct td_wire_CpuTopology item = {.package = (uint32_t)package,
                                           .die = die < 0 ? 0 : (uint32_t)die,
                                           .core = (uint32_t)core,
                                           .thread = (uint32_t)cpu};
        td_encode_put(encoder, td_wire_put_CpuTopology(p, encoder->release, &item));
    }
    return 0;
}

/* Ticks of all processors since the machine's start; 0: the system does not report them. */
static bool read_load(uint64_t *busy, uint64_t *all)
{
    char text[256], *at = text + 4;
    if (!td_client_read_text("/proc/stat", text, sizeof text) || strncmp(text, "cpu ", 4) != 0)
        return 0;
    uint64_t idle = 0;
    *all = 0;
    for (int i = 0; i < 8; i++) { /* user nice system idle iowait irq softirq steal */
        char *end;
        uint64_t ticks = strtoull(at, &end, 10);
        if (end == at)
            break;
        at = end;
        *all += ticks;
        if (i == 3 || i == 4)
            idle += ticks;
    }
    *busy = *all - idle;
    return 1;
}

int td_system_send_load(struct td_encoder *encoder, struct td_load_sample *load, int64_t now_ms)
{
    if (now_ms < load->next_ms || td_setting_value(TD_SETTING_NO_SYSTEM_TRACING))
        return 0;
    load->next_ms = now_ms + LOAD_MS;
    uint64_t busy, all, busy_before = load->busy, all_before = load->all;
    if (!read_load(&busy, &all))
        return 0;
    load->busy = busy;
    load->all = all;
    if (!all_before || all <= all_before || busy < busy_before)
        return 0;
    uint8_t *p = td_encode_room(encoder, TD_ENCODE_ITEM_MAX);
    if (!p)
        return TD_E_GONE;
    struct td_wire_SysTimeReport item = {(int64_t)td_client_ticks(),
                                         100.0f * (float)(busy - busy_before) / (float)(all - all_before)};
    td_encode_put(encoder, td_wire_put_SysTimeReport(p, encoder->release, &item));
    return 0;
}
