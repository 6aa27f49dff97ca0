/* Sums, differences and products with a row, a column or an element of the second tile, by tt-metal's
 * names. COL: its first column has an element for each row. ROW: its first row, or the one that is named. SCALAR: its first element.
 * Products add to Dst. */
#ifndef TENDRIL_API_COMPUTE_BCAST_H
#define TENDRIL_API_COMPUTE_BCAST_H
#include "api/compute/binary_unit.h"

namespace ckernel
{
static_assert(BroadcastType::COL == TD_COMPUTE_BROADCAST_COLUMN &&
              BroadcastType::ROW == TD_COMPUTE_BROADCAST_ROW &&
              BroadcastType::SCALAR == TD_COMPUTE_BROADCAST_SCALAR);
constexpr uint32_t td_broadcast_(BroadcastType type)
{
    return static_cast<uint32_t>(type) << TD_COMPUTE_BROADCAST_SHIFT;
}

template <EltwiseBinaryType type, BroadcastType broadcast>
ALWI void any_tiles_bcast(uint32_t cb0, uint32_t cb1, uint32_t tile0, uint32_t tile1, uint32_t dst,
                          uint32_t row = 0)
{
    td_two_tiles_(td_command_of_(type), cb0, cb1, tile0, tile1, dst,
                  td_broadcast_(broadcast) | (type == ELWMUL ? TD_COMPUTE_ADD_TO_DST : 0), 0,
                  broadcast == BroadcastType::ROW ? row : 0);
}

TD_SETTING_(init_bcast)

/* X(name, type): add_tiles_bcast<BroadcastType::COL>(), add_tiles_bcast_cols() and so on. */
#define TD_BROADCASTS(X) X(add, ELWADD) X(sub, ELWSUB) X(mul, ELWMUL)
#define TD_BROADCAST_(name, type, suffix, broadcast)                                                         \
    TD_SETTING_(name##_bcast_##suffix##_init_short)                                                          \
    TD_SETTING_(name##_tiles_bcast_##suffix##_init_short)                                                    \
    ALWI void name##_tiles_bcast_##suffix(uint32_t cb0, uint32_t cb1, uint32_t tile0, uint32_t tile1,        \
                                          uint32_t dst, uint32_t row = 0)                                    \
    {                                                                                                        \
        any_tiles_bcast<type, BroadcastType::broadcast>(cb0, cb1, tile0, tile1, dst, row);                   \
    }
#define TD_X(name, type)                                                                                     \
    template <BroadcastType broadcast>                                                                       \
    ALWI void name##_tiles_bcast(uint32_t cb0, uint32_t cb1, uint32_t tile0, uint32_t tile1, uint32_t dst,   \
                                 uint32_t row = 0)                                                           \
    {                                                                                                        \
        any_tiles_bcast<type, broadcast>(cb0, cb1, tile0, tile1, dst, row);                                  \
    }                                                                                                        \
    TD_BROADCAST_(name, type, rows, ROW)                                                                     \
    TD_BROADCAST_(name, type, cols, COL)                                                                     \
    TD_BROADCAST_(name, type, scalar, SCALAR)
TD_BROADCASTS(TD_X)
#undef TD_X
#undef TD_BROADCAST_

/* From one kind of unary_bcast() to another. */
TD_SETTING_(reconfigure_unary_bcast)

/* One tile to Dst, all of whose elements are those of a row, a column or an element. */
TD_SETTING_(unary_bcast_init)
template <BroadcastType broadcast> ALWI void unary_bcast(uint32_t cb, uint32_t tile, uint32_t dst)
{
    TD_UNPACK_(
        (td_compute_start(TD_COMPUTE_UNPACK_A, td_tile_at_(cb, tile), 0, td_kernel_cb_(cb)->format, 0, 0)));
    TD_MATH_((td_compute_start(TD_COMPUTE_COPY, 0, 0, 0, dst, td_dst_options_ | td_broadcast_(broadcast))));
}
} // namespace ckernel
#endif
