// Projects that compile Tracy's client themselves compile this file in its place. The client itself is
// libtendril-client.a, which has to be linked; what this file adds are the TRACY_* switches that the project
// gives to it alone, and, for sources that include it, the declarations that Tracy's file brings along.
#ifdef TRACY_ENABLE
#include "tracy/Tracy.hpp"
#include "tracy/TracyC.h"
#endif
