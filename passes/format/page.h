/* The parts of the HTML report that do not depend on a model: made from web/page/ when the library is built. */
#ifndef OB_PASSES_FORMAT_PAGE_H
#define OB_PASSES_FORMAT_PAGE_H

#include <stddef.h>

typedef struct ob_page_part {
    const unsigned char *bytes;
    size_t n_bytes;
} ob_page_part;

/* The style, the script, and the script of the worker that lays out graphs, with its library: empty in a build without it. */
extern const ob_page_part ob__page_style, ob__page_script, ob__page_layout;
/* "sha256-..." of style and script, for the Content-Security-Policy. */
extern const char ob__page_style_hash[], ob__page_script_hash[];

#endif
