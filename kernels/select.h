/* Which loops the tables of a build have: all, or those that lines `loop NAME` in OB_OPS name (cmake/selection.cmake). */
#ifndef OB_KERNELS_SELECT_H
#define OB_KERNELS_SELECT_H

#include "core/base/when.h"

#ifdef OB_SELECTS_LOOPS
#include "selection/loops.h"
/* OBK_IF_LOOP(line)(text): the text if the build has the loops of the line. OBK_UNLESS_LOOP: if it leaves them out. */
#define OBK_IF_LOOP(line)      OBK_IF_LOOP_(line)
#define OBK_IF_LOOP_(line)     OB_WHEN(OBK_SELECT_##line)
#define OBK_UNLESS_LOOP(line)  OBK_UNLESS_LOOP_(line)
#define OBK_UNLESS_LOOP_(line) OB_UNLESS(OBK_SELECT_##line)
#else
#define OBK_IF_LOOP(line) OB_KEEP
#endif

#endif
