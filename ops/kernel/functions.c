#include "ops/kernel/functions.h"

#include <stddef.h>

#include "kernels/elementwise/iteration_layout.h"

const char *ob__own_function_name(void (*function)(void), bool *is_run) {
    static const struct {
        void (*function)(void);
        const char *name;
        bool is_run;
    } rows[] = {
#define OB_OWN_LOOP(function)    {(void (*)(void))function, #function, false},
#define OB_OWN_RUN(function)     {(void (*)(void))function, #function, true},
#define OB_OWN_COMBINE(function) OB_OWN_LOOP(function)
#define OB_OWN_CHOOSE(function)  OB_OWN_LOOP(function)
#define OB_OWN_ADD(function)     OB_OWN_LOOP(function)
#define OB_OWN_PART(function)    OB_OWN_LOOP(function)
#include "ops/kernel/functions.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].function == function) {
            *is_run = rows[i].is_run;
            return rows[i].name;
        }
    return NULL;
}
