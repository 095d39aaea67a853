/* Transposing matrices of elements: the inner part of copies whose two sides are dense along different axes. */
#ifndef OB_CORE_GRAPH_TRANSPOSE_H
#define OB_CORE_GRAPH_TRANSPOSE_H

#include <stddef.h>
#include <stdint.h>

/* to[i][j] = from[j][i]: i below `rows`, j below `columns`. A row of `to` begins every to_row bytes, one of `from` every
 * from_row; the elements of a row, `width` bytes each (at most 16), are dense. The two do not overlap. */
void ob__transpose(size_t width, int64_t rows, int64_t columns, char *to, int64_t to_row, const char *from, int64_t from_row);

#endif
