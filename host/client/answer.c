/* Queries -> answers. Only memory whose address the session has sent is read: a peer cannot look elsewhere.
 */
#ifndef TRACY_ENABLE
#define TRACY_ENABLE
#endif
#include "host/client/client.h"
#include "host/client/include/tracy/TracyC.h"

/* Puts the u16 count and the text behind a keyed item whose fields stand before `p`. */
static int finish(struct td_encoder *encoder, uint8_t *p, const char *text)
{
    size_t bytes = strnlen(text, TD_WIRE_TEXT_MAX);
    uint16_t count = (uint16_t)bytes;
    memcpy(p, &count, 2);
    memcpy(p + 2, text, bytes);
    td_encode_put(encoder, p + 2 + bytes);
    return 0;
}

static const char *text_at(const struct td_encoder *encoder, uint64_t ptr)
{
    return td_known_has(encoder->known, TD_KNOWN_TEXT, ptr) ? (const char *)(uintptr_t)ptr : "";
}

static int answer_text(struct td_encoder *encoder, const struct td_wire_query *query)
{
    const char *text = text_at(encoder, query->ptr);
    uint8_t *p = td_encode_room(encoder, 16 + strnlen(text, TD_WIRE_TEXT_MAX));
    if (!p)
        return -1;
    switch (query->query) {
    case TD_QUERY_PlotName:
        p = td_wire_put_PlotName(p, encoder->release, &(struct td_wire_PlotName){query->ptr});
        break;
    case TD_QUERY_FrameName:
        p = td_wire_put_FrameName(p, encoder->release, &(struct td_wire_FrameName){query->ptr});
        break;
    default:
        p = td_wire_put_StringData(p, encoder->release, &(struct td_wire_StringData){query->ptr});
        break;
    }
    return finish(encoder, p, text);
}

static int answer_thread(struct td_encoder *encoder, const struct td_wire_query *query)
{
    char name[256];
    int32_t hint = td_client_thread_name((uint32_t)query->ptr, name, sizeof name);
    uint8_t *p = td_encode_room(encoder, 64 + sizeof name);
    if (!p)
        return -1;
    finish(encoder, td_wire_put_ThreadName(p, encoder->release, &(struct td_wire_ThreadName){query->ptr}),
           name);
    if (hint && (p = td_encode_room(encoder, 64)))
        td_encode_put(
            encoder, td_wire_put_ThreadGroupHint(
                         p, encoder->release, &(struct td_wire_ThreadGroupHint){(uint32_t)query->ptr, hint}));
    return p ? 0 : -1;
}

static int answer_srcloc(struct td_encoder *encoder, const struct td_wire_query *query)
{
    struct td_wire_SourceLocation answer = {0};
    if (td_known_has(encoder->known, TD_KNOWN_SRCLOC, query->ptr)) {
        const struct ___tracy_source_location_data *srcloc = (const void *)(uintptr_t)query->ptr;
        answer = (struct td_wire_SourceLocation){(uintptr_t)srcloc->name,       (uintptr_t)srcloc->function,
                                                 (uintptr_t)srcloc->file,       srcloc->line,
                                                 (uint8_t)srcloc->color,        (uint8_t)(srcloc->color >> 8),
                                                 (uint8_t)(srcloc->color >> 16)};
        td_known_add(encoder->known, TD_KNOWN_TEXT, answer.name);
        td_known_add(encoder->known, TD_KNOWN_TEXT, answer.function);
        td_known_add(encoder->known, TD_KNOWN_TEXT, answer.file);
    }
    uint8_t *p = td_encode_room(encoder, 64);
    if (!p)
        return -1;
    td_encode_put(encoder, td_wire_put_SourceLocation(p, encoder->release, &answer));
    return 0;
}

static int answer_external(struct td_encoder *encoder, const struct td_wire_query *query)
{
    char name[256];
    td_client_thread_name((uint32_t)query->ptr, name, sizeof name);
    uint8_t *p = td_encode_room(encoder, 64 + sizeof name);
    if (!p)
        return -1;
    finish(
        encoder,
        td_wire_put_ExternalThreadName(p, encoder->release, &(struct td_wire_ExternalThreadName){query->ptr}),
        name);
    td_client_program_name(name, sizeof name);
    p = td_encode_room(encoder, 64 + sizeof name);
    if (!p)
        return -1;
    return finish(encoder,
                  td_wire_put_ExternalName(p, encoder->release, &(struct td_wire_ExternalName){query->ptr}),
                  name);
}

/* What this client does not have is answered too: a peer must get back every unit of its query space. */
static int answer_without(struct td_encoder *encoder, const struct td_wire_query *query)
{
    uint8_t *p = td_encode_room(encoder, 64);
    if (!p)
        return -1;
    switch (query->query) {
    case TD_QUERY_FiberName:
        return finish(
            encoder, td_wire_put_FiberName(p, encoder->release, &(struct td_wire_FiberName){query->ptr}), "");
    case TD_QUERY_SymbolCode:
        p = td_wire_put_AckSymbolCodeNotAvailable(p, encoder->release, NULL);
        break;
    case TD_QUERY_SourceCode:
        p = td_wire_put_AckSourceCodeNotAvailable(
            p, encoder->release, &(struct td_wire_AckSourceCodeNotAvailable){(uint32_t)query->ptr});
        break;
    default:
        p = td_wire_put_AckServerQueryNoop(p, encoder->release, NULL);
        break;
    }
    td_encode_put(encoder, p);
    return 0;
}

int td_answer(struct td_encoder *encoder, const uint8_t *bytes)
{
    struct td_wire_query query;
    td_wire_get_query(bytes, encoder->release, &query);
    switch (query.query) {
    case TD_QUERY_Terminate:
    case TD_QUERY_COUNT: /* not a query: whoever sends this is no server */
        return 1;
    case TD_QUERY_Disconnect:
        return 2;
    case TD_QUERY_String:
    case TD_QUERY_PlotName:
    case TD_QUERY_FrameName:
        return answer_text(encoder, &query);
    case TD_QUERY_ThreadString:
        return answer_thread(encoder, &query);
    case TD_QUERY_SourceLocation:
        return answer_srcloc(encoder, &query);
    case TD_QUERY_ExternalName:
        return answer_external(encoder, &query);
    default:
        return answer_without(encoder, &query);
    }
}
