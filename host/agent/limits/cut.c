#include "host/agent/limits/cut.h"
#include "host/trace/copy.h"

#include <inttypes.h>

static int copy_range(const struct td_trace *from, const struct td_cut *cut, struct td_trace *to,
                      struct td_err *err)
{
    struct td_copy_options options = {.from_ns = cut->from_ns,
                                      .until_ns = cut->until_ns < TD_OPEN ? cut->until_ns + 1 : TD_OPEN};
    struct td_copier *copier = td_copier_create(to, err);
    if (!copier)
        return TD_E_NOMEM;
    int rc = td_copier_add(copier, from, &options, err);
    if (rc == 0)
        rc = td_copier_end(copier, err);
    td_copier_destroy(copier);
    return rc;
}

static int note_cut(const struct td_cut *cut, struct td_trace *to, struct td_err *err)
{
    int rc = 0;
    if (cut->from_ns != INT64_MIN && cut->until_ns != TD_OPEN)
        rc = td_trace_note(to, TD_NOTE_WINDOW, "%" PRId64 " .. %" PRId64 " ns", cut->from_ns, cut->until_ns);
    if (rc == 0 && cut->why[0])
        rc = td_trace_note(to, TD_NOTE_TRIGGER, "%s", cut->why);
    return rc < 0 ? td_fail_no_memory(err, NULL) : 0;
}

int td_cut_make(const struct td_trace *from, const struct td_cut *cut, uint64_t memory_bytes,
                struct td_trace **to, struct td_err *err)
{
    struct td_dict *dict = td_dict_create();
    *to = dict ? td_trace_create_within(dict, memory_bytes) : NULL;
    if (!*to)
        return td_fail_no_memory(err, "for the part of the trace to be saved");
    td_trace_may_exceed(*to);
    int rc = copy_range(from, cut, *to, err);
    return rc < 0 ? rc : note_cut(cut, *to, err);
}
