/* --format: the release of Tracy that a trace is written for. */
#pragma once
#include "host/base/options.h"

/* Entries for a command's table of options; `to` is the address of its const char *. */
/* clang-format off */
#define FORMAT_OPTION(to, help)                                                                              \
    {0, "format", TD_OPT_STRING, to, "VERSION", help,                                                        \
     "same|any|tt|0.9.0|0.9.1|0.10.0|0.11.0|0.11.1|0.12.0|0.12.1|0.12.2|0.13.0|0.13.1|0.14.0", 0, 0}
/* Of a command that has no release to keep. */
#define FORMAT_OPTION_ANY(to)                                                                                \
    {0, "format", TD_OPT_STRING, to, "VERSION",                                                              \
     "release that the trace is for: any, tt, 0.9.0 to 0.14.0 (default any: all open it)", NULL, 0, 0}
/* clang-format on */
