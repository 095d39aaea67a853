/* Which rows of the tables a build has: all, or those of the operators that OB_OPS names (cmake/selection.cmake). */
#ifndef OB_OPS_TABLE_SELECT_H
#define OB_OPS_TABLE_SELECT_H

#include "core/base/when.h"

#ifdef OB_SELECTS_OPERATORS
#include "selection/selected.h"
/* OB_IF_ROW(name, since)(text): the text if the build has this version of the operator. OB_IF_OPERATOR: any version. */
#define OB_IF_ROW(name, since) OB_WHEN(OB_SELECT_##name##_##since)
#define OB_IF_OPERATOR(name)   OB_WHEN(OB_SELECT_##name)
/* OB_IF_ATTRIBUTES(list)(text): the text if the build has a version with that list of attributes. */
#define OB_IF_ATTRIBUTES(list) OB_WHEN(OB_SELECT_ATTRIBUTES_##list)
#else
#define OB_IF_ROW(name, since) OB_KEEP
#define OB_IF_OPERATOR(name)   OB_KEEP
#define OB_IF_ATTRIBUTES(list) OB_KEEP
#endif

#endif
