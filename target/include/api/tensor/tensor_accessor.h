/* Pages of a tensor that compile-time arguments describe (tensor_accessor_args.h), by tt-metal's names. C++.
 *
 *   const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(0));
 *   tensor.get_noc_addr(page, offset)                    of a page, by its number or its place in each dimension
 *   tensor.get_shard_noc_addr(shard), noc_async_read_shard(shard, tensor, to)
 *   for (const auto &page : tensor.pages(first, end))    page.page_id(), page.noc_addr(); tensor.shard_pages(shard)
 *
 * Shards are in the banks in turn, row by row of the tensor; so are the pages of a shard. Shards at an edge have room
 * for whole ones. */
#ifndef TENDRIL_API_TENSOR_TENSOR_ACCESSOR_H
#define TENDRIL_API_TENSOR_TENSOR_ACCESSOR_H
#include "api/dataflow/banked_buffers.h"
#include "api/tensor/page.h"
#include "api/tensor/tensor_accessor_args.h"
#include "tendril/tendril.h"

#include <cstdlib>
#include <type_traits>

namespace tensor_accessor
{
/* How a tensor is cut into shards. */
class td_shards
{
  public:
    template <typename Args> constexpr explicit td_shards(const Args &args)
    {
        if constexpr (Args::td_is_other_layout)
            return; /* what follows is no description */
        rank_ = args.get_rank();
        banks_ = args.get_num_banks();
        for (uint32_t d = 0; d < rank_; d++) {
            if constexpr (Args::tensor_shape_is_crta)
                tensor_[d] =
                    get_common_arg_val<uint32_t>(static_cast<int>(args.tensor_shape_crta_offset() + d));
            else
                tensor_[d] = td_compile_time_arg_(Args::TensorShapeCTAOffset + d);
            if constexpr (Args::shard_shape_is_crta)
                shard_[d] =
                    get_common_arg_val<uint32_t>(static_cast<int>(args.shard_shape_crta_offset() + d));
            else
                shard_[d] = td_compile_time_arg_(Args::ShardShapeCTAOffset + d);
        }
        if constexpr (Args::bank_coords_is_crta)
            places_ = reinterpret_cast<const uint32_t *>(
                get_common_arg_addr(static_cast<int>(args.bank_coords_crta_offset())));
        else
            places_ = &td_compile_time_arg_(Args::BankCoordsCTAOffset);
        for (uint32_t d = rank_; d-- > 0;) {
            grid_[d] = (tensor_[d] + shard_[d] - 1) / shard_[d];
            tensor_steps_[d] = tensor_volume_;
            shard_steps_[d] = shard_volume_;
            grid_steps_[d] = shards_;
            tensor_volume_ *= tensor_[d];
            shard_volume_ *= shard_[d];
            shards_ *= grid_[d];
        }
    }
    constexpr uint32_t rank() const
    {
        return rank_;
    }
    constexpr uint32_t num_banks() const
    {
        return banks_;
    }
    constexpr uint32_t tensor_volume() const
    {
        return tensor_volume_;
    }
    constexpr uint32_t shard_volume() const
    {
        return shard_volume_;
    }
    constexpr const uint32_t *tensor_shape() const
    {
        return tensor_;
    }
    constexpr const uint32_t *shard_shape() const
    {
        return shard_;
    }
    constexpr const uint32_t *tensor_strides() const
    {
        return tensor_steps_;
    }
    constexpr const uint32_t *shard_strides() const
    {
        return shard_steps_;
    }
    constexpr const uint32_t *shard_grid() const
    {
        return grid_;
    }
    constexpr const uint32_t *shard_grid_strides() const
    {
        return grid_steps_;
    }
    /* x << 8 | y */
    constexpr uint32_t td_place(uint32_t bank) const
    {
        return places_[bank / 2] >> bank % 2 * 16 & 0xffff;
    }

  private:
    uint32_t rank_ = 0, banks_ = 0, tensor_volume_ = 1, shard_volume_ = 1, shards_ = 1;
    uint32_t tensor_[MAX_RANK] = {}, shard_[MAX_RANK] = {}, grid_[MAX_RANK] = {};
    uint32_t tensor_steps_[MAX_RANK] = {}, shard_steps_[MAX_RANK] = {}, grid_steps_[MAX_RANK] = {};
    const uint32_t *places_ = nullptr;
};

struct td_interleaved {
    template <typename Args> constexpr explicit td_interleaved(const Args &)
    {
    }
};

/* Pages one after the other, of a tensor or of a shard. */
template <typename Accessor, bool OF_SHARD> class td_page_iterator
{
  public:
    using value_type = Page;
    using difference_type = ptrdiff_t;
    using reference = const Page &;
    using pointer = const Page *;
    td_page_iterator(const Accessor &of, uint32_t shard_, uint32_t at_, uint32_t end_, uint8_t noc_)
        : accessor(&of), shard(shard_), at(at_), end(end_), noc(noc_)
    {
        find_page();
    }
    uint32_t page_id() const
    {
        return page.page_id();
    }
    reference operator*() const
    {
        return page;
    }
    pointer operator->() const
    {
        return &page;
    }
    td_page_iterator &operator+=(difference_type steps)
    {
        at = steps < static_cast<difference_type>(end - at) ? at + static_cast<uint32_t>(steps) : end;
        find_page();
        return *this;
    }
    td_page_iterator &operator++()
    {
        return *this += 1;
    }
    td_page_iterator operator++(int)
    {
        td_page_iterator was = *this;
        ++*this;
        return was;
    }
    td_page_iterator operator+(difference_type steps) const
    {
        td_page_iterator to = *this;
        return to += steps;
    }
    bool operator==(const td_page_iterator &other) const
    {
        return at == other.at;
    }
    bool operator!=(const td_page_iterator &other) const
    {
        return at != other.at;
    }
    bool operator<(const td_page_iterator &other) const
    {
        return at < other.at;
    }

  private:
    void find_page()
    {
        if constexpr (OF_SHARD) {
            uint32_t number = 0;
            while (at < end && !accessor->td_page_of_shard(shard, at, &number))
                at++; /* room of a shard at an edge */
            if (at < end)
                page = Page(accessor->td_shard_page_addr(shard, at, noc), number);
        } else if (at < end) {
            page = Page(accessor->get_noc_addr(at, 0, noc), at);
        }
    }
    const Accessor *accessor;
    uint32_t shard, at, end;
    uint8_t noc;
    Page page{0, 0};
};

template <typename Accessor, bool OF_SHARD> class td_page_range
{
  public:
    using iterator = td_page_iterator<Accessor, OF_SHARD>;
    using const_iterator = iterator;
    td_page_range(const Accessor &of, uint32_t shard_, uint32_t first_, uint32_t end_, uint8_t noc_)
        : accessor(of), shard(shard_), first(first_), last(end_), noc(noc_)
    {
    }
    iterator begin() const
    {
        return {accessor, shard, first, last, noc};
    }
    iterator end() const
    {
        return {accessor, shard, last, last, noc};
    }

  private:
    const Accessor &accessor;
    uint32_t shard, first, last;
    uint8_t noc;
};
} // namespace tensor_accessor

template <typename Args> struct TensorAccessor {
    using td_spec =
        std::conditional_t<Args::is_sharded, tensor_accessor::td_shards, tensor_accessor::td_interleaved>;
    struct DSpec : td_spec {
        using td_spec::td_spec;
        static constexpr bool is_interleaved = !Args::is_sharded;
        static constexpr bool is_dram = Args::is_dram;
        static constexpr bool has_static_rank = Args::is_sharded && !Args::rank_is_crta;
        static constexpr bool has_static_num_banks = Args::is_sharded && !Args::num_banks_is_crta;
        static constexpr bool tensor_shape_static = Args::is_sharded && !Args::tensor_shape_is_crta;
        static constexpr bool shard_shape_static = Args::is_sharded && !Args::shard_shape_is_crta;
        static constexpr uint32_t rank_ct = Args::RankCT;
        static constexpr uint32_t num_banks_ct = Args::NumBanksCT;
        /* Constants, where they are known at compile time. */
        constexpr uint32_t rank() const
        {
            if constexpr (has_static_rank)
                return rank_ct;
            else
                return td_spec::rank();
        }
        constexpr const uint32_t *tensor_shape() const
        {
            if constexpr (tensor_shape_static)
                return &td_compile_time_arg_(Args::TensorShapeCTAOffset);
            else
                return td_spec::tensor_shape();
        }
    };
    static constexpr bool DRAM = Args::is_dram, is_dram = Args::is_dram;
    uint32_t bank_base_address;
    uint32_t page_size;

    template <typename From>
    TensorAccessor(const From &args, uint32_t address, uint32_t page_bytes = From::AlignedPageSize)
        : bank_base_address(address), page_size(page_bytes), spec_(args)
    {
        if constexpr (From::td_is_other_layout) {
            TD_LOG("a tensor's compile-time arguments are those before 2026: compile with "
                   "-DTD_ACCESSOR_WORDS=1");
            std::abort();
        }
#if TD_ACCESSOR_WORDS == 1
        if (page_bytes == 0) {
            TD_LOG("a TensorAccessor without the size of its pages is one of 2026: compile with "
                   "-DTD_ACCESSOR_WORDS=2");
            std::abort();
        }
#endif
    }
    constexpr const DSpec &dspec() const
    {
        return spec_;
    }
    uint32_t get_aligned_page_size() const
    {
        return page_size;
    }
    uint32_t td_page_bytes() const
    {
        return page_size;
    }
    uint32_t td_stride() const
    {
        return td_stride_<DRAM>(page_size);
    }

    uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, uint8_t noc = noc_index) const
    {
        if constexpr (Args::is_sharded) {
            const auto at = get_bank_and_offset(page);
            return td_bank_addr(at.bank_id, at.bank_page_offset, noc) + offset;
        } else {
            return td_page_addr_<DRAM>(bank_base_address, page_size, page, offset, noc);
        }
    }
    /* By the place in each dimension. */
    template <typename Place, typename = decltype(std::declval<const Place &>()[0])>
    uint64_t get_noc_addr(const Place &place, uint32_t offset = 0, uint8_t noc = noc_index) const
    {
        uint32_t page = 0;
        for (uint32_t d = 0; d < spec_.rank(); d++)
            page += place[d] * spec_.tensor_strides()[d];
        return get_noc_addr(page, offset, noc);
    }
    TD_PAGED_TRANSFERS_

    /* ---- of a sharded tensor */

    struct PageMapping {
        size_t bank_id, bank_page_offset;
    };
    PageMapping get_bank_and_offset(uint32_t page) const
    {
        uint32_t shard = 0, in_shard = 0;
        for (uint32_t d = spec_.rank(); d-- > 0;) {
            const uint32_t at = page % spec_.tensor_shape()[d];
            page /= spec_.tensor_shape()[d];
            shard += at / spec_.shard_shape()[d] * spec_.shard_grid_strides()[d];
            in_shard += at % spec_.shard_shape()[d] * spec_.shard_strides()[d];
        }
        return td_place_in_bank(shard, in_shard);
    }
    PageMapping td_place_in_bank(uint32_t shard, uint32_t page) const
    {
        return {shard % spec_.num_banks(), shard / spec_.num_banks() * spec_.shard_volume() + page};
    }
    uint64_t td_bank_addr(uint32_t bank, uint32_t pages, uint8_t noc) const
    {
        const uint32_t place = spec_.td_place(bank);
        return ::get_noc_addr(place >> 8, place & 0xff, bank_base_address + pages * td_stride(), noc);
    }
    uint64_t td_shard_page_addr(uint32_t shard, uint32_t page, uint8_t noc) const
    {
        const auto at = td_place_in_bank(shard, page);
        return td_bank_addr(at.bank_id, at.bank_page_offset, noc);
    }
    uint64_t get_shard_noc_addr(uint32_t shard, uint32_t offset = 0, uint8_t noc = noc_index) const
    {
        static_assert(Args::is_sharded, "this tensor has no shards");
        return td_shard_page_addr(shard, 0, noc) + offset;
    }
    template <typename Place, typename = decltype(std::declval<const Place &>()[0])>
    uint64_t get_shard_noc_addr(const Place &place, uint32_t offset = 0, uint8_t noc = noc_index) const
    {
        uint32_t shard = 0;
        for (uint32_t d = 0; d < spec_.rank(); d++)
            shard += place[d] * spec_.shard_grid_strides()[d];
        return get_shard_noc_addr(shard, offset, noc);
    }
    /* The number in the tensor of a page of a shard; false: the shard has room there, the tensor no page. */
    bool td_page_of_shard(uint32_t shard, uint32_t page, uint32_t *number) const
    {
        *number = 0;
        for (uint32_t d = spec_.rank(); d-- > 0;) {
            const uint32_t at =
                shard % spec_.shard_grid()[d] * spec_.shard_shape()[d] + page % spec_.shard_shape()[d];
            if (at >= spec_.tensor_shape()[d])
                return false;
            *number += at * spec_.tensor_strides()[d];
            shard /= spec_.shard_grid()[d];
            page /= spec_.shard_shape()[d];
        }
        return true;
    }
    bool is_local_bank(uint32_t x, uint32_t y, uint8_t noc = noc_index) const
    {
        return x == my_x[noc] && y == my_y[noc];
    }
    bool is_local_addr(uint64_t address, uint8_t noc = noc_index) const
    {
        return is_local_bank(td_noc_x_(address), td_noc_y_(address), noc);
    }
    bool is_local_page(uint32_t page, uint8_t noc = noc_index) const
    {
        return is_local_addr(get_noc_addr(page, 0, noc), noc);
    }
    bool is_local_shard(uint32_t shard, uint8_t noc = noc_index) const
    {
        return is_local_addr(get_shard_noc_addr(shard, 0, noc), noc);
    }

    /* ---- one after the other; an end of 0 is that of the shard or of the tensor */

    using td_pages = tensor_accessor::td_page_range<TensorAccessor, false>;
    using td_shard_pages = tensor_accessor::td_page_range<TensorAccessor, true>;
    td_pages pages(uint32_t first = 0, uint32_t end = 0, uint8_t noc = noc_index) const
    {
        if constexpr (Args::is_sharded)
            end = end ? end : spec_.tensor_volume();
        return {*this, 0, first, end, noc};
    }
    td_shard_pages shard_pages(uint32_t shard, uint32_t first = 0, uint32_t end = 0,
                               uint8_t noc = noc_index) const
    {
        static_assert(Args::is_sharded, "this tensor has no shards");
        return {*this, shard, first, end ? end : spec_.shard_volume(), noc};
    }

  private:
    DSpec spec_;
};

/* Accessors of interleaved tensors are of one type, wherever their arguments are. */
template <bool DRAM> struct td_interleaved_args {
    static constexpr bool is_sharded = false, is_dram = DRAM, td_is_other_layout = false;
    static constexpr bool rank_is_crta = false, num_banks_is_crta = false;
    static constexpr bool tensor_shape_is_crta = false, shard_shape_is_crta = false;
    static constexpr uint32_t RankCT = 0, NumBanksCT = 0, TensorShapeCTAOffset = 0;
};
template <typename Args>
using td_args_of = std::conditional_t<Args::is_sharded, Args, td_interleaved_args<Args::is_dram>>;
template <uint32_t ARG, uint32_t COMMON, typename... Rest>
TensorAccessor(const TensorAccessorArgs<ARG, COMMON> &, Rest...)
    -> TensorAccessor<td_args_of<TensorAccessorArgs<ARG, COMMON>>>;

/* All pages of a shard, also those for which an edge has only room. */
template <typename Args>
static inline void noc_async_read_shard(uint32_t shard, const TensorAccessor<Args> &tensor, uint32_t to,
                                        uint8_t noc = noc_index)
{
    noc_async_read(tensor.get_shard_noc_addr(shard, 0, noc), to,
                   tensor.dspec().shard_volume() * tensor.td_stride(), noc);
}
template <typename Args>
static inline void noc_async_write_shard(uint32_t shard, const TensorAccessor<Args> &tensor, uint32_t from,
                                         uint8_t noc = noc_index)
{
    noc_async_write(from, tensor.get_shard_noc_addr(shard, 0, noc),
                    tensor.dspec().shard_volume() * tensor.td_stride(), noc);
}

/* Accessors of several tensors, whose addresses are consecutive arguments; so are, at compile time, the bytes of their
 * pages if `first_page_size` names one. */
template <typename... Args, uint32_t... N>
static inline auto td_accessor_tuple_(const std::tuple<Args...> &all, uint32_t first,
                                      uint32_t first_page_size, std::integer_sequence<uint32_t, N...>)
{
    return std::make_tuple(TensorAccessor<td_args_of<Args>>(
        std::get<N>(all), get_arg_val<uint32_t>(static_cast<int>(first + N)),
        first_page_size == UINT32_MAX ? Args::AlignedPageSize
                                      : td_compile_time_arg_(first_page_size + N))...);
}
template <typename... Args>
static inline auto make_tensor_accessor_tuple(const std::tuple<Args...> &all, uint32_t first_address,
                                              uint32_t first_page_size = UINT32_MAX)
{
    return td_accessor_tuple_(all, first_address, first_page_size,
                              std::make_integer_sequence<uint32_t, sizeof...(Args)>());
}

/* Accessors of different tensors as one type. */
class AbstractTensorAccessorWrapper
{
  public:
    AbstractTensorAccessorWrapper() = default;
    template <typename Accessor>
    AbstractTensorAccessorWrapper(const Accessor &of)
        : accessor(&of), address([](const void *in, uint32_t page, uint32_t offset, uint8_t noc) {
              return static_cast<const Accessor *>(in)->get_noc_addr(page, offset, noc);
          })
    {
    }
    uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, uint8_t noc = noc_index) const
    {
        return address(accessor, page, offset, noc);
    }

  private:
    const void *accessor = nullptr;
    uint64_t (*address)(const void *, uint32_t, uint32_t, uint8_t) = nullptr;
};
template <typename... Accessors>
static inline auto make_abstract_tensor_accessor_wrappers(const std::tuple<Accessors...> &all)
{
    return std::apply(
        [](const auto &...each) {
            return std::array<AbstractTensorAccessorWrapper, sizeof...(Accessors)>{
                AbstractTensorAccessorWrapper(each)...};
        },
        all);
}

/* Pages, or shards, as ends of transfers (api/tensor/noc_traits.h). */
template <typename Accessor> struct PageView {
    const Accessor &accessor;
    explicit PageView(const Accessor &of) : accessor(of)
    {
    }
    uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, uint8_t noc = noc_index) const
    {
        return accessor.get_noc_addr(page, offset, noc);
    }
};
template <typename Accessor> struct ShardView {
    const Accessor &accessor;
    explicit ShardView(const Accessor &of) : accessor(of)
    {
    }
    bool is_local_shard(uint32_t shard, uint8_t noc = noc_index) const
    {
        return accessor.is_local_shard(shard, noc);
    }
    uint64_t get_noc_addr(uint32_t shard, uint32_t offset = 0, uint8_t noc = noc_index) const
    {
        return accessor.get_shard_noc_addr(shard, offset, noc);
    }
};
#endif
