/* What libtendril-client and libtendril-host export. The library modules are compiled with hidden visibility, and
 * each function or variable that programs may use is marked here as exported. The floors below the client are
 * part of both libraries, so a mark names the library that exports. */
#ifndef TD_HOST_BASE_EXPORT_H
#define TD_HOST_BASE_EXPORT_H

#define TD_EXPORT __attribute__((visibility("default")))
#ifdef TD_CLIENT_PART /* compiled into the client library */
#define TD_CLIENT_API TD_EXPORT
#define TD_HOST_API
#else
#define TD_CLIENT_API
#define TD_HOST_API TD_EXPORT
#endif
#endif
