/* What the marker macros of C and C++ are made of. Each macro stands once, in tracy/TracyC.h or
 * tracy/Tracy.hpp, for programs with TRACY_ENABLE and without it.
 */
#ifndef TENDRIL_MARKER_H
#define TENDRIL_MARKER_H

/* Code that is there with TRACY_ENABLE; or a value that takes its place without it. */
#ifdef TRACY_ENABLE
#define TENDRIL_ON_(...)          __VA_ARGS__
#define TENDRIL_OR_(without, ...) __VA_ARGS__
#else
#define TENDRIL_ON_(...)
#define TENDRIL_OR_(without, ...) without
#endif

/* What stands as function, file and line in source locations; may be defined before. */
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

/* Depth of the call stacks that markers without a depth of their own take. */
#ifndef TRACY_CALLSTACK
#define TRACY_CALLSTACK 0
#endif

#endif
