/* Answers queries about code: what an address means, where a function begins, machine code, source files.
 * A peer gets only code of functions and text of files that the session has named. */
#include "host/base/err.h"
#include "host/client/encode/announced.h"
#include "host/client/encode/answer.h"
#include "host/client/encode/callbacks.h"
#include "host/client/encode/code_named.h"
#include "host/client/encode/encoder.h"
#include "host/client/platform/observed.h"
#include "host/client/platform/pool.h"
#include "host/client/platform/settings.h"
#include "host/client/symbols/code_maps.h"
#include "host/client/symbols/resolver.h"
#include "host/wire/items.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SOURCE_MAX   (TD_WIRE_FRAME_MAX - 64)
#define CODE_MAX     131072u
#define TRANSFER_MAX 65536u
#define PART_BYTES   12u
/* The number of a TD_ANNOUNCED_SYMBOL: the function's bytes (18 bits; more than any code that is sent),
 * and its mapping above them. */
#define BYTES_BITS 18
#define BYTES_MASK ((1u << BYTES_BITS) - 1)

bool td_answer_sends_code(void)
{
    return !td_setting_value(TD_SETTING_NO_CODE_TRANSFER) && !td_setting_value(TD_SETTING_NO_CALLSTACK) &&
           !td_setting_value(TD_SETTING_SYMBOL_OFFLINE_RESOLVE);
}

uint64_t td_answer_program_time(void)
{
    struct stat st;
    if (td_client_observed())
        return td_client_observed()->since;
    return !td_setting_value(TD_SETTING_NO_CODE_TRANSFER) && stat("/proc/self/exe", &st) == 0
               ? (uint64_t)st.st_mtime
               : 0;
}

/* ---- addresses ---- */

int td_answer_frame(struct td_encoder *encoder, uint64_t address)
{
    const uint32_t *number = td_announced_value(encoder->announced, TD_ANNOUNCED_CODE, address);
    const struct td_code_map *map = number && *number ? td_code_map_at(*number) : td_code_map_of(address);
    td_resolver_ask(TD_CODE_FRAME, address, map);
    return 0;
}

int td_answer_symbol(struct td_encoder *encoder, uint64_t address)
{
    const uint32_t *known = td_announced_value(encoder->announced, TD_ANNOUNCED_SYMBOL, address);
    td_resolver_ask(TD_CODE_SYMBOL, address, known ? td_code_map_at(*known >> BYTES_BITS) : NULL);
    return 0;
}

static size_t text_bytes(const char *text)
{
    return strnlen(text, TD_WIRE_TEXT_MAX);
}

static int put_line(struct td_encoder *encoder, const struct td_code *code, const struct td_code_line *line)
{
    size_t function = text_bytes(line->function), file = text_bytes(line->file);
    uint8_t *p = td_encode_room(encoder, TD_ENCODE_ITEM_MAX + function + file);
    if (!p)
        return TD_E_NOMEM;
    p = td_encode_text(encoder, p, line->function, function);
    p = td_wire_put_string_head(p, encoder->release, TD_ITEM_SecondStringData, file);
    memcpy(p, line->file, file);
    struct td_wire_CallstackFrame item = {line->line, line->symbol, line->bytes};
    td_encode_put(encoder, td_wire_put_CallstackFrame(p + file, encoder->release, &item));
    td_code_names_file(encoder, line->file, file);
    if (!line->symbol)
        return 0;
    td_announced_add(encoder->announced, TD_ANNOUNCED_SYMBOL, line->symbol);
    uint32_t *known = td_announced_value(encoder->announced, TD_ANNOUNCED_SYMBOL, line->symbol);
    uint32_t bytes = line->bytes > BYTES_MASK ? BYTES_MASK : line->bytes;
    if (!known || (*known && bytes <= (*known & BYTES_MASK)))
        return 0;
    *known = (code->map ? code->map->number << BYTES_BITS : 0) | bytes;
    return 0;
}

static int put_frame(struct td_encoder *encoder, const struct td_code *code)
{
    const char *image = code->image                       ? code->image
                        : code->map && code->map->path[0] ? code->map->path
                                                          : "[unknown]";
    size_t bytes = text_bytes(image);
    uint8_t *p = td_encode_room(encoder, TD_ENCODE_ITEM_MAX + bytes);
    if (!p)
        return TD_E_NOMEM;
    p = td_encode_text(encoder, p, image, bytes);
    struct td_wire_CallstackFrameSize size = {code->address, (uint8_t)code->count};
    td_encode_put(encoder, td_wire_put_CallstackFrameSize(p, encoder->release, &size));
    for (uint32_t i = 0; i < code->count; i++)
        if (put_line(encoder, code, &code->lines[i]) != 0)
            return TD_E_NOMEM;
    return 0;
}

static int put_symbol(struct td_encoder *encoder, const struct td_code *code)
{
    size_t bytes = text_bytes(code->lines[0].file);
    uint8_t *p = td_encode_room(encoder, TD_ENCODE_ITEM_MAX + bytes);
    if (!p)
        return TD_E_NOMEM;
    p = td_encode_text(encoder, p, code->lines[0].file, bytes);
    struct td_wire_SymbolInformation item = {code->lines[0].line, code->address};
    td_encode_put(encoder, td_wire_put_SymbolInformation(p, encoder->release, &item));
    td_code_names_file(encoder, code->lines[0].file, bytes);
    const uint32_t *known = td_announced_value(encoder->announced, TD_ANNOUNCED_SYMBOL, code->address);
    return known && encoder->symbol_answered
               ? encoder->symbol_answered(encoder, code->address, *known & BYTES_MASK)
               : 0;
}

int td_answer_found(struct td_encoder *encoder, int hurry)
{
    enum td_code_question question;
    struct td_code *code;
    int failed = 0;
    while (!failed && td_resolver_next(&question, &code, hurry)) {
        if (code)
            failed = question == TD_CODE_FRAME ? put_frame(encoder, code) : put_symbol(encoder, code);
        td_pool_free(code);
    }
    return failed;
}

/* ---- machine code ---- */

/* The mapping that the code may be sent of; NULL: none. */
static const struct td_code_map *map_to_send(const struct td_encoder *encoder, uint64_t address,
                                             uint32_t bytes)
{
    const uint32_t *known = td_announced_value(encoder->announced, TD_ANNOUNCED_SYMBOL, address);
    if (!known || !bytes || bytes > CODE_MAX || bytes > (*known & BYTES_MASK) || !td_answer_sends_code())
        return NULL;
    /* The same mapping as when the function was named. */
    const struct td_code_map *map = td_code_map_of(address);
    const bool is_same = map && map->live && map == td_code_map_at(*known >> BYTES_BITS);
    return is_same && map->end - address >= bytes ? map : NULL;
}

int td_answer_code(struct td_encoder *encoder, uint64_t address, uint32_t bytes)
{
    const struct td_code_map *map = map_to_send(encoder, address, bytes);
    uint8_t *begin = td_encode_room(encoder, TD_ENCODE_ITEM_MAX + (map ? bytes : 0));
    if (!begin)
        return TD_E_NOMEM;
    if (map) {
        uint8_t *p = td_wire_put_SymbolCode(begin, encoder->release, &(struct td_wire_SymbolCode){address});
        memcpy(p, &bytes, 4);
        if (td_code_map_read(map, address, p + 4, bytes)) {
            td_encode_put(encoder, p + 4 + bytes);
            return 0;
        }
    }
    td_encode_put(encoder, td_wire_put_AckSymbolCodeNotAvailable(begin, encoder->release, NULL));
    return 0;
}

/* ---- source files ---- */

void td_code_transfer_begins(struct td_encoder *encoder, uint64_t bytes)
{
    td_pool_free(encoder->transfer.name);
    encoder->transfer.name = bytes && bytes <= TRANSFER_MAX ? td_pool_alloc(bytes + 1) : NULL;
    encoder->transfer.bytes = encoder->transfer.name ? (uint32_t)bytes : 0;
    encoder->transfer.have = 0;
    if (encoder->transfer.name)
        memset(encoder->transfer.name, 0, bytes + 1);
}

void td_code_transfer_goes_on(struct td_encoder *encoder, uint64_t low, uint32_t high)
{
    char part[PART_BYTES];
    memcpy(part, &low, 8);
    memcpy(part + 8, &high, 4);
    uint32_t left = encoder->transfer.bytes - encoder->transfer.have;
    uint32_t count = left < PART_BYTES ? left : PART_BYTES;
    if (encoder->transfer.name)
        memcpy(encoder->transfer.name + encoder->transfer.have, part, count);
    encoder->transfer.have += count;
}

static int read_whole(int fd, char *to, size_t bytes)
{
    while (bytes) {
        ssize_t n = read(fd, to, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return 0;
        to += n;
        bytes -= (size_t)n;
    }
    return 1;
}

/* Reads a regular file that is older than the program: a newer one is not the program's source. */
static char *read_source(const char *path, size_t *bytes)
{
    struct stat st;
    char *text = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < SOURCE_MAX &&
        (uint64_t)st.st_mtime < td_answer_program_time() && (text = td_pool_alloc((size_t)st.st_size + 1)) &&
        !read_whole(fd, text, *bytes = (size_t)st.st_size)) {
        td_pool_free(text);
        text = NULL;
    }
    close(fd);
    return text;
}

/* The text from the program's callback, else from the file if the session has named it. */
static char *source_of(const struct td_encoder *encoder, size_t *bytes)
{
    const char *name = encoder->transfer.name;
    if (!name || encoder->transfer.have != encoder->transfer.bytes ||
        td_setting_value(TD_SETTING_NO_CODE_TRANSFER))
        return NULL;
    char *text = td_call_source(name, bytes);
    if (text && *bytes < SOURCE_MAX)
        return text;
    td_pool_free(text);
    return td_code_file_is_named(encoder, name) ? read_source(name, bytes) : NULL;
}

int td_answer_source_code(struct td_encoder *encoder, uint32_t id)
{
    size_t bytes = 0;
    char *text = source_of(encoder, &bytes);
    td_code_transfer_begins(encoder, 0);
    uint8_t *p = td_encode_room(encoder, TD_ENCODE_ITEM_MAX + bytes);
    if (p && text) {
        uint32_t count = (uint32_t)bytes;
        p = td_wire_put_SourceCode(p, encoder->release, &(struct td_wire_SourceCode){id});
        memcpy(p, &count, 4);
        memcpy(p + 4, text, bytes);
        td_encode_put(encoder, p + 4 + bytes);
    } else if (p) {
        struct td_wire_AckSourceCodeNotAvailable none = {id};
        td_encode_put(encoder, td_wire_put_AckSourceCodeNotAvailable(p, encoder->release, &none));
    }
    td_pool_free(text);
    return p ? 0 : -1;
}
