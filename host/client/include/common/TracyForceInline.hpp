#ifndef TENDRIL_TRACY_FORCE_INLINE_HPP
#define TENDRIL_TRACY_FORCE_INLINE_HPP
#define tracy_force_inline __attribute__((always_inline)) inline
#define tracy_no_inline    __attribute__((noinline))
#endif
