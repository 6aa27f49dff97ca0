/* What the readers of the parts of a CTF trace share. Functions return 0 or TD_E_NOMEM. */
#pragma once
#include "host/agent/import/ctf_library.h"
#include "host/agent/import/json_text.h"
#include "host/agent/import/timeline.h"
#include "host/agent/import/timeline_threads.h"
#include "host/event/map.h"

struct td_ctf {
    struct td_dict *dict;
    struct td_timeline *timeline;
    struct td_late_threads threads;
    struct td_map names;   /* of processes: pid to string */
    struct td_map running; /* by processor, or stream: 1 + place of the thread that runs */
    struct td_map by_class;
    struct td_ctf_kind *kinds; /* of events: by address of their class */
    size_t kind_count, kind_room;
    struct td_text text;
};

/* Adds lines "NAME: VALUE" for the members of a structure; NULL is allowed. */
int td_ctf_add_fields(struct td_text *text, const bt_field *fields);
/* A member that is a whole number, or a text. */
bool td_ctf_number(const bt_field *fields, const char *name, int64_t *number);
const char *td_ctf_string(const bt_field *fields, const char *name); /* NULL: there is none */

int td_ctf_take_event(struct td_ctf *ctf, const bt_event *event, int64_t time_ns);
/* Forgets what is known of classes of events: those of the next trace may have their addresses. */
void td_ctf_forget_classes(struct td_ctf *ctf);
int td_ctf_settle(struct td_ctf *ctf);
