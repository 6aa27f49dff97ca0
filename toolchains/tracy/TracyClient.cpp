// Projects that compile Tracy's client themselves compile this file in its place. The client itself is
// libtendril-client.a, which has to be linked; what this file adds are the TRACY_* switches that the project
// gives to it alone.
#ifdef TRACY_ENABLE
#include "tracy/TracyC.h"
#endif
