/* The markers. tendril.h includes this header; kernels do not.
 *
 *   ZoneScoped;                        the rest of this block is a zone, named after the function
 *   ZoneScopedN("unpack");             ... with a name; names are string literals
 *   ZoneScopedC(0x00ff00);             ... with a colour 0xRRGGBB; ZoneScopedNC(name, color)
 *   TD_WAIT("cb full");                ... in which the core waits: own colour and category
 *   ZoneText("tile %d", i);            text for the innermost zone that is open now (ZoneTextF is the same)
 *   ZoneValue(n);                      a number for it, up to 64 bits
 *   TD_ZONE_BEGIN(z, "phase 1");       a zone between two statements, not bound to a block; declares z, a
 *   TD_ZONE_END(z);                    struct td_span, which may be passed to another function
 *   TD_LOG("tile %d of %d", i, n);     a message on the core's track
 *   TD_PLOT_INT("queue", depth);       a point of a plot
 *   TD_PLOT_FLOAT("load", x);          ... of a float
 *   TD_FLOW_OUT("page", id);           the open zone produces what ...
 *   TD_FLOW_IN("page", id);            ... the zone that is open here, on any core, consumes: same name and id
 *
 * The host formats messages, with printf's formats, so a message costs its arguments only. It takes up to 8
 * arguments of one word each (tendril/args.h).
 *
 * Markers exist where TD_PROFILE is defined (td_add_kernel and tendril.mk define it). Without it a marker is
 * nothing: its arguments are not evaluated, and the code is that of a source without markers. TD_TINY makes
 * zones smaller and slower.
 */
#ifndef TENDRIL_MARKERS_H
#define TENDRIL_MARKERS_H
#ifdef TD_PROFILE
#include "tendril/args.h"
#include "tendril/checks.h"
#include "tendril/zone.h"

#ifdef __cplusplus
extern "C" {
#endif
/* Functions of the runtime. `site` is TD_SITE_ID(). td_log_3(site, a, b, c) writes a message with three words. */
#define TD_X(n)                                                                                              \
    void TD_CAT(td_log_, n)(uint32_t site TD_PARAMETERS_##n);                                                \
    void TD_CAT(td_zone_text_, n)(uint32_t site TD_PARAMETERS_##n);
TD_ARGUMENT_COUNTS(TD_X)
TD_X(9) /* is refused before it is called (tendril/checks.h) */
#undef TD_X
void td_data(uint32_t site, uint64_t value);
void td_zone_value(uint64_t value);
void td_plot_int(uint32_t site, int32_t value);
void td_plot_float(uint32_t site, uint32_t bits);
void td_flow_out(uint32_t site, uint32_t id);
void td_flow_in(uint32_t site, uint32_t id);
void td_event_write(uint32_t id);
void td_op(uint32_t op);
void td_mute(int mute);
void td_sum_add(uint32_t which, uint32_t site, uint32_t start, uint32_t start_high);

/* A zone whose begin is written at once, for whole kernels. It is on the stack from begin to end. */
struct td_main_zone {
    struct td_main_zone *outer;
    uint64_t start_ticks;
    uint32_t site, written;
};
void td_main_begin(struct td_main_zone *zone, uint32_t site);
void td_main_end(struct td_main_zone *zone);
#ifdef __cplusplus
}
#endif

/* A zone from TD_ZONE_BEGIN to TD_ZONE_END. */
struct td_span {
    struct td_scope zone;
    uint32_t site, open; /* site 0: it is switched off; open: address of the site's word of .td_open */
};

#if defined(TD_STAMPED) && !defined(TD_NATIVE)
TD_ALWAYS_INLINE struct td_span td_scope_span_open(uint32_t site, uint32_t open)
{
    (void)open;
    if (site)
        td_scope_stamp_begin(site);
    return (struct td_span){{0, 0, 0}, site, 0};
}
TD_ALWAYS_INLINE void td_scope_span_close(const struct td_span *span)
{
    if (span->site)
        td_scope_stamp_end();
}
#else
TD_ALWAYS_INLINE void td_scope_mark(uint32_t open, uint32_t start)
{
#if !defined TD_NATIVE && !defined TD_GUEST
    *(volatile uint32_t *)open = start;
#else
    (void)open;
    (void)start;
#endif
}
TD_ALWAYS_INLINE struct td_span td_scope_span_open(uint32_t site, uint32_t open)
{
    struct td_span span = {{0, 0, 0}, site, open};
    if (site) {
        span.zone = td_scope_open();
        td_scope_mark(open, span.zone.start);
    }
    return span;
}
TD_ALWAYS_INLINE void td_scope_span_close(const struct td_span *span)
{
    if (span->site) {
        td_scope_close(&span->zone, span->site);
        td_scope_mark(span->open, 0);
    }
}
#endif

/* TD_AT_SCOPE_END(n, type, begin, end): a variable of this type. `begin` and `end` are statements that use
 * `td_v_`, its address; `end` runs whenever the block is left. In C `end` is an inlined nested function, so
 * that the variable need not hold the site's id. */
#ifdef __cplusplus
#define TD_AT_SCOPE_END(n, type, begin, end)                                                                 \
    struct TD_CAT(td_scope_, n) {                                                                            \
        type td_v;                                                                                           \
        __inline__ TD_INLINE_ATTRIBUTES TD_CAT(td_scope_, n)()                                               \
        {                                                                                                    \
            type *td_v_ = &td_v;                                                                             \
            begin;                                                                                           \
        }                                                                                                    \
        __inline__ TD_INLINE_ATTRIBUTES ~TD_CAT(td_scope_, n)()                                              \
        {                                                                                                    \
            type *td_v_ = &td_v;                                                                             \
            end;                                                                                             \
        }                                                                                                    \
        TD_CAT(td_scope_, n)(const TD_CAT(td_scope_, n) &) = delete;                                         \
    } __attribute__((unused)) TD_CAT(td_zone_, n)
#else
#define TD_AT_SCOPE_END(n, type, begin, end)                                                                 \
    __extension__ __inline__ TD_INLINE_ATTRIBUTES void TD_CAT(td_scope_end_, n)(type * td_v_)                \
    {                                                                                                        \
        end;                                                                                                 \
    }                                                                                                        \
    __extension__ __inline__ TD_INLINE_ATTRIBUTES type TD_CAT(td_scope_begin_, n)(void)                      \
    {                                                                                                        \
        type td_v, *td_v_ = &td_v;                                                                           \
        begin;                                                                                               \
        return td_v;                                                                                         \
    }                                                                                                        \
    __attribute__((cleanup(TD_CAT(td_scope_end_, n)), unused)) type TD_CAT(td_zone_, n) =                    \
        TD_CAT(td_scope_begin_, n)();                                                                        \
    TD_NO_JUMP_(n)
/* A variable whose type has a size of run time: the compiler refuses a goto or case that enters its scope, and so
 * would skip the begin of a zone. C++ refuses that anyway. */
#define TD_NO_JUMP_(n)                                                                                       \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wvla\"") uint32_t TD_CAT(td_one_, n) = \
        1;                                                                                                   \
    __attribute__((unused)) char(                                                                            \
        *TD_CAT(td_a_case_or_goto_skips_the_begin_of_this_zone_, n))[TD_CAT(td_one_, n)];                    \
    _Pragma("GCC diagnostic pop") struct td_no_jump
#endif

#define TD_SCOPED_(unit, n)                                                                                  \
    TD_AT_SCOPE_END(n, struct td_scope, TD_ZONE_OPEN(td_v_, unit, n), TD_ZONE_CLOSE(td_v_, unit, n))

#define TD_ZONE_(n, color)                                                                                   \
    TD_ZONE_FUNCTION(n, TD_KIND_ZONE, color);                                                                \
    TD_SCOPED_(TD_FUNCTION_UNIT(n), n)
#define TD_ZONE_N_(n, kind, name, color)                                                                     \
    TD_ZONE_NAMED(n, kind, name, color);                                                                     \
    TD_CHECK_NAME(name);                                                                                     \
    TD_SCOPED_(td_unit, n)

#define ZoneScoped                TD_ZONE_(__COUNTER__, 0)
#define ZoneScopedC(color)        TD_ZONE_(__COUNTER__, color)
#define ZoneScopedN(name)         TD_ZONE_N_(__COUNTER__, TD_KIND_ZONE, name, 0)
#define ZoneScopedNC(name, color) TD_ZONE_N_(__COUNTER__, TD_KIND_ZONE, name, color)
#define TD_WAIT(name)             TD_ZONE_N_(__COUNTER__, TD_KIND_WAIT, name, 0)

#define TD_SPAN_(n, var, name)                                                                               \
    TD_ZONE_NAMED(n, TD_KIND_ZONE, name, 0);                                                                 \
    TD_CHECK_NAME(name);                                                                                     \
    struct td_span var = td_scope_span_open(TD_ZONE_SITE(n), TD_OPEN_ADDRESS(n))
#define TD_ZONE_BEGIN(var, name) TD_SPAN_(__COUNTER__, var, name)
#define TD_ZONE_END(var)         td_scope_span_close(&(var))

/* The runtime keeps a list of these zones by address, so the variable itself is begun. */
#ifdef __cplusplus
#define TD_MAIN_SCOPE_(n)                                                                                    \
    TD_AT_SCOPE_END(n, struct td_main_zone, TD_SWITCHED(td_unit, n, td_main_begin(td_v_, TD_SITE_ID(n))),    \
                    TD_SWITCHED(td_unit, n, td_main_end(td_v_)))
#else
#define TD_MAIN_SCOPE_(n)                                                                                    \
    __extension__ __inline__ TD_INLINE_ATTRIBUTES void TD_CAT(td_main_end_, n)(struct td_main_zone * td_v_)  \
    {                                                                                                        \
        TD_SWITCHED(td_unit, n, td_main_end(td_v_));                                                         \
    }                                                                                                        \
    __attribute__((cleanup(TD_CAT(td_main_end_, n)))) struct td_main_zone TD_CAT(td_main_, n);               \
    TD_SWITCHED(td_unit, n, td_main_begin(&TD_CAT(td_main_, n), TD_SITE_ID(n)))
#endif

#define TD_MARK_(n, kind, name, ...)                                                                         \
    do {                                                                                                     \
        TD_SITE_NAMED(n, kind, name, 0);                                                                     \
        TD_CHECK_NAME(name);                                                                                 \
        TD_SWITCHED(td_unit, n, __VA_ARGS__);                                                                \
    } while (0)
#define TD_FORMAT_(n, kind, count, call, format, ...)                                                        \
    do {                                                                                                     \
        TD_SITE_NAMED(n, kind, format, count);                                                               \
        TD_CHECK_NAME(format);                                                                               \
        TD_CHECK_FORMAT(count, format, ##__VA_ARGS__);                                                       \
        TD_SWITCHED(td_unit, n, TD_CAT(call, count)(TD_SITE_ID(n) TD_WORDS(count, ##__VA_ARGS__)));          \
    } while (0)

#define TD_LOG(format, ...)                                                                                  \
    TD_FORMAT_(__COUNTER__, TD_KIND_LOG, TD_COUNT(0, ##__VA_ARGS__), td_log_, format, ##__VA_ARGS__)
#define ZoneText(format, ...)                                                                                \
    TD_FORMAT_(__COUNTER__, TD_KIND_ZTEXT, TD_COUNT(0, ##__VA_ARGS__), td_zone_text_, format, ##__VA_ARGS__)
#define ZoneTextF(format, ...) ZoneText(format, ##__VA_ARGS__)
#define ZoneValue(value)       TD_SWITCHED_UNNAMED(td_zone_value((uint64_t)(value)))

#define TD_PLOT_I_(n, name, value)                                                                           \
    TD_MARK_(n, TD_KIND_PLOT, name, td_plot_int(TD_SITE_ID(n), (int32_t)(value)))
#define TD_PLOT_F_(n, name, value)                                                                           \
    TD_MARK_(n, TD_KIND_PLOT, name, td_plot_float(TD_SITE_ID(n), td_arg_bits((float)(value))))
#define TD_FLOW_OUT_(n, name, id)  TD_MARK_(n, TD_KIND_FLOW, name, td_flow_out(TD_SITE_ID(n), (uint32_t)(id)))
#define TD_FLOW_IN_(n, name, id)   TD_MARK_(n, TD_KIND_FLOW, name, td_flow_in(TD_SITE_ID(n), (uint32_t)(id)))
#define TD_PLOT_INT(name, value)   TD_PLOT_I_(__COUNTER__, name, value)
#define TD_PLOT_FLOAT(name, value) TD_PLOT_F_(__COUNTER__, name, value)
#define TD_FLOW_OUT(name, id)      TD_FLOW_OUT_(__COUNTER__, name, id)
#define TD_FLOW_IN(name, id)       TD_FLOW_IN_(__COUNTER__, name, id)

#else
struct td_span {
    char unused;
};
#define TD_NOTHING             ((void)0)
#define ZoneScoped             TD_NOTHING
#define ZoneScopedN(name)      TD_NOTHING
#define ZoneScopedC(color)     TD_NOTHING
#define ZoneScopedNC(name, c)  TD_NOTHING
#define TD_WAIT(name)          TD_NOTHING
#define ZoneText(...)          TD_NOTHING
#define ZoneTextF(...)         TD_NOTHING
#define ZoneValue(value)       TD_NOTHING
#define TD_ZONE_BEGIN(var, n)  __attribute__((unused)) struct td_span var
#define TD_ZONE_END(var)       TD_NOTHING
#define TD_LOG(...)            TD_NOTHING
#define TD_PLOT_INT(name, v)   TD_NOTHING
#define TD_PLOT_FLOAT(name, v) TD_NOTHING
#define TD_FLOW_OUT(name, id)  TD_NOTHING
#define TD_FLOW_IN(name, id)   TD_NOTHING
#endif

#endif
