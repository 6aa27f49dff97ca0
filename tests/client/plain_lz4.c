/* What the client needs of LZ4, for machines whose library is not here: blocks that are literals only, which
 * every reader of LZ4 takes. */
#include <lz4.h>
#include <string.h>

LZ4_stream_t *LZ4_initStream(void *buffer, size_t size)
{
    memset(buffer, 0, size);
    return buffer;
}

int LZ4_compress_fast_continue(LZ4_stream_t *stream, const char *from, char *to, int bytes, int room,
                               int acceleration)
{
    int at = 0, left = bytes - 15;
    if (room < bytes + bytes / 255 + 16)
        return 0;
    to[at++] = (char)(left < 0 ? bytes << 4 : 0xf0);
    for (; left >= 255; left -= 255)
        to[at++] = (char)255;
    if (left >= 0)
        to[at++] = (char)left;
    memcpy(to + at, from, (size_t)bytes);
    return at + bytes;
}

/* A client only packs. */
int LZ4_setStreamDecode(LZ4_streamDecode_t *stream, const char *dictionary, int bytes)
{
    return 0;
}

int LZ4_decompress_safe_continue(LZ4_streamDecode_t *stream, const char *from, char *to, int bytes, int room)
{
    return -1;
}
