/* Text that the preprocessor keeps if a name is defined as 1. */
#ifndef OB_CORE_BASE_WHEN_H
#define OB_CORE_BASE_WHEN_H

#define OB_KEEP(...) __VA_ARGS__
#define OB_DROP(...)

/* OB_WHEN(name): OB_KEEP if the name is defined as 1, otherwise OB_DROP: only then is there no comma before the second argument.
 * OB_UNLESS: the other way round. */
#define OB_COMMA_1           ~,
#define OB_SECOND(a, b, ...) b
#define OB_SECOND_OF(...)    OB_SECOND(__VA_ARGS__)
#define OB_WHEN(name)        OB_WHEN_(name)
#define OB_WHEN_(name)       OB_SECOND_OF(OB_COMMA_##name OB_KEEP, OB_DROP, ~)
#define OB_UNLESS(name)      OB_UNLESS_(name)
#define OB_UNLESS_(name)     OB_SECOND_OF(OB_COMMA_##name OB_DROP, OB_KEEP, ~)

#endif
