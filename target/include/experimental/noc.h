/* Transfers as calls of an object, and what they move, by the path before the middle of 2026. */
#ifndef TENDRIL_EXPERIMENTAL_NOC_H
#define TENDRIL_EXPERIMENTAL_NOC_H
#include "api/core_local_mem.h"
#include "api/dataflow/endpoints.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"
#endif
