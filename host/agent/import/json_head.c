#include "host/agent/import/json_head.h"
#include "host/agent/import/json_walk.h"

struct head {
    struct td_json_walk walk;
    const struct td_json_sign *signs;
    unsigned sign_count;
    uint32_t found;
};

static void see_member(struct head *head, char kind, struct td_tt_text text)
{
    const struct td_json_walk *walk = &head->walk;
    for (unsigned i = 0; i < head->sign_count; i++) {
        const struct td_json_sign *sign = &head->signs[i];
        const unsigned depth = sign->outer ? 2 : 1;
        if (walk->depth == depth && kind == sign->kind && td_json_walk_in(walk, 0, sign->key) &&
            (!sign->outer || td_json_walk_in(walk, 1, sign->outer)) &&
            (!sign->text ||
             (text.bytes && memmem(text.at, text.bytes, sign->text, strlen(sign->text)) != NULL)))
            head->found |= 1u << i;
    }
}

static enum td_json_choice choose(void *self, char kind)
{
    struct head *head = self;
    see_member(head, kind, TD_TT_TEXT_NONE);
    return kind == '{' && head->walk.depth < 2 ? TD_JSON_ENTER : TD_JSON_SKIP;
}

static int take_value(void *self, char kind, struct td_tt_text text, struct td_err *err)
{
    see_member(self, kind, text);
    return 0;
}

uint32_t td_json_head_signs(const uint8_t *bytes, size_t count, const struct td_json_sign *signs,
                            unsigned sign_count)
{
    struct head head = {.signs = signs, .sign_count = sign_count};
    struct td_err err = {0};
    head.walk = (struct td_json_walk){.choose = choose, .value = take_value, .self = &head};
    td_json_walk_feed(&head.walk, (const char *)bytes, count, &err);
    td_json_walk_free(&head.walk);
    return head.found;
}
