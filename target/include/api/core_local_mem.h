/* An address in this tile's L1 as a pointer that the NoC knows, by tt-metal's path and names. C++. */
#ifndef TENDRIL_API_CORE_LOCAL_MEM_H
#define TENDRIL_API_CORE_LOCAL_MEM_H
#include "api/dataflow/noc.h"
#include "api/lock.h"

template <typename T, typename Address = uintptr_t> class CoreLocalMem
{
  public:
    CoreLocalMem(Address address) : at(reinterpret_cast<T *>(static_cast<uintptr_t>(address)))
    {
    }
    CoreLocalMem(T *pointer) : at(pointer)
    {
    }
    Address get_address() const
    {
        return static_cast<Address>(reinterpret_cast<uintptr_t>(at));
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
    CoreLocalMem &operator--()
    {
        at--;
        return *this;
    }
    CoreLocalMem operator--(int)
    {
        return CoreLocalMem(at--);
    }
    CoreLocalMem &operator-=(int32_t count)
    {
        at -= count;
        return *this;
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
    bool operator<=(const CoreLocalMem &other) const
    {
        return at <= other.at;
    }
    bool operator>(const CoreLocalMem &other) const
    {
        return at > other.at;
    }
    bool operator>=(const CoreLocalMem &other) const
    {
        return at >= other.at;
    }
    explicit operator bool() const
    {
        return at != nullptr;
    }
    /* For as long as the object that it returns, others should leave these elements alone. */
    [[nodiscard]] auto scoped_lock(size_t count) const
    {
        const uint32_t begin = static_cast<uint32_t>(get_address());
        const uint32_t bytes = static_cast<uint32_t>(count * sizeof(T));
        RECORD_SCOPED_LOCK_EVENT(NocDebuggingEventMetadata::NocDebugEventType::MEM_LOCK, begin, bytes);
        return Lock([=]() {
            RECORD_SCOPED_LOCK_EVENT(NocDebuggingEventMetadata::NocDebugEventType::MEM_UNLOCK, begin, bytes);
        });
    }

  private:
    T *at;
};

template <typename T, typename Address> struct noc_traits_t<CoreLocalMem<T, Address>> {
    struct src_args_type {
        Address offset_bytes = 0;
    };
    using dst_args_type = src_args_type;
    static uint32_t local(const CoreLocalMem<T, Address> &memory, const src_args_type &at)
    {
        return memory.get_address() + at.offset_bytes;
    }
};

namespace experimental
{
using ::CoreLocalMem;
}
#endif
