/* What a program of bench/client marks: the same source is built with our headers and library and with
 * stock's. */
#pragma once
#ifdef __cplusplus
extern "C" {
#endif

/* With the C++ macros, `count` times each. */
void marks_cpp_zone(unsigned count);
void marks_cpp_zone_format(unsigned count);

#ifdef __cplusplus
}
#endif
