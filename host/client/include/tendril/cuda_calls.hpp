// Records calls of CUDA's functions as zones of the threads that make them. Keeps the times of the last
// 65,536 calls, to connect the GPU's work with its call. With TRACY_CUDA_ENABLE_CUDA_CALL_STATS it counts the
// calls of each function. tracy/TracyCUDA.hpp includes it.
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
// A call of a function of CUDA.
struct CudaCall {
    bool known;         // its entry has not been reused for a later call
    bool current;       // false: the call, and so its work, began before the present connection
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
    // Prints the functions that were called to standard output, the most frequent first.
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
        if (known) // a call of the driver within a call of the runtime
            return;
        __atomic_store_n(&call.id, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&call.live, td_client_is_live(),
                         __ATOMIC_RELEASE); // no thread sees it before the line above
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

    // A call, found by CUPTI's correlation id, which the records of its GPU work have, too. The members are
    // not std::atomic, so that the array needs no initialization.
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
        const bool named = id < count && function; // false: the function is newer than CUPTI's header
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
