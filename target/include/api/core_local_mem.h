/* An address in this tile's L1 as a pointer that the NoC knows, by tt-metal's path and names. C++. */
#ifndef TENDRIL_API_CORE_LOCAL_MEM_H
#define TENDRIL_API_CORE_LOCAL_MEM_H
#include "api/dataflow/noc.h"

template <typename T> class CoreLocalMem
{
  public:
    explicit CoreLocalMem(uintptr_t address) : at(reinterpret_cast<T *>(address))
    {
    }
    explicit CoreLocalMem(T *pointer) : at(pointer)
    {
    }
    uintptr_t get_address() const
    {
        return reinterpret_cast<uintptr_t>(at);
    }
    T *get_unsafe_ptr() const
    {
        return at;
    }
    T &operator[](uint32_t index) const
    {
        return at[index];
    }
    T &operator*() const
    {
        return *at;
    }
    T *operator->() const
    {
        return at;
    }
    CoreLocalMem &operator++()
    {
        at++;
        return *this;
    }
    CoreLocalMem operator++(int)
    {
        return CoreLocalMem(at++);
    }
    CoreLocalMem &operator+=(int32_t count)
    {
        at += count;
        return *this;
    }
    CoreLocalMem operator+(int32_t count) const
    {
        return CoreLocalMem(at + count);
    }
    CoreLocalMem operator-(int32_t count) const
    {
        return CoreLocalMem(at - count);
    }
    int32_t operator-(const CoreLocalMem &other) const
    {
        return at - other.at;
    }
    bool operator==(const CoreLocalMem &other) const
    {
        return at == other.at;
    }
    bool operator!=(const CoreLocalMem &other) const
    {
        return at != other.at;
    }
    bool operator<(const CoreLocalMem &other) const
    {
        return at < other.at;
    }

  private:
    T *at;
};

template <typename T> struct noc_traits_t<CoreLocalMem<T>> {
    struct src_args_type {
        uint32_t offset_bytes = 0;
    };
    using dst_args_type = src_args_type;
    static uint32_t local(const CoreLocalMem<T> &memory, const src_args_type &at)
    {
        return memory.get_address() + at.offset_bytes;
    }
};

namespace experimental
{
using ::CoreLocalMem;
}
#endif
