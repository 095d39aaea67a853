/* Reads the headers of a JPEG 2000 codestream before the library does, to bound its memory and the number of packets. ITU-T
 * T.800, annexes A and B. */
#ifndef OB_OPS_IMAGE_CODESTREAM_H
#define OB_OPS_IMAGE_CODESTREAM_H

#include "ops/image/decode.h"

enum { OB_J2K_COMPONENTS = 5, OB_J2K_LEVELS = 33 };

typedef struct ob_codestream {
    uint32_t x0, y0, x1, y1; /* of the image, on the reference grid */
    uint32_t tile_x, tile_y; /* the beginning of the first tile */
    uint32_t tile_width, tile_height;
    uint32_t across, down; /* tiles */
    uint32_t n_components;
    uint32_t dx[OB_J2K_COMPONENTS], dy[OB_J2K_COMPONENTS];
    uint64_t n_bytes; /* the most memory that OpenJPEG takes, without samples */
} ob_codestream;

/* Reads the main header and the headers of all tile-parts, in a JP2 file or a bare codestream. E_ARGUMENT: not such a codestream,
 * or more packets than the file can hold. Returns OB_OK if the run is cancelled, as decoders do. */
ob_status ob__codestream_read(const ob_image *image, bool in_boxes, ob_codestream *out, ob_error *error);

#endif
