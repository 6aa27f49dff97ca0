/* Sites: the description of each marker in the ELF of an image. None of it is loaded to the core.
 *
 * A site's id is the position of its symbol in the section .td_ids: that section has no contents, is
 * not loaded, begins at TD_ID_BASE, and gives each site TD_ID_STRIDE bytes. So `lui rd, %hi(symbol)`
 * yields the valid flag and the id where a short zone's first word has them.
 * .td_sites (not loaded) holds one record of TD_SITE_BYTES a site, in any order; .td_strings holds the texts.
 */
#ifndef TD_PROTO_DEVICE_SITE_H
#define TD_PROTO_DEVICE_SITE_H

#define TD_SECTION_IDS     ".td_ids"
#define TD_SECTION_SITES   ".td_sites"
#define TD_SECTION_STRINGS ".td_strings"
#define TD_ID_BASE         0x80000000
#define TD_ID_STRIDE       0x10000 /* 1 << TD_SHORT_ID_SHIFT */
#define TD_STRING_BASE     0x70000000

/* An image that was linked with another script (a guest, docs/guest-firmware.md) has the same records in
 * sections whose names begin with TD_SECTION_OF_GUEST in place of the dot. These sections are at address 0,
 * and ids and texts are TD_ID_BASE and TD_STRING_BASE plus their place. There are no switches and no words
 * of open zones. The script may discard the build id. So the runtime and the host make one: of the sizes of
 * two sections without contents, to which each site adds a hash of its text, line and number, and of the
 * address of the runtime's words, which is in section TD_SECTION_GUEST. */
#define TD_SECTION_OF_GUEST       ".debug_"
#define TD_SECTION_GUEST          ".debug_td_guest" /* TD_GUEST_MAGIC, TD_DEVICE_PROTO_VERSION, address */
#define TD_GUEST_MAGIC            0x31474454        /* "TDG1" */
#define TD_GUEST_BYTES            12
#define TD_SECTION_SUM0           "td_sum0"
#define TD_SECTION_SUM1           "td_sum1"
#define TD_GUEST_ID0(sum0, words) ((sum0) ^ (words))
#define TD_GUEST_ID1(sum1)        ((sum1) ^ TD_GUEST_MAGIC)

/* X(word index, name, what): each a 32-bit little-endian word */
#define TD_SITE(X)                                                                                           \
    X(0, id, "address of the site's symbol in .td_ids: id = (address - TD_ID_BASE) / TD_ID_STRIDE")          \
    X(1, name, "address in .td_strings: zone, plot or flow name, format; 0: the function's name")            \
    X(2, file, "address in .td_strings")                                                                     \
    X(3, line, "")                                                                                           \
    X(4, pc, "address of code at the site; names the function through symbols or DWARF; 0: unknown")         \
    X(5, color, "0x00RRGGBB, 0: none")                                                                       \
    X(6, kind, "enum td_site_kind")                                                                          \
    X(7, args, "argument words of a format; of a zone: address of its word in .td_open, 0: it has none")
#define TD_SITE_BYTES 32

/* Open zones: section .td_open has a word in L1 for each zone site of the image. The section is at the
 * board's address for it or, where the room there is too small, in the core's part of L1. A zone stores the
 * low half of its begin in its word when it opens, and 0 when it closes. So the host sees which zones were
 * open when a core stopped. For a function that calls itself the word has the begin of the innermost call
 * only. */
#define TD_SECTION_OPEN ".td_open"

/* Switches: section .td_switches (not loaded) says which instructions belong to one marker only. Before the image
 * is loaded, the host may replace them, and thereby switch the marker off:
 *   - `end` has bit 0 set: the nop at `first` becomes a jump to end - 1;
 *   - `end` is 0: the `lui` at `first` becomes an instruction that loads 0;
 *   - else the instructions from `first` up to `end` become jumps over them.
 * X(word index, name, what) */
#define TD_SECTION_SWITCHES ".td_switches"
#define TD_SWITCH(X)                                                                                         \
    X(0, site, "address of the site's symbol in .td_ids, or TD_SWITCH_NO_SITE")                              \
    X(1, first, "address of the first instruction; 0: the linker has dropped the code")                      \
    X(2, end, "address after the last one, see above")
#define TD_SWITCH_BYTES   12
#define TD_SWITCH_NO_SITE 0xffffffff
#define TD_SWITCH_SKIPS   1 /* bit of `end` */

/* clang-format off */
#define TD_SITE_KINDS(X)                                                       \
    X(0, ZONE,  "zone")                                                        \
    X(1, WAIT,  "zone in which the core waits")                                \
    X(2, LOG,   "message format")                                              \
    X(3, ZTEXT, "zone text format")                                            \
    X(4, PLOT,  "plot")                                                        \
    X(5, FLOW,  "flow")                                                        \
    X(6, DATA,  "value instant")                                               \
    X(7, SUM,   "accumulated zone")                                            \
    X(8, MAIN,  "zone of a whole kernel (BEGIN and END packets)")
/* clang-format on */

/* Section .td_image (TD_IMAGE_TABLE_BYTES, not loaded): the board, core and lane version that an image was built
 * for. The host does not load an image that does not fit. X(word index, name, what) */
#define TD_SECTION_IMAGE     ".td_image"
#define TD_IMAGE_MAGIC       0x31494454 /* "TDI1" */
#define TD_IMAGE_TABLE_BYTES 44
#define TD_IMAGE_BYTES_LEAST 32 /* of any version */
#define TD_IMAGE_TABLE(X)                                                                                    \
    X(0, magic, "TD_IMAGE_MAGIC")                                                                            \
    X(1, version, "TD_DEVICE_PROTO_VERSION")                                                                 \
    X(2, core, "number of the core (= lane) that it runs on")                                                \
    X(3, lane_base, "address of the tile control words")                                                     \
    X(4, local_base, "address of the core's local RAM")                                                      \
    X(5, profile, "0: built without markers, else enum td_image_profile")                                    \
    X(6, args,                                                                                               \
      "address of a launch's arguments: their number, then up to TD_MAX_LAUNCH_ARGS words; 0: it has none")  \
    X(7, guard, "address of the words below the stack (TD_STACK_GUARD)")                                     \
    X(8, ring_slots, "slots of the core's ring")                                                             \
    X(9, ring, "address of the core's ring")                                                                 \
    X(10, uses, "enum td_image_use; from bit TD_IMAGE_CHIP_BIT on: proto/device/noc.h")
#define TD_MAX_LAUNCH_ARGS 64

#define TD_MARKER_FUNCTIONS "td_scope_" /* prefix of the inline functions that markers consist of */

#define TD_WAIT_COLOR 0xb0413e /* of wait zones whose site has no colour */

#ifndef __ASSEMBLER__
enum td_image_use {
    TD_IMAGE_COMPUTES = 1, /* the compute engine of simulated boards (proto/device/compute.h) */
    TD_IMAGE_COUNTS = 2    /* performance counters (proto/device/perf_counters.h) */
};
enum td_image_profile {
    TD_IMAGE_MARKED = 1, /* with markers */
    TD_IMAGE_STAMPED     /* with markers; zones are in the tile's event stream (proto/device/stamp.h) */
};
enum td_site_kind {
#define TD_X(value, name, what) TD_SITE_##name = value,
    TD_SITE_KINDS(TD_X)
#undef TD_X
};
enum {
#define TD_X(index, name, what) TD_SITE_OFF_##name = 4 * (index),
    TD_SITE(TD_X)
#undef TD_X
};
enum {
#define TD_X(index, name, what) TD_SWITCH_OFF_##name = 4 * (index),
    TD_SWITCH(TD_X)
#undef TD_X
};
/* Word indices, TD_IMAGE_magic ... */
enum td_image_word {
#define TD_X(index, name, what) TD_IMAGE_##name = (index),
    TD_IMAGE_TABLE(TD_X)
#undef TD_X
};
#endif
#endif
