/* By what a guest's images differ (proto/device/site.h): each site makes two sections longer, by a hash. The
 * linker adds the lengths. Private to the markers. */
#ifndef TENDRIL_IMAGE_SUM_H
#define TENDRIL_IMAGE_SUM_H
#include <stdint.h>

/* Part of a site's record. Operand 1 is its colour, operand 3 the hash of its text. Its number in this
 * object makes the sum depend on the order. */
#define TD_IMAGE_SUM_                                                                                        \
    ".ifndef .Ltd_sites\n\t"                                                                                 \
    ".set .Ltd_sites,0\n\t"                                                                                  \
    ".endif\n\t"                                                                                             \
    ".set .Ltd_sites,.Ltd_sites+1\n\t"                                                                       \
    ".set .Ltd_hash,(%3+%1+" TD_SPELL(__LINE__) "*65599)*(2*.Ltd_sites+1)\n\t"                               \
                                                ".section " TD_SECTION_SUM0 ",\"\",@nobits\n\t"              \
                                                ".skip .Ltd_hash&0xffff\n\t"                                 \
                                                ".section " TD_SECTION_SUM1 ",\"\",@nobits\n\t"              \
                                                ".skip (.Ltd_hash>>16)&0xffff\n\t"

/* A constant of 31 bits. */
#ifdef __cplusplus
constexpr uint32_t td_text_hash(const char *text, uint32_t hash = 0)
{
    return *text ? td_text_hash(text + 1, (hash ^ (uint8_t)*text) * 16777619u) : hash & 0x7fffffff;
}
#define TD_TEXT_HASH(text) td_text_hash(text)
#else /* of the first 64 letters, and of the length */
#define TD_HASH_1_(h, t, i) (((h) ^ (uint8_t)(t)[(i) < sizeof(t) ? (i) : sizeof(t) - 1]) * UINT32_C(16777619))
#define TD_HASH_4_(h, t, i)                                                                                  \
    TD_HASH_1_(TD_HASH_1_(TD_HASH_1_(TD_HASH_1_(h, t, i), t, (i) + 1), t, (i) + 2), t, (i) + 3)
#define TD_HASH_16_(h, t, i)                                                                                 \
    TD_HASH_4_(TD_HASH_4_(TD_HASH_4_(TD_HASH_4_(h, t, i), t, (i) + 4), t, (i) + 8), t, (i) + 12)
#define TD_TEXT_HASH(t)                                                                                      \
    (TD_HASH_16_(TD_HASH_16_(TD_HASH_16_(TD_HASH_16_(sizeof(t), t, 0), t, 16), t, 32), t, 48) & 0x7fffffff)
#endif
#endif
