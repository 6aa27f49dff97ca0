/* tt-metal's oldest path of this header. */
#include "api/debug/dprint.h"
