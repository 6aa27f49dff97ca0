/* The table of messages. A request may be with a struct td_messages_wanted on the heap; else all are rows. */
#pragma once
#include "host/query/table/tables.h"
#include "host/query/table/track_name.h"

enum td_message_source { TD_FROM_ALL, TD_FROM_PROGRAM, TD_FROM_PROFILER };

struct td_messages_wanted {
    enum td_message_source source;
    uint8_t severity; /* the least */
    uint32_t tracks;  /* of `left_out`; messages of further tracks are wanted */
    bool left_out[];  /* by track: its messages are not wanted */
};
/* Whether the message of that number, which is its row, is wanted. */
bool td_message_is_wanted(const struct td_query_rows *rows, uint64_t number);
