/* The public header of the client with all that it declares, however the client itself is built. */
#ifndef TD_HOST_CLIENT_PLATFORM_CLIENT_API_H
#define TD_HOST_CLIENT_PLATFORM_CLIENT_API_H
#ifndef TRACY_ENABLE
#define TRACY_ENABLE
#endif
#include "host/client/include/tendril/client.h"

#endif
