/* Sizes of tiles, by tt-metal's path and names. C++. */
#ifndef TENDRIL_TT_METALIUM_CONSTANTS_HPP
#define TENDRIL_TT_METALIUM_CONSTANTS_HPP
#include <cstdint>

namespace tt::constants
{
using std::uint32_t;
constexpr uint32_t TILE_HEIGHT = 32, TILE_WIDTH = 32, TILE_HW = TILE_HEIGHT * TILE_WIDTH;
constexpr uint32_t FACE_HEIGHT = 16, FACE_WIDTH = 16, FACE_HW = FACE_HEIGHT * FACE_WIDTH;
/* Bytes: an element's mantissa, and 16 exponents for each of the four faces. */
constexpr uint32_t BFLOAT8_B_TILE_HW = TILE_HW + 4 * 16, BFLOAT4_B_TILE_HW = TILE_HW / 2 + 4 * 16;
} // namespace tt::constants
#endif
