/* BRISC: a buffer from tile 0,0 to others, in pages of 64 bytes, then of 96. Each receiver gets its part of each block,
 * finds what the sender has written, and reads it through a buffer of its own in the same memory, too. */
#include "api/core_local_mem.h"
#include "api/remote_circular_buffer.h"
#include <stdlib.h>

constexpr uint32_t buffer = 31, own = 0, row_bytes = 32, row_words = row_bytes / 4;
constexpr uint32_t rows_of[2] = {2, 3}, blocks_of[2] = {12, 7};

static uint32_t word_of(uint32_t block, uint32_t receiver, uint32_t row, uint32_t word)
{
    return block << 16 | receiver << 8 | (row * row_words + word);
}

static void expect(bool is_so, int code)
{
    if (!is_so)
        exit(code);
}

static void send(uint32_t receivers, uint32_t source)
{
    RemoteCircularBuffer to(buffer);
    Noc noc;
    CoreLocalMem<volatile uint32_t> words(source);
    uint32_t block = 0;
    for (uint32_t part = 0; part < 2; part++) {
        to.set_receiver_page_size(noc, rows_of[part] * row_bytes);
        for (uint32_t n = 0; n < blocks_of[part]; n++, block++) {
            for (uint32_t row = 0; row < rows_of[part]; row++)
                for (uint32_t i = 0; i < receivers * row_words; i++)
                    words[row * receivers * row_words + i] =
                        word_of(block, i / row_words, row, i % row_words);
            to.reserve_back(1);
            to.push_back(noc, words, 1, rows_of[part], 1, row_bytes);
        }
    }
    to.barrier();
    to.commit();
}

static void check_block(uint32_t block, uint32_t receiver, uint32_t rows, uint32_t at)
{
    const volatile uint32_t *words = reinterpret_cast<const volatile uint32_t *>(at);
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t word = 0; word < row_words; word++)
            expect(words[row * row_words + word] == word_of(block, receiver, row, word), 2);
}

/* The own buffer, whose pages are rows, goes where the remote one is; its words say so. */
static void check_own_buffer(uint32_t at)
{
    align_local_cbs_to_remote_cb(buffer, {own});
    LocalCBInterface &words = get_local_cb_interface(own);
    expect(get_read_ptr(own) == at && words.fifo_rd_ptr == at && words.fifo_page_size == row_bytes, 3);
    expect(words.fifo_limit - words.fifo_size == get_remote_receiver_cb_interface(buffer).fifo_start_addr, 4);
    words.fifo_wr_ptr += row_bytes;
    expect(get_write_ptr(own) == at + row_bytes, 5);
}

static void receive(uint32_t receiver)
{
    RemoteCircularBuffer from(buffer);
    Noc noc;
    uint32_t block = 0;
    for (uint32_t part = 0; part < 2; part++) {
        from.set_sender_page_size(noc, rows_of[part] * row_bytes);
        for (uint32_t n = 0; n < blocks_of[part]; n++, block++) {
            from.wait_front(1);
            const uint32_t at = get_remote_receiver_cb_interface(buffer).fifo_rd_ptr;
            check_block(block, receiver, rows_of[part], at);
            check_own_buffer(at);
            from.pop_front(noc, 1);
        }
    }
    from.commit();
}

void kernel_main()
{
    const uint32_t receivers = get_arg_val<uint32_t>(0), receiver = get_arg_val<uint32_t>(1);
    if (receiver == receivers)
        send(receivers, get_arg_val<uint32_t>(2));
    else
        receive(receiver);
}
