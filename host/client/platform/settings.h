/* The client's settings. Each is a build setting of the program and an environment variable of the same name,
 * which wins. docs/client.md says what each does. Thread-safe.
 *
 * X(name, symbol, most): TD_SETTING_name, the name of setting and variable, the highest number allowed. */
#ifndef TD_HOST_CLIENT_PLATFORM_SETTINGS_H
#define TD_HOST_CLIENT_PLATFORM_SETTINGS_H
#include "host/base/export.h"

#define TD_SETTINGS(X)                                                                                       \
    X(ON_DEMAND, TRACY_ON_DEMAND, 1000000000)                                                                \
    X(DELAYED_INIT, TRACY_DELAYED_INIT, 1000000000)                                                          \
    X(MANUAL_LIFETIME, TRACY_MANUAL_LIFETIME, 1000000000)                                                    \
    X(NO_EXIT, TRACY_NO_EXIT, 1000000000)                                                                    \
    X(NO_BROADCAST, TRACY_NO_BROADCAST, 1000000000)                                                          \
    X(ONLY_LOCALHOST, TRACY_ONLY_LOCALHOST, 1000000000)                                                      \
    X(ONLY_IPV4, TRACY_ONLY_IPV4, 1000000000)                                                                \
    X(PORT, TRACY_PORT, 65535)                                                                               \
    X(DATA_PORT, TRACY_DATA_PORT, 65535)                                                                     \
    X(BROADCAST_PORT, TRACY_BROADCAST_PORT, 65535)                                                           \
    X(NO_SYSTEM_TRACING, TRACY_NO_SYSTEM_TRACING, 1000000000)                                                \
    X(NO_FRAME_IMAGE, TRACY_NO_FRAME_IMAGE, 1000000000)                                                      \
    X(NO_CRASH_HANDLER, TRACY_NO_CRASH_HANDLER, 1000000000)                                                  \
    X(NO_CODE_TRANSFER, TRACY_NO_CODE_TRANSFER, 1000000000)                                                  \
    X(NO_CALLSTACK, TRACY_NO_CALLSTACK, 1000000000)                                                          \
    X(NO_CALLSTACK_INLINES, TRACY_NO_CALLSTACK_INLINES, 1000000000)                                          \
    X(SYMBOL_OFFLINE_RESOLVE, TRACY_SYMBOL_OFFLINE_RESOLVE, 1000000000)                                      \
    X(CRASH_SIGNAL, TRACY_CRASH_SIGNAL, 64)                                                                  \
    X(NO_VERIFY, TRACY_NO_VERIFY, 1000000000)                                                                \
    X(IGNORE_MEMORY_FAULTS, TRACY_IGNORE_MEMORY_FAULTS, 1000000000)                                          \
    X(SAVE_NO_SEND, TRACY_SAVE_NO_SEND, 1000000000)                                                          \
    X(NO_SAMPLING, TRACY_NO_SAMPLING, 1000000000)                                                            \
    X(NO_SAMPLE_RETIREMENT, TRACY_NO_SAMPLE_RETIREMENT, 1000000000)                                          \
    X(NO_SAMPLE_CACHE, TRACY_NO_SAMPLE_CACHE, 1000000000)                                                    \
    X(NO_SAMPLE_BRANCH, TRACY_NO_SAMPLE_BRANCH, 1000000000)                                                  \
    X(NO_CONTEXT_SWITCH, TRACY_NO_CONTEXT_SWITCH, 1000000000)                                                \
    X(NO_VSYNC_CAPTURE, TRACY_NO_VSYNC_CAPTURE, 1000000000)                                                  \
    X(NO_SYS_TRACE, TRACY_NO_SYS_TRACE, 1000000000)                                                          \
    X(SAMPLING_HZ, TRACY_SAMPLING_HZ, 1000000000)                                                            \
    X(SAMPLING_MANUAL_START, TRACY_SAMPLING_PROFILER_MANUAL_START, 1000000000)                               \
    X(DEBUGINFOD, TRACY_DEBUGINFOD, 1000000000)                                                              \
    X(LISTEN_ANY, TENDRIL_LISTEN_ANY, 1000000000)

enum td_setting {
#define TD_X(name, symbol, most) TD_SETTING_##name,
    TD_SETTINGS(TD_X)
#undef TD_X
        TD_SETTING_COUNT
};

/* The setting's value; 0 when it is not set. The environment variable is read once, at the first call. */
int td_setting_value(enum td_setting which);
int td_setting_built(enum td_setting which); /* the build setting alone */
/* TRACY_CLIENT_ADDRESS; NULL when it is not set. */
const char *td_setting_address(void);
/* The number in an environment variable, `otherwise` when it is not set or not a number. */
TD_CLIENT_API int td_client_option(const char *name, int otherwise);
/* The text of an environment variable; NULL when it is empty or not set. Always NULL in set-user-ID programs:
 * the caller must not choose where they write or listen. */
const char *td_client_text(const char *name);
/* Prints a line to standard error for each variable whose value is ignored. */
void td_settings_check(void);
#endif
