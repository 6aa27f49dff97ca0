/* Constants of the trace file's format, for reader and writer. */
#pragma once
#include <stdint.h>

#define TD_FILE_BLOCK_BYTES 65536 /* payload of every block except the last */

#define TD_FILE_MAGIC_LZ4      "tlZ\4"
#define TD_FILE_MAGIC_ZSTD     "tZst"
#define TD_FILE_MAGIC_PARALLEL "tr\375P" /* then compression and number of streams, a byte each */
enum td_file_compression { TD_FILE_LZ4 = 0, TD_FILE_ZSTD = 1 };
/* How blocks are packed; levels of LZ4 HC are 9 and 12. */
enum td_file_packing { TD_PACK_DEFAULT, TD_PACK_LZ4, TD_PACK_LZ4_HC, TD_PACK_LZ4_EXTREME, TD_PACK_ZSTD };

#define TD_FILE_MAGIC_PAYLOAD      "tracy"
#define TD_FILE_VERSION(a, b, c)   ((uint32_t)(a) << 16 | (b) << 8 | (c)) /* they compare as numbers */
#define TD_FILE_VERSION_OLDEST     TD_FILE_VERSION(0, 9, 0)
#define TD_FILE_VERSION_NEWEST     TD_FILE_VERSION(0, 14, 0)
#define TD_FILE_TIME_LIMIT         (INT64_C(1) << 47)
#define TD_FILE_STRING_LIMIT       ((1u << 24) - 2) /* 24-bit references, 0 = none */
#define TD_FILE_STRING_BYTES_LIMIT (64u << 20)
#define TD_FILE_NAME_BYTES         1024 /* with the final zero: capture, program, host */
#define TD_FILE_DYNAMIC_LOCATIONS  32767u
#define TD_FILE_STATIC_LOCATIONS   32766u   /* entry 0 is reserved */
#define TD_FILE_THREAD_LIMIT       65535u   /* entry 0 is reserved */
#define TD_FILE_STACK_LIMIT        0xffffff /* 24-bit references, 0 = none */
#define TD_FILE_CPU_LISTS          256
#define TD_FILE_LOCK_THREADS       64
#define TD_FILE_BLACK              0xff000000u /* colour of a black message: 0 means none */

#define TD_FILE_VSYNC "vertical sync " /* and a display's number: the name of an unnamed frame set */

/* References to strings (9 bytes: value, flags). */
enum { TD_FILE_REF_NONE = 0, TD_FILE_REF_POINTER = 2, TD_FILE_REF_INDEX = 3 };
