#include "host/client/queue/record.h"
#include "host/client/platform/client_api.h"
#include "host/client/platform/pool.h"
#include "host/client/platform/settings.h"
#include "host/client/queue/frame_image.h"
#include "host/client/queue/records.h"
#include "host/wire/releases.h"

enum { FREE, ORDERED };
const struct td_record_info td_record_infos[TD_REC_COUNT] = {{"nothing", 1, 0, 0, 0},
#define TD_X(name, words, order, tail, named, meaning)                                                       \
    {#name, words, order, TD_REC_TAIL_##tail, TD_REC_NAMED_##named},
                                                             TD_RECORDS(TD_X)
#undef TD_X
};
#define SAME(name)                                                                                           \
    _Static_assert((int)TD_REC_##name == (int)TD_CLIENT_##name, "inline markers write what the table says")
SAME(ZONE_BEGIN);
SAME(ZONE_END);
SAME(ZONE_VALUE);
SAME(ZONE_COLOR);
SAME(PLOT_INT);
SAME(PLOT_FLOAT);
SAME(PLOT_DOUBLE);
SAME(MESSAGE_LITERAL);
_Static_assert(TD_CLIENT_SEVERITY_INFO == TD_WIRE_SEVERITY_INFO, "so do inline messages");
_Static_assert(TD_REC_COUNT < TD_REC_STACK, "the upper bit is free");

void td_rec_read(const uint64_t *word, struct td_rec *rec)
{
    uint64_t first = word[0];
    uint32_t kind = (uint32_t)first & (TD_REC_STACK - 1);
    const struct td_record_info *info = &td_record_infos[kind];
    *rec = (struct td_rec){.word = word, .time = INT64_MIN, .kind = kind};
    if (first >> 8)
        rec->time = td_rec_time(first, (uint64_t)td_client_begin_ticks());
    rec->words = kind == TD_REC_VOID ? (uint32_t)word[1] : info->words;
    if (info->tail == TD_REC_TAIL_TEXT) {
        rec->bytes = (uint16_t)word[info->words - 1];
        int inline_text = rec->bytes <= TD_REC_TEXT_MAX;
        rec->text =
            inline_text ? (const void *)&word[info->words] : (const void *)(uintptr_t)word[info->words];
        rec->words += inline_text ? (rec->bytes + 7) / 8 : 1;
    }
    if (first & TD_REC_STACK) {
        rec->frames = (uint32_t)word[rec->words];
        rec->stack = &word[rec->words + 1];
        rec->words += 1 + rec->frames;
    }
}

void td_rec_free_owned(const struct td_rec *rec)
{
    const struct td_record_info *info = &td_record_infos[rec->kind];
    if (info->tail == TD_REC_TAIL_TEXT && rec->bytes > TD_REC_TEXT_MAX)
        td_pool_free((void *)(uintptr_t)rec->word[info->words]);
    else if (rec->kind == TD_REC_FRAME_IMAGE)
        td_frame_image_free((struct td_frame_image *)(uintptr_t)rec->word[2]);
    else if (info->tail == TD_REC_TAIL_OWNED)
        td_pool_free((void *)(uintptr_t)rec->word[2]);
    else if (info->tail == TD_REC_TAIL_OWNED1)
        td_pool_free((void *)(uintptr_t)rec->word[1]);
}
