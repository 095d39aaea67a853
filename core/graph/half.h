/* float16 and bfloat16 by way of float. */
#ifndef OB_CORE_GRAPH_HALF_H
#define OB_CORE_GRAPH_HALF_H

#include <stdint.h>

float ob__float_from_half(uint16_t bits);
uint16_t ob__half_from_float(float value); /* to nearest, ties to even */
float ob__float_from_bfloat(uint16_t bits);
uint16_t ob__bfloat_from_float(float value);

#endif
