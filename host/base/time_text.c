#include "host/base/time_text.h"
#include "host/base/err.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NS 9e18

int td_time_parse(const char *text, size_t bytes, double *ns)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"", 1}, {"ns", 1}, {"us", 1e3}, {"\xc2\xb5s", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    char copy[64], *unit;
    if (!bytes || bytes >= sizeof copy)
        return TD_E_USAGE;
    memcpy(copy, text, bytes);
    copy[bytes] = 0;
    double value = strtod(copy, &unit);
    if (unit == copy || !isfinite(value))
        return TD_E_USAGE;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(unit, units[i].name)) {
            *ns = value * units[i].ns;
            return fabs(*ns) < MOST_NS ? 0 : TD_E_USAGE;
        }
    return TD_E_USAGE;
}

int td_range_parse(const char *text, double *from_ns, double *to_ns)
{
    const char *dots = strstr(text, "..");
    if (!dots || td_time_parse(text, (size_t)(dots - text), from_ns) < 0 ||
        td_time_parse(dots + 2, strlen(dots + 2), to_ns) < 0 || !(*to_ns > *from_ns))
        return TD_E_USAGE;
    return 0;
}
