/* Circular buffers, by tt-metal's names. A buffer is known by its index; the host has laid it out. */
#ifndef TENDRIL_API_DATAFLOW_CIRCULAR_BUFFERS_H
#define TENDRIL_API_DATAFLOW_CIRCULAR_BUFFERS_H
#include "api/dataflow/kernel_args.h"
#include "tendril/cb.h"

#include <cstdlib>

enum class DataFormat : uint8_t {
#define TD_X(value, name, bytes) name = value,
    TD_TILE_FORMATS(TD_X)
#undef TD_X
    /* formats that no buffer of the simulated board has */
    Bfp8 = 2,
    Bfp4 = 3,
    Lf8 = 10,
    Bfp2 = 11,
    Bfp2_b = 15,
    Fp8_e4m3 = 26,
    RawUInt8 = 0xf0,
    RawUInt16 = 0xf1,
    RawUInt32 = 0xf2,
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

/* tt-metal's tables of what a buffer's tiles are, by the names that its build gives them. */
#define TD_FORMAT_TABLE_(name, type, value)                                                                  \
    static constexpr struct {                                                                                \
        TD_FORMAT_CONSTEXPR_ type operator[](uint32_t cb) const                                              \
        {                                                                                                    \
            (void)cb;                                                                                        \
            return static_cast<type>(value);                                                                 \
        }                                                                                                    \
    } name __attribute__((unused)) = {};
#ifdef KERNEL_CB_FORMATS
#define TD_FORMAT_CONSTEXPR_ constexpr
#else
#define TD_FORMAT_CONSTEXPR_
#endif
TD_FORMAT_TABLE_(unpack_src_format, uint32_t, get_dataformat(cb))
TD_FORMAT_TABLE_(unpack_dst_format, uint32_t, get_dataformat(cb))
TD_FORMAT_TABLE_(pack_src_format, uint32_t, get_dataformat(cb))
TD_FORMAT_TABLE_(pack_dst_format, uint32_t, get_dataformat(cb))
TD_FORMAT_TABLE_(unpack_tile_size, uint32_t, get_tile_size(cb))
TD_FORMAT_TABLE_(pack_tile_size, uint32_t, get_tile_size(cb))
#undef TD_FORMAT_CONSTEXPR_
#define TD_FORMAT_CONSTEXPR_ constexpr
TD_FORMAT_TABLE_(unpack_tile_r_dim, uint8_t, 32)
TD_FORMAT_TABLE_(unpack_tile_c_dim, uint8_t, 32)
TD_FORMAT_TABLE_(pack_tile_r_dim, uint8_t, 32)
TD_FORMAT_TABLE_(pack_tile_c_dim, uint8_t, 32)
TD_FORMAT_TABLE_(unpack_tile_face_r_dim, uint8_t, 16)
TD_FORMAT_TABLE_(pack_tile_face_r_dim, uint8_t, 16)
TD_FORMAT_TABLE_(unpack_tile_num_faces, uint8_t, 4)
TD_FORMAT_TABLE_(pack_tile_num_faces, uint8_t, 4)
TD_FORMAT_TABLE_(unpack_partial_face, uint8_t, 0)
TD_FORMAT_TABLE_(pack_partial_face, uint8_t, 0)
TD_FORMAT_TABLE_(unpack_narrow_tile, uint8_t, 0)
TD_FORMAT_TABLE_(pack_narrow_tile, uint8_t, 0)
#undef TD_FORMAT_TABLE_
#undef TD_FORMAT_CONSTEXPR_

/* Elements of a tile, and its faces. */
static constexpr uint32_t get_tile_hw(uint32_t)
{
    return 32 * 32;
}
static constexpr uint32_t get_tile_num_faces(uint32_t)
{
    return 4;
}

static inline uint32_t td_kernel_cb_begin_(uint32_t cb)
{
    return td_cb_at_(td_kernel_cb_at_(cb))->base;
}

static inline uint32_t td_kernel_cb_bytes_(uint32_t cb)
{
    return td_cb_at_(td_kernel_cb_at_(cb))->page_bytes * td_cb_at_(td_kernel_cb_at_(cb))->pages;
}

/* The buffer as if all its memory were at `begin`, and its next page, or free page, at `at`. A core that computes has
 * only one of them. */
static inline void td_cb_move_(uint32_t cb, uint32_t begin, uint32_t bytes, uint32_t at)
{
    volatile struct td_cb *of = td_cb_at_(cb);
    const uint32_t page = (at - begin) / of->page_bytes;
    of->base = begin;
    of->pages = bytes / of->page_bytes;
#if !defined(COMPILE_FOR_TRISC) || COMPILE_FOR_TRISC == 0
    of->read_page = page;
#endif
#if !defined(COMPILE_FOR_TRISC) || COMPILE_FOR_TRISC == 2
    of->write_page = page;
#endif
    td_fence();
}

/* What tt-metal keeps of a buffer in its core, here the words of the buffer in L1. Addresses and lengths are in bytes; on
 * cores that compute, in units of 16 bytes. */
#ifdef COMPILE_FOR_TRISC
static constexpr uint32_t cb_addr_shift = 4;
#else
static constexpr uint32_t cb_addr_shift = 0;
#endif
static constexpr uint32_t CIRCULAR_BUFFER_COMPUTE_ADDR_SHIFT = 4;

/* One of them, which is where the buffer is: X(name, value of the buffer `of`, what a new value `is` changes). */
#define TD_CB_FIELDS(X)                                                                                      \
    X(fifo_size, (of->pages * of->page_bytes) >> cb_addr_shift,                                              \
      of->pages = (is << cb_addr_shift) / of->page_bytes)                                                    \
    X(fifo_limit, (of->base + of->pages * of->page_bytes) >> cb_addr_shift,                                  \
      of->base = (is << cb_addr_shift) - of->pages * of->page_bytes)                                         \
    X(fifo_page_size, of->page_bytes >> cb_addr_shift, of->page_bytes = is << cb_addr_shift)                 \
    X(fifo_num_pages, of->pages, of->pages = is)                                                             \
    X(fifo_rd_ptr, (of->base + of->read_page * of->page_bytes) >> cb_addr_shift,                             \
      of->read_page = td_cb_page_(of, is))                                                                   \
    X(fifo_wr_ptr, (of->base + of->write_page * of->page_bytes) >> cb_addr_shift,                            \
      of->write_page = td_cb_page_(of, is))                                                                  \
    X(fifo_wr_tile_ptr, of->packed, of->packed = is)                                                         \
    X(tiles_acked, of->popped, of->popped = is)                                                              \
    X(tiles_received, of->pushed, of->pushed = is)

/* The number of the page at an address in the buffer's unit. Others are refused: a place is a number of pages. */
static inline uint32_t td_cb_page_(const volatile struct td_cb *of, uint32_t address)
{
    const uint32_t offset = (address << cb_addr_shift) - of->base;
    if (offset % of->page_bytes) {
        TD_LOG("a place in a circular buffer that is no begin of a page is not on this board");
        std::abort();
    }
    return offset / of->page_bytes;
}
template <typename Field> struct td_cb_field {
    operator uint32_t() const
    {
        return Field::get(reinterpret_cast<const volatile struct td_cb *>(this));
    }
    td_cb_field &operator=(uint32_t is)
    {
        Field::set(reinterpret_cast<volatile struct td_cb *>(this), is);
        return *this;
    }
    td_cb_field &operator=(const td_cb_field &other)
    {
        return *this = static_cast<uint32_t>(other);
    }
    td_cb_field &operator+=(uint32_t more)
    {
        return *this = *this + more;
    }
    td_cb_field &operator-=(uint32_t less)
    {
        return *this = *this - less;
    }
    td_cb_field() = default;
    td_cb_field(const td_cb_field &) = delete;
};
#define TD_X(name, value, change)                                                                            \
    struct td_cb_##name##_ {                                                                                 \
        static uint32_t get(const volatile struct td_cb *of)                                                 \
        {                                                                                                    \
            return value;                                                                                    \
        }                                                                                                    \
        static void set(volatile struct td_cb *of, uint32_t is)                                              \
        {                                                                                                    \
            change;                                                                                          \
        }                                                                                                    \
    };
TD_CB_FIELDS(TD_X)
#undef TD_X
union LocalCBInterface {
#define TD_X(name, value, change) td_cb_field<td_cb_##name##_> name;
    TD_CB_FIELDS(TD_X)
#undef TD_X
};
static inline LocalCBInterface &get_local_cb_interface(uint32_t cb)
{
    return *reinterpret_cast<LocalCBInterface *>(static_cast<uintptr_t>(td_kernel_cb_at_(cb)));
}

/* The counters of pages. */
static inline volatile uint32_t *get_cb_tiles_acked_ptr(uint32_t cb)
{
    return &td_cb_at_(td_kernel_cb_at_(cb))->popped;
}
static inline volatile uint32_t *get_cb_tiles_received_ptr(uint32_t cb)
{
    return &td_cb_at_(td_kernel_cb_at_(cb))->pushed;
}

#endif
