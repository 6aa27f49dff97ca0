/* How symbols of the client are declared. */
#ifndef TENDRIL_TRACY_API_H
#define TENDRIL_TRACY_API_H
#ifndef TRACY_API
#define TRACY_API extern
#endif
#endif
