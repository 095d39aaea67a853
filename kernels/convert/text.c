/* Casts of strings: the table of each level. */
#include "kernels/convert/text.h"
#include "kernels/level.h"

#define MEMBER text
#define ROWS   "kernels/convert/text.def"
#include "kernels/declare.inc.h"

const obk_texts OBK_TABLE(text) = {
#define ROWS "kernels/convert/text.def"
#include "kernels/table.inc.h"
};
