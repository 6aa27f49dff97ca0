#include "host/agent/journal/client_journal.h"

static void on_began(void *self, const struct td_client_began *began)
{
    const struct td_client_journal *to = self;
    const struct td_client_stream_config *stream = began->stream;
    const struct td_journal_client_begin begin = {.protocol = stream->release->protocol,
                                                  .pending_max = stream->pending_max,
                                                  .ns_per_tick = stream->ns_per_tick,
                                                  .zero_ticks = stream->zero_ticks,
                                                  .zero_ns = stream->zero_ns,
                                                  .frame_offset = stream->frame_offset,
                                                  .connected_ticks = began->connected_ticks,
                                                  .sources = stream->sources != 0,
                                                  .same_clock = began->same_clock != 0,
                                                  .without_base_frames = began->without_base_frames != 0,
                                                  .in_space = began->in_space != 0};
    uint8_t head[td_journal_client_begin_bytes];
    td_journal_put_client_begin(head, &begin);
    td_journal_put(to->journal, TD_JOURNAL_CLIENT, to->source, head, sizeof head, began->greeting,
                   began->greeting_bytes);
}

static void on_received(void *self, const uint8_t *bytes, size_t count)
{
    const struct td_client_journal *to = self;
    td_journal_put_bytes(to->journal, TD_JOURNAL_RECEIVED, to->source, bytes, count);
}

static void on_sent(void *self, const uint8_t *bytes, size_t count)
{
    const struct td_client_journal *to = self;
    td_journal_put_bytes(to->journal, TD_JOURNAL_SENT, to->source, bytes, count);
}

static void on_source_file(void *self, const char *name, size_t name_bytes, const void *text, size_t bytes)
{
    const struct td_client_journal *to = self;
    const uint8_t found = text != NULL;
    if (name_bytes + 1 > TD_JOURNAL_RECORD_MAX)
        return;
    td_journal_put(to->journal, TD_JOURNAL_SOURCE_FILE, to->source, &found, 1, name, name_bytes);
    if (text)
        td_journal_put_bytes(to->journal, TD_JOURNAL_SOURCE_TEXT, to->source, text, bytes);
}

static void on_clock(void *self, double ns_per_tick, int64_t zero_ticks, int64_t zero_ns)
{
    const struct td_client_journal *to = self;
    const struct td_journal_client_clock clock = {ns_per_tick, zero_ticks, zero_ns};
    uint8_t bytes[td_journal_client_clock_bytes];
    td_journal_put_client_clock(bytes, &clock);
    td_journal_put(to->journal, TD_JOURNAL_CLIENT_CLOCK, to->source, NULL, 0, bytes, sizeof bytes);
}

static void on_left(void *self)
{
    const struct td_client_journal *to = self;
    td_journal_put(to->journal, TD_JOURNAL_LEFT, to->source, NULL, 0, NULL, 0);
}

static void on_ended(void *self)
{
    const struct td_client_journal *to = self;
    td_journal_put(to->journal, TD_JOURNAL_CLIENT_END, to->source, NULL, 0, NULL, 0);
}

const struct td_client_tap *td_client_journal_init(struct td_client_journal *to, struct td_journal *journal)
{
    if (!journal)
        return NULL;
    *to = (struct td_client_journal){.journal = journal,
                                     .source = td_journal_new_source(journal),
                                     .tap = {.self = to,
                                             .began = on_began,
                                             .received = on_received,
                                             .sent = on_sent,
                                             .source_file = on_source_file,
                                             .clock = on_clock,
                                             .left = on_left,
                                             .ended = on_ended}};
    return &to->tap;
}

void td_client_journal_put_process(const struct td_client_journal *to, double clock_error_ns,
                                   const char *line)
{
    td_journal_put(to->journal, TD_JOURNAL_PROCESS, to->source, &clock_error_ns, sizeof clock_error_ns, line,
                   strlen(line));
}
