// Locks and guards like those of the standard library, which some of the tested standards lack. They need no
// C++ runtime.
#ifndef TD_TESTS_HEADERS_LOCKS_HPP
#define TD_TESTS_HEADERS_LOCKS_HPP

struct PlainLock {
    bool held = false;
    void lock()
    {
        held = true;
    }
    void unlock()
    {
        held = false;
    }
    bool try_lock()
    {
        return held ? false : (held = true);
    }
};

struct SharedLock : PlainLock {
    int readers = 0;
    void lock_shared()
    {
        readers++;
    }
    void unlock_shared()
    {
        readers--;
    }
    bool try_lock_shared()
    {
        readers++;
        return true;
    }
};

template <class T> struct Guard {
    explicit Guard(T &lock) : m_lock(lock)
    {
        m_lock.lock();
    }
    ~Guard()
    {
        m_lock.unlock();
    }
    T &m_lock;
};

template <class T> struct ReadGuard {
    explicit ReadGuard(T &lock) : m_lock(lock)
    {
        m_lock.lock_shared();
    }
    ~ReadGuard()
    {
        m_lock.unlock_shared();
    }
    T &m_lock;
};
#endif
