#include "host/base/time_text.h"
#include "host/base/err.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NS 9e18

/* From the shortest. */
static const struct {
    const char *name, *sign;
    double ns;
    int decimals;
} units[] = {{"ns", NULL, 1, 0}, {"us", "\xc2\xb5s", 1e3, 2}, {"ms", NULL, 1e6, 2}, {"s", NULL, 1e9, 3}};
#define UNITS (sizeof units / sizeof *units)

const char *td_time_text(char *to, size_t bytes, double ns, enum td_time_form form)
{
    size_t unit = 0;
    while (unit + 1 < UNITS && fabs(ns) >= units[unit + 1].ns)
        unit++;
    const char *space = form == TD_TIME_PAGE ? "\xc2\xa0" : " ",
               *name = form == TD_TIME_PAGE && units[unit].sign ? units[unit].sign : units[unit].name;
    if (form == TD_TIME_PARTS && !unit)
        snprintf(to, bytes, "%.4g%s%s", ns, space, name);
    else
        snprintf(to, bytes, "%.*f%s%s", units[unit].decimals, ns / units[unit].ns, space, name);
    return to;
}

size_t td_time_unit_read(const char *text, double *ns)
{
    for (size_t i = 0; i < UNITS; i++) {
        const char *names[] = {units[i].name, units[i].sign};
        for (size_t n = 0; n < 2 && names[n]; n++) {
            const size_t bytes = strlen(names[n]);
            if (strncmp(text, names[n], bytes) != 0)
                continue;
            *ns = units[i].ns;
            return bytes;
        }
    }
    return 0;
}

int td_time_parse(const char *text, size_t bytes, double *ns)
{
    char copy[64], *unit;
    double unit_ns = 1;
    if (!bytes || bytes >= sizeof copy)
        return TD_E_USAGE;
    memcpy(copy, text, bytes);
    copy[bytes] = 0;
    const double value = strtod(copy, &unit);
    if (unit == copy || !isfinite(value))
        return TD_E_USAGE;
    if (unit[td_time_unit_read(unit, &unit_ns)])
        return TD_E_USAGE;
    *ns = value * unit_ns;
    return fabs(*ns) < MOST_NS ? 0 : TD_E_USAGE;
}

int td_range_parse(const char *text, double *from_ns, double *to_ns)
{
    const char *dots = strstr(text, "..");
    if (!dots || td_time_parse(text, (size_t)(dots - text), from_ns) < 0 ||
        td_time_parse(dots + 2, strlen(dots + 2), to_ns) < 0 || !(*to_ns > *from_ns))
        return TD_E_USAGE;
    return 0;
}
