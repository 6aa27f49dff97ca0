/* By tt-metal's path. */
#include "api/dataflow/noc_transfers_more.h"
