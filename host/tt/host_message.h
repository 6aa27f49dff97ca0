/* Messages about operations from programs that use tt-metal (proto/tt/messages.h). */
#pragma once
#include "host/tt/tt_text.h"
#include "proto/tt/messages.h"

#include <stdio.h>

enum td_tt_cache_hit { TD_TT_CACHE_NOT_SAID, TD_TT_CACHE_MISS, TD_TT_CACHE_HIT };

/* Texts are parts of the message. Members that a kind does not have are 0 or "". */
struct td_tt_message {
    enum td_tt_message_kind kind;
    struct td_tt_text name; /* of an operation, without quotes; of a signpost: its header */
    struct td_tt_text json; /* of an operation: without the back quote; "": the JSON of the first launch */
    struct td_tt_text text; /* of a signpost: the message after the header */
    uint64_t hash;          /* of an operation: of its program */
    uint32_t device, trace;
    uint64_t id; /* of an operation: its number; of TRACE_ENQUEUE: the program's run host id */
    enum td_tt_cache_hit cache_hit; /* of an operation */
    bool cut;                       /* the back quote at the end is missing: Tracy cut the message */
};
/* False: it is another message. The back quotes may be missing. An operation's JSON is not looked at. */
bool td_tt_message_read(struct td_tt_text text, struct td_tt_message *message);
/* Prints a message, with back quotes. Returns false if the stream has an error. */
bool td_tt_message_write(FILE *to, const struct td_tt_message *message);
