#include "core/base/log.h"

#include <stdarg.h>
#include <time.h>

#include "core/base/text.h"

void ob__log(const ob_logger *logger, ob_log_level level, const char *format, ...) {
    char message[512];
    va_list rest;
    va_start(rest, format);
    ob__vsentence(message, sizeof message, format, rest);
    va_end(rest);
    logger->write(logger->context, level, message);
}

uint64_t ob__now_ns(void) {
#ifdef CLOCK_MONOTONIC
    struct timespec t;
#ifdef CLOCK_MONOTONIC
    clock_gettime(CLOCK_MONOTONIC, &t);
#else /* a C library without clocks: no times, and no limits of time */
    t = (struct timespec){0};
#endif
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#else /* microcontrollers */
    return (uint64_t)clock() * (1000000000u / CLOCKS_PER_SEC);
#endif
}
