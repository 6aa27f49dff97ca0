/* What draining costs and how fast it is.
 *
 *   build/bench/drain [--json] [unpack|transports|kernels|policies ...]
 */
#include "bench/drain/parts.h"

#include "host/base/clock.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    void (*run)(struct report *r);
} parts[] = {
    {"unpack", bench_unpack},
    {"transports", bench_transports},
    {"kernels", bench_kernels},
    {"policies", bench_policies},
};

int main(int argc, char **argv)
{
    struct report r = {.program = "drain"};
    int chosen = 0;
    td_clock_init();
    for (int i = 1; i < argc; i++) {
        size_t p = 0;
        while (p < sizeof parts / sizeof *parts && strcmp(argv[i], parts[p].name) != 0)
            p++;
        if (strcmp(argv[i], "--json") == 0)
            r.json = 1;
        else if (p < sizeof parts / sizeof *parts)
            chosen |= 1 << p;
        else {
            fprintf(stderr, "usage: drain [--json] [unpack|transports|kernels|policies ...]\n");
            return 2;
        }
    }
    report_head(&r);
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
        if (!chosen || chosen >> p & 1)
            parts[p].run(&r);
    return r.failed;
}
