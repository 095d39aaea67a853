/* Long loops ask from time to time whether to stop. They do not depend on the code that answers. */
#ifndef OB_CORE_BASE_PACE_H
#define OB_CORE_BASE_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* Steps of about a nanosecond between two questions. */
#define OBK_PACE_WORK (INT64_C(1) << 20)

/* The state of one thread in one piece of shared work. All zero: nothing stops it. */
typedef struct obk_pace {
    bool (*stopped)(const void *context); /* NULL: never */
    const void *context;
    int64_t done; /* work since the last question */
    bool over;    /* the answer was to stop; this does not change again */
} obk_pace;

/* True if the loop must end; its results are then not used. `work` may be counted before or after it is done. */
static inline bool obk_stops(obk_pace *pace, int64_t work) {
    pace->done += work < OBK_PACE_WORK ? work : OBK_PACE_WORK;
    if (pace->done < OBK_PACE_WORK) return pace->over;
    pace->done = 0;
    pace->over = pace->over || (pace->stopped && pace->stopped(pace->context));
    return pace->over;
}

#endif
