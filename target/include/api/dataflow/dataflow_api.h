/* tt-metal's functions for kernels that move data, by the same path and names, on Tendril's runtime. C++.
 *
 *   get_arg_val<uint32_t>(0), get_common_arg_val<uint32_t>(0), get_compile_time_arg_val(0)
 *   get_noc_addr(x, y, address), noc_async_read(...), noc_async_write(...), barriers, multicast
 *   InterleavedAddrGen<DRAM>, InterleavedAddrGenFast<DRAM>, TensorAccessor: pages over banks
 *   cb_reserve_back(0, 1), cb_push_back(0, 1), cb_wait_front(0, 1), cb_pop_front(0, 1), get_write_ptr(0) ...
 *   get_semaphore(0), noc_semaphore_inc(...), noc_semaphore_wait(...) ...
 *
 * The host provides what they refer to: host/device/kernel_env.h. What differs from tt-metal: there is one
 * NoC, so the parameter `noc` and `vc` have no effect. A kernel that waits shows it as a wait zone if
 * TD_DATAFLOW_WAITS is defined.
 */
#ifndef TENDRIL_API_DATAFLOW_DATAFLOW_API_H
#define TENDRIL_API_DATAFLOW_DATAFLOW_API_H
#include "tools/profiler/kernel_profiler.hpp"
#include "api/dataflow/kernel_args.h"
#include "api/dataflow/circular_buffers.h"
#include "api/dataflow/noc_transfers.h"
#include "api/dataflow/banked_buffers.h"
#include "api/tensor/tensor_accessor.h"
#include "api/dataflow/semaphores.h"
#include "api/dataflow/noc_transfers_more.h"
#include "api/debug/assert.h"
#include "api/debug/dprint.h"
#include "api/debug/waypoint.h"
#include "hostdevcommon/common_values.hpp"
#include "internal/mod_div_lib.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>
#ifdef COMPILE_FOR_TRISC
#include "api/compute/common.h"
#endif

#endif
