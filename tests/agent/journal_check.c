#include "tests/agent/journal_check.h"
#include "host/agent/journal/journal_replay.h"
#include "host/base/run_folder.h"
#include "host/trace/trace.h"
#include "tests/wire/in_pieces.h"

#include <stdio.h>
#include <stdlib.h>

struct world {
    struct td_trace *trace;
    struct td_hub *hub;
    struct td_run_folder folder;
    struct td_journal_replay *replay;
};

static void begin_world(struct world *w)
{
    w->trace = td_trace_create(td_dict_create());
    w->hub = w->trace ? td_hub_create(td_trace_fill_dict(w->trace)) : NULL;
    if (!w->hub || td_hub_add_sink(w->hub, td_trace_sink(w->trace)) < 0 ||
        td_run_folder_make(&w->folder, 1 << 20, NULL) < 0)
        abort();
    w->replay = td_journal_replay_create(w->hub, w->folder.path, 1 << 24);
    if (!w->replay)
        abort();
}

static void end_world(struct world *w)
{
    td_journal_replay_destroy(w->replay);
    td_hub_destroy(w->hub);
    td_trace_destroy(w->trace);
    td_run_folder_remove(&w->folder);
}

static void close_world(struct world *w)
{
    struct td_err err = {0};
    if (td_journal_replay_close(w->replay, &err) != 0 || td_trace_finish(w->trace, &err) != 0)
        in_pieces_broken(err.text[0] ? err.text : "a replay without an end");
}

static int feed(void *reader, const uint8_t *bytes, size_t count, struct td_err *err)
{
    return td_journal_reader_feed(reader, bytes, count, err);
}

static int read_pass(td_journal_visit *visit, struct world *w, const uint8_t *bytes, size_t count,
                     size_t piece, struct journal_result *result)
{
    struct td_err err = {0};
    struct td_journal_reader *reader = td_journal_reader_create(visit, w->replay);
    if (!reader)
        abort();
    int bad = in_pieces(feed, reader, bytes, count, piece, &err);
    bad = bad ? bad : td_journal_reader_close(reader, &err);
    if ((bad != 0) != (err.text[0] != 0) || (bad && bad != TD_E_FORMAT && bad != TD_E_VERSION))
        in_pieces_broken(err.text);
    result->state = *td_journal_reader_state(reader);
    if (!bad && result->state.whole_bytes + result->state.torn_bytes != count)
        in_pieces_broken("bytes of the journal are not accounted for");
    td_journal_reader_destroy(reader);
    return bad;
}

struct journal_result journal_check(const uint8_t *bytes, size_t count, size_t piece)
{
    struct journal_result result = {0};
    struct world w;
    begin_world(&w);
    int bad = read_pass(td_journal_replay_prepare, &w, bytes, count, piece, &result);
    bad = bad ? bad : read_pass(td_journal_replay_record, &w, bytes, count, piece, &result);
    result.refused = bad != 0;
    close_world(&w);
    const struct td_client_replay *client = td_journal_replay_client(w.replay, 0);
    if (client)
        result.counts = *td_client_replay_counts(client);
    snprintf(result.trouble, sizeof result.trouble, "%s", td_journal_replay_trouble(w.replay));
    end_world(&w);
    return result;
}

static void visit_all(td_journal_visit *visit, struct world *w, const uint8_t *bytes, size_t count)
{
    struct td_err err = {0};
    struct td_journal_record record;
    int bad = 0;
    while (!bad && count >= td_journal_record_bytes) {
        td_journal_get_record(bytes, &record);
        bytes += td_journal_record_bytes;
        count -= td_journal_record_bytes;
        const size_t n = record.bytes < count ? record.bytes : count;
        uint8_t *copy = malloc(n + 1); /* a sanitizer finds a read past its end */
        if (!copy)
            abort();
        memcpy(copy, bytes, n);
        bad = visit(w->replay, (enum td_journal_kind)record.kind, record.source % 8, copy, n, &err);
        free(copy);
        bytes += n;
        count -= n;
    }
    if (bad && bad != TD_E_NOMEM)
        in_pieces_broken(err.text);
}

void journal_check_records(const uint8_t *bytes, size_t count)
{
    struct world w;
    begin_world(&w);
    visit_all(td_journal_replay_prepare, &w, bytes, count);
    visit_all(td_journal_replay_record, &w, bytes, count);
    close_world(&w);
    end_world(&w);
}
