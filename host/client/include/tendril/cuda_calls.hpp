// Calls of CUDA's functions as zones of the threads that make them, and the times of the last 65,536 calls,
// for what the GPU does because of them. tracy/TracyCUDA.hpp includes it.
#ifndef TENDRIL_CUDA_CALLS_HPP
#define TENDRIL_CUDA_CALLS_HPP

#include "cuda_sites.hpp"

#include <cupti.h>

namespace tendril
{
class CudaCalls
{
  public:
    // Ticks; they stay as they are if the call is not known, or its place has another by now. false: it is of
    // before the connection, and so is what it started.
    static bool Times(uint32_t correlation, int64_t *begin, int64_t *end)
    {
        const Call &call = CallOf(correlation);
        if (!correlation || __atomic_load_n(&call.id, __ATOMIC_ACQUIRE) != correlation)
            return true;
        const uint32_t live = __atomic_load_n(&call.live, __ATOMIC_ACQUIRE);
        const int64_t from = __atomic_load_n(&call.begin, __ATOMIC_ACQUIRE),
                      to = __atomic_load_n(&call.end, __ATOMIC_ACQUIRE);
        if (__atomic_load_n(&call.id, __ATOMIC_ACQUIRE) != correlation)
            return true;
        *begin = from;
        *end = to;
        return live == td_client_is_live();
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
        const CudaSite *const site = CallSite(domain, id, info->functionName);
        *info->correlationData = site ? uint64_t(td_client_zone_begin(&site->location)) + 1 : 0;
        if (known) // the runtime's call that this one of the driver is part of
            return;
        __atomic_store_n(&call.id, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&call.live, td_client_is_live(), __ATOMIC_RELEASE); // not seen before the line above
        __atomic_store_n(&call.begin, now, __ATOMIC_RELEASE);
        __atomic_store_n(&call.end, now, __ATOMIC_RELEASE);
        __atomic_store_n(&call.id, info->correlationId, __ATOMIC_RELEASE);
    }

  private:
    enum : uint32_t { CallCount = 64 * 1024 };

    // Of the program, by CUPTI's number; what the GPU did for it has that, too. Not std::atomic, so that they
    // need no initialization.
    struct Call {
        uint32_t id, live;
        int64_t begin, end;
    };

    static Call &CallOf(uint32_t correlation)
    {
        static Call calls[CallCount];
        return calls[correlation % CallCount];
    }
    static CudaSite *CallSite(CUpti_CallbackDomain domain, CUpti_CallbackId id, const char *function)
    {
        static CudaSite *runtime[CUPTI_RUNTIME_TRACE_CBID_SIZE], *driver[CUPTI_DRIVER_TRACE_CBID_SIZE];
        const bool ofRuntime = domain == CUPTI_CB_DOMAIN_RUNTIME_API;
        const uint32_t count =
            ofRuntime ? uint32_t(CUPTI_RUNTIME_TRACE_CBID_SIZE) : uint32_t(CUPTI_DRIVER_TRACE_CBID_SIZE);
        const bool named = id < count && function; // else newer than the header
        CudaSite **const place = &(ofRuntime ? runtime : driver)[named ? id : 0];
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
