/* A page of a tensor that an iterator is at: its number, and its address on the NoC. By tt-metal's names. C++. */
#ifndef TENDRIL_API_TENSOR_PAGE_H
#define TENDRIL_API_TENSOR_PAGE_H
#include <stdint.h>

namespace tensor_accessor
{
class Page
{
  public:
    Page(uint64_t address, uint32_t page) : address_(address), page_(page)
    {
    }
    uint64_t noc_addr() const
    {
        return address_;
    }
    uint32_t page_id() const
    {
        return page_;
    }

  private:
    uint64_t address_;
    uint32_t page_;
};
} // namespace tensor_accessor
#endif
