#include "ops/resize/params.h"

#include <string.h>

#include "core/base/error.h"
#include "ops/table/attributes.h"

static const char *const modes[] = {"nearest", "linear", "cubic", NULL};
static const char *const transformations[] = {
    "half_pixel",    "half_pixel_symmetric", "pytorch_half_pixel", "tf_half_pixel_for_nn",
    "align_corners", "asymmetric",           "tf_crop_and_resize", NULL};
static const char *const nearest_modes[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", NULL};
static const char *const policies[] = {"stretch", "not_larger", "not_smaller", NULL};

/* The index of an attribute's text in a list, whose first entry is the behaviour of versions without the attribute. */
static int find(const ob_node *node, const char *attribute, const char *const *names, ob_resize_params *p) {
    const char *text = ob__attribute_text(node, attribute);
    if (!*text) return 0; /* a version without the attribute */
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], text) == 0) return i;
    p->unknown = attribute;
    p->unknown_text = text;
    return 0;
}

static void read_modes(const ob_node *node, ob_resize_params *p) {
    bool bilinear = strcmp(ob__attribute_text(node, "mode"), "bilinear") == 0;
    p->mode = bilinear ? OB_RESIZE_LINEAR : (ob_resize_mode)find(node, "mode", modes, p);
    p->transformation = OB_RESIZE_ASYMMETRIC;
    p->nearest = OB_RESIZE_FLOOR;
    p->policy = OB_RESIZE_STRETCH;
    if (p->early) return;
    p->transformation = (ob_resize_transformation)find(node, "coordinate_transformation_mode", transformations, p);
    p->nearest = (ob_resize_nearest)find(node, "nearest_mode", nearest_modes, p);
    p->policy = (ob_resize_policy)find(node, "keep_aspect_ratio_policy", policies, p);
}

static void read_given_scales(const ob_node *node, int32_t since, ob_resize_params *p) {
    const ob_attribute *scales = ob__node_attribute(node, "scales");
    if (since < 7) {
        const float given[] = {1, 1, ob__attribute_float(node, "height_scale"), ob__attribute_float(node, "width_scale")};
        p->n_given = 4;
        memcpy(p->given, given, sizeof given);
    } else if (scales && scales->type == OB_ATTR_FLOATS && !scales->ref && scales->n <= OB_MAX_RANK) {
        p->n_given = (int32_t)scales->n;
        memcpy(p->given, scales->u.floats, (size_t)scales->n * sizeof *p->given);
    } else if (scales && scales->ref) {
        p->n_given = -1;
    }
}

ob_status ob__read_resize(const ob_node *node, int32_t since, ob_resize_params *p, ob_error *error) {
    uint32_t n_axes;
    const int64_t *axes = ob__attribute_list(node, "axes", &n_axes);
    *p = (ob_resize_params){.n_axes = -1, .roi = -1, .scales = 1, .sizes = -1, .n_given = -1};
    p->upsample = strcmp(node->op_type, "Upsample") == 0;
    p->early = p->upsample || since < 11;
    read_modes(node, p);
    p->exclude_outside = ob__attribute_flag(node, "exclude_outside");
    p->antialias = ob__attribute_flag(node, "antialias");
    p->cubic_a = ob__attribute_float(node, "cubic_coeff_a");
    p->extrapolation = ob__attribute_float(node, "extrapolation_value");
    if (axes) {
        OB_FAIL_IF(n_axes > OB_MAX_RANK, error, OB_E_ARGUMENT, "%u axes are given", n_axes);
        p->n_axes = (int32_t)n_axes;
        memcpy(p->axes, axes, n_axes * sizeof *axes);
    }
    if (p->upsample && since < 9) {
        p->scales = -1;
        p->n_given = 0;
        read_given_scales(node, since, p);
    } else if (!p->early) {
        p->roi = 1;
        p->scales = 2;
        p->sizes = 3;
    }
    return OB_OK;
}

/* Version 16 has bilinear and bicubic, later ones linear and cubic. */
static const char *const grid_modes[] = {"linear", "nearest", "cubic", "bilinear", "bicubic"};
static const ob_grid_mode grid_mode_of[] = {OB_GRID_LINEAR, OB_GRID_NEAREST, OB_GRID_CUBIC, OB_GRID_LINEAR, OB_GRID_CUBIC};
static const char *const grid_paddings[] = {"zeros", "border", "reflection"};

ob_status ob__read_grid(const ob_node *node, ob_grid_params *params, ob_error *error) {
    const char *mode = ob__attribute_text(node, "mode"), *padding = ob__attribute_text(node, "padding_mode");
    int m = 0, p = 0;
    while (m < 5 && strcmp(grid_modes[m], mode) != 0) m++;
    while (p < 3 && strcmp(grid_paddings[p], padding) != 0) p++;
    OB_FAIL_IF(m == 5, error, OB_E_ARGUMENT, "mode is %s, not linear, nearest or cubic", mode);
    OB_FAIL_IF(p == 3, error, OB_E_ARGUMENT, "padding_mode is %s, not zeros, border or reflection", padding);
    *params = (ob_grid_params){grid_mode_of[m], (ob_grid_padding)p, ob__attribute_flag(node, "align_corners")};
    return OB_OK;
}
