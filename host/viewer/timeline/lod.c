#include "host/viewer/timeline/lod.h"

#include <math.h>

int64_t td_lod_time(double ns)
{
    return ns != ns ? 0 : ns >= 9.2e18 ? INT64_MAX : ns <= -9.2e18 ? INT64_MIN : (int64_t)floor(ns);
}
