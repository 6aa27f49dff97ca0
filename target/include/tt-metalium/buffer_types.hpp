/* Kinds of buffers, by tt-metal's path and names: kernels are given their numbers as arguments. C++. */
#ifndef TENDRIL_TT_METALIUM_BUFFER_TYPES_HPP
#define TENDRIL_TT_METALIUM_BUFFER_TYPES_HPP
#include <cstdint>

namespace tt::tt_metal
{
enum class TensorMemoryLayout {
    INTERLEAVED = 0,
    HEIGHT_SHARDED = 2,
    WIDTH_SHARDED,
    BLOCK_SHARDED,
    ND_SHARDED
};
enum class ShardOrientation { ROW_MAJOR, COL_MAJOR };
enum class ShardDistributionStrategy { ROUND_ROBIN_1D, GRID_2D };
enum class BufferType { DRAM, L1, SYSTEM_MEMORY, L1_SMALL, TRACE };
} // namespace tt::tt_metal
#endif
