/* Call stacks: walking them, and names for their addresses. */
#include "host/client/client.h"
#include "host/client/switches.h"

#include <dlfcn.h>
#include <string.h>
#include <unwind.h>

#define OWN_FRAMES 2 /* td_stack_walk() and the function that has the marker */

struct walk {
    uint64_t *stack;
    uint32_t count, most, skip;
};

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *self)
{
    struct walk *walk = self;
    uint64_t address = _Unwind_GetIP(context);
    if (!address || walk->count == walk->most)
        return _URC_END_OF_STACK;
    if (walk->skip)
        walk->skip--;
    else
        walk->stack[walk->count++] = address;
    return _URC_NO_REASON;
}

__attribute__((noinline)) uint32_t td_stack_walk(uint64_t *stack, int most)
{
    if (td_switch(TD_SWITCH_NO_CALLSTACK))
        return 0;
    struct walk walk = {stack, 0, most > (int)TD_REC_STACK_MAX ? TD_REC_STACK_MAX : (uint32_t)most,
                        OWN_FRAMES};
    _Unwind_Backtrace(step, &walk);
    return walk.count;
}

int td_answer_frame(struct td_encoder *encoder, uint64_t address)
{
    Dl_info info = {0};
    /* A return address: the call is before it. */
    int known = td_known_has(encoder->known, TD_KNOWN_CODE, address) &&
                dladdr((void *)(uintptr_t)(address - 1), &info) != 0;
    const char *image = known && info.dli_fname ? info.dli_fname : "[unknown]";
    const char *name = known && info.dli_sname ? info.dli_sname : "[unknown]";
    size_t image_bytes = strnlen(image, 4096), name_bytes = strnlen(name, 4096);
    uint8_t *p = td_encode_room(encoder, 2 * TD_ENCODE_ITEM_MAX + 2 * image_bytes + name_bytes);
    if (!p)
        return -1;
    p = td_encode_text(encoder, p, image, image_bytes);
    p = td_wire_put_CallstackFrameSize(p, encoder->release, &(struct td_wire_CallstackFrameSize){address, 1});
    p = td_encode_text(encoder, p, name, name_bytes);
    p = td_wire_put_string_head(p, encoder->release, TD_ITEM_SecondStringData, image_bytes);
    memcpy(p, image, image_bytes);
    td_encode_put(encoder, td_wire_put_CallstackFrame(p + image_bytes, encoder->release,
                                                      &(struct td_wire_CallstackFrame){0}));
    return 0;
}

int td_answer_symbol(struct td_encoder *encoder, uint64_t address)
{
    const char file[] = "[unknown]";
    uint8_t *p = td_encode_room(encoder, 2 * TD_ENCODE_ITEM_MAX);
    if (!p)
        return -1;
    p = td_encode_text(encoder, p, file, sizeof file - 1);
    struct td_wire_SymbolInformation item = {0, address};
    td_encode_put(encoder, td_wire_put_SymbolInformation(p, encoder->release, &item));
    return 0;
}
