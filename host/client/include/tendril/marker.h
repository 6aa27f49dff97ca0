/* Parts of the marker macros. Each macro is defined once, in tracy/TracyC.h or tracy/Tracy.hpp, for programs
 * with TRACY_ENABLE and without it.
 */
#ifndef TENDRIL_MARKER_H
#define TENDRIL_MARKER_H

/* Code that only programs with TRACY_ENABLE have; `without` is the value for the others. */
#ifdef TRACY_ENABLE
#if !defined(__linux__) || __SIZEOF_POINTER__ != 8 || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Tendril's client runs on 64-bit little-endian Linux: compile without TRACY_ENABLE elsewhere"
#endif
#define TENDRIL_ON_(...)          __VA_ARGS__
#define TENDRIL_OR_(without, ...) __VA_ARGS__
#else
#define TENDRIL_ON_(...)
#define TENDRIL_OR_(without, ...) without
#endif

/* Function, file and line in source locations. A program may define its own before it includes a marker
 * header. */
#ifndef TracyFunction
#define TracyFunction __FUNCTION__
#endif
#ifndef TracyFile
#define TracyFile __FILE__
#endif
#ifndef TracyLine
#define TracyLine __LINE__
#endif

#ifndef TracyConcat
#define TracyConcat(x, y) TracyConcatIndirect(x, y)
#endif
#ifndef TracyConcatIndirect
#define TracyConcatIndirect(x, y) x##y
#endif

/* Depth of call stacks, for markers that give none. */
#ifndef TRACY_CALLSTACK
#define TRACY_CALLSTACK 0
#endif

#endif
