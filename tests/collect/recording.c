#include "tests/collect/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rest of the file in one piece. */
static uint8_t *read_file(const char *path, size_t *count)
{
    FILE *f = fopen(path, "rb");
    uint8_t *bytes = NULL;
    if (f && fseek(f, 0, SEEK_END) == 0) {
        *count = (size_t)ftell(f);
        bytes = malloc(*count + 1);
        rewind(f);
        if (bytes && fread(bytes, 1, *count, f) != *count)
            *count = 0;
    }
    if (f)
        fclose(f);
    return bytes;
}

static int sort(const uint8_t *file, size_t count, struct recording *r)
{
    for (size_t at = 0; at < count;) {
        uint32_t n;
        if (count - at < 5)
            return -1;
        memcpy(&n, file + at + 1, sizeof n);
        if (n > count - at - 5)
            return -1;
        int to_client = file[at];
        memcpy(to_client ? r->asked + r->asked_count : r->said + r->said_count, file + at + 5, n);
        *(to_client ? &r->asked_count : &r->said_count) += n;
        at += 5 + n;
    }
    return 0;
}

int recording_read(const char *path, struct recording *r)
{
    size_t count = 0;
    uint32_t protocol;
    *r = (struct recording){0};
    uint8_t *file = read_file(path, &count);
    r->said = malloc(count + 1);
    r->asked = malloc(count + 1);
    int bad = !file || !r->said || !r->asked || sort(file, count, r) != 0;
    free(file);
    if (!bad && r->asked_count >= TD_WIRE_HELLO_BYTES && td_wire_get_hello(r->asked, &protocol) == 0)
        r->release = td_wire_release_for(protocol);
    if (!bad && r->release && r->said_count && r->said[0] == TD_WIRE_STATUS_WELCOME)
        return 0;
    fprintf(stderr, "%s: no recorded session\n", path);
    return -1;
}

void recording_free(struct recording *r)
{
    free(r->said);
    free(r->asked);
    *r = (struct recording){0};
}
