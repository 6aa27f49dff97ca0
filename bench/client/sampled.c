/* Works for some seconds of processor time under a recorder, and prints how much processor time the client's threads took
 * meanwhile, in percent of that work. Built against our headers and against stock's.  sampled WARM_S WORK_S */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <tracy/TracyC.h>
#include <unistd.h>

static volatile unsigned sink;

static double own_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Of all threads but this one. */
static double client_seconds(void)
{
    double sum = 0;
    DIR *folder = opendir("/proc/self/task");
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[320];
        unsigned long long ns = 0;
        const long thread = strtol(entry->d_name, NULL, 10);
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", entry->d_name);
        FILE *file = thread && thread != getpid() ? fopen(path, "r") : NULL;
        if (file && fscanf(file, "%llu", &ns) == 1)
            sum += (double)ns * 1e-9;
        if (file)
            fclose(file);
    }
    if (folder)
        closedir(folder);
    return sum;
}

static __attribute__((noinline)) void work(unsigned depth)
{
    if (depth)
        work(depth - 1);
    else
        for (unsigned i = 0; i < 20000; i++)
            sink = sink * 7 + i;
    sink++;
}

static void work_for(double seconds)
{
    const double until = own_seconds() + seconds;
    while (own_seconds() < until)
        work(12);
}

int main(int argc, char **argv)
{
    TracyCZoneN(zone, "work", 1);
    while (!___tracy_connected())
        usleep(1000);
    work_for(argc > 1 ? atof(argv[1]) : 1); /* new functions are looked up */
    const double own = own_seconds(), client = client_seconds();
    work_for(argc > 2 ? atof(argv[2]) : 1);
    printf("%.4f\n", 100 * (client_seconds() - client) / (own_seconds() - own));
    TracyCZoneEnd(zone);
    return 0;
}
