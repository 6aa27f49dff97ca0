/* A board whose cores' zones are those of tt-metal's own device profiler. */
#include "host/agent/board/board_source_internal.h"
#include "host/agent/board/tt_buffers.h"

/* Looks at tt-metal's buffers. */
int td_board_poll_tt_(struct td_board_source *s, size_t *taken, struct td_err *err)
{
    uint64_t now[TD_MAX_CHIPS], first;
    for (uint32_t c = 0; c < s->board->chips; c++)
        if (td_sync_span(s->syncs[c], &first, &now[c]) == 0)
            now[c] = 0;
    return td_tt_buffers_poll(s->tt, now, taken, err);
}

/* The last launches; then what tt-metal's buffers have lost is known. */
int td_board_end_tt_(struct td_board_source *s, int board_gone, struct td_err *err)
{
    size_t taken;
    int rc = 0;
    if (!s->tt)
        return 0;
    if (!board_gone)
        rc = td_board_poll_tt_(s, &taken, &s->gone);
    const struct td_tt_buffers_stats stats = td_tt_buffers_get_stats(s->tt);
    s->summary.tt_launches = stats.launches;
    s->summary.tt_missed = stats.missed;
    s->summary.tt_full = stats.full;
    s->summary.tt_ring_launches = stats.ring_launches;
    s->summary.tt_lost_words = stats.lost_words;
    s->summary.bad_slots = stats.odd / 2;
    s->names.unnamed_sites = stats.unknown;
    s->lacks_tt = !stats.layout;
    return rc == TD_E_NOMEM ? td_fail(err, rc, "%s", s->gone.text) : 0;
}

bool td_board_source_lacks_tt_buffers(const struct td_board_source *s)
{
    return s->lacks_tt;
}
