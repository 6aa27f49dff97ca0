/* Standard output and error: lines become TEXT packets. */
#include "target/src/lane.h"

static uint8_t line[TD_TEXT_BYTES];
static uint32_t length;

void td_text_flush(void);
void td_text_write(const char *bytes, uint32_t count);

void td_text_flush(void)
{
    struct td_packet_words p;
    if (length == 0)
        return;
    td_packet_begin(&p, td_packet_room, TD_PACKET_TEXT, 0, td_clock64());
    for (uint32_t at = 0; at < length; at += 6) {
        uint64_t v48 = 0;
        for (uint32_t i = 0; i < 6 && at + i < length; i++)
            v48 |= (uint64_t)line[at + i] << 8 * i;
        td_packet_add(&p, v48);
    }
    length = 0;
    td_packet_write(&p, td_keep());
}

/* A line that is longer than a packet goes in pieces. */
void td_text_write(const char *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (bytes[i] != '\n')
            line[length++] = (uint8_t)bytes[i];
        if (bytes[i] == '\n' || length == sizeof line)
            td_text_flush();
    }
}
