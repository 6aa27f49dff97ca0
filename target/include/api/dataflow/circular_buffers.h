/* Circular buffers, by tt-metal's names. A buffer is known by its index; the host has laid it out. */
#ifndef TENDRIL_API_DATAFLOW_CIRCULAR_BUFFERS_H
#define TENDRIL_API_DATAFLOW_CIRCULAR_BUFFERS_H
#include "api/dataflow/kernel_args.h"
#include "tendril/cb.h"

enum class DataFormat : uint8_t {
#define TD_X(value, name, bytes) name = value,
    TD_TILE_FORMATS(TD_X)
#undef TD_X
        Invalid = 255
};

/* clang-format off */
#define TD_CB_INDICES(X)                                                                                     \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)                    \
    X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)
namespace tt
{
/* Its members are converted to numbers without a cast. */
enum CBIndex : uint32_t {
#define TD_X(n) c_##n = n,
    TD_CB_INDICES(TD_X)
#undef TD_X
    SIZE = 32
};
/* The names before 2025: inputs, outputs and buffers in between. */
enum CB : uint32_t {
    c_in0, c_in1, c_in2, c_in3, c_in4, c_in5, c_in6, c_in7, dataflow0, dataflow1, dataflow2, dataflow3, dataflow4,
    dataflow5, dataflow6, dataflow7, c_out0, c_out1, c_out2, c_out3, c_out4, c_out5, c_out6, c_out7, c_intermed0,
    c_intermed1, c_intermed2, c_intermed3, c_intermed4, c_intermed5, c_intermed6, c_intermed7
};
} // namespace tt
/* clang-format on */

static constexpr uint32_t td_tile_bytes_(uint32_t format)
{
    switch (format) {
#define TD_X(value, name, bytes)                                                                             \
    case value:                                                                                              \
        return bytes;
        TD_TILE_FORMATS(TD_X)
#undef TD_X
    }
    return 0;
}

static inline const struct td_kernel_cb *td_kernel_cb_(uint32_t cb)
{
    return reinterpret_cast<const struct td_kernel_cb *>(td_kernel_env_()->cbs) + cb;
}

static inline uint32_t td_kernel_cb_at_(uint32_t cb)
{
    return td_kernel_cb_(cb)->counters;
}

#ifndef COMPILE_FOR_TRISC /* api/compute/common.h has those of kernels that compute */
static inline void cb_reserve_back(uint32_t cb, uint32_t pages)
{
    td_cb_reserve_back(td_kernel_cb_at_(cb), pages);
}

static inline void cb_push_back(uint32_t cb, uint32_t pages)
{
    td_cb_push_back(td_kernel_cb_at_(cb), pages);
}

static inline void cb_wait_front(uint32_t cb, uint32_t pages)
{
    td_cb_wait_front(td_kernel_cb_at_(cb), pages);
}

static inline void cb_pop_front(uint32_t cb, uint32_t pages)
{
    td_cb_pop_front(td_kernel_cb_at_(cb), pages);
}
#endif

static inline bool cb_pages_reservable_at_back(uint32_t cb, uint32_t pages)
{
    return td_cb_free(td_kernel_cb_at_(cb)) >= pages;
}

static inline bool cb_pages_available_at_front(uint32_t cb, uint32_t pages)
{
    return td_cb_filled(td_kernel_cb_at_(cb)) >= pages;
}

static inline uint32_t get_write_ptr(uint32_t cb)
{
    return td_cb_write_pointer(td_kernel_cb_at_(cb));
}

static inline uint32_t get_read_ptr(uint32_t cb)
{
    return td_cb_read_pointer(td_kernel_cb_at_(cb));
}

/* Kernels whose arrays have the size of a tile need it at compile time: -DKERNEL_CB_FORMATS=5,5 gives the
 * formats of the first buffers. Without, sizes and formats are those that the host has given. */
#ifdef KERNEL_CB_FORMATS
constexpr uint8_t td_cb_formats_[] = {KERNEL_CB_FORMATS};
static constexpr DataFormat get_dataformat(uint32_t cb)
{
    return static_cast<DataFormat>(td_cb_formats_[cb]);
}

static constexpr uint32_t get_tile_size(uint32_t cb)
{
    return td_tile_bytes_(td_cb_formats_[cb]);
}
#else
static inline DataFormat get_dataformat(uint32_t cb)
{
    return static_cast<DataFormat>(td_kernel_cb_(cb)->format);
}

static inline uint32_t get_tile_size(uint32_t cb)
{
    return td_kernel_cb_(cb)->tile_bytes;
}
#endif

/* Elements of a tile. */
static constexpr uint32_t get_tile_hw(uint32_t)
{
    return 32 * 32;
}

#endif
