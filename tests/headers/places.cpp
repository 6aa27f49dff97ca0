// A program that sets the function, file and line of its markers itself.
#define TracyFunction __PRETTY_FUNCTION__
#define TracyFile     "file.x"
#define TracyLine     77
#include <tracy/Tracy.hpp>

void places(int a);
void places(int a)
{
    SuppressVarShadowWarning(ZoneNamedS(zone, TRACY_CALLSTACK, a == 1));
    {
        SuppressVarShadowWarning(ZoneNamed(zone, a == 1));
        const int TracyConcat(joined_, TracyLine) = 12, TracyConcatIndirect(simply_, joined) = 1;
        ZoneNameVF(zone, "%s:%d and %d", TracyFile, TracyLine * simply_joined, joined_77);
    }
}
