/* Printing texts from a model: escaped, aligned, coloured on terminals only. */
#ifndef OB_TOOLS_PRINT_H
#define OB_TOOLS_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "onnx_broadcast/onnx_broadcast.h"

typedef struct printer {
    FILE *file;
    bool colour;
} printer;

typedef enum colour { COLOUR_NONE, COLOUR_BOLD, COLOUR_RED, COLOUR_YELLOW, COLOUR_CYAN, COLOUR_GREEN } colour;

/* "auto", "always" or "never", for all later calls of printer_for. False: another word. */
bool choose_colour(const char *when);
/* auto: coloured if the file is a terminal, NO_COLOR is not set and TERM is not "dumb"; or if CLICOLOR_FORCE is set. */
printer printer_for(FILE *file);
void set_colour(const printer *out, colour which);

/* The text with control characters and bytes that are not UTF-8 as \xNN. Quotes stay: terms and messages have their own. */
void print_escaped(FILE *file, const char *text);
/* Columns that print_escaped takes, counting a UTF-8 character as one. */
size_t escaped_width(const char *text);
/* print_escaped in at most this many columns (20 or more); a longer text keeps both ends. Returns the columns. */
size_t print_shortened(FILE *file, const char *text, size_t columns);
/* The same between quotes, which the caller writes: those of the name are escaped. */
void print_in_quotes(FILE *file, const char *text, size_t columns);

/* A size or term, in full. */
void print_dim(FILE *file, const ob_dims *dims, ob_dim dim);
/* The same in at most this many columns; SIZE_MAX: in full. */
void print_term(FILE *file, const ob_dims *dims, ob_dim dim, size_t columns);
/* "(2 x N)", on one line. */
void print_shape(FILE *file, const ob_dims *dims, const ob_shape *shape);

/* Shapes right-aligned under each other, one line each, as in the array API text:
 *     label  (3d):  15 x 3 x 5
 * mark_axis: of the highest rank; a line with a marker under it follows, -1 for none. `rule`: a line of dashes before the last
 * row. */
typedef struct shape_row {
    const char *label; /* printed escaped */
    ob_shape shape;
} shape_row;
void print_shapes(const printer *out, const ob_dims *dims, const shape_row *rows, size_t n_rows, int32_t mark_axis, bool rule,
                  const char *indent);

enum { NAME_COLUMNS = 100 }; /* of a name in text; a longer one is shortened in the middle */
/* "node "path/name" (Op)". */
void print_node(const printer *out, const char *path, const char *node, const char *op_type);
/* A sink (ob_write_sink) that is standard output; E_IO. */
ob_status write_to_stdout(void *context, const void *bytes, size_t n_bytes);
/* "s" unless n is 1. */
const char *plural(size_t n);

#endif
