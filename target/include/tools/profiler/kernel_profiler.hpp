/* The profiler header of tt-metal's kernels, by the same path and names, on Tendril's runtime. C++ and C.
 *
 * What differs, and only in what is recorded: a DeviceZoneScopedN is never dropped by a marker count; the
 * sums take part always, two a launch; DeviceValidateProfiler(false) ends recording for this launch (what is
 * in the lane already may have been taken), and DeviceZoneSetCounter says the op of this core only.
 */
#ifndef TENDRIL_KERNEL_PROFILER_HPP
#define TENDRIL_KERNEL_PROFILER_HPP
#include "tendril/tendril.h"

#ifndef TD_GUEST /* in a guest, tt-metal has all of this itself */
/* What tt-metal's headers have before this one: attributes of pointers, and the address of the tile's
 * clock. */
#ifndef tt_l1_ptr
#define tt_l1_ptr
#endif
#ifndef tt_reg_ptr
#define tt_reg_ptr
#endif
#ifndef FORCE_INLINE
#define FORCE_INLINE inline __attribute__((always_inline))
#endif
#if !defined(RISCV_DEBUG_REG_WALL_CLOCK_L) && !defined(TD_NATIVE)
extern const uint32_t td_clock_low[], td_clock_live_high[]; /* linker script */
#define RISCV_DEBUG_REG_WALL_CLOCK_L ((uintptr_t)td_clock_low)
#define RISCV_DEBUG_REG_WALL_CLOCK_H ((uintptr_t)td_clock_live_high)
#endif
#endif

#define DeviceProfilerInit()          ((void)0)
#define DeviceTraceOnlyProfilerInit() ((void)0)
#define DeviceIncrementTraceCount()   ((void)0)
#define DeviceZoneScopedN(name)       ZoneScopedN(name)
#define DeviceZoneScopedND(name)      ZoneScopedN(name)

#ifdef TD_PROFILE

#if !defined PROFILE_KERNEL && !defined TD_GUEST
#define PROFILE_KERNEL 1
#endif

/* A zone that is recorded if a condition is true where it begins. */
#ifdef __cplusplus
struct td_zone_if {
    struct td_span span;
    const bool active;
    __inline__ TD_INLINE_ATTRIBUTES td_zone_if(uint32_t site, uint32_t open, bool is_active)
        : span(), active(is_active)
    {
        if (active)
            span = td_scope_span_open(site, open);
    }
    __inline__ TD_INLINE_ATTRIBUTES ~td_zone_if()
    {
        if (active)
            td_scope_span_close(&span);
    }
    td_zone_if(const td_zone_if &) = delete;
};
#define TD_ZONE_IF_VARIABLE_(var, site, open, active)                                                        \
    __attribute__((unused)) td_zone_if var(site, open, active)
#else
struct td_zone_if {
    struct td_span span;
    _Bool active;
};
TD_ALWAYS_INLINE struct td_zone_if td_zone_if_open(uint32_t site, uint32_t open, _Bool active)
{
    struct td_zone_if zone = {.active = active};
    if (active)
        zone.span = td_scope_span_open(site, open);
    return zone;
}
TD_ALWAYS_INLINE void td_zone_if_close(const struct td_zone_if *zone)
{
    if (zone->active)
        td_scope_span_close(&zone->span);
}
#define TD_ZONE_IF_VARIABLE_(var, site, open, active)                                                        \
    __attribute__((cleanup(td_zone_if_close), unused)) struct td_zone_if var =                               \
        td_zone_if_open(site, open, active)
#endif
#define TD_ZONE_IF_(n, name, active)                                                                         \
    TD_ZONE_NAMED(n, TD_KIND_ZONE, name, 0);                                                                 \
    TD_ZONE_IF_VARIABLE_(TD_CAT(td_zone_if_, n), TD_ZONE_SITE(n), TD_OPEN_ADDRESS(n), active)

#define TD_MAIN_(n, name)                                                                                    \
    TD_SITE_NAMED(n, TD_KIND_MAIN, name, 0);                                                                 \
    TD_MAIN_SCOPE_(n)
#define TD_SUM_(n, which, name)                                                                              \
    TD_SITE_NAMED(n, TD_KIND_SUM, name, 0);                                                                  \
    TD_AT_SCOPE_END(n, struct td_scope, *td_v_ = td_scope_open(), {                                          \
        const uint32_t td_sum_ = TD_ZONE_SITE(n);                                                            \
        if (td_sum_)                                                                                         \
            td_sum_add(which, td_sum_, td_v_->start, td_v_->start_high);                                     \
    })
#define TD_DATA_(n, name, value)                                                                             \
    do {                                                                                                     \
        TD_SITE_NAMED(n, TD_KIND_DATA, name, 2);                                                             \
        TD_SWITCHED(td_unit, n, td_data(TD_SITE_ID(n), (uint64_t)(value)));                                  \
    } while (0)

/* An event is a number known at run time, or a name: a message without arguments. */
#ifdef __cplusplus
/* clang-format off */
template <typename T> struct td_is_name { static const bool value = false; };
template <> struct td_is_name<const char *> { static const bool value = true; };
/* clang-format on */
template <typename T> static inline td_is_name<T> td_name_or_number(T)
{
    return {};
}
static inline uint32_t td_event_number(const char *)
{
    return 0;
}
static inline uint32_t td_event_number(uint32_t id)
{
    return id;
}
#define TD_IS_NAME(x)      (decltype(td_name_or_number(x))::value)
#define TD_EVENT_NUMBER(x) td_event_number(x)
#else
#define TD_IS_NAME(x)      _Generic((x), char * : 1, const char * : 1, default : 0)
#define TD_EVENT_NUMBER(x) _Generic((x), char * : 0, const char * : 0, default : (x))
#endif
#define TD_EVENT_(n, x)                                                                                      \
    do {                                                                                                     \
        if (TD_IS_NAME(x)) {                                                                                 \
            TD_SITE_NAMED(n, TD_KIND_LOG, x, 0);                                                             \
            TD_SWITCHED(td_unit, n, td_log_0(TD_SITE_ID(n)));                                                \
        } else {                                                                                             \
            TD_SWITCHED_UNNAMED(td_event_write((uint32_t)TD_EVENT_NUMBER(x)));                               \
        }                                                                                                    \
    } while (0)

#define DeviceZoneScopedNIf(name, active)  TD_ZONE_IF_(__COUNTER__, name, active)
#define DeviceZoneScopedMainN(name)        TD_MAIN_(__COUNTER__, name)
#define DeviceZoneScopedMainChildN(name)   TD_MAIN_(__COUNTER__, name)
#define DeviceZoneScopedSumN1(name)        TD_SUM_(__COUNTER__, 0, name)
#define DeviceZoneScopedSumN2(name)        TD_SUM_(__COUNTER__, 1, name)
#define DeviceTimestampedData(name, value) TD_DATA_(__COUNTER__, name, value)
#define DeviceRecordEvent(id_or_name)      TD_EVENT_(__COUNTER__, id_or_name)
#define DeviceFlag(name)                   TD_EVENT_(__COUNTER__, name)
#define DeviceZoneSetCounter(op)           td_op((uint32_t)(op))
#define DeviceValidateProfiler(condition)  td_mute(!(condition))

#else

#define DeviceZoneScopedNIf(name, active)  TD_NOTHING
#define DeviceZoneScopedMainN(name)        TD_NOTHING
#define DeviceZoneScopedMainChildN(name)   TD_NOTHING
#define DeviceZoneScopedSumN1(name)        TD_NOTHING
#define DeviceZoneScopedSumN2(name)        TD_NOTHING
#define DeviceTimestampedData(name, value) TD_NOTHING
#define DeviceRecordEvent(id_or_name)      TD_NOTHING
#define DeviceFlag(name)                   TD_NOTHING
#define DeviceZoneSetCounter(op)           TD_NOTHING
#define DeviceValidateProfiler(condition)  TD_NOTHING

#endif
#ifdef __cplusplus
#include "tools/profiler/perf_counters.hpp"
#endif
#endif
