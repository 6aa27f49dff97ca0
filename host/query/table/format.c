#include "host/query/table/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct time_unit {
    double ns;
    const char *name;
} units[] = {{1, "ns"}, {1e3, "\xc2\xb5s"}, {1e6, "ms"}, {1e9, "s"}};

static const struct time_unit *time_unit_of(double ns)
{
    const struct time_unit *unit = &units[0];
    for (size_t i = 1; i < sizeof units / sizeof *units; i++)
        if (fabs(ns) >= units[i].ns * .99995)
            unit = &units[i];
    return unit;
}

static enum td_format_style style;

void td_format_times(enum td_format_style wanted)
{
    style = wanted;
}

/* Whether the time is written with minutes. */
static bool is_long(double ns)
{
    return style == TD_FORMAT_CLOCK && fabs(ns) >= 60e9 && fabs(ns) < 9e18;
}

/* Writes days, hours and minutes; returns the ns of the minute. */
static uint64_t put_clock(char out[TD_FORMAT_BYTES], double ns)
{
    const uint64_t all = (uint64_t)fabs(ns), s = all / 1000000000;
    const unsigned days = (unsigned)(s / 86400), hours = (unsigned)(s / 3600 % 24),
                   minutes = (unsigned)(s / 60 % 60);
    const char *sign = ns < 0 ? "-" : "";
    if (days)
        snprintf(out, TD_FORMAT_BYTES, "%s%ud %02u:%02u:", sign, days, hours, minutes);
    else if (hours)
        snprintf(out, TD_FORMAT_BYTES, "%s%u:%02u:", sign, hours, minutes);
    else
        snprintf(out, TD_FORMAT_BYTES, "%s%u:", sign, minutes);
    return all % UINT64_C(60000000000);
}

static const char *format_clock(char out[TD_FORMAT_BYTES], double ns)
{
    const bool tenths = fabs(ns) < 3600e9 - 5e7;
    /* Rounded first, so that no second is 60. */
    const double unit = tenths ? 1e8 : 1e9;
    const uint64_t rest = put_clock(out, round(ns / unit) * unit);
    const size_t used = strlen(out);
    if (tenths)
        snprintf(out + used, TD_FORMAT_BYTES - used, "%02u.%u", (unsigned)(rest / 1000000000),
                 (unsigned)(rest / 100000000 % 10));
    else
        snprintf(out + used, TD_FORMAT_BYTES - used, "%02u", (unsigned)(rest / 1000000000));
    return out;
}

/* With decimals, or as whole ns. */
static const char *format_clock_time(char out[TD_FORMAT_BYTES], double ns, double step_ns)
{
    const double unit = fmax(pow(10, floor(log10(fmax(step_ns, 1)) + 1e-9)), 1);
    const uint64_t rest = put_clock(out, round(ns / unit) * unit);
    const unsigned s = (unsigned)(rest / 1000000000), part = (unsigned)(rest % 1000000000);
    const size_t used = strlen(out);
    int decimals = 0;
    for (double step = unit; step < .9999e9; decimals++)
        step *= 10;
    if (decimals == 9)
        snprintf(out + used, TD_FORMAT_BYTES - used, "%02u %03u %03u %03u ns", s, part / 1000000,
                 part / 1000 % 1000, part % 1000);
    else
        snprintf(out + used, TD_FORMAT_BYTES - used, "%02u.%09u", s, part);
    if (decimals < 9) /* with the point, if there are any */
        out[used + 2 + (size_t)(decimals ? decimals + 1 : 0)] = 0;
    return out;
}

static bool is_exact(double ns)
{
    return style == TD_FORMAT_EXACT && fabs(ns) < 9e18;
}

static const char *format_whole(char out[TD_FORMAT_BYTES], double ns)
{
    char count[TD_FORMAT_BYTES];
    td_format_count(count, (uint64_t)llround(fabs(ns)));
    snprintf(out, TD_FORMAT_BYTES, "%s%.40s ns", ns < 0 ? "-" : "", count);
    return out;
}

const char *td_format_ns(char out[TD_FORMAT_BYTES], double ns)
{
    if (is_long(ns))
        return format_clock(out, ns);
    if (is_exact(ns))
        return format_whole(out, ns);
    const struct time_unit *unit = time_unit_of(ns);
    double value = ns / unit->ns, size = fabs(value);
    int decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
    if (unit == &units[0] && ns == floor(ns))
        decimals = 0;
    snprintf(out, TD_FORMAT_BYTES, "%.*f %s", decimals, value, unit->name);
    return out;
}

const char *td_format_time(char out[TD_FORMAT_BYTES], double ns, double step_ns)
{
    if (is_long(ns))
        return format_clock_time(out, ns, step_ns);
    if (is_exact(ns) && step_ns >= 1)
        return format_whole(out, ns);
    const struct time_unit *unit = time_unit_of(ns);
    if (fabs(ns) < step_ns * 1e-3) { /* zero, or the rounding error of a sum of steps */
        ns = 0;
        unit = time_unit_of(step_ns);
    }
    int decimals = 0;
    for (double step = step_ns / unit->ns; step < .9999 && decimals < 12; decimals++)
        step *= 10;
    snprintf(out, TD_FORMAT_BYTES, "%.*f %s", decimals, ns / unit->ns, unit->name);
    return out;
}

const char *td_format_count(char out[TD_FORMAT_BYTES], uint64_t count)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, count), at = 0;
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            out[at++] = ' ';
        out[at++] = digits[i];
    }
    out[at] = 0;
    return out;
}

static const char *format_bytes(char out[TD_FORMAT_BYTES], double value)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t i = 0;
    for (; fabs(value) >= 1024 && i + 1 < sizeof names / sizeof *names; i++)
        value /= 1024;
    snprintf(out, TD_FORMAT_BYTES, "%.*f %s", i ? 2 : 0, value, names[i]);
    return out;
}

const char *td_format_rate(char out[TD_FORMAT_BYTES], double bytes)
{
    format_bytes(out, bytes);
    strcat(out, "/s"); /* there is room: a number of bytes is short */
    return out;
}

const char *td_format_value(char out[TD_FORMAT_BYTES], double value, int format)
{
    if (format == 1)
        return format_bytes(out, value);
    snprintf(out, TD_FORMAT_BYTES, "%.4g%s", value, format == 2 ? " %" : format == 3 ? " W" : "");
    return out;
}
