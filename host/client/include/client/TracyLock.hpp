// Locks whose waiting and holding is recorded. The contexts are for locks of other shapes: call their
// functions before and after the lock's own, and AfterLock() where BeforeLock() said that the wait was
// recorded.
#ifndef TENDRIL_TRACY_LOCK_HPP
#define TENDRIL_TRACY_LOCK_HPP
#include "TracyProfiler.hpp"

#ifdef TRACY_ENABLE
namespace tracy
{
class LockableCtx
{
  public:
    LockableCtx(const SourceLocationData *srcloc)
        : m_lock(___tracy_announce_lockable_ctx(TendrilLocation(srcloc)))
    {
    }
    LockableCtx(const LockableCtx &) = delete;
    LockableCtx &operator=(const LockableCtx &) = delete;
    ~LockableCtx()
    {
        ___tracy_terminate_lockable_ctx(m_lock);
    }
    bool BeforeLock()
    {
        return ___tracy_before_lock_lockable_ctx(m_lock) != 0;
    }
    void AfterLock()
    {
        ___tracy_after_lock_lockable_ctx(m_lock);
    }
    void AfterUnlock()
    {
        ___tracy_after_unlock_lockable_ctx(m_lock);
    }
    void AfterTryLock(bool acquired)
    {
        ___tracy_after_try_lock_lockable_ctx(m_lock, acquired);
    }
    void Mark(const SourceLocationData *srcloc)
    {
        ___tracy_mark_lockable_ctx(m_lock, TendrilLocation(srcloc));
    }
    void CustomName(const char *name, size_t size)
    {
        ___tracy_custom_name_lockable_ctx(m_lock, name, size);
    }

  private:
    const TracyCLockCtx m_lock;
};

// What locks of all kinds have. `Context` records.
template <class T, class Context> class TendrilLockable
{
  public:
    TendrilLockable(const SourceLocationData *srcloc) : m_ctx(srcloc)
    {
    }
    TendrilLockable(const TendrilLockable &) = delete;
    TendrilLockable &operator=(const TendrilLockable &) = delete;

    void lock()
    {
        const bool recorded = m_ctx.BeforeLock();
        m_lockable.lock();
        if (recorded)
            m_ctx.AfterLock();
    }
    void unlock()
    {
        m_lockable.unlock();
        m_ctx.AfterUnlock();
    }
    bool try_lock()
    {
        const bool acquired = m_lockable.try_lock();
        m_ctx.AfterTryLock(acquired);
        return acquired;
    }
    void Mark(const SourceLocationData *srcloc)
    {
        m_ctx.Mark(srcloc);
    }
    void CustomName(const char *name, size_t size)
    {
        m_ctx.CustomName(name, size);
    }

    T m_lockable;

  protected:
    Context m_ctx;
};

// A lock of type T with lock(), unlock() and try_lock(), and itself one.
template <class T> class Lockable : public TendrilLockable<T, LockableCtx>
{
  public:
    Lockable(const SourceLocationData *srcloc) : TendrilLockable<T, LockableCtx>(srcloc)
    {
    }
};

// The same for locks that several readers may hold.
class SharedLockableCtx
{
  public:
    SharedLockableCtx(const SourceLocationData *srcloc)
        : m_lock(___tracy_announce_shared_lockable_ctx(TendrilLocation(srcloc)))
    {
    }
    SharedLockableCtx(const SharedLockableCtx &) = delete;
    SharedLockableCtx &operator=(const SharedLockableCtx &) = delete;
    ~SharedLockableCtx()
    {
        ___tracy_terminate_shared_lockable_ctx(m_lock);
    }
    bool BeforeLock()
    {
        return ___tracy_before_lock_shared_lockable_ctx(m_lock) != 0;
    }
    void AfterLock()
    {
        ___tracy_after_lock_shared_lockable_ctx(m_lock);
    }
    void AfterUnlock()
    {
        ___tracy_after_unlock_shared_lockable_ctx(m_lock);
    }
    void AfterTryLock(bool acquired)
    {
        ___tracy_after_try_lock_shared_lockable_ctx(m_lock, acquired);
    }
    bool BeforeLockShared()
    {
        return ___tracy_before_lock_shared_shared_lockable_ctx(m_lock) != 0;
    }
    void AfterLockShared()
    {
        ___tracy_after_lock_shared_shared_lockable_ctx(m_lock);
    }
    void AfterUnlockShared()
    {
        ___tracy_after_unlock_shared_shared_lockable_ctx(m_lock);
    }
    void AfterTryLockShared(bool acquired)
    {
        ___tracy_after_try_lock_shared_shared_lockable_ctx(m_lock, acquired);
    }
    void Mark(const SourceLocationData *srcloc)
    {
        ___tracy_mark_shared_lockable_ctx(m_lock, TendrilLocation(srcloc));
    }
    void CustomName(const char *name, size_t size)
    {
        ___tracy_custom_name_shared_lockable_ctx(m_lock, name, size);
    }

  private:
    const TracyCSharedLockCtx m_lock;
};

template <class T> class SharedLockable : public TendrilLockable<T, SharedLockableCtx>
{
  public:
    SharedLockable(const SourceLocationData *srcloc) : TendrilLockable<T, SharedLockableCtx>(srcloc)
    {
    }

    void lock_shared()
    {
        const bool recorded = this->m_ctx.BeforeLockShared();
        this->m_lockable.lock_shared();
        if (recorded)
            this->m_ctx.AfterLockShared();
    }
    void unlock_shared()
    {
        this->m_lockable.unlock_shared();
        this->m_ctx.AfterUnlockShared();
    }
    bool try_lock_shared()
    {
        const bool acquired = this->m_lockable.try_lock_shared();
        this->m_ctx.AfterTryLockShared(acquired);
        return acquired;
    }
};
} // namespace tracy
#endif
#endif
