#include "host/viewer/ui/ticks.h"

#include <math.h>

/* The first of 1, 2, 5, 10, 20, 50 ... that is not less than `least`. */
static double round_step(double least, int *subdivisions)
{
    double power = pow(10, floor(log10(least)));
    double lead = least / power;
    if (lead <= 1.0000001) {
        *subdivisions = 5;
        return power;
    }
    *subdivisions = lead <= 2.0000001 ? 4 : 5;
    return power * (lead <= 2.0000001 ? 2 : lead <= 5.0000001 ? 5 : 10);
}

struct td_ticks td_ticks_for(double start_ns, double end_ns, double ns_per_pixel, double label_pixels)
{
    struct td_ticks ticks = {.major = 5};
    double labels = round_step(fmax(ns_per_pixel * label_pixels, 1e-3), &ticks.major);
    ticks.step_ns = labels / ticks.major;
    /* When labels would share many leading digits, they are offsets from a round base instead. */
    double size = fmax(fabs(start_ns), fabs(end_ns));
    if (size / labels >= 1e5) {
        double coarse = pow(10, ceil(log10(end_ns - start_ns)));
        ticks.base_ns = floor(start_ns / coarse) * coarse;
        ticks.relative = ticks.base_ns != 0;
    }
    return ticks;
}
