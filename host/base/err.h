/* Errors: a function that can fail returns 0 (or a useful value) on success and a negative enum td_e on
 * failure, and says why in the `struct td_err` that its caller gave (may be NULL). The text is one line for
 * the user, without a final full stop or newline: what failed, why, and where it helps what to do next.
 * Characters in it that could steer a terminal are replaced (plain_text.h). Only host/cli prints it. */
#ifndef TD_HOST_BASE_ERR_H
#define TD_HOST_BASE_ERR_H
#include "host/base/export.h"

enum td_e {
    TD_OK = 0,
    TD_E_NOMEM = -1,
    TD_E_IO = -2,       /* the operating system refused; the message has errno's text */
    TD_E_FORMAT = -3,   /* bytes from outside do not make sense */
    TD_E_VERSION = -4,  /* they are of another version */
    TD_E_USAGE = -5,    /* the caller asked for something impossible */
    TD_E_NOTFOUND = -6, /* file, device, ELF, symbol */
    TD_E_GONE = -7,     /* the other side went away */
    TD_E_TIMEOUT = -8,
    TD_E_LIMIT = -9,    /* more than the format or the machine holds */
    TD_E_STOPPED = -10, /* the caller's td_progress asked to stop */
    TD_E_EXISTS = -11   /* a file that was to be made exists already */
};

struct td_err {
    int code;
    char text[400];
};

/* Fills *err and returns code; keeps the first error if one is set already. Thread-safe on distinct err. */
TD_HOST_API int td_fail(struct td_err *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with ": " and strerror(errno) after the text. */
TD_HOST_API int td_fail_errno(struct td_err *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* TD_E_NOMEM with the text "out of memory", then `purpose`: "for paths", "while joining flows"; NULL:
 * none. */
TD_HOST_API int td_fail_no_memory(struct td_err *err, const char *purpose);
#endif
