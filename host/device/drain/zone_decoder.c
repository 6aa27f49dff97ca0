#include "host/device/drain/zone_decoder.h"
#include "proto/device/packet.h"

#define ID_MASK 0x7fff

static size_t run_length(size_t slots)
{
    return slots < TD_ZONE_RUN ? slots : TD_ZONE_RUN;
}

static size_t decode_from(size_t i, const uint32_t *words, size_t slots, struct td_zone_room *room)
{
    for (; i < slots; i++) {
        uint32_t w0 = words[2 * i];
        if (!TD_IS_SHORT_ZONE(w0))
            break;
        room->end[i] = words[2 * i + 1];
        room->id[i] = w0 >> TD_SHORT_ID_SHIFT & ID_MASK;
        room->duration[i] = w0 & TD_SHORT_DUR_MASK;
    }
    return i;
}

size_t td_zones_scalar(const uint32_t *words, size_t slots, struct td_zone_room *room)
{
    return decode_from(0, words, run_length(slots), room);
}

#ifdef __x86_64__
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

/* Eight slots, one 32-bit lane each: first words to *w0, second words returned. */
AVX2 static inline __m256i split(const uint32_t *words, __m256i *w0)
{
    __m256 a = _mm256_loadu_ps((const float *)(const void *)words);
    __m256 b = _mm256_loadu_ps((const float *)(const void *)(words + 8));
    *w0 = _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88)), 0xd8);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xdd)), 0xd8);
}

/* As signed numbers, the first words of short zones are those below TD_TAG_HEAD. */
AVX2 static inline int are_zones(__m256i w0)
{
    const __m256i limit = _mm256_set1_epi32((int)TD_TAG_HEAD);
    return _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(limit, w0)));
}

AVX2 static size_t zones_avx2(const uint32_t *words, size_t slots, struct td_zone_room *room)
{
    const __m256i low = _mm256_set1_epi32(0xffff), id_bits = _mm256_set1_epi16(ID_MASK);
    size_t i = 0, whole = run_length(slots) / 16 * 16;
    for (; i < whole; i += 16) {
        __m256i first, second, ends, more_ends;
        ends = split(words + 2 * i, &first);
        more_ends = split(words + 2 * i + 16, &second);
        if ((are_zones(first) & are_zones(second)) != 0xff)
            break;
        _mm256_store_si256((__m256i *)(void *)&room->end[i], ends);
        _mm256_store_si256((__m256i *)(void *)&room->end[i + 8], more_ends);
        __m256i durations = _mm256_packus_epi32(_mm256_and_si256(first, low), _mm256_and_si256(second, low));
        __m256i ids = _mm256_packus_epi32(_mm256_srli_epi32(first, 16), _mm256_srli_epi32(second, 16));
        _mm256_store_si256((__m256i *)(void *)&room->duration[i], _mm256_permute4x64_epi64(durations, 0xd8));
        _mm256_store_si256((__m256i *)(void *)&room->id[i],
                           _mm256_and_si256(_mm256_permute4x64_epi64(ids, 0xd8), id_bits));
    }
    return decode_from(i, words, run_length(slots), room);
}

td_zone_decoder *td_zones_vector(void)
{
    return __builtin_cpu_supports("avx2") ? zones_avx2 : NULL;
}
#else
td_zone_decoder *td_zones_vector(void)
{
    return NULL;
}
#endif

td_zone_decoder *td_zones_fastest(void)
{
    td_zone_decoder *vector = td_zones_vector();
    return vector ? vector : td_zones_scalar;
}
