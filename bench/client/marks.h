/* What a program of bench/client marks: the same source is built with our headers and library and with
 * stock's. */
#ifndef TD_BENCH_CLIENT_MARKS_H
#define TD_BENCH_CLIENT_MARKS_H
#ifdef __cplusplus
extern "C" {
#endif

/* With the C++ macros, `count` times each. */
void marks_cpp_zone(unsigned count);
void marks_cpp_zone_format(unsigned count);

#ifdef __cplusplus
}
#endif
#endif
