/* See cupti_stand_in.h. Full buffers are given back by a thread of its own, as CUPTI does; the one that is
 * being filled when the program asks for it. */
#include "cupti_stand_in.h"

#include <cupti.h>

#include <pthread.h>
#include <string.h>
#include <time.h>

enum { KINDS = 64, START = 1700000000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUpti_CallbackFunc callback;
static void *callback_data;
static uint32_t domain_on[CUPTI_CB_DOMAIN_SIZE];
static CUpti_BuffersCallbackRequestFunc request;
static CUpti_BuffersCallbackCompleteFunc complete;
static int kind_on[KINDS];
static size_t kind_bytes[KINDS], dropped;
static struct buffer {
    uint8_t *at;
    size_t size, used;
} filling, full;
static pthread_cond_t given = PTHREAD_COND_INITIALIZER;
static int giving; /* a thread does */
static unsigned asked, lent;
static const char *failing;
static CUptiResult failure;
static int64_t clock_ppm, clock_base_ns = START * INT64_C(1000000000), host_base_ns;

/* ---- what programs use ---- */

static int64_t host_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static uint64_t now_locked(void)
{
    int64_t passed = host_ns() - host_base_ns;
    return (uint64_t)(clock_base_ns + passed + passed / 1000 * clock_ppm / 1000);
}

static uint64_t now(void)
{
    pthread_mutex_lock(&lock);
    uint64_t ns = now_locked();
    pthread_mutex_unlock(&lock);
    return ns;
}

static void set_clock(int64_t ppm, int64_t by_ns)
{
    pthread_mutex_lock(&lock);
    int64_t at = (int64_t)now_locked();
    host_base_ns = host_ns();
    clock_base_ns = at + by_ns;
    clock_ppm = ppm;
    pthread_mutex_unlock(&lock);
}

static void tell(CUpti_CallbackDomain domain, uint32_t id, const char *name, CUpti_ApiCallbackSite site,
                 uint32_t correlation, uint64_t *data)
{
    pthread_mutex_lock(&lock);
    CUpti_CallbackFunc to = domain_on[domain] ? callback : NULL;
    void *user = callback_data;
    pthread_mutex_unlock(&lock);
    CUpti_CallbackData info = {
        .callbackSite = site, .functionName = name, .correlationData = data, .correlationId = correlation};
    if (to && name)
        to(user, domain, id, &info);
}

static uint32_t call(const struct stand_in_call *what)
{
    static uint32_t last;
    uint32_t correlation = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
    uint64_t of_runtime = 0, of_driver = 0;
    tell(CUPTI_CB_DOMAIN_RUNTIME_API, what->runtime_id, what->runtime, CUPTI_API_ENTER, correlation,
         &of_runtime);
    tell(CUPTI_CB_DOMAIN_DRIVER_API, what->driver_id, what->driver, CUPTI_API_ENTER, correlation, &of_driver);
    tell(CUPTI_CB_DOMAIN_DRIVER_API, what->driver_id, what->driver, CUPTI_API_EXIT, correlation, &of_driver);
    tell(CUPTI_CB_DOMAIN_RUNTIME_API, what->runtime_id, what->runtime, CUPTI_API_EXIT, correlation,
         &of_runtime);
    return correlation;
}

/* Takes the buffer out of `from` and gives it back; the lock is held, except meanwhile. */
static void give_back(struct buffer *from)
{
    struct buffer buffer = *from;
    memset(from, 0, sizeof *from);
    if (!buffer.at)
        return;
    lent--;
    pthread_mutex_unlock(&lock);
    complete(NULL, 0, buffer.at, buffer.size, buffer.used);
    pthread_mutex_lock(&lock);
}

static void *give_full(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    give_back(&full);
    giving = 0;
    pthread_cond_broadcast(&given);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void wait_for_giver(void)
{
    while (giving)
        pthread_cond_wait(&given, &lock);
}

static void start_giver(void)
{
    pthread_t giver;
    full = filling;
    memset(&filling, 0, sizeof filling);
    giving = pthread_create(&giver, NULL, give_full, NULL) == 0;
    if (giving)
        pthread_detach(giver);
}

static void record(const void *from, size_t bytes)
{
    CUpti_ActivityKind kind = *(const CUpti_ActivityKind *)from;
    pthread_mutex_lock(&lock);
    if (!kind_on[kind] || !complete) {
        pthread_mutex_unlock(&lock);
        return;
    }
    __atomic_store_n(&kind_bytes[kind], bytes, __ATOMIC_RELAXED);
    while (filling.at && filling.size - filling.used < bytes) {
        if (giving)
            wait_for_giver(); /* then there may be room */
        else
            start_giver();
    }
    if (!filling.at) {
        size_t most = 0;
        request(&filling.at, &filling.size, &most);
        asked++;
        lent += filling.at != NULL;
    }
    if (filling.at && filling.size - filling.used >= bytes && (uintptr_t)filling.at % 8 == 0) {
        memcpy(filling.at + filling.used, from, bytes);
        filling.used += bytes;
    } else {
        dropped++;
    }
    pthread_mutex_unlock(&lock);
}

static void drop(size_t count)
{
    pthread_mutex_lock(&lock);
    dropped += count;
    pthread_mutex_unlock(&lock);
}

static void fail(const char *function, int result)
{
    failing = function;
    failure = (CUptiResult)result;
}

static void buffers(unsigned *asked_for, unsigned *still_lent)
{
    pthread_mutex_lock(&lock);
    *asked_for = asked;
    *still_lent = lent;
    pthread_mutex_unlock(&lock);
}

const struct stand_in cupti_stand_in = {now, set_clock, call, record, drop, fail, buffers};

/* ---- what CUPTI has ---- */

static CUptiResult result_of(const char *function)
{
    return failing && strcmp(failing, function) == 0 ? failure : CUPTI_SUCCESS;
}

CUptiResult cuptiGetTimestamp(uint64_t *timestamp)
{
    *timestamp = now();
    return result_of(__func__);
}

CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
    *text = result == CUPTI_ERROR_UNKNOWN                   ? "CUPTI_ERROR_UNKNOWN"
            : result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
            : result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
                ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
                : "another error";
    return CUPTI_SUCCESS;
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc function, void *data)
{
    CUptiResult result = result_of(__func__);
    if (result != CUPTI_SUCCESS)
        return result;
    if (callback)
        return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    pthread_mutex_lock(&lock);
    callback = function;
    callback_data = data;
    *subscriber = (CUpti_SubscriberHandle)&callback;
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber)
{
    if (subscriber != (CUpti_SubscriberHandle)&callback || !callback)
        return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&lock);
    callback = NULL;
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain)
{
    CUptiResult result = result_of(__func__);
    if (result == CUPTI_SUCCESS && (subscriber != (CUpti_SubscriberHandle)&callback || !callback))
        return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&lock);
    domain_on[domain] = enable && result == CUPTI_SUCCESS;
    pthread_mutex_unlock(&lock);
    return result;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc on_request,
                                           CUpti_BuffersCallbackCompleteFunc on_complete)
{
    CUptiResult result = result_of(__func__);
    if (result != CUPTI_SUCCESS)
        return result;
    pthread_mutex_lock(&lock);
    request = on_request;
    complete = on_complete;
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
    CUptiResult result = result_of(__func__);
    pthread_mutex_lock(&lock);
    kind_on[kind] = result == CUPTI_SUCCESS;
    pthread_mutex_unlock(&lock);
    return result;
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind)
{
    pthread_mutex_lock(&lock);
    kind_on[kind] = 0;
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
    (void)flag;
    CUptiResult result = result_of(__func__);
    if (result != CUPTI_SUCCESS)
        return result;
    pthread_mutex_lock(&lock);
    wait_for_giver();
    give_back(&filling);
    pthread_mutex_unlock(&lock);
    return complete ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, CUpti_Activity **at)
{
    CUptiResult result = result_of(__func__);
    if (result != CUPTI_SUCCESS)
        return result;
    uint8_t *next =
        *at ? (uint8_t *)*at + __atomic_load_n(&kind_bytes[(*at)->kind], __ATOMIC_RELAXED) : buffer;
    if (next >= buffer + valid)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *at = (CUpti_Activity *)next;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream, size_t *count)
{
    (void)context, (void)stream;
    pthread_mutex_lock(&lock);
    *count = dropped;
    dropped = 0;
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}
