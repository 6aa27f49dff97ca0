#include "host/serve/encode.h"
#include "host/serve/part.h"

static int (*const parts[])(struct td_viewer *v) = {
#define TD_X(part) td_part_##part,
    TD_SERVE_PARTS(TD_X)
#undef TD_X
};
#define PARTS (sizeof parts / sizeof *parts)

int td_encode_pass(struct td_viewer *v)
{
    while (v->part < PARTS) {
        int result = parts[v->part](v);
        if (result)
            return result;
        v->part++;
        v->part_item = 0;
    }
    v->part = 0;
    return TD_PART_DONE;
}

bool td_encode_is_inside(const struct td_viewer *v)
{
    return v->part != 0 || v->part_item != 0;
}
