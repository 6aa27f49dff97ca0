#ifndef TENDRIL_TRACY_MUTEX_HPP
#define TENDRIL_TRACY_MUTEX_HPP
#include <mutex>
namespace tracy
{
using TracyMutex = std::mutex;
}
#endif
