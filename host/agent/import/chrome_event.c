#include "host/agent/import/chrome_event.h"

#include <inttypes.h>
#include <stdio.h>

void td_chrome_event_read(struct td_tt_text object, struct td_chrome_event *event)
{
    struct td_tt_json_member member;
    size_t at = 0;
    *event = (struct td_chrome_event){0};
    while (td_tt_json_next(object, &at, &member) > 0) {
#define TD_X(name)                                                                                           \
    if (td_tt_text_is(member.key, #name)) {                                                                  \
        event->name = member;                                                                                \
        continue;                                                                                            \
    }
        TD_CHROME_MEMBERS(TD_X)
#undef TD_X
    }
}

bool td_chrome_member(const struct td_tt_json_member *object, const char *name,
                      struct td_tt_json_member *member)
{
    struct td_tt_json_member each;
    size_t at = 0;
    bool found = false;
    while (object->kind == '{' && td_tt_json_next(object->value, &at, &each) > 0) {
        if (!td_tt_text_is(each.key, name))
            continue;
        *member = each;
        found = true;
    }
    return found;
}

bool td_chrome_is_true(const struct td_tt_json_member *member)
{
    return member->kind == '0' && td_tt_text_is(member->value, "true");
}

bool td_chrome_number(const struct td_tt_json_member *member, struct td_json_number *number)
{
    return (member->kind == '0' || member->kind == '"') && td_json_number_read(member->value, number);
}

int td_chrome_add_id(struct td_text *text, const struct td_tt_json_member *member)
{
    struct td_json_number number;
    char whole[24];
    if (!member->kind || (member->kind == '0' && td_tt_text_is(member->value, "null")))
        return td_text_add(text, "0", 1);
    if (member->kind == '0' && td_json_number_read(member->value, &number) && !number.parts) {
        const int bytes = snprintf(whole, sizeof whole, "%" PRId64, number.whole);
        return td_text_add(text, whole, (size_t)bytes);
    }
    return td_text_add_value(text, member);
}

static int add_part(struct td_text *text, const struct td_tt_json_member *member)
{
    const int bad = member->kind ? td_text_add_value(text, member) : 0;
    return bad ? bad : td_text_add(text, "", 1);
}

static int add_thread(struct td_text *text, const struct td_chrome_event *event, bool with_tid)
{
    int bad = td_chrome_add_id(text, &event->pid);
    bad = bad ? bad : td_text_add(text, "", 1);
    return bad || !with_tid ? bad : td_chrome_add_id(text, &event->tid);
}

bool td_chrome_find_id(const struct td_chrome_event *event, struct td_tt_json_member *id)
{
    *id = event->id;
    return td_chrome_member(&event->id2, "local", id) || (td_chrome_member(&event->id2, "global", id), false);
}

/* S, T, p and F are known by category, name and id; b, e and n by category, scope and id. A local id is that of a
 * process. Without an id it is the thread. */
int td_chrome_add_operation(struct td_text *text, const struct td_chrome_event *event, char phase)
{
    struct td_tt_json_member id = event->id;
    const bool old = strchr("STpF", phase) != NULL;
    const bool local = td_chrome_member(&event->id2, "local", &id);
    const bool global = !local && td_chrome_member(&event->id2, "global", &id);
    int bad = td_text_add(text, old ? "old" : "new", 4);
    bad = bad ? bad : add_part(text, &event->cat);
    bad = bad ? bad : add_part(text, old ? &event->name : &event->scope);
    bad = bad ? bad : td_text_add(text, local ? "l" : global ? "g" : id.kind ? "i" : "t", 1);
    if (!bad && (local || !id.kind))
        bad = add_thread(text, event, !local);
    return bad || !id.kind ? bad : td_chrome_add_id(text, &id);
}
