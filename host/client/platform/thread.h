/* The cached id of the calling thread. td_client_thread_id() in tendril/client.h returns it. */
#pragma once
#include <stddef.h>
#include <stdint.h>

void td_thread_forked(void); /* in the child of fork(): its thread has a new id */
