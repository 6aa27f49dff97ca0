#include "host/client/queue/compose.h"
#include "host/client/platform/pool.h"
#include "host/client/queue/queue.h"
#include "host/client/queue/record.h"
#include "host/client/queue/records.h"
#include "host/wire/releases.h"

#include <string.h>

unsigned td_compose_measure(struct td_mark *mark, void **overflow_text)
{
    const struct td_record_info *info = &td_record_infos[mark->kind];
    unsigned words = info->words;
    *overflow_text = NULL;
    if (info->tail == TD_REC_TAIL_TEXT) {
        if (mark->bytes > TD_WIRE_TEXT_MAX)
            mark->bytes = TD_WIRE_TEXT_MAX;
        if (mark->bytes > TD_REC_TEXT_MAX &&
            (td_queue_is_full() || !(*overflow_text = td_pool_alloc(mark->bytes))))
            return 0;
        words += *overflow_text ? 1 : (unsigned)(mark->bytes + 7) / 8;
        mark->fields[info->words - 2] |= mark->bytes;
    }
    return words + (mark->frames ? 1 + mark->frames : 0);
}

void td_compose_fill(uint64_t *record, const struct td_mark *mark, void *overflow_text)
{
    const struct td_record_info *info = &td_record_infos[mark->kind];
    unsigned at = info->words;
    memcpy(record + 1, mark->fields, 8 * (at - 1u));
    if (overflow_text) {
        memcpy(overflow_text, mark->text, mark->bytes);
        record[at++] = (uintptr_t)overflow_text;
    } else if (info->tail == TD_REC_TAIL_TEXT && mark->bytes) {
        memcpy(record + at, mark->text, mark->bytes);
        at += (unsigned)(mark->bytes + 7) / 8;
    }
    if (mark->frames) {
        record[at] = mark->frames;
        memcpy(record + at + 1, mark->stack, 8 * (size_t)mark->frames);
    }
}
