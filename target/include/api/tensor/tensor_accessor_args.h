/* The arguments that describe a tensor, by tt-metal's names. C++.
 *
 *   constexpr auto a = TensorAccessorArgs<0>();
 *   constexpr auto b = TensorAccessorArgs<a.next_compile_time_args_offset()>();
 *
 * From compile-time argument ARG on: a word of bits (sharded 1, in DRAM 2, and what is given at run time: dimensions
 * 4, banks 8, the tensor's shape 16, a shard's shape 32, places of banks 64), and the bytes of a page, rounded up
 * to the alignment. Then, only of a sharded tensor: its dimensions, its banks, its shape in pages, a shard's shape in
 * pages, and the places of the banks, x << 8 | y, two in a word, the first one in its low half. What is given at run
 * time is missing here, and is in the common arguments instead, in the same order, from COMMON on (or from the number
 * that the constructor is given).
 *
 * Before 2026 the second word was missing: -DTD_ACCESSOR_WORDS=1. A kernel whose second word is no size of a page is
 * one of that year; it ends where it makes its TensorAccessor. */
#ifndef TENDRIL_API_TENSOR_TENSOR_ACCESSOR_ARGS_H
#define TENDRIL_API_TENSOR_TENSOR_ACCESSOR_ARGS_H
#include "api/compile_time_args.h"
#include "api/dataflow/kernel_args.h"

#include <tuple>
#include <utility>

#ifndef TD_ACCESSOR_WORDS
#define TD_ACCESSOR_WORDS 2
#endif

namespace tensor_accessor
{
constexpr uint32_t UNKNOWN = UINT32_MAX;
constexpr uint32_t MAX_RANK = 8;
} // namespace tensor_accessor

template <uint32_t ARG, uint32_t COMMON = tensor_accessor::UNKNOWN> struct TensorAccessorArgs {
    static constexpr uint32_t td_config = td_compile_time_arg_(ARG);
    static_assert(td_config < 128, "no description of a tensor begins with this compile-time argument");
    static constexpr bool is_sharded = (td_config & 1) != 0;
    static constexpr bool is_dram = (td_config & 2) != 0;
    static constexpr bool rank_is_crta = (td_config & 4) != 0;
    static constexpr bool num_banks_is_crta = (td_config & 8) != 0;
    static constexpr bool tensor_shape_is_crta = (td_config & 16) != 0;
    static constexpr bool shard_shape_is_crta = (td_config & 32) != 0;
    static constexpr bool bank_coords_is_crta = (td_config & 64) != 0;
    static_assert(!is_sharded || !rank_is_crta || (tensor_shape_is_crta && shard_shape_is_crta),
                  "shapes whose dimensions are given at run time are given at run time");
    static_assert(!is_sharded || !num_banks_is_crta || bank_coords_is_crta,
                  "the places of banks whose number is given at run time are given at run time");

    static constexpr uint32_t td_number(bool is_there, uint32_t arg)
    {
        return is_sharded && is_there ? td_compile_time_arg_(is_sharded && is_there ? arg : ARG) : 0;
    }
#if TD_ACCESSOR_WORDS == 1
    static constexpr uint32_t AlignedPageSize = 0;
    static constexpr bool td_is_other_layout = false;
#else
    static constexpr uint32_t AlignedPageSize = td_compile_time_arg_(ARG + 1);
    static constexpr bool td_is_other_layout = AlignedPageSize == 0 || AlignedPageSize % 16 != 0;
#endif
    static constexpr uint32_t RankCTAOffset = ARG + TD_ACCESSOR_WORDS;
    static constexpr uint32_t NumBanksCTAOffset = RankCTAOffset + !rank_is_crta;
    static constexpr uint32_t RankCT = td_number(!rank_is_crta, RankCTAOffset);
    static constexpr uint32_t NumBanksCT = td_number(!num_banks_is_crta, NumBanksCTAOffset);
    static_assert(!is_sharded || rank_is_crta || (RankCT > 0 && RankCT <= tensor_accessor::MAX_RANK),
                  "a sharded tensor has 1 to 8 dimensions");
    static_assert(!is_sharded || num_banks_is_crta || NumBanksCT > 0, "a sharded tensor has banks");
    static constexpr uint32_t TensorShapeCTAOffset = NumBanksCTAOffset + !num_banks_is_crta;
    static constexpr uint32_t ShardShapeCTAOffset =
        TensorShapeCTAOffset + (tensor_shape_is_crta ? 0 : RankCT);
    static constexpr uint32_t BankCoordsCTAOffset = ShardShapeCTAOffset + (shard_shape_is_crta ? 0 : RankCT);
    static constexpr uint32_t NumArgsCT =
        is_sharded ? BankCoordsCTAOffset + (bank_coords_is_crta ? 0 : (NumBanksCT + 1) / 2) - ARG
                   : TD_ACCESSOR_WORDS;

    constexpr TensorAccessorArgs() = default;
    constexpr explicit TensorAccessorArgs(uint32_t common) : td_common(common)
    {
        static_assert(COMMON == tensor_accessor::UNKNOWN, "the number of the common argument is given twice");
    }
    constexpr uint32_t crta_offset() const
    {
        return COMMON != tensor_accessor::UNKNOWN ? COMMON : td_common;
    }
    static constexpr uint32_t get_aligned_page_size()
    {
        return AlignedPageSize;
    }
    constexpr uint32_t get_rank() const
    {
        if constexpr (is_sharded && rank_is_crta)
            return get_common_arg_val<uint32_t>(static_cast<int>(crta_offset()));
        else
            return RankCT;
    }
    constexpr uint32_t get_num_banks() const
    {
        if constexpr (is_sharded && num_banks_is_crta)
            return get_common_arg_val<uint32_t>(static_cast<int>(crta_offset() + rank_is_crta));
        else
            return NumBanksCT;
    }
    constexpr uint32_t tensor_shape_crta_offset() const
    {
        return crta_offset() + rank_is_crta + num_banks_is_crta;
    }
    constexpr uint32_t shard_shape_crta_offset() const
    {
        return tensor_shape_crta_offset() + (tensor_shape_is_crta ? get_rank() : 0);
    }
    constexpr uint32_t bank_coords_crta_offset() const
    {
        return shard_shape_crta_offset() + (shard_shape_is_crta ? get_rank() : 0);
    }

    static constexpr uint32_t num_compile_time_args()
    {
        return NumArgsCT;
    }
    static constexpr uint32_t next_compile_time_args_offset()
    {
        return ARG + NumArgsCT;
    }
    constexpr uint32_t num_common_runtime_args() const
    {
        if constexpr (!is_sharded)
            return 0;
        else
            return bank_coords_crta_offset() + (bank_coords_is_crta ? (get_num_banks() + 1) / 2 : 0) -
                   crta_offset();
    }
    constexpr uint32_t next_common_runtime_args_offset() const
    {
        return crta_offset() + num_common_runtime_args();
    }

  private:
    uint32_t td_common = 0;
};

/* Descriptions of several tensors, one after the other. */
template <uint32_t COUNT, uint32_t ARG> static constexpr auto make_tensor_accessor_args_tuple()
{
    if constexpr (COUNT == 0)
        return std::make_tuple();
    else
        return std::tuple_cat(
            std::make_tuple(TensorAccessorArgs<ARG>()),
            make_tensor_accessor_args_tuple<COUNT - 1,
                                            TensorAccessorArgs<ARG>::next_compile_time_args_offset()>());
}
#endif
