#include "bench/drain/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

static void number(double v, int json, int width)
{
    if (isnan(v))
        printf("%*s", width, json ? "null" : "-");
    else
        printf("%*.4g", width, v);
}

void report(struct report *r, const char *name, const char *unit, double ours, double baseline, double limit)
{
    printf(r->json ? "{\"name\":\"%s\",\"unit\":\"%s\",\"ours\":" : "%-38s %-15s", name, unit);
    number(ours, r->json, r->json ? 0 : 10);
    printf(r->json ? ",\"baseline\":" : " ");
    number(baseline, r->json, r->json ? 0 : 10);
    printf(r->json ? ",\"limit\":" : " ");
    number(limit, r->json, r->json ? 0 : 10);
    printf(r->json ? "}\n" : "\n");
    fflush(stdout);
}

void report_note(const struct report *r, const char *format, ...)
{
    va_list args;
    if (r->json)
        return;
    va_start(args, format);
    printf("# ");
    vprintf(format, args);
    printf("\n");
    va_end(args);
    fflush(stdout);
}

void report_failure(struct report *r, const char *what, const char *why)
{
    r->failed = 1;
    fprintf(stderr, "drain: %s: %s\n", what, why);
}

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double wall_seconds(void)
{
    return seconds(CLOCK_MONOTONIC);
}

double cpu_seconds(void)
{
    return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

double thread_cpu_seconds(void)
{
    return seconds(CLOCK_THREAD_CPUTIME_ID);
}
