/* Receives a program's events and prints how many came, a count a line. Usage: client_collect PORT */
#include "tests/client/run_marked.h"
#include "tests/wire/event_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    struct event_log log;
    event_log_init(&log);
    struct td_client_counts counts = {0};
    struct td_err err = {0};
    int going = collect(log.hub, atoi(argv[1]), &counts, &err);
    printf("result %d\n", going);
    if (going)
        printf("error %s\n", err.text);
    printf("zones %llu\nmessages %llu\nplot_points %llu\nframes %llu\nignored %llu\nunnamed %llu\nopen_zones "
           "%llu\n",
           (unsigned long long)counts.zones, (unsigned long long)counts.messages,
           (unsigned long long)counts.plot_points, (unsigned long long)counts.frames,
           (unsigned long long)counts.ignored, (unsigned long long)counts.unnamed,
           (unsigned long long)counts.open_zones);
    for (uint32_t i = 1; i < td_dict_srcloc_count(log.dict); i++) {
        size_t zones = 0;
        for (size_t e = 0; e < log.count; e++)
            zones += log.events[e].kind == TD_EVENT_ZONE_BEGIN && log.events[e].srcloc == i;
        printf("zone %s %zu\n", event_log_location(&log, i), zones);
    }
    const char *fault = event_log_fault(&log);
    if (fault)
        printf("fault %s\n", fault);
    event_log_finish(&log);
    return fault != NULL;
}
