/* Descriptions of attributes and tensors as bytes: equal if and only if what they describe is. Every part has its length. */
#ifndef OB_PASSES_COMPARE_DESCRIBE_H
#define OB_PASSES_COMPARE_DESCRIBE_H

#include "core/base/text.h"
#include "core/graph/graph.h"

void ob__describe(ob_text *text, const void *bytes, size_t n);
void ob__describe_number(ob_text *text, uint32_t number);
void ob__describe_text(ob_text *text, const char *string);
/* Type, sizes and elements; of many elements their digest. False: its elements are in another file, or cannot be read. */
bool ob__describe_tensor(ob_text *text, const ob_tensor *tensor);
/* `attributes` stands for those of the call around, which a reference takes its value from. Graphs are left out. False: it cannot
 * be described. */
bool ob__describe_attribute(ob_text *text, const ob_attribute *attribute, uint32_t attributes);

#endif
