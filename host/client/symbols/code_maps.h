/* The executable mappings of the process, present and past. Used by the session's thread; the resolver's
 * thread reads mappings that it was given. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A mapping. It is never freed, and only `live` changes. */
struct td_code_map {
    uint64_t start, end, offset; /* of the file */
    uint64_t device, inode;
    uint32_t number; /* from 1 on */
    int live;        /* 1: the system's list had it when last read; for the session's thread only */
    char path[];     /* "" if it has no file */
};
/* The mapping that covers the address now, else the last one that did; NULL if none ever did. Reads the
 * system's list again when it is old. */
const struct td_code_map *td_code_map_of(uint64_t address);
const struct td_code_map *td_code_map_at(uint32_t number); /* NULL: there is no such number */
/* Any thread. Opens the mapping's file; negative: it is missing, or another one by now. */
int td_code_map_open(const struct td_code_map *map);
/* Copies code of the mapping. False: it cannot be read. */
bool td_code_map_read(const struct td_code_map *map, uint64_t address, void *to, size_t bytes);
/* Parses a line of /proc/N/maps, of which *path becomes a part. False: the mapping has no code. */
bool td_code_map_parse(char *line, struct td_code_map *map, char **path);
/* For a client that observes other processes (observed.h): adds a mapping. NULL: no memory, or too many. */
const struct td_code_map *td_code_maps_add(const struct td_code_map *map, const char *path);
