#include "host/tools/csv/csv_out.h"
#include "host/base/grow.h"
#include "host/base/plain_text.h"
#include "host/file/out_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define FULL_BYTES  (1u << 20)
#define DIGITS_MAX  20
#define EXACT_BELOW 1e15 /* whole numbers below it are printed as integers */

static char *make_room(struct csv_out *out, size_t bytes)
{
    if (td_grow(&out->data, &out->capacity, out->used + bytes, 1) < 0) {
        out->failed = out->failed ? out->failed : ENOMEM;
        return NULL;
    }
    return out->data + out->used;
}

void csv_out_bytes(struct csv_out *out, const char *bytes, size_t count)
{
    char *to = count ? make_room(out, count) : NULL;
    if (to) {
        memcpy(to, bytes, count);
        out->used += count;
    }
}

void csv_out_text(struct csv_out *out, const char *text)
{
    csv_out_bytes(out, text, strlen(text));
}

void csv_out_u64(struct csv_out *out, uint64_t value)
{
    static const char pairs[] =
        "0001020304050607080910111213141516171819202122232425262728293031323334353637383940"
        "4142434445464748495051525354555657585960616263646566676869707172737475767778798081"
        "828384858687888990919293949596979899";
    char digits[DIGITS_MAX], *end = digits + DIGITS_MAX, *p = end;
    while (value >= 100) {
        p -= 2;
        memcpy(p, pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (value >= 10) {
        p -= 2;
        memcpy(p, pairs + 2 * value, 2);
    } else {
        *--p = (char)('0' + value);
    }
    csv_out_bytes(out, p, (size_t)(end - p));
}

void csv_out_i64(struct csv_out *out, int64_t value)
{
    if (value < 0)
        csv_out_bytes(out, "-", 1);
    csv_out_u64(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void csv_out_f6(struct csv_out *out, double value)
{
    char text[400];
    if (fabs(value) < EXACT_BELOW && value == (double)(int64_t)value && !(value == 0 && signbit(value))) {
        csv_out_i64(out, (int64_t)value);
        csv_out_bytes(out, ".000000", 7);
        return;
    }
    int n = snprintf(text, sizeof text, "%f", value);
    csv_out_bytes(out, text, n < 0 ? 0 : (size_t)n);
}

static void flush_to_file(struct csv_out *out)
{
    if (!out->failed && td_out_file_write(out->file, out->data, out->used, NULL, NULL, NULL) < 0)
        out->failed = errno;
    out->used = 0;
}

/* On a terminal, control characters are replaced. */
void csv_out_flush(struct csv_out *out)
{
    if (out->file) {
        flush_to_file(out);
        return;
    }
    if (out->used && out->fd >= 0 && isatty(out->fd))
        out->used = td_plain_lines(out->data, out->used);
    for (size_t done = 0; done < out->used && out->fd >= 0 && !out->failed;) {
        ssize_t n = write(out->fd, out->data + done, out->used - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            out->failed = errno;
        else
            done += (size_t)n;
    }
    out->used = 0;
}

void csv_out_flush_if_full(struct csv_out *out)
{
    if (out->used >= FULL_BYTES)
        csv_out_flush(out);
}

void csv_out_free(struct csv_out *out)
{
    free(out->data);
    *out = (struct csv_out){.fd = -1};
}

int csv_out_result(const struct csv_out *out, const char *path, struct td_err *err)
{
    if (!out->failed || out->failed == EPIPE) /* as `| head` does */
        return 0;
    errno = out->failed;
    return td_fail_errno(err, "cannot write the table to %s", path);
}
