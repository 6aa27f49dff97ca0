#ifndef TENDRIL_TRACY_FORMAT_H
#define TENDRIL_TRACY_FORMAT_H
/* The compiler checks arguments against the format of printf's kind at `format`. */
#define TRACY_ATTRIBUTE_FORMAT_PRINTF(format_at, first) __attribute__((format(printf, format_at, first)))
#endif
