/* Annotations for sanitizers; empty in other builds. */
#ifndef OB_CORE_BASE_SANITIZER_H
#define OB_CORE_BASE_SANITIZER_H

#ifdef __has_feature
#define OB_HAS_FEATURE(name) __has_feature(name)
#else
#define OB_HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || OB_HAS_FEATURE(address_sanitizer)
#define OB_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, n_bytes)   ((void)(address), (void)(n_bytes))
#define ASAN_UNPOISON_MEMORY_REGION(address, n_bytes) ((void)(address), (void)(n_bytes))
#endif

#if defined(__SANITIZE_THREAD__) || OB_HAS_FEATURE(thread_sanitizer)
#define OB_TSAN
#endif

#endif
