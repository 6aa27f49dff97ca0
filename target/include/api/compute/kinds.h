/* Kinds of operations of tiles, by tt-metal's names; also for kernels that move data. C++. */
#ifndef TENDRIL_API_COMPUTE_KINDS_H
#define TENDRIL_API_COMPUTE_KINDS_H
#include <cstdint>

namespace ckernel
{
enum class DstSync : uint8_t { SyncHalf, SyncFull };
enum class EltwiseBinaryType : uint8_t { ELWMUL, ELWADD, ELWSUB };
constexpr auto ELWMUL = EltwiseBinaryType::ELWMUL;
constexpr auto ELWADD = EltwiseBinaryType::ELWADD;
constexpr auto ELWSUB = EltwiseBinaryType::ELWSUB;
enum class EltwiseBinaryReuseDestType : uint8_t {
    NONE,
    DEST_TO_SRCA,
    DEST_TO_SRCB,
    DST_TO_SRCA = DEST_TO_SRCA, /* before 2026 */
    DST_TO_SRCB = DEST_TO_SRCB
};
/* What of the second tile counts: its first column, a row, or its first element. */
enum BroadcastType : uint8_t { NONE, COL, ROW, SCALAR };
enum PoolType : uint8_t { SUM, AVG, MAX, MIN }; /* the scale makes a sum an average */
enum ReduceDim : uint8_t { REDUCE_ROW, REDUCE_COL, REDUCE_SCALAR };
enum class DataLayout : uint8_t { TILE, ROW_MAJOR };
enum class InputClamping : uint8_t { ClampToNegative, None };
enum class RoundingMode : uint8_t { None, Trunc, Floor };
enum class VectorMode : int { None = 0, R = 1, C = 2, RC = 4 };
enum DataCopyType : uint8_t { A2D, B2D };
constexpr bool UnpackToDestEn = true, UnpackToDestDis = false;
enum class ReluType : uint8_t { NO_RELU, ZERO_RELU, MIN_THRESHOLD_RELU, MAX_THRESHOLD_RELU };
} // namespace ckernel
#endif
