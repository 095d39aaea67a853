/* Which rows of the tables a build has: all, or those of the operators that OB_OPS names (cmake/selection.cmake). */
#ifndef OB_OPS_TABLE_SELECT_H
#define OB_OPS_TABLE_SELECT_H

#define OB_KEEP(...) __VA_ARGS__
#define OB_DROP(...)

#ifdef OB_SELECTS_OPERATORS
#include "selection/selected.h"
/* OB_KEEP if the name is defined as 1, otherwise OB_DROP: only then is there no comma before the second argument. */
#define OB_COMMA_1           ~,
#define OB_SECOND(a, b, ...) b
#define OB_WHEN_(name)       OB_WHEN__(OB_COMMA_##name OB_KEEP, OB_DROP, ~)
#define OB_WHEN__(...)       OB_SECOND(__VA_ARGS__)
#define OB_WHEN(name)        OB_WHEN_(name)
/* OB_IF_ROW(name, since)(text): the text if the build has this version of the operator. OB_IF_OPERATOR: any version. */
#define OB_IF_ROW(name, since) OB_WHEN(OB_SELECT_##name##_##since)
#define OB_IF_OPERATOR(name)   OB_WHEN(OB_SELECT_##name)
#else
#define OB_IF_ROW(name, since) OB_KEEP
#define OB_IF_OPERATOR(name)   OB_KEEP
#endif

#endif
