/* By tt-metal's path: formats of numbers. */
#include "api/dataflow/circular_buffers.h"
