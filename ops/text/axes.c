/* Links of operators on strings. */
#include "ops/infer/axes.h"

OB_AXES(string_split);
OB_AXES(tfidf);

/* The longest of all lists decides the size of the last axis of result 0, so only the counts are independent. */
void ob__axes_string_split(ob_axes *axes) {
    ob__link_each(axes, 1, 0, NULL, OB_LINK_SAME);
    ob__link_from(axes, 0, 0, 0, OB_LINK_MOVED);
}

/* A vector is one text, a matrix has one for each row. */
void ob__axes_tfidf(ob_axes *axes) {
    if (ob__in_rank(axes->infer, 0) == 2) ob__link(axes, 0, 0, 0, 0, OB_LINK_SAME);
}
