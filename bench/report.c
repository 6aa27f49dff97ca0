#include "bench/report.h"

#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void number(double v, int json)
{
    int width = json ? 0 : 12;
    if (isnan(v))
        printf("%*s", width, json ? "null" : "-");
    else
        printf("%*.6g", width, v);
}

static void line(const struct report *r, const char *name, const char *unit, const double values[3],
                 const char *mark)
{
    static const char *const keys[] = {"ours", "baseline", "limit"};
    printf(r->json ? "{\"name\":\"%s\",\"unit\":\"%s\"" : "%-38s %-12s", name, unit);
    for (int i = 0; i < 3; i++) {
        printf(r->json ? ",\"%s\":" : " ", keys[i]);
        number(values[i], r->json);
    }
    printf(r->json ? "}\n" : "%s\n", mark);
    fflush(stdout);
}

void report_head(const struct report *r)
{
    if (!r->json)
        printf("%-38s %-12s %12s %12s %12s\n", "# what", "unit", "ours", "baseline", "limit");
}

void report(struct report *r, const char *name, const char *unit, double ours, double baseline, double limit)
{
    line(r, name, unit, (double[]){ours, baseline, limit}, "");
}

void report_most(struct report *r, const char *name, const char *unit, double ours, double baseline,
                 double limit)
{
    int over = ours > limit;
    line(r, name, unit, (double[]){ours, baseline, limit}, over ? "  over" : "");
    r->failed |= over && !r->lenient;
}

void report_least(struct report *r, const char *name, const char *unit, double ours, double baseline,
                  double limit)
{
    report(r, name, unit, ours, baseline, limit);
    if (!r->lenient && ours < limit)
        report_failure(r, name, "is below its limit");
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

int report_failure(struct report *r, const char *what, const char *why)
{
    r->failed = 1;
    fprintf(stderr, "%s: %s: %s\n", r->program, what, why);
    return -1;
}

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int report_zones_options(struct report *r, int argc, char **argv, uint64_t quick_zones, uint64_t *zones,
                         const char **folder)
{
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json"))
            r->json = 1;
        else if (!strcmp(argv[i], "--quick"))
            *zones = quick_zones;
        else if (!strcmp(argv[i], "--no-limits"))
            r->lenient = 1;
        else if (!strcmp(argv[i], "--zones") && i + 1 < argc)
            *zones = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--folder") && i + 1 < argc)
            *folder = argv[++i];
        else
            return report_failure(r, argv[i], "no such option");
    }
    return 0;
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

double memory_mb(const char *field)
{
    char text[200];
    double kb = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(text, sizeof text, status))
        if (!strncmp(text, field, strlen(field)))
            kb = strtod(text + strlen(field) + 1, NULL);
    if (status)
        fclose(status);
    return kb / 1024;
}

void forget_memory_peak(void)
{
    const int fd = open("/proc/self/clear_refs", O_WRONLY);
    malloc_trim(0);
    if (fd >= 0 && write(fd, "5", 1) != 1)
        perror("clear_refs");
    if (fd >= 0)
        close(fd);
}

int program_cost(const char *const arguments[], const char *folder, int quiet, struct program_cost *cost)
{
    struct rusage used;
    int status = 0;
    fflush(stdout);
    const double began = wall_seconds();
    const pid_t child = fork();
    if (child == 0) {
        if ((!folder || chdir(folder) == 0) && (!quiet || freopen("/dev/null", "w", stdout)))
            execv(arguments[0], (char *const *)arguments);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &used) != child || status != 0)
        return -1;
    *cost = (struct program_cost){
        .wall_seconds = wall_seconds() - began,
        .cpu_seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6,
        .peak_bytes = (double)used.ru_maxrss * 1024,
    };
    return 0;
}
