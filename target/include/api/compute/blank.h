/* By tt-metal's path: a kernel that computes nothing. */
#include "api/compute/common.h"
