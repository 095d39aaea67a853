/* Loops that may take long ask whether to go on, after some work each time. They know nothing of who answers. */
#ifndef OB_CORE_BASE_PACE_H
#define OB_CORE_BASE_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* Steps of about a nanosecond between two questions. */
#define OBK_PACE_WORK (INT64_C(1) << 20)

/* Of one thread, for one piece of shared work. All zero: nothing stops it. */
typedef struct obk_pace {
    bool (*stopped)(const void *context); /* NULL: never */
    const void *context;
    int64_t done; /* work since the last question */
    bool over;    /* the answer was to stop: so it stays */
} obk_pace;

/* True when the loop is to end, before or behind that much work; its results do not matter then. */
static inline bool obk_stops(obk_pace *pace, int64_t work) {
    pace->done += work < OBK_PACE_WORK ? work : OBK_PACE_WORK;
    if (pace->done < OBK_PACE_WORK) return pace->over;
    pace->done = 0;
    pace->over = pace->over || (pace->stopped && pace->stopped(pace->context));
    return pace->over;
}

#endif
