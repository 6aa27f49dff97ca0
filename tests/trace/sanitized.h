/* Whether a sanitizer keeps memory of its own, so that a test can measure none. */
#pragma once
#if defined __SANITIZE_ADDRESS__ || defined TD_THREAD_SANITIZER
#define SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif
