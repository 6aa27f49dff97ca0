/* What all kernels that compute share, by tt-metal's names: entry point, cores, registers of Dst, packing.
 *
 *   namespace NAMESPACE { void MAIN { ... } }       the kernel; kernel_main() without a namespace is one, too
 *
 * A kernel is compiled three times. On TRISC0 its calls unpack, on TRISC1 they compute, on TRISC2 they
 * pack; what a core has no part in is nothing there. UNPACK((...)), MATH((...)) and PACK((...)) are for
 * one core. */
#ifndef TENDRIL_API_COMPUTE_COMMON_H
#define TENDRIL_API_COMPUTE_COMMON_H
#include "tools/profiler/kernel_profiler.hpp"

#ifdef __cplusplus
#include "api/compute/compute_unit.h"
#include "api/compute/kinds.h"
#include "api/dataflow/kernel_args.h"
#include "api/dataflow/circular_buffers.h"
#include "api/debug/dprint.h"
#include "api/debug/waypoint.h"
#include "api/mailboxes.h"
#include "tt-metalium/constants.hpp"

#include <cstdlib>

namespace td_compute
{
/* The definition after this declaration has C linkage as well, so the runtime finds it by its name. */
extern "C" void kernel_main();
} // namespace td_compute
#ifndef NAMESPACE
#define NAMESPACE td_compute
using namespace td_compute;
#endif
#ifndef MAIN
#define MAIN kernel_main()
#endif
#ifndef ALWI
#define ALWI inline __attribute__((always_inline))
#endif

enum class MathFidelity : uint8_t { LoFi = 0, HiFi2 = 2, HiFi3 = 3, HiFi4 = 4 };
namespace ckernel
{
using ::MathFidelity;
}
/* Passes of the multipliers: they take time; all bits of a product count in each. Constants, because
 * operations ask whether their build has defined the name. */
#ifndef MATH_FIDELITY
constexpr int32_t MATH_FIDELITY = 4;
#endif
#ifndef DST_SYNC_MODE
#define DST_SYNC_MODE ckernel::DstSync::SyncHalf
#endif
/* true: Dst holds 32 bits an element, and half as many tiles. */
#ifndef DST_ACCUM_MODE
constexpr bool DST_ACCUM_MODE = false;
#endif

namespace ckernel
{
using tt::constants::FACE_HEIGHT, tt::constants::FACE_WIDTH;
using tt::constants::TILE_HEIGHT, tt::constants::TILE_WIDTH;
constexpr uint32_t td_dst_options_ = DST_ACCUM_MODE ? TD_COMPUTE_DST32 : 0;
constexpr uint32_t td_phases_ = static_cast<uint32_t>(MATH_FIDELITY) << TD_COMPUTE_PHASES_SHIFT;

static inline uint32_t td_tile_at_(uint32_t cb, uint32_t tile)
{
    return td_cb_read_pointer(td_kernel_cb_at_(cb)) + tile * td_kernel_cb_(cb)->tile_bytes;
}

/* Bytes of 32 elements in a row. */
static inline uint32_t td_row_bytes_(uint32_t cb)
{
    return td_tile_bytes_(td_kernel_cb_(cb)->format) / 32;
}

/* ---- registers of Dst: two halves, which go from TRISC1 to TRISC2 and back */

/* Waits for a half, all of whose elements are 0. */
ALWI void tile_regs_acquire()
{
    TD_MATH_((td_compute_wait_dst_free()));
}
ALWI void tile_regs_commit()
{
    TD_MATH_((td_compute_start(TD_COMPUTE_COMMIT, 0, 0, 0, 0, 0)));
}
ALWI void tile_regs_wait()
{
    TD_PACK_((td_compute_wait_dst_full()));
}
ALWI void tile_regs_release()
{
    TD_PACK_((td_compute_start(TD_COMPUTE_RELEASE, 0, 0, 0, 0, 0)));
}
/* The names before 2024: both halves of a step at once. */
ALWI void acquire_dst()
{
    tile_regs_acquire();
    tile_regs_wait();
}
ALWI void release_dst()
{
    tile_regs_commit();
    tile_regs_release();
}

/* ---- settings that have no effect: the engine takes formats and sizes from each command's buffers */

#define TD_SETTING_(name)                                                                                    \
    template <auto... OPTIONS, typename... Others> ALWI void name(Others...)                                 \
    {                                                                                                        \
    }

/* ---- what this unit does not know */

#define TD_REFUSED_(name)                                                                                    \
    template <auto... OPTIONS, typename... Others> ALWI void name(Others...)                                 \
    {                                                                                                        \
        TD_MATH_(                                                                                            \
            ([] { TD_LOG(#name "() is not on this board: its unit does not know it"); }(), std::abort()));   \
    }

/* ---- packing */

static uint32_t td_pack_options_ __attribute__((unused)) = td_dst_options_;

/* The tiles that were packed since the last cb_push_back(), before this one. */
static inline uint32_t td_packed_before_(uint32_t cb)
{
    volatile struct td_cb *of = td_cb_at_(td_kernel_cb_at_(cb));
    const uint32_t before = of->packed;
    of->packed = before + 1;
    return before;
}

template <bool out_of_order_output = false> ALWI void pack_tile(uint32_t dst, uint32_t cb, uint32_t tile = 0)
{
    TD_PACK_((td_compute_start(TD_COMPUTE_PACK,
                               td_cb_write_pointer(td_kernel_cb_at_(cb)) +
                                   (out_of_order_output ? tile : td_packed_before_(cb)) *
                                       td_kernel_cb_(cb)->tile_bytes,
                               0, td_kernel_cb_(cb)->format, dst, td_pack_options_)));
}
/* Packed tiles are added to what their pages have. */
ALWI void pack_reconfig_l1_acc(uint32_t is_on)
{
    td_pack_options_ = (td_pack_options_ & ~TD_COMPUTE_ADD_TO_L1) | (is_on ? TD_COMPUTE_ADD_TO_L1 : 0);
}
/* ZERO_RELU: numbers less than 0 are packed as 0. */
struct ReluConfig {
    uint32_t packed;
    static constexpr ReluConfig none()
    {
        return {0};
    }
    static constexpr ReluConfig zero()
    {
        return {1};
    }
};
ALWI void pack_relu_config(uint32_t config)
{
    if ((config & 0xffff) > 1) {
        TD_LOG("pack_relu_config(): this board packs no other than ZERO_RELU");
        std::abort();
    }
    td_pack_options_ = (td_pack_options_ & ~TD_COMPUTE_PACK_RELU) | (config & 1 ? TD_COMPUTE_PACK_RELU : 0);
}
ALWI void pack_relu_config(const ReluConfig &config)
{
    pack_relu_config(config.packed);
}
ALWI void llk_pack_reconfig_l1_acc(uint32_t is_on)
{
    pack_reconfig_l1_acc(is_on);
}
ALWI void llk_pack_relu_config(uint32_t config)
{
    pack_relu_config(config);
}
ALWI void pack_tile_block(uint32_t dst, uint32_t cb, uint32_t tiles)
{
    for (uint32_t i = 0; i < tiles; i++)
        pack_tile(dst + i, cb);
}

ALWI void matmul_pack_tile(uint32_t dst, uint32_t cb, uint32_t tiles)
{
    pack_tile_block(dst, cb, tiles);
}

/* ---- circular buffers: TRISC0 consumes, TRISC2 produces. The pages of a call are read or filled by then. */

ALWI void cb_wait_front(uint32_t cb, uint32_t pages)
{
    TD_UNPACK_((td_cb_wait_front(td_kernel_cb_at_(cb), pages)));
}
ALWI void cb_pop_front(uint32_t cb, uint32_t pages)
{
    TD_UNPACK_((td_compute_wait(), td_cb_pop_front(td_kernel_cb_at_(cb), pages)));
}
ALWI void cb_reserve_back(uint32_t cb, uint32_t pages)
{
    TD_PACK_((td_cb_reserve_back(td_kernel_cb_at_(cb), pages)));
}
ALWI void cb_push_back(uint32_t cb, uint32_t pages)
{
    TD_PACK_((td_compute_wait(), td_cb_at_(td_kernel_cb_at_(cb))->packed = 0,
              td_cb_push_back(td_kernel_cb_at_(cb), pages)));
}

/* Until this core's unit has done what it was told to. */
ALWI void tensix_sync()
{
    td_compute_wait();
}

/* Of a tile of the page that this core has waited for. */
ALWI uint32_t get_tile_address(uint32_t cb, uint32_t tile)
{
    return td_tile_at_(cb, tile);
}
ALWI uint32_t read_tile_value(uint32_t cb, uint32_t tile, uint32_t element)
{
    return reinterpret_cast<const volatile uint32_t *>(
        static_cast<uintptr_t>(td_tile_at_(cb, tile)))[element];
}

enum class SrcOrder : uint8_t { Default, Reverse };
TD_SETTING_(compute_kernel_hw_startup)
TD_SETTING_(reconfig_data_format)
TD_SETTING_(reconfig_data_format_srca)
TD_SETTING_(reconfig_data_format_srcb)
TD_SETTING_(pack_reconfig_data_format)
TD_SETTING_(state_configure)
/* Of the layer below, which some operations call themselves. */
TD_SETTING_(llk_math_eltwise_binary_init)
TD_SETTING_(llk_math_hw_configure_disaggregated)
TD_SETTING_(llk_math_pack_sync_init)
TD_SETTING_(llk_math_reconfig_data_format)
TD_SETTING_(llk_math_reconfig_data_format_srca)
TD_SETTING_(llk_math_reconfig_data_format_srcb)
TD_SETTING_(llk_math_reduce_init)
TD_SETTING_(llk_pack_dest_init)
TD_SETTING_(llk_pack_hw_configure_disaggregated)
TD_SETTING_(llk_pack_init)
TD_SETTING_(llk_setup_outputs)
TD_SETTING_(llk_unpack_AB_hw_configure_disaggregated)
TD_SETTING_(llk_unpack_AB_init)
TD_SETTING_(llk_unpack_AB_reduce_init)
TD_SETTING_(llk_unpack_reconfig_data_format)
TD_SETTING_(llk_unpack_reconfig_data_format_srca)
TD_SETTING_(llk_unpack_reconfig_data_format_srcb)
} // namespace ckernel
using namespace ckernel;
#endif

#endif
