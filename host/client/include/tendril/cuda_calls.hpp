// Calls of CUDA's functions as zones of the threads that make them, and the times of the last 65,536 calls,
// for what the GPU does because of them; with TRACY_CUDA_ENABLE_CUDA_CALL_STATS how many there were of each
// function. tracy/TracyCUDA.hpp includes it.
#ifndef TENDRIL_CUDA_CALLS_HPP
#define TENDRIL_CUDA_CALLS_HPP

#include "cuda_sites.hpp"

#include <cupti.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef TRACY_CUDA_ENABLE_CUDA_CALL_STATS
#define TRACY_CUDA_ENABLE_CUDA_CALL_STATS (0)
#endif

namespace tendril
{
// What is known of a call.
struct CudaCall {
    bool known;         // its place has no other by now
    bool current;       // it is not of before the connection, and so is what it started
    uint32_t thread;    // 0: not known
    int64_t begin, end; // ticks
};

class CudaCalls
{
  public:
    static CudaCall Find(uint32_t correlation)
    {
        const CudaCall none = {false, true, 0, 0, 0};
        const Call &call = CallOf(correlation);
        if (!correlation || __atomic_load_n(&call.id, __ATOMIC_ACQUIRE) != correlation)
            return none;
        const uint32_t live = __atomic_load_n(&call.live, __ATOMIC_ACQUIRE),
                       thread = __atomic_load_n(&call.thread, __ATOMIC_ACQUIRE);
        const int64_t from = __atomic_load_n(&call.begin, __ATOMIC_ACQUIRE),
                      to = __atomic_load_n(&call.end, __ATOMIC_ACQUIRE);
        if (__atomic_load_n(&call.id, __ATOMIC_ACQUIRE) != correlation)
            return none;
        return CudaCall{true, live == td_client_is_live(), thread, from, to};
    }
    // The functions that were called, the most frequent first, to the program's output.
    static void PrintCounts()
    {
        if (!TRACY_CUDA_ENABLE_CUDA_CALL_STATS)
            return;
        const CudaSite *called[SiteCount];
        size_t count = 0;
        for (uint32_t i = 0; i < SiteCount; i++)
            if ((called[count] = __atomic_load_n(Sites() + i, __ATOMIC_ACQUIRE)) != nullptr)
                count++;
        qsort(called, count, sizeof *called, ByCalls);
        printf("\nCUDA API stats:\n");
        for (size_t i = 0; i < count; i++)
            printf("- %s : %llu\n", called[i]->location.function,
                   static_cast<unsigned long long>(__atomic_load_n(&called[i]->calls, __ATOMIC_RELAXED)));
    }
    static void CUPTIAPI OnCall(void *, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data)
    {
        const CUpti_CallbackData *const info = static_cast<const CUpti_CallbackData *>(data);
        if (domain != CUPTI_CB_DOMAIN_RUNTIME_API && domain != CUPTI_CB_DOMAIN_DRIVER_API)
            return;
        Call &call = CallOf(info->correlationId);
        const bool known = __atomic_load_n(&call.id, __ATOMIC_ACQUIRE) == info->correlationId;
        const int64_t now = int64_t(td_client_ticks());
        if (info->callbackSite == CUPTI_API_EXIT) {
            if (known)
                __atomic_store_n(&call.end, now, __ATOMIC_RELEASE);
            if (*info->correlationData)
                td_client_zone_end(uint32_t(*info->correlationData - 1));
            return;
        }
        CudaSite *const site = CallSite(domain, id, info->functionName);
        if (TRACY_CUDA_ENABLE_CUDA_CALL_STATS && site)
            __atomic_fetch_add(&site->calls, 1, __ATOMIC_RELAXED);
        *info->correlationData = site ? uint64_t(td_client_zone_begin(&site->location)) + 1 : 0;
        if (known) // the runtime's call that this one of the driver is part of
            return;
        __atomic_store_n(&call.id, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&call.live, td_client_is_live(), __ATOMIC_RELEASE); // not seen before the line above
        __atomic_store_n(&call.thread, td_client_thread_id(), __ATOMIC_RELEASE);
        __atomic_store_n(&call.begin, now, __ATOMIC_RELEASE);
        __atomic_store_n(&call.end, now, __ATOMIC_RELEASE);
        __atomic_store_n(&call.id, info->correlationId, __ATOMIC_RELEASE);
    }

  private:
    enum : uint32_t {
        CallCount = 64 * 1024,
        RuntimeCount = CUPTI_RUNTIME_TRACE_CBID_SIZE,
        DriverCount = CUPTI_DRIVER_TRACE_CBID_SIZE,
        SiteCount = RuntimeCount + DriverCount
    };

    // Of the program, by CUPTI's number; what the GPU did for it has that, too. Not std::atomic, so that they
    // need no initialization.
    struct Call {
        uint32_t id, live, thread;
        int64_t begin, end;
    };

    static Call &CallOf(uint32_t correlation)
    {
        static Call calls[CallCount];
        return calls[correlation % CallCount];
    }
    static int ByCalls(const void *a, const void *b)
    {
        const uint64_t first = (*static_cast<const CudaSite *const *>(a))->calls,
                       second = (*static_cast<const CudaSite *const *>(b))->calls;
        return (first < second) - (first > second);
    }
    static CudaSite **Sites() // of the functions that have been called
    {
        static CudaSite *sites[SiteCount];
        return sites;
    }
    static CudaSite *CallSite(CUpti_CallbackDomain domain, CUpti_CallbackId id, const char *function)
    {
        const bool ofRuntime = domain == CUPTI_CB_DOMAIN_RUNTIME_API;
        const uint32_t count = ofRuntime ? uint32_t(RuntimeCount) : uint32_t(DriverCount);
        const bool named = id < count && function; // else newer than the header
        CudaSite **const place = &Sites()[(ofRuntime ? 0u : uint32_t(RuntimeCount)) + (named ? id : 0u)];
        CudaSite *site = __atomic_load_n(place, __ATOMIC_ACQUIRE);
        if (site)
            return site;
        CudaSite *const made = MakeCudaSite(named ? function : "a function of CUDA", false);
        if (made &&
            !__atomic_compare_exchange_n(place, &site, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            td_client_free(made);
            return site;
        }
        return made;
    }
};
} // namespace tendril

#endif
