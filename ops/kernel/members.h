/* The members of structs that states of several families have (core/base/members.h). */
#ifndef OB_OPS_KERNEL_MEMBERS_H
#define OB_OPS_KERNEL_MEMBERS_H

#include "kernels/members.h"

extern const ob_struct ob__epilogue_struct, ob__matrices_struct, ob__element_struct;
extern const ob_struct ob__ints_struct, ob__kept_element_struct;

#endif
