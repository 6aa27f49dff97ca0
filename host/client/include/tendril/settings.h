/* The TRACY_* build settings of a program, made known to the client library: each one that is defined where
 * a marker header is included becomes a symbol that the library looks for. All files of a program must be
 * built with the same settings. Environment variables of the same names win over them; docs/client.md has the
 * table.
 */
#ifndef TENDRIL_SWITCHES_H
#define TENDRIL_SWITCHES_H
#ifdef __cplusplus
extern "C" {
#endif

#define TD_CLIENT_SWITCH_(name, value)                                                                       \
    extern __attribute__((weak)) const int td_client_switch_##name;                                          \
    const int td_client_switch_##name = (value);

/* The number that the setting is defined as; 1 when it is defined as nothing. */
#define TD_CLIENT_VALUE_(value) (value + 0)

#ifdef TRACY_ON_DEMAND
TD_CLIENT_SWITCH_(TRACY_ON_DEMAND, 1)
#endif
#ifdef TRACY_DELAYED_INIT
TD_CLIENT_SWITCH_(TRACY_DELAYED_INIT, 1)
#endif
#ifdef TRACY_MANUAL_LIFETIME
TD_CLIENT_SWITCH_(TRACY_MANUAL_LIFETIME, 1)
#endif
#ifdef TRACY_NO_EXIT
TD_CLIENT_SWITCH_(TRACY_NO_EXIT, 1)
#endif
#ifdef TRACY_NO_BROADCAST
TD_CLIENT_SWITCH_(TRACY_NO_BROADCAST, 1)
#endif
#ifdef TRACY_ONLY_LOCALHOST
TD_CLIENT_SWITCH_(TRACY_ONLY_LOCALHOST, 1)
#endif
#ifdef TRACY_ONLY_IPV4
TD_CLIENT_SWITCH_(TRACY_ONLY_IPV4, 1)
#endif
#ifdef TRACY_PORT
TD_CLIENT_SWITCH_(TRACY_PORT, TD_CLIENT_VALUE_(TRACY_PORT))
#endif
#ifdef TRACY_DATA_PORT
TD_CLIENT_SWITCH_(TRACY_DATA_PORT, TD_CLIENT_VALUE_(TRACY_DATA_PORT))
#endif
#ifdef TRACY_BROADCAST_PORT
TD_CLIENT_SWITCH_(TRACY_BROADCAST_PORT, TD_CLIENT_VALUE_(TRACY_BROADCAST_PORT))
#endif
#ifdef TRACY_NO_SYSTEM_TRACING
TD_CLIENT_SWITCH_(TRACY_NO_SYSTEM_TRACING, 1)
#endif
#ifdef TRACY_NO_FRAME_IMAGE
TD_CLIENT_SWITCH_(TRACY_NO_FRAME_IMAGE, 1)
#endif
#ifdef TRACY_NO_CRASH_HANDLER
TD_CLIENT_SWITCH_(TRACY_NO_CRASH_HANDLER, 1)
#endif
#ifdef TRACY_NO_CODE_TRANSFER
TD_CLIENT_SWITCH_(TRACY_NO_CODE_TRANSFER, 1)
#endif
#ifdef TRACY_NO_CALLSTACK
TD_CLIENT_SWITCH_(TRACY_NO_CALLSTACK, 1)
#endif
#ifdef TRACY_NO_CALLSTACK_INLINES
TD_CLIENT_SWITCH_(TRACY_NO_CALLSTACK_INLINES, 1)
#endif
#ifdef TRACY_SYMBOL_OFFLINE_RESOLVE
TD_CLIENT_SWITCH_(TRACY_SYMBOL_OFFLINE_RESOLVE, 1)
#endif
#ifdef TRACY_CRASH_SIGNAL
TD_CLIENT_SWITCH_(TRACY_CRASH_SIGNAL, TD_CLIENT_VALUE_(TRACY_CRASH_SIGNAL))
#endif
#ifdef TRACY_IGNORE_MEMORY_FAULTS
TD_CLIENT_SWITCH_(TRACY_IGNORE_MEMORY_FAULTS, 1)
#endif
#ifdef TRACY_SAVE_NO_SEND
TD_CLIENT_SWITCH_(TRACY_SAVE_NO_SEND, 1)
#endif
#ifdef TRACY_NO_SAMPLING
TD_CLIENT_SWITCH_(TRACY_NO_SAMPLING, 1)
#endif
#ifdef TRACY_NO_SAMPLE_RETIREMENT
TD_CLIENT_SWITCH_(TRACY_NO_SAMPLE_RETIREMENT, 1)
#endif
#ifdef TRACY_NO_SAMPLE_CACHE
TD_CLIENT_SWITCH_(TRACY_NO_SAMPLE_CACHE, 1)
#endif
#ifdef TRACY_NO_SAMPLE_BRANCH
TD_CLIENT_SWITCH_(TRACY_NO_SAMPLE_BRANCH, 1)
#endif
#ifdef TRACY_NO_CONTEXT_SWITCH
TD_CLIENT_SWITCH_(TRACY_NO_CONTEXT_SWITCH, 1)
#endif
#ifdef TRACY_NO_VSYNC_CAPTURE
TD_CLIENT_SWITCH_(TRACY_NO_VSYNC_CAPTURE, 1)
#endif
#ifdef TRACY_SAMPLING_HZ
TD_CLIENT_SWITCH_(TRACY_SAMPLING_HZ, TD_CLIENT_VALUE_(TRACY_SAMPLING_HZ))
#endif
#ifdef TRACY_SAMPLING_PROFILER_MANUAL_START
TD_CLIENT_SWITCH_(TRACY_SAMPLING_PROFILER_MANUAL_START, 1)
#endif
#ifdef TRACY_DEBUGINFOD
TD_CLIENT_SWITCH_(TRACY_DEBUGINFOD, 1)
#endif
#ifdef TENDRIL_LISTEN_ANY
TD_CLIENT_SWITCH_(TENDRIL_LISTEN_ANY, 1)
#endif
#ifdef TRACY_CLIENT_ADDRESS
extern __attribute__((weak)) const char *const td_client_switch_TRACY_CLIENT_ADDRESS;
const char *const td_client_switch_TRACY_CLIENT_ADDRESS = TRACY_CLIENT_ADDRESS;
#endif

#ifdef __cplusplus
}
#endif
#endif
