// CUDA's allocations, copies, memsets and synchronization as memory pools of the trace. tracy/TracyCUDA.hpp
// includes it.
#ifndef TENDRIL_CUDA_MEMORY_HPP
#define TENDRIL_CUDA_MEMORY_HPP

#include "gpu.hpp"

#include <stdlib.h>
#include <string.h>

namespace tendril
{
// A set of addresses; 0 is none.
class CudaAddresses
{
  public:
    CudaAddresses() : m_slots(nullptr), m_room(0), m_count(0)
    {
    }
    bool Has(uint64_t address) const
    {
        return m_room && m_slots[PlaceOf(address)] == address;
    }
    bool Add(uint64_t address) // false: no memory
    {
        if (2 * (m_count + 1) > m_room && !Grow())
            return false;
        uint64_t &slot = m_slots[PlaceOf(address)];
        m_count += slot != address;
        slot = address;
        return true;
    }
    bool Remove(uint64_t address) // false: it was not there
    {
        if (!Has(address))
            return false;
        size_t hole = PlaceOf(address);
        m_count--;
        // An address after the hole may be there only because its own slot was taken: move it forward.
        for (size_t at = Next(hole); m_slots[at]; at = Next(at)) {
            const size_t wanted = Wanted(m_slots[at]);
            if (((at - wanted) & (m_room - 1)) < ((at - hole) & (m_room - 1)))
                continue;
            m_slots[hole] = m_slots[at];
            hole = at;
        }
        m_slots[hole] = 0;
        return true;
    }

  private:
    size_t Wanted(uint64_t address) const
    {
        return size_t((address * 0x9e3779b97f4a7c15u) >> 20) & (m_room - 1);
    }
    size_t Next(size_t at) const
    {
        return (at + 1) & (m_room - 1);
    }
    size_t PlaceOf(uint64_t address) const // the address's slot, or the free slot for it
    {
        size_t at = Wanted(address);
        while (m_slots[at] && m_slots[at] != address)
            at = Next(at);
        return at;
    }
    bool Grow()
    {
        const size_t room = m_room ? 2 * m_room : 1024, before = m_room;
        uint64_t *const old = m_slots, *const slots =
                                           static_cast<uint64_t *>(td_client_alloc(room * sizeof *slots));
        if (!slots)
            return false;
        memset(slots, 0, room * sizeof *slots);
        m_slots = slots;
        m_room = room;
        for (size_t i = 0; i < before; i++)
            if (old[i])
                m_slots[PlaceOf(old[i])] = old[i];
        td_client_free(old);
        return true;
    }

    uint64_t *m_slots;
    size_t m_room, m_count; // the room is a power of two
};

// Events of pools. They must be sent in the order of their times, but CUPTI returns records in the order of
// completion, so events are held back for a while. For one thread at a time.
class CudaMemory
{
  public:
    enum Pool : uint8_t { Allocation, Copy, Set, Synchronization, PoolCount };
    struct Moment {
        int64_t gpu, ticks; // on the GPU's clock and on the host's
    };

    CudaMemory()
        : m_held(nullptr), m_count(0), m_room(0), m_sorted(0), m_sent(), m_ticks(), m_works(0), m_numbers(0),
          m_unknown(0), m_again(0), m_late(0), m_lost(0), m_latest(0)
    {
    }
    void Allocate(uint64_t address, uint64_t bytes, Moment at, uint32_t thread)
    {
        Hold(Event{at, address, bytes, thread, Allocation, false, 0});
    }
    void Free(uint64_t address, Moment at, uint32_t thread)
    {
        Hold(Event{at, address, 0, thread, Allocation, true, 0});
    }
    // Work that took some time, as memory that is allocated at its start and freed at its end. The address is
    // a counter.
    void Work(Pool pool, uint64_t bytes, Moment from, Moment to, uint32_t thread)
    {
        const uint64_t address = ++m_works;
        Hold(Event{from, address, bytes, thread, pool, false, 0});
        Hold(Event{to, address, 0, thread, pool, true, 0});
    }
    // Sends the events that are earlier than this time of the GPU.
    void Send(int64_t until)
    {
        Sort();
        size_t sent = 0;
        while (sent < m_count && m_held[sent].at.gpu < until)
            Emit(m_held[sent++]);
        if (!sent)
            return;
        m_count = m_sorted = m_count - sent;
        memmove(m_held, m_held + sent, m_count * sizeof *m_held);
    }
    // Sends all events, and warnings about wrong, late and lost ones.
    void Finish()
    {
        Send(INT64_MAX);
        if (m_unknown)
            GpuWarn("CUDA: %zu frees are left out: their memory was allocated before profiling", m_unknown);
        if (m_again)
            GpuWarn("CUDA: %zu allocations were freed unseen: they end where their memory is allocated again",
                    m_again);
        if (m_late)
            GpuWarn("CUDA: %zu events of memory came late: they stand up to %lld us behind their times",
                    m_late, static_cast<long long>(m_latest / 1000));
        if (m_lost)
            GpuWarn("CUDA: no memory for %zu events of memory: they are missing", m_lost);
        m_unknown = m_again = m_late = m_lost = 0;
        m_latest = 0;
    }

  private:
    struct Event {
        Moment at;
        uint64_t address, bytes;
        uint32_t thread;
        uint8_t pool;
        bool isFree;
        uint64_t number; // counts up in the order of arrival
    };

    void Hold(const Event &event)
    {
        if (m_count == m_room) {
            const size_t room = m_room ? 2 * m_room : 1024;
            Event *const held = static_cast<Event *>(td_client_realloc(m_held, room * sizeof *held));
            if (!held) {
                m_lost++;
                return;
            }
            m_held = held;
            m_room = room;
        }
        m_held[m_count] = event;
        m_held[m_count++].number = ++m_numbers;
    }
    static int ByTime(const void *a, const void *b)
    {
        const Event *const first = static_cast<const Event *>(a), *const second =
                                                                      static_cast<const Event *>(b);
        if (first->at.gpu != second->at.gpu)
            return first->at.gpu < second->at.gpu ? -1 : 1;
        return (first->number > second->number) - (first->number < second->number);
    }
    // Sorts the new events, and merges them with those that are held already.
    void Sort()
    {
        const size_t added = m_count - m_sorted;
        if (!added)
            return;
        Event *const fresh = static_cast<Event *>(td_client_alloc(added * sizeof *fresh));
        if (!fresh) {
            qsort(m_held, m_count, sizeof *m_held, ByTime);
        } else {
            memcpy(fresh, m_held + m_sorted, added * sizeof *fresh);
            qsort(fresh, added, sizeof *fresh, ByTime);
            size_t old = m_sorted, left = added;
            for (size_t to = m_count; left; to--)
                m_held[to - 1] =
                    old && ByTime(&m_held[old - 1], &fresh[left - 1]) > 0 ? m_held[--old] : fresh[--left];
            td_client_free(fresh);
        }
        m_sorted = m_count;
    }
    // The event's time, or that of the pool's last event if that is later.
    int64_t TimeOf(const Event &event)
    {
        int64_t &sent = m_sent[event.pool], &ticks = m_ticks[event.pool];
        if (event.at.gpu < sent) {
            m_late++;
            m_latest = sent - event.at.gpu > m_latest ? sent - event.at.gpu : m_latest;
        } else
            sent = event.at.gpu;
        return ticks = event.at.ticks > ticks ? event.at.ticks : ticks;
    }
    void Emit(const Event &event)
    {
        static const char *const names[PoolCount] = {"CUDA Memory Allocation", "CUDA Memory Copy",
                                                     "CUDA Memory Set", "CUDA Synchronization"};
        const char *const name = names[event.pool];
        if (event.pool == Allocation && !MayBe(event, name))
            return;
        const int64_t time = TimeOf(event);
        if (event.isFree)
            td_client_memory_free_at(name, event.address, time, event.thread);
        else
            td_client_memory_alloc_at(name, event.address, event.bytes, time, event.thread);
    }
    // Whether the event may be sent: recorders refuse frees of memory that is not allocated and allocations
    // of memory that is.
    bool MayBe(const Event &event, const char *name)
    {
        if (event.isFree) {
            const bool known = m_live.Remove(event.address);
            m_unknown += !known;
            return known;
        }
        if (m_live.Has(event.address)) {
            m_again++;
            td_client_memory_free_at(name, event.address, TimeOf(event), event.thread);
            return true;
        }
        const bool room = m_live.Add(event.address);
        m_lost += !room;
        return room;
    }

    CudaAddresses m_live;
    Event *m_held;
    size_t m_count, m_room, m_sorted;
    int64_t m_sent[PoolCount], m_ticks[PoolCount]; // of the last event of each
    uint64_t m_works, m_numbers;
    size_t m_unknown, m_again, m_late, m_lost; // since the last Finish()
    int64_t m_latest;
};
} // namespace tendril

#endif
