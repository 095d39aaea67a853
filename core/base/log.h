/* Messages for the caller's logger. */
#ifndef OB_CORE_BASE_LOG_H
#define OB_CORE_BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "onnx_broadcast/logger.h"

static inline bool ob__logs(const ob_logger *logger, ob_log_level level) {
    return logger->write && level <= logger->level;
}

void ob__log(const ob_logger *logger, ob_log_level level, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The arguments are not evaluated without a logger. */
#define OB_LOG(logger, level, ...)                                                                                               \
    do {                                                                                                                         \
        if (ob__logs((logger), (level))) ob__log((logger), (level), __VA_ARGS__);                                                \
    } while (0)

/* Of the monotonic clock. */
uint64_t ob__now_ns(void);

#endif
