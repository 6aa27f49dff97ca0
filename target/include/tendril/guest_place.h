/* What an image says about its core, for the runtime of guests (tendril/guest.h). */
#ifndef TENDRIL_GUEST_PLACE_H
#define TENDRIL_GUEST_PLACE_H
#include <stdint.h>

struct td_guest_place {
    uintptr_t core;  /* its number, which is that of its lane */
    uintptr_t lanes; /* address of the tile's lanes */
    uintptr_t word;  /* not 0: address of a word that has their address, or 0 while there are none */
};
#ifdef __cplusplus
extern "C" {
#endif
extern const struct td_guest_place td_guest_place;
#ifdef __cplusplus
}
#endif
#endif
