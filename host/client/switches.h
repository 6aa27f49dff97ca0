/* Build switches and environment variables: the one list. X(name): a build switch, an environment variable of
 * the same name, a number. docs/client.md says what each does. */
#ifndef TD_HOST_CLIENT_SWITCHES_H
#define TD_HOST_CLIENT_SWITCHES_H

#define TD_SWITCHES(X)                                                                                       \
    X(ON_DEMAND, TRACY_ON_DEMAND)                                                                            \
    X(DELAYED_INIT, TRACY_DELAYED_INIT)                                                                      \
    X(MANUAL_LIFETIME, TRACY_MANUAL_LIFETIME)                                                                \
    X(NO_EXIT, TRACY_NO_EXIT)                                                                                \
    X(NO_BROADCAST, TRACY_NO_BROADCAST)                                                                      \
    X(ONLY_LOCALHOST, TRACY_ONLY_LOCALHOST)                                                                  \
    X(ONLY_IPV4, TRACY_ONLY_IPV4)                                                                            \
    X(PORT, TRACY_PORT)                                                                                      \
    X(DATA_PORT, TRACY_DATA_PORT)                                                                            \
    X(BROADCAST_PORT, TRACY_BROADCAST_PORT)                                                                  \
    X(NO_SYSTEM_TRACING, TRACY_NO_SYSTEM_TRACING)                                                            \
    X(NO_FRAME_IMAGE, TRACY_NO_FRAME_IMAGE)                                                                  \
    X(NO_CRASH_HANDLER, TRACY_NO_CRASH_HANDLER)                                                              \
    X(NO_CODE_TRANSFER, TRACY_NO_CODE_TRANSFER)                                                              \
    X(NO_CALLSTACK, TRACY_NO_CALLSTACK)                                                                      \
    X(NO_CALLSTACK_INLINES, TRACY_NO_CALLSTACK_INLINES)                                                      \
    X(SYMBOL_OFFLINE_RESOLVE, TRACY_SYMBOL_OFFLINE_RESOLVE)                                                  \
    X(CRASH_SIGNAL, TRACY_CRASH_SIGNAL)                                                                      \
    X(IGNORE_MEMORY_FAULTS, TRACY_IGNORE_MEMORY_FAULTS)                                                      \
    X(SAVE_NO_SEND, TRACY_SAVE_NO_SEND)                                                                      \
    X(LISTEN_ANY, TENDRIL_LISTEN_ANY)

enum td_switch {
#define TD_X(name, symbol) TD_SWITCH_##name,
    TD_SWITCHES(TD_X)
#undef TD_X
        TD_SWITCH_COUNT
};

/* Its value; 0 without it. A variable is read once, when its switch is first asked for. Thread-safe. */
int td_switch(enum td_switch which);
int td_switch_built(enum td_switch which); /* the build switch alone */
/* TRACY_CLIENT_ADDRESS; NULL without it. */
const char *td_switch_address(void);
/* An environment variable's number. */
int td_client_option(const char *name, int otherwise);
#endif
