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

#define TD_CLIENT_SETTING_(id, name, value, most)                                                            \
    extern __attribute__((weak)) const int td_client_switch_##name;                                          \
    const int td_client_switch_##name = (value);
#define TD_CLIENT_SETTING_TEXT_(id, name, value)                                                             \
    extern __attribute__((weak)) const char *const td_client_switch_##name;                                  \
    const char *const td_client_switch_##name = value;
#include "settings_list.h"

#ifdef __cplusplus
}
#endif
#endif
