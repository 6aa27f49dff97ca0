/* Operations of the host program, as messages and zones (proto/tt/messages.h). */
#include "host/base/hash.h"
#include "host/base/plain_text.h"
#include "host/client/include/tendril/client.h"
#include "host/client/include/tendril/ops.h"
#include "host/client/include/tracy/TracyC.h"
#include "host/client/platform/settings.h"
#include "proto/tt/device_log.h"
#include "proto/tt/messages.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define SENT 1024u /* operations that are remembered; the JSON of others is sent again */

static struct {
    uint32_t count;      /* atomic: operations that began */
    uint64_t sent[SENT]; /* atomic: mixes of hash, device and connection */
} ops;

static const struct ___tracy_source_location_data op_location = {"TT_DNN_DEVICE_OP", "td_op_begin", __FILE__,
                                                                 __LINE__, 0};

/* A text of unknown length. First with room 0, to count. */
struct op_text {
    char *at;
    size_t room, bytes;
};

static void put_char(struct op_text *to, char c)
{
    if (to->bytes < to->room)
        to->at[to->bytes] = c;
    to->bytes++;
}
static void put_text(struct op_text *to, const char *text)
{
    /* A back quote ends the message for scripts. */
    for (; *text; text++)
        put_char(to, *text == '`' ? '\'' : *text);
}
static void put_number(struct op_text *to, uint64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, number);
    put_text(to, text);
}
static void put_json_string(struct op_text *to, const char *text)
{
    put_char(to, '"');
    for (size_t left = strlen(text), n; left; text += n, left -= n) {
        const unsigned char c = (unsigned char)*text;
        n = td_utf8_bytes(text, left);
        if (c == '"' || c == '\\')
            put_char(to, '\\');
        put_char(to, !n ? '?' : c < ' ' ? ' ' : c == '`' ? '\'' : (char)c);
        for (size_t i = 1; i < n; i++)
            put_char(to, text[i]);
        n += !n;
    }
    put_char(to, '"');
}
static void put_member(struct op_text *to, const char *key, const char *json, const char *otherwise)
{
    put_text(to, ", \"");
    put_text(to, key);
    put_text(to, "\": ");
    put_text(to, json ? json : otherwise);
}

/* The first line of a message, up to its arrow. Scripts split it at commas. */
static void put_head(struct op_text *to, const struct td_op_about *about, uint64_t hash, uint32_t id,
                     bool known)
{
    put_text(to, "TT_DNN_DEVICE_OP: \"");
    for (const char *c = about->name; *c; c++)
        put_char(to, *c == ',' ? ';' : *c == '"' || *c == '`' || (unsigned char)*c < ' ' ? '\'' : *c);
    put_text(to, "\", ");
    put_number(to, hash);
    put_text(to, ", ");
    put_number(to, about->device);
    put_text(to, known ? ", true, " : ", false, ");
    put_number(to, id);
}

/* `whole`: with all that the caller says; else the message would be longer than Tracy allows. */
static void put_json(struct op_text *to, const struct td_op_about *about, uint64_t hash, uint32_t id,
                     bool whole)
{
    put_text(to, TD_TT_MESSAGE_ARROW "{\"global_call_count\": ");
    put_number(to, id);
    put_text(to, ", \"op_code\": ");
    put_json_string(to, about->name);
    put_text(to, ", \"op_type\": \"tt_dnn_device\", \"device_id\": ");
    put_number(to, about->device);
    put_text(to, ", \"op_hash\": ");
    put_number(to, hash);
    put_member(to, "attributes", whole ? about->attributes : NULL, "{}");
    put_member(to, "input_tensors", whole ? about->inputs : NULL, "[]");
    put_member(to, "output_tensors", whole ? about->outputs : NULL, "[]");
    if (whole && about->more) {
        put_text(to, ", ");
        put_text(to, about->more);
    }
    put_char(to, '}');
}

static size_t compose(char *at, size_t room, const struct td_op_about *about, uint64_t hash, uint32_t id,
                      bool known, bool whole)
{
    struct op_text to = {at, room, 0};
    put_char(&to, TD_TT_MESSAGE_QUOTE[0]);
    put_head(&to, about, hash, id, known);
    if (!known)
        put_json(&to, about, hash, id, whole);
    /* Not put_text(), which replaces it. */
    put_char(&to, TD_TT_MESSAGE_QUOTE[0]);
    return to.bytes;
}

static void send_op(const struct td_op_about *about, uint64_t hash, uint32_t id, bool known)
{
    bool whole = true;
    size_t bytes = compose(NULL, 0, about, hash, id, known, whole);
    if (bytes > TD_TT_MESSAGE_BYTES) {
        whole = false;
        bytes = compose(NULL, 0, about, hash, id, known, whole);
    }
    char *text = bytes <= TD_TT_MESSAGE_BYTES ? td_client_alloc(bytes) : NULL;
    if (!text)
        return;
    compose(text, bytes, about, hash, id, known, whole);
    ___tracy_emit_message(text, bytes, 0);
    td_client_free(text);
}

static uint64_t add_hash(uint64_t hash, const char *text)
{
    static const uint8_t end = 0xff;
    return td_hash_more(td_hash_more(hash, text, text ? strlen(text) : 0), &end, 1);
}

/* Programs, as tt-metal numbers them: equal descriptions have one hash. */
static uint64_t hash_of(const struct td_op_about *about)
{
    uint64_t hash = add_hash(TD_HASH_BEGIN, about->name);
    hash = add_hash(hash, about->attributes);
    hash = add_hash(hash, about->inputs);
    hash = add_hash(hash, about->outputs);
    return add_hash(hash, about->more) >> 1; /* scripts may read it as a signed number */
}

/* tt-metal's variable for scripts that do not know short messages. */
static bool always_whole(void)
{
    static int8_t known; /* atomic; 1: no, 2: yes */
    int8_t value = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!value) {
        value = td_client_option("TT_METAL_PROFILER_NO_CACHE_OP_INFO", 0) ? 2 : 1;
        __atomic_store_n(&known, value, __ATOMIC_RELAXED);
    }
    return value == 2;
}

struct td_op_call td_op_begin(const struct td_op_about *about)
{
    const struct td_op_about no_name = {.name = "operation"};
    if (!about || !about->name)
        about = &no_name;
    const uint32_t number = __atomic_add_fetch(&ops.count, 1, __ATOMIC_RELAXED);
    const uint32_t device = about->device & ((1u << TD_TT_OP_DEVICE_BITS) - 1);
    struct td_op_call op = {number << TD_TT_OP_DEVICE_BITS | device, TD_CLIENT_OFF};
    const uint32_t live = td_client_is_live();
    if (!live)
        return op;
    const uint64_t hash = hash_of(about);
    const uint64_t mark = (hash ^ (uint64_t)device << 32 ^ live) | 1;
    uint64_t *sent = &ops.sent[(mark ^ mark >> 20) / 2 % SENT];
    const bool known = __atomic_load_n(sent, __ATOMIC_ACQUIRE) == mark && !always_whole();
    op.zone = td_client_zone_begin(&op_location);
    const TracyCZoneCtx zone = {op.zone, op.zone != TD_CLIENT_OFF};
    char text[32];
    const int bytes = snprintf(text, sizeof text, TD_TT_OP_ZONE_FORMAT, op.id);
    ___tracy_emit_zone_text(zone, text, (size_t)bytes);
    ___tracy_emit_zone_name(zone, about->name, strlen(about->name));
    send_op(about, hash, op.id, known);
    __atomic_store_n(sent, mark, __ATOMIC_RELEASE);
    return op;
}

void td_op_end(struct td_op_call op)
{
    if (op.zone != TD_CLIENT_OFF)
        td_client_zone_end(op.zone);
}

static void send_text(const char *text, int bytes, size_t room)
{
    if (bytes > 0 && td_client_is_live())
        ___tracy_emit_message(text, (size_t)bytes < room ? (size_t)bytes : room - 1, 0);
}

void td_op_trace(enum td_op_trace_step step, uint32_t device, uint32_t trace)
{
    static const char *const words[] = {"TT_METAL_TRACE_BEGIN", "TT_METAL_TRACE_END",
                                        "TT_METAL_TRACE_REPLAY"};
    char text[96];
    if ((unsigned)step < sizeof words / sizeof *words)
        send_text(text,
                  snprintf(text, sizeof text, "`%s: %" PRIu32 ", %" PRIu32 "`", words[step], device, trace),
                  sizeof text);
}

void td_op_signpost(const char *header, const char *text)
{
    char message[4096];
    send_text(message,
              snprintf(message, sizeof message, "`TT_SIGNPOST: %.1000s%s%.3000s`", header, text ? "\n" : "",
                       text ? text : ""),
              sizeof message);
}
