/* Finds messages by their tokens, with which the file's threads refer to them. */
#include "host/base/grow.h"
#include "host/base/sorted.h"
#include "host/file/reader.h"

void td_reader_keep_token_(struct reader *r, uint64_t token)
{
    if (r->in.failed || READER_GROW(r, message_tokens, message_capacity, message_count) < 0)
        return;
    if (r->message_count && token <= r->message_tokens[r->message_count - 1])
        r->messages_unsorted = 1;
    r->message_tokens[r->message_count] = token;
}

static int sort_into_map(struct reader *r)
{
    for (size_t i = r->message_places.count; i < r->message_count; i++) {
        if (td_map_add(&r->message_places, r->message_tokens[i], (uint32_t)i) < 0) {
            td_in_no_memory(&r->in);
            return TD_E_NOMEM;
        }
    }
    return 0;
}

uint64_t td_reader_message_(struct reader *r, uint64_t token)
{
    if (r->messages_unsorted) {
        if (!r->message_places.count && sort_into_map(r) < 0)
            return UINT64_MAX;
        uint32_t place = td_map_get(&r->message_places, token, UINT32_MAX);
        return place == UINT32_MAX ? UINT64_MAX : place;
    }
    size_t low = 0, high = r->message_count;
    TD_BISECT(low, high, middle, r->message_tokens[middle] < token);
    return low < r->message_count && r->message_tokens[low] == token ? low : UINT64_MAX;
}
