/* DPRINT << TileSlice(cb, tile, SliceRange::hw0_32_8()), by tt-metal's names: elements of a tile of a circular
 * buffer, row by row. C++.
 *
 * Of kernels that move data, the tile is one that the kernel has waited for (TSLICE_RD_PTR) or is about to push
 * (TSLICE_WR_PTR). Of kernels that compute, TRISC0 prints tiles that it reads, TRISC2 those that it writes, and TRISC1
 * none. Elements of a tile are in four faces; with print_untilized, or in the 32 rows that tt-metal's builds untilize,
 * they are not. Tiles of formats that share exponents are named, not printed. */
#ifndef TENDRIL_API_DEBUG_DPRINT_TILE_H
#define TENDRIL_API_DEBUG_DPRINT_TILE_H
#include "api/dataflow/circular_buffers.h"
#include "api/debug/dprint_stream.h"

struct SliceRange {
    uint8_t h0, h1, hs, w0, w1, ws;
    /* Every eighth of 32, every fourth of 16, or the first ones of 32 x 32. */
    static constexpr SliceRange hw0_32_16()
    {
        return {0, 32, 16, 0, 32, 16};
    }
    static constexpr SliceRange hw0_32_8()
    {
        return {0, 32, 8, 0, 32, 8};
    }
    static constexpr SliceRange hw0_32_4()
    {
        return {0, 32, 4, 0, 32, 4};
    }
    static constexpr SliceRange h0_w0_32()
    {
        return {0, 1, 1, 0, 32, 1};
    }
    static constexpr SliceRange h0_32_w0()
    {
        return {0, 32, 1, 0, 1, 1};
    }
    static constexpr SliceRange h1_w0_32()
    {
        return {1, 2, 1, 0, 32, 1};
    }
    static constexpr SliceRange hw041()
    {
        return {0, 4, 1, 0, 4, 1};
    }
};

typedef bool dprint_tslice_ptr_t;
typedef bool dprint_tslice_cb_t;
#define TSLICE_RD_PTR    true
#define TSLICE_WR_PTR    false
#define TSLICE_INPUT_CB  true
#define TSLICE_OUTPUT_CB false

/* Addresses and lengths of a circular buffer. */
#define CB_RD_PTR(id)     get_read_ptr(id)
#define CB_RD_SZ(id)      td_kernel_cb_bytes_(id)
#define CB_WR_PTR(id)     get_write_ptr(id)
#define CB_PAGE_COUNT(id) (td_cb_at_(td_kernel_cb_at_(id))->pages)
#define CB_PAGE_SIZE(id)  (td_cb_at_(td_kernel_cb_at_(id))->page_bytes)

template <uint32_t MAX_BYTES = 64> struct TileSlice {
    uint32_t address, format;
    SliceRange range;
    bool ends_rows, is_in_faces;
#ifdef COMPILE_FOR_TRISC
    TileSlice(uint32_t cb, uint32_t tile, const SliceRange &part, bool endl_rows = true,
              bool print_untilized = true)
        : format(td_kernel_cb_(cb)->format), range(part), ends_rows(endl_rows), is_in_faces(print_untilized)
    {
        address = (COMPILE_FOR_TRISC == 2 ? get_write_ptr(cb) : get_read_ptr(cb)) +
                  tile * td_kernel_cb_(cb)->tile_bytes;
        if (COMPILE_FOR_TRISC == 1)
            range.h1 = range.h0;
    }
#else
    TileSlice(uint32_t cb, uint32_t tile, const SliceRange &part, dprint_tslice_cb_t = TSLICE_INPUT_CB,
              dprint_tslice_ptr_t pointer = TSLICE_RD_PTR, bool endl_rows = true, bool print_untilized = true)
        : format(td_kernel_cb_(cb)->format), range(part), ends_rows(endl_rows), is_in_faces(print_untilized)
    {
        address = (pointer == TSLICE_RD_PTR ? get_read_ptr(cb) : get_write_ptr(cb)) +
                  tile * td_kernel_cb_(cb)->tile_bytes;
    }
#endif
};
template <typename... Args> static inline TileSlice<64> TSLICE(Args... args)
{
    return TileSlice<64>(args...);
}

static inline void td_print_element_(td_print &to, uint32_t format, uint32_t address, uint32_t index)
{
    const auto words = reinterpret_cast<const volatile uint32_t *>(static_cast<uintptr_t>(address));
    const auto halves = reinterpret_cast<const volatile uint16_t *>(static_cast<uintptr_t>(address));
    const auto bytes = reinterpret_cast<const volatile uint8_t *>(static_cast<uintptr_t>(address));
    union {
        uint32_t word;
        float value;
    } both;
    switch (static_cast<DataFormat>(format)) {
    case DataFormat::Float32:
    case DataFormat::Tf32:
        both.word = words[index];
        to << both.value;
        break;
    case DataFormat::Int32:
        to << static_cast<int32_t>(words[index]);
        break;
    case DataFormat::UInt32:
        to << static_cast<uint32_t>(words[index]);
        break;
    case DataFormat::UInt16:
        to << static_cast<uint32_t>(halves[index]);
        break;
    case DataFormat::Int8:
        to << static_cast<int32_t>(static_cast<int8_t>(bytes[index]));
        break;
    case DataFormat::UInt8:
        to << static_cast<uint32_t>(bytes[index]);
        break;
    default:
        to << BF16(halves[index]);
    }
}

template <uint32_t MAX_BYTES>
static inline td_print &operator<<(td_print &to, const TileSlice<MAX_BYTES> &slice)
{
    const auto format = static_cast<DataFormat>(slice.format);
    if (slice.range.h0 >= slice.range.h1)
        return to;
    if (format == DataFormat::Bfp8_b || format == DataFormat::Bfp4_b || format == DataFormat::Float16)
        return to << "a tile of format " << static_cast<uint32_t>(slice.format) << ", which is not printed"
                  << ENDL();
    for (uint32_t row = slice.range.h0; row < slice.range.h1; row += slice.range.hs ? slice.range.hs : 1) {
        for (uint32_t column = slice.range.w0; column < slice.range.w1;
             column += slice.range.ws ? slice.range.ws : 1) {
            const uint32_t face = row / 16 * 2 + column / 16;
            td_print_element_(to, slice.format, slice.address,
                              slice.is_in_faces ? face * 256 + row % 16 * 16 + column % 16
                                                : row * 32 + column);
            to << " ";
        }
        if (slice.ends_rows)
            to << ENDL();
    }
    return to;
}
#endif
