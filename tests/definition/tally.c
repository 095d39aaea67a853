#include "definition/tally.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void tally_differ(tally *all, const char *format, ...) {
    if (all->n_differences++ >= SHOWN) return;
    va_list arguments;
    va_start(arguments, format);
    fputs("differs: ", stdout);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    if (!all->first) return;
    puts("1 differ");
    exit(1);
}

shape_text shown_shape(const ob_dims *pool, int32_t rank, const ob_dim *dims) {
    shape_text shown;
    ob_shape_format(pool, &(ob_shape){rank, dims}, shown.text, sizeof shown.text);
    return shown;
}

operands_text shown_operands(const ob_dims *pool, const ob_shape *operands, size_t n) {
    operands_text shown = {"no operands"};
    size_t end = 0;
    for (size_t i = 0; i < n && end < sizeof shown.text; i++)
        end += (size_t)snprintf(shown.text + end, sizeof shown.text - end, "%s%s", i ? " with " : "",
                                shown_shape(pool, operands[i].rank, operands[i].dims).text);
    return shown;
}
