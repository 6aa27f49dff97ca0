// A thread that is waited for when its object ends.
#ifndef TENDRIL_TRACY_THREAD_HPP
#define TENDRIL_TRACY_THREAD_HPP
#include <pthread.h>

namespace tracy
{
class Thread
{
  public:
    Thread(void (*function)(void *argument), void *argument)
        : m_function(function), m_argument(argument),
          m_running(pthread_create(&m_thread, nullptr, Run, this) == 0)
    {
    }
    Thread(const Thread &) = delete;
    Thread &operator=(const Thread &) = delete;
    ~Thread()
    {
        if (m_running)
            pthread_join(m_thread, nullptr);
    }
    pthread_t Handle() const
    {
        return m_thread;
    }

  private:
    static void *Run(void *self)
    {
        Thread *thread = static_cast<Thread *>(self);
        thread->m_function(thread->m_argument);
        return nullptr;
    }
    void (*m_function)(void *argument);
    void *m_argument;
    pthread_t m_thread;
    bool m_running;
};
} // namespace tracy
#endif
