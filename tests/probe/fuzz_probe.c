/* Sends any messages to the engine. It answers only requests, each once, and no answer is longer than agreed.
 * After any sequence no core waits and the board runs. */
#include "tests/probe/memory_board.h"

#include "proto/device/lane.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct memory_board board;

static void need(int truth)
{
    if (!truth)
        abort();
}

static void check_sent(void)
{
    while (board.sent_read < board.sent_bytes) {
        struct td_probe_head head;
        uint32_t bytes;
        memcpy(&bytes, board.sent + board.sent_read, 4);
        memcpy(&head, board.sent + board.sent_read + 4, sizeof head);
        need(bytes == sizeof head + head.bytes && bytes <= TD_PROBE_MAX_BYTES);
        need(head.type & TD_PROBE_ANSWER && head.status <= 0);
        board.sent_read += 4 + bytes;
    }
    board.sent_read = board.sent_bytes = 0;
}

/* Each step: the action, two bytes of length, the message. Lengths in heads are corrected, unless the action
 * forbids it. */
static size_t step(const uint8_t *data, size_t size)
{
    uint8_t message[1024];
    size_t bytes = data[1] | (size_t)(data[2] & 3) << 8;
    if (bytes > size - 3)
        bytes = size - 3;
    memcpy(message, data + 3, bytes);
    if (!(data[0] & 1) && bytes >= sizeof(struct td_probe_head)) {
        uint16_t payload = (uint16_t)(bytes - sizeof(struct td_probe_head));
        memcpy(message + 6, &payload, 2);
        message[0] = message[0] % 14;
    }
    if (data[0] & 2)
        td_probe_idle(&board.probe, board.now_ms += 300);
    if (data[0] & 4)
        memory_core_put(&board, data[0] >> 6);
    td_probe_message(&board.probe, message, (uint32_t)bytes, board.now_ms);
    check_sent();
    td_probe_idle(&board.probe, ++board.now_ms);
    check_sent();
    return 3 + bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct {
        struct td_probe_head head;
        struct td_probe_hello hello;
    } hello = {{TD_PROBE_HELLO, 0, 0, 1, sizeof(struct td_probe_hello)},
               {.version = TD_PROBE_VERSION, .max_bytes = 1024}};
    struct td_probe_lane_state seen[MEMORY_LANES];
    if (size < 1)
        return 0;
    memory_board_init(&board, data[0] & 1);
    td_probe_message(&board.probe, &hello, sizeof hello, 0);
    check_sent();
    for (size_t at = 1; at + 3 <= size;)
        at += step(data + at, size - at);
    const uint32_t lanes = board.probe.lane_count;
    need(lanes <= MEMORY_LANES);
    memcpy(seen, board.lanes, sizeof seen);
    td_probe_end(&board.probe);
    need(board.frozen == 0 && !board.agent && board.probe.lane_count == 0);
    for (uint32_t i = 0; i < lanes; i++) {
        const uint64_t at = seen[i].ctrl_address + (uint64_t)TD_LANE_policy;
        if (!seen[i].at.chip && !seen[i].at.y && seen[i].at.x < 2 && at + 4 <= MEMORY_BYTES)
            need(((uint32_t *)board.memory[seen[i].at.x])[at / 4] == TD_POLICY_OFF);
    }
    return 0;
}
