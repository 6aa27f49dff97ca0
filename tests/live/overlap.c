/* GPU zones of one context that overlap, sent by several threads, with times that the program makes up. Each zone's
 * line in source says how long it lasts, in ms. With an argument, the program stays until its input ends. */
#include <tracy/TracyC.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

struct zone {
    const char *name;
    int depth;
    int64_t start_ms, end_ms; /* end 0: it has none */
};

/* Siblings that overlap, an inner zone that ends after the outer one, one that begins before it, a zone longer than
 * recorders take for a timer that did not wrap, and one without an end. */
static const struct zone zones[] = {
    {"A", 0, 1, 9},         {"B", 0, 2, 3},       {"C", 0, 4, 20},      {"outer", 0, 30, 40},
    {"late", 1, 35, 50},    {"inner", 2, 36, 37}, {"early", 1, 25, 31}, {"long", 0, 60, 4060},
    {"in long", 0, 70, 71}, {"open", 0, 80, 0},   {"last", 0, 90, 95},
};
enum { ZONES = sizeof zones / sizeof *zones };

static struct ___tracy_source_location_data places[ZONES];

static void end_zone(uint8_t context, int i)
{
    ___tracy_emit_gpu_zone_end_serial((struct ___tracy_gpu_zone_end_data){(uint16_t)(2 * i + 1), context});
}

static void send_zones(uint8_t context)
{
    int open[4], depth = 0;
    for (int i = 0; i < ZONES; i++) {
        while (depth > zones[i].depth)
            end_zone(context, open[--depth]);
        ___tracy_emit_gpu_zone_begin_serial((struct ___tracy_gpu_zone_begin_data){
            (uint64_t)(uintptr_t)&places[i], (uint16_t)(2 * i), context});
        open[depth++] = i;
    }
    while (depth)
        end_zone(context, open[--depth]);
    for (int64_t ms = 0; ms < 5000; ms++)
        for (int i = 0; i < ZONES; i++) {
            if (zones[i].start_ms == ms)
                ___tracy_emit_gpu_time_serial(
                    (struct ___tracy_gpu_time_data){ms * 1000000, (uint16_t)(2 * i), context});
            if (zones[i].end_ms == ms && ms)
                ___tracy_emit_gpu_time_serial(
                    (struct ___tracy_gpu_time_data){ms * 1000000, (uint16_t)(2 * i + 1), context});
        }
}

static void *run(void *context)
{
    send_zones((uint8_t)(uintptr_t)context);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    for (int i = 0; i < ZONES; i++)
        places[i] = (struct ___tracy_source_location_data){
            zones[i].name, "main", "overlap.c", (uint32_t)(zones[i].end_ms - zones[i].start_ms), 0};
    for (uint8_t context = 0; context < 2; context++)
        ___tracy_emit_gpu_new_context_serial((struct ___tracy_gpu_new_context_data){
            .period = 1, .context = context, .type = 2, .flags = context ? 1 : 0});
    ___tracy_emit_gpu_context_name_serial(
        (struct ___tracy_gpu_context_name_data){.context = 0, .name = "first queue", .len = 11});
    for (uintptr_t i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, run, (void *)i) != 0)
            return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    /* The last zone begins 95 ms after its context: before the message, at which a recorder may stop. */
    nanosleep(&(struct timespec){0, 200000000}, NULL);
    TracyCMessageL("all zones are sent");
    while (argc > 1 && getchar() != EOF)
        ;
    return 0;
}
