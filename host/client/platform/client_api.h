/* Includes the client's public header with everything that it declares. The library itself may be built
 * without TRACY_ENABLE, which hides most of them. */
#pragma once
#ifndef TRACY_ENABLE
#define TRACY_ENABLE
#endif
#include "host/client/include/tendril/client.h"
