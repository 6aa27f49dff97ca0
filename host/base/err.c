#include "host/base/err.h"
#include "host/base/plain_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int td_fail(struct td_err *err, int code, const char *format, ...)
{
    if (err && err->code == 0) {
        va_list args;
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
        td_plain(err->text);
        err->code = code;
    }
    return code;
}

int td_fail_errno(struct td_err *err, const char *format, ...)
{
    int saved = errno;
    if (err && err->code == 0) {
        va_list args;
        va_start(args, format);
        int n = vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
        if (n >= 0 && (size_t)n < sizeof err->text)
            snprintf(err->text + n, sizeof err->text - (size_t)n, ": %s", strerror(saved));
        td_plain(err->text);
        err->code = saved == ENOMEM ? TD_E_NOMEM : TD_E_IO;
    }
    return saved == ENOMEM ? TD_E_NOMEM : TD_E_IO;
}

int td_fail_no_memory(struct td_err *err, const char *purpose)
{
    return td_fail(err, TD_E_NOMEM, "out of memory%s%s", purpose ? " " : "", purpose ? purpose : "");
}
