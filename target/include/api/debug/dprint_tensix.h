/* tt-metal's path of what prints registers of the compute engine. It has none that can be printed, so only
 * DPRINT is here. */
#include "api/debug/dprint.h"
