/* Streams of stdio. */
#pragma once
#include <stdbool.h>
#include <stdio.h>

/* Closes a stream that was written. False: a part is lost. fclose() tells only of what it writes itself; a stream
 * into memory that could not grow before then closes well. */
static inline bool td_stream_close(FILE *stream)
{
    const bool bad = ferror(stream) != 0;
    return fclose(stream) == 0 && !bad;
}
/* The same of a stream of open_memstream(): where the C library has no memory to give it its final size, it sets
 * *text to NULL, and fclose() succeeds. */
static inline bool td_text_close(FILE *stream, char *const *text)
{
    return td_stream_close(stream) && *text;
}
