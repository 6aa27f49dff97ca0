/* Which file was mapped at an address of code, and until when. */
#ifndef TD_HOST_CLIENT_SYMBOLS_CODE_MAPS_H
#define TD_HOST_CLIENT_SYMBOLS_CODE_MAPS_H
#include <stdint.h>

/* Executable memory, as it is or was. Lives until the process ends; nothing in it changes but `live`. */
struct td_code_map {
    uint64_t start, end, offset; /* of the file */
    uint64_t device, inode;
    uint32_t number; /* from 1 on */
    int live;        /* at the last look; for the session's thread */
    char path[];     /* "" if no file is behind it */
};
/* All three are for the session's thread. NULL: no executable memory is or was there; otherwise what is there
 * now, else what was there last. Looks at the system anew if it must. */
const struct td_code_map *td_code_map_of(uint64_t address);
const struct td_code_map *td_code_map_at(uint32_t number);
void td_code_maps_look(void); /* again, with the next address */
/* Opens the file if it still is the one that was mapped; -1: it is not. Any thread. */
int td_code_map_open(const struct td_code_map *map);
#endif
