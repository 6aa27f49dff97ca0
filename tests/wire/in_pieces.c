#include "tests/wire/in_pieces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void in_pieces_broken(const char *what)
{
    fprintf(stderr, "%s\n", what);
    abort();
}

int in_pieces(int (*feed)(void *reader, const uint8_t *bytes, size_t count, struct td_err *err), void *reader,
              const uint8_t *bytes, size_t count, size_t piece, struct td_err *err)
{
    int bad = 0;
    for (size_t at = 0; at < count && !bad; at += piece) {
        size_t n = count - at < piece ? count - at : piece;
        uint8_t *exact = malloc(n);
        if (!exact)
            abort();
        memcpy(exact, bytes + at, n);
        bad = feed(reader, exact, n, err);
        free(exact);
    }
    return bad;
}
