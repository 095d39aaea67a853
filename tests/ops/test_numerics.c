/* docs/numerics.md: a case for each sentence about results, named after it. A line is a node with its results
 * (value_case.h). */
#include "value_case.h"

#define ALIKE " | 0"

typedef struct sentence {
    const char *name;
    const char *lines[24];
} sentence;

static const sentence sentences[] = {
    {"integers_wrap_around",
     {"Add 14 | int8[2]{127,-128}; int8[2]{1,-1} | | int8[2]{-128,127}", "Sub 14 | uint8[1]{0}; uint8[1]{1} | | uint8[1]{255}",
      "Mul 14 | int64[1]{9223372036854775807}; int64[1]{2} | | int64[1]{-2}",
      "Mul 14 | uint16[1]{65535}; uint16[1]{65535} | | uint16[1]{1}",
      "ReduceSum 13 | int32[2]{2147483647,1} | keepdims = 0 | int32{-2147483648}",
      "ReduceProd 18 | uint64[2]{18446744073709551615,3} | keepdims = 0 | uint64{18446744073709551613}",
      "ReduceSumSquare 18 | int32[1]{65536} | keepdims = 0 | int32{0}",
      "CumSum 14 | int32[2]{2147483647,1}; int32{0} | | int32[2]{2147483647,-2147483648}",
      "CumProd 26 | int32[2]{65536,65536}; int64{0} | | int32[2]{65536,0}",
      "MatMul 13 | int32[1,1]{65536}; int32[1,1]{65536} | | int32[1,1]{0}",
      "Gemm 13 | int32[1,1]{65536}; int32[1,1]{65536}; int32{5} | | int32[1,1]{5}"}},
    {"the_lowest_integer_is_its_own_negative_and_absolute_value",
     {"Neg 13 | int8[2]{-128,127} | | int8[2]{-128,-127}", "Abs 13 | int8[2]{-128,-127} | | int8[2]{-128,127}",
      "Abs 13 | int64[1]{-9223372036854775808} | | int64[1]{-9223372036854775808}",
      "ReduceL1 18 | int32[1]{-2147483648} | keepdims = 0 | int32{-2147483648}"}},
    {"division_truncates_and_does_not_trap",
     {"Div 14 | int32[3]{-2147483648,-7,7}; int32[3]{-1,2,-2} | | int32[3]{-2147483648,-3,-3}",
      "Div 14 | int64[1]{-9223372036854775808}; int64[1]{-1} | | int64[1]{-9223372036854775808}",
      "Div 14 | int8[1]{-128}; int8[1]{-1} | | int8[1]{-128}", "Div 14 | uint8[1]{7}; uint8[1]{2} | | uint8[1]{3}"}},
    {"a_divisor_of_0_in_the_data_of_a_run_gives_0",
     {"Div 14 | int32[5]{-2147483648,7,-7,7,0}; int32[5]{-1,0,2,-2,0} | | int32[5]{-2147483648,0,-3,-3,0}",
      "Div 14 | int64[2]{-9223372036854775808,1}; int64[2]{-1,0} | | int64[2]{-9223372036854775808,0}",
      "Div 14 | int8[2]{-128,5}; int8[2]{-1,0} | | int8[2]{-128,0}", "Div 14 | uint8[2]{5,7}; uint8[2]{0,2} | | uint8[2]{0,3}",
      "Mod 13 | int32[5]{-2147483648,7,-7,7,-7}; int32[5]{-1,0,3,-3,-3} | | int32[5]{0,0,2,-2,-1}",
      "Mod 13 | int32[5]{-2147483648,7,-7,7,-7}; int32[5]{-1,0,3,-3,-3} | fmod = 1 | int32[5]{0,0,-1,1,-1}",
      "Mod 13 | uint8[3]{7,255,5}; uint8[3]{3,16,0} | | uint8[3]{1,15,0}"}},
    {"the_remainder_has_the_sign_of_the_divisor_or_with_fmod_of_the_dividend",
     {"Mod 13 | int32[4]{-2147483648,-7,7,-7}; int32[4]{-1,3,-3,-3} | | int32[4]{0,2,-2,-1}",
      "Mod 13 | int32[4]{-2147483648,-7,7,-7}; int32[4]{-1,3,-3,-3} | fmod = 1 | int32[4]{0,-1,1,-1}",
      "Mod 13 | int64[2]{-9223372036854775808,-9223372036854775808}; int64[2]{-1,3} | | int64[2]{0,1}",
      "Mod 13 | uint8[2]{7,255}; uint8[2]{3,16} | | uint8[2]{1,15}",
      "Mod 13 | double[3]{5.5,-5.5,5.5}; double[3]{2,2,-2} | fmod = 1 | double[3]{1.5,-1.5,1.5}",
      "Mod 13 | float[5]{-1,1,inf,5,-0}; float[5]{inf,0,2,nan,3} | fmod = 1 | float[5]{-1,nan,nan,nan,-0}" ALIKE}},
    {"powers_of_integers",
     {"Pow 15 | int32[7]{2,2,0,-1,3,0,1}; int32[7]{-1,31,0,-3,21,-1,-9} | | int32[7]{0,-2147483648,1,-1,1870418611,0,1}",
      "Pow 15 | int32[3]{3,2,-2}; int64[3]{20,32,31} | | int32[3]{-808182895,0,-2147483648}",
      "Pow 15 | int64[2]{3,10}; int32[2]{39,19} | | int64[2]{4052555153018976267,-8446744073709551616}"}},
    {"powers_of_integers_with_exponents_of_floats",
     {"Pow 15 | int32[2]{2,-7}; float[2]{0.5,0.5} | | int32[2]{1,0}",
      "Pow 15 | int32[4]{10,-10,0,7}; float[4]{20,21,-1,nan} | | int32[4]{2147483647,-2147483648,2147483647,0}",
      "Pow 15 | float[2]{2,3}; int64[2]{-1,3} | | float[2]{0.5,27}"}},
    {"cubes_of_floats_are_products_of_doubles",
     {"Pow 15 | float[8]{-2,-0,inf,-inf,nan,3e38,1e-13,-1e-20}; float{3} | | float[8]{-8,-0,inf,-inf,nan,inf,1e-39,-0}" ALIKE,
      "Pow 15 | float[0]{}; float{3} | | float[0]{}", "Pow 15 | double[2]{-2,1e103}; double{3} | | double[2]{-8,inf}" ALIKE,
      "Pow 15 | float[3]{1.512,1.423,1.828}; float{3} | | float[3]{3.4566495,2.8814738,6.108415}" ALIKE}},
    {"shifts_by_the_number_of_bits_or_more_give_0",
     {"BitShift 11 | uint8[4]{255,255,1,200}; uint8[4]{8,9,255,1} | direction = \"LEFT\" | uint8[4]{0,0,0,144}",
      "BitShift 11 | uint64[3]{18446744073709551615,1,4}; uint64[3]{64,100,2} | direction = \"RIGHT\" | uint64[3]{0,0,1}"}},
    {"reduced_integers_are_truncated",
     {"ReduceMean 18 | int32[3]{-2,-2,-1} | keepdims = 0 | int32{-1}",
      "ReduceMean 18 | int32[2]{2147483647,1} | keepdims = 0 | int32{1073741824}",
      "ReduceMean 18 | uint32[2]{4294967295,4294967295} | keepdims = 0 | uint32{4294967295}",
      "ReduceMean 18 | int64[2]{9223372036854775807,1} | keepdims = 0 | int64{-4611686018427387904}",
      "ReduceMean 18 | int64[2]{9007199254740993,9007199254740993} | keepdims = 0 | int64{9007199254740993}",
      "ReduceL2 18 | int32[2]{1,1} | keepdims = 0 | int32{1}", "ReduceLogSum 18 | int32[2]{10,10} | keepdims = 0 | int32{2}"}},
    {"products_of_8_bit_integers_are_added_in_32_bits",
     {"MatMulInteger 10 | uint8[1,2]{255,255}; int8[2,1]{-128,-128} | | int32[1,1]{-65280}",
      "ConvInteger 10 | uint8[1,1,2]{255,255}; uint8[1,1,2]{255,255} | | int32[1,1,1]{130050}",
      "QLinearMatMul 10 | int8[1,1]{-128}; float{1}; int8{127}; int8[1,1]{127}; float{1}; int8{-128}; float{1000}; int8{0} | | "
      "int8[1,1]{-65}"}},
    {"nan_propagates",
     {"Max 13 | float[3]{nan,1,2}; float[3]{1,nan,3} | | float[3]{nan,nan,3}",
      "Min 13 | float[3]{nan,1,2}; float[3]{1,nan,3} | | float[3]{nan,nan,2}",
      "ReduceMax 20 | float[3]{1,nan,2} | keepdims = 0 | float{nan}",
      "ReduceMin 20 | double[3]{1,nan,2} | keepdims = 0 | double{nan}",
      "MaxPool 12 | float[1,1,3]{1,nan,0} | kernel_shape = [2] | float[1,1,2]{nan,nan}",
      "Relu 14 | float[2]{nan,-1} | | float[2]{nan,0}",
      "Clip 13 | float[4]{nan,5,-5,0}; float{-1}; float{1} | | float[4]{nan,1,-1,0}",
      "Sign 13 | float[3]{nan,0,-inf} | | float[3]{nan,0,-1}"}},
    {"a_limit_that_is_nan_makes_everything_nan",
     {"Clip 13 | float[2]{1,2}; float{nan} | | float[2]{nan,nan}",
      "Clip 13 | float[3]{0,1,2}; float{-1}; float{nan} | | float[3]{nan,nan,nan}"}},
    {"the_first_nan_is_the_extreme_or_the_last",
     {"ArgMax 13 | float[4]{1,nan,3,nan} | keepdims = 0 | int64{1}",
      "ArgMax 13 | float[4]{1,nan,3,nan} | keepdims = 0, select_last_index = 1 | int64{3}",
      "ArgMin 13 | float[4]{1,nan,-3,nan} | keepdims = 0 | int64{1}", "Hardmax 13 | float[4]{nan,1,nan,5} | | float[4]{1,0,0,0}",
      "MaxPool 22 | float[1,1,4]{1,nan,5,nan} | kernel_shape = [4] | float[1,1,1]{nan}; int64[1,1,1]{1}"}},
    {"nan_is_the_largest_when_sorted",
     {"TopK 11 | float[5]{2,nan,2,nan,-inf}; int64[1]{5} | | float[5]{nan,nan,2,2,-inf}; int64[5]{1,3,0,2,4}",
      "TopK 11 | float[4]{1,nan,3,-inf}; int64[1]{4} | largest = 0 | float[4]{-inf,1,3,nan}; int64[4]{3,0,2,1}",
      "Unique 11 | float[5]{nan,1,nan,-2,1} | sorted = 1 | float[3]{-2,1,nan}"}},
    {"equal_elements_keep_their_order",
     {"TopK 11 | float[4]{0,-0,0,-0}; int64[1]{4} | | float[4]{0,-0,0,-0}; int64[4]{0,1,2,3}" ALIKE,
      "TopK 11 | float[4]{5,1,5,1}; int64[1]{3} | largest = 0 | float[3]{1,1,5}; int64[3]{1,3,0}"}},
    {"comparisons_with_nan_are_false",
     {"Less 13 | float[2]{nan,1}; float[2]{1,nan} | | bool[2]{0,0}",
      "GreaterOrEqual 16 | float[3]{nan,1,nan}; float[3]{1,nan,nan} | | bool[3]{0,0,0}",
      "Equal 19 | float[2]{nan,nan}; float[2]{1,nan} | | bool[2]{0,0}"}},
    {"nan_is_not_zero",
     {"Cast 13 | float[4]{nan,-0,0.1,0} | to = 9 | bool[4]{1,0,1,0}", "NonZero 13 | float[3]{-0,nan,1} | | int64[1,2]{1,2}"}},
    {"zeros_are_equal",
     {"Equal 19 | float[2]{-0,0}; float[2]{0,-0} | | bool[2]{1,1}", "Less 13 | float[1]{-0}; float[1]{0} | | bool[1]{0}",
      "ArgMax 13 | float[3]{-0,0,-0} | keepdims = 0 | int64{0}",
      "ArgMin 13 | float[3]{0,-0,0} | keepdims = 0, select_last_index = 1 | int64{2}"}},
    {"max_and_min_give_the_later_zero",
     {"Max 13 | float[19]{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0}; "
      "float[19]{-0,-0,-0,-0,-0,-0,-0,-0,-0,-0,-0,-0,-0,-0,-0,-0,-0,-0,-0} | "
      "| float[19]{-0,-0,-0,-0,-0,-0,-0,-0,-0,-0,-0,-0,-0,-0,-0,-0,-0,-0,-0}" ALIKE,
      "Min 13 | float[19]{-0,-0,-0,-0,-0,-0,-0,-0,-0,-0,-0,-0,-0,-0,-0,-0,-0,-0,-0}; "
      "float[19]{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0} | "
      "| float[19]{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0}" ALIKE,
      "Max 13 | double[2]{-0,0}; double[2]{0,-0} | | double[2]{0,-0}" ALIKE,
      "Max 13 | float16[2]{32768,0}; float16[2]{0,32768} | | float16[2]{0,32768}" ALIKE,
      "Max 13 | float[3]{-0,-0,-0}; float{0} | | float[3]{0,0,0}" ALIKE,
      "Min 13 | float{0}; float[3]{-0,-0,-0} | | float[3]{-0,-0,-0}" ALIKE,
      "Max 13 | float[2]{-0,0}; float[2]{0,-0}; float[2]{-0,0} | | float[2]{-0,0}" ALIKE}},
    {"the_sign_of_a_zero_is_kept",
     {"Round 11 | float[3]{-0,-0.5,0} | | float[3]{-0,-0,0}" ALIKE, "Ceil 13 | float[2]{-0,-0.5} | | float[2]{-0,-0}" ALIKE,
      "Sqrt 13 | float[3]{-0,-1,inf} | | float[3]{-0,nan,inf}" ALIKE, "Relu 14 | float[2]{-0,0} | | float[2]{-0,0}" ALIKE,
      "Clip 13 | float[3]{-0,0,-1}; float{0} | | float[3]{-0,0,0}" ALIKE}},
    {"clip_with_crossed_limits_gives_the_high_one",
     {"Clip 13 | float[3]{0,5,-5}; float{2}; float{1} | | float[3]{1,1,1}",
      "Clip 12 | int8[3]{0,5,-5}; int8{2}; int8{1} | | int8[3]{1,1,1}",
      "Clip 6 | float[3]{0,5,-5} | min = 2.0, max = 1.0 | float[3]{1,1,1}"}},
    {"clip_without_limits_gives_finite_numbers",
     {"Clip 13 | float[2]{inf,-inf} | | float[2]{3.4028235e38,-3.4028235e38}" ALIKE,
      "Clip 6 | float[2]{inf,-inf} | | float[2]{3.4028235e38,-3.4028235e38}" ALIKE,
      "Clip 13 | float16[2]{31744,64512} | | float16[2]{31743,64511}" ALIKE}},
    {"division_and_powers_of_floats_are_those_of_ieee_754",
     {"Div 14 | float[4]{1,-1,0,1}; float[4]{0,0,0,-0} | | float[4]{inf,-inf,nan,-inf}" ALIKE,
      "Reciprocal 13 | float[3]{-0,0,inf} | | float[3]{-inf,inf,0}" ALIKE,
      "Pow 15 | float[7]{-8,0,0,1,-1,inf,nan}; float[7]{0.33333334,0,-1,nan,inf,0,0} | | float[7]{nan,1,inf,1,1,1,1}"}},
    {"a_query_that_sees_no_key",
     {"Attention 23 | float[1,1,1,1]{1}; float[1,1,2,1]{0,0}; float[1,1,2,1]{3,5}; bool[1,2]{0,0} | | float[1,1,1,1]{0}",
      "Attention 24 | double[1,1,2,1]{1,1}; double[1,1,2,1]{0,0}; double[1,1,2,1]{3,5}; -; -; -; int64[1]{1} | is_causal = 1 | "
      "double[1,1,2,1]{0,3}"}},
    {"softmax_of_infinities",
     {"Softmax 13 | float[2]{-inf,-inf} | | float[2]{nan,nan}", "Softmax 13 | float[3]{inf,1,2} | | float[3]{nan,nan,nan}",
      "Softmax 13 | float[3]{1000,-1000,-inf} | | float[3]{1,0,0}", "LogSoftmax 13 | float[2]{1000,-1000} | | float[2]{0,-2000}",
      "ReduceLogSumExp 18 | float[2]{-inf,-inf} | keepdims = 0 | float{-inf}",
      "ReduceLogSumExp 18 | float[2]{1000,1000} | keepdims = 0 | float{1000.69315}"}},
    {"functions_of_exponentials_do_not_overflow",
     {"Softplus 22 | float[3]{1000,-1000,0} | | float[3]{1000,0,0.6931472}",
      "Sigmoid 13 | float[3]{1000,-1000,-inf} | | float[3]{1,0,0}", "Mish 22 | float[2]{1000,-1000} | | float[2]{1000,0}"}},
    {"halves_are_rounded_to_even",
     {"Round 11 | double[8]{0.5,1.5,2.5,-0.5,-1.5,-2.5,3.5,4503599627370497.5} | | "
      "double[8]{0,2,2,-0,-2,-2,4,4503599627370498}" ALIKE,
      "QuantizeLinear 21 | float[5]{0.5,1.5,2.5,-0.5,-1.5}; float{1}; int8{0} | | int8[5]{0,2,2,0,-2}",
      "DynamicQuantizeLinear 11 | float[5]{0,255,0.5,1.5,2.5} | | uint8[5]{0,255,0,2,2}; float{1}; uint8{0}",
      "QLinearMatMul 10 | uint8[3,1]{1,3,5}; float{1}; uint8{0}; uint8[1,1]{1}; float{1}; uint8{0}; float{2}; uint8{0} | | "
      "uint8[3,1]{0,2,2}",
      "QLinearConv 10 | uint8[1,1,3]{1,3,5}; float{1}; uint8{0}; uint8[1,1,1]{1}; float{1}; uint8{0}; float{2}; uint8{0} | | "
      "uint8[1,1,3]{0,2,2}"}},
    {"quantised_operators_go_through_floats",
     {"com.microsoft.QLinearAdd 1 | uint8[1]{2}; float{0.5}; uint8{1}; uint8[2]{4,5}; float{0.25}; uint8{0}; float{0.5}; "
      "uint8{7} | | "
      "uint8[2]{10,11}",
      "com.microsoft.QLinearMul 1 | int8[2]{3,-3}; float{0.5}; int8{0}; int8[1]{5}; float{1}; int8{2}; float{1}; int8{0} | | "
      "int8[2]{4,-4}",
      "com.microsoft.QLinearWhere 1 | bool[2]{1,0}; uint8[1]{4}; float{0.5}; uint8{0}; uint8[1]{3}; float{0.25}; uint8{0}; "
      "float{0.5}; uint8{1} | | uint8[2]{5,3}",
      "com.microsoft.QLinearSigmoid 1 | uint8[1]{9}; float{0.1}; uint8{9}; float{0.00390625}; uint8{0} | | uint8[1]{128}",
      "com.microsoft.QLinearLeakyRelu 1 | int8[2]{-5,5}; float{1}; int8{0}; float{1}; int8{0} | alpha = 0.5 | int8[2]{-2,5}"}},
    {"a_quantised_mean_sums_integers",
     {"com.microsoft.QLinearGlobalAveragePool 1 | uint8[1,4,2]{0,1,1,2,2,3,3,4}; float{0.02}; uint8{0}; float{0.02}; uint8{0} | "
      "| "
      "uint8[1,4,1]{0,2,2,4}"}},
    {"floats_become_integers_cut_and_saturated",
     {"Cast 13 | float[6]{inf,-inf,nan,3e9,-3e9,1.9} | to = 6 | int32[6]{2147483647,-2147483648,0,2147483647,-2147483648,1}",
      "Cast 13 | float[5]{300,-1,inf,nan,7.9} | to = 2 | uint8[5]{255,0,255,0,7}",
      "Cast 13 | double[2]{1e19,-1e19} | to = 7 | int64[2]{9223372036854775807,-9223372036854775808}"}},
    {"integers_become_narrower_ones_by_their_low_bits",
     {"Cast 13 | int32[3]{300,-1,200} | to = 3 | int8[3]{44,-1,-56}",
      "Cast 25 | int8[4]{7,8,-9,16} | to = 22 | int4[4]{7,-8,7,0}", "Cast 13 | int64[1]{4294967297} | to = 6 | int32[1]{1}"}},
    {"floats_become_4_bit_integers_by_rounding",
     {"Cast 21 | float[6]{0.5,1.5,2.5,-9,100,nan} | to = 22 | int4[6]{0,2,2,-8,7,0}",
      "Cast 25 | float[6]{0.5,1.5,2.5,-9,17,nan} | to = 22 | int4[6]{0,2,2,7,1,0}",
      "Cast 25 | float[4]{0.5,1.5,-1,5} | to = 25 | uint2[4]{0,2,3,1}"}},
    {"casts_to_narrower_floats_round_once",
     {"Cast 13 | double[2]{1e300,-1e300} | to = 1 | float[2]{inf,-inf}",
      "Cast 13 | float[3]{65519.99,65520,-65520} | to = 10 | float16[3]{31743,31744,64512}" ALIKE,
      "Cast 13 | double[2]{1.00048828125,1.0004882812500004} | to = 10 | float16[2]{15360,15361}" ALIKE,
      "Cast 13 | int64[2]{16777217,16777219} | to = 1 | float[2]{16777216,16777220}" ALIKE,
      "Cast 13 | int64[1]{1099511627777} | to = 16 | bfloat16[1]{21376}" ALIKE,
      "Cast 13 | int64[1]{4311744513} | to = 16 | bfloat16[1]{20353}" ALIKE}},
    {"8_bit_floats_saturate_unless_told_otherwise",
     {"Cast 19 | float[3]{1e6,-inf,nan} | to = 17 | float8e4m3fn[3]{126,254,127}",
      "Cast 19 | float[3]{1e6,-inf,nan} | to = 17, saturate = 0 | float8e4m3fn[3]{127,255,127}",
      "Cast 19 | float[3]{1e6,-inf,1} | to = 19, saturate = 0 | float8e5m2[3]{124,252,60}",
      "Cast 19 | float[3]{1e6,-inf,-0} | to = 20, saturate = 0 | float8e5m2fnuz[3]{128,128,0}",
      "Cast 23 | float[8]{0.25,0.75,5,7,inf,nan,-0.2,3.5} | to = 23 | float4e2m1[8]{0,2,6,7,7,8,8,6}" ALIKE}},
    {"dequantize_rounds_once_quantize_rounds_the_quotient",
     {"DequantizeLinear 23 | int16[2]{2049,-2051}; float{1} | output_dtype = 16 | bfloat16[2]{17664,50432}" ALIKE,
      "DequantizeLinear 23 | uint16[1]{65535}; float{0.5} | output_dtype = 10 | float16[1]{30720}" ALIKE,
      "QuantizeLinear 21 | float16[1]{27100}; float16{15361}; int16{0} | | int16[1]{2997}",
      "QuantizeLinear 23 | float16[1]{27100}; float16{15361}; int16{0} | | int16[1]{2998}",
      "QuantizeLinear 23 | float[1]{1023.4}; float{1} | precision = 16, output_dtype = 5 | int16[1]{1024}"}},
    {"quantised_integers_saturate",
     {"QuantizeLinear 10 | float[4]{nan,inf,-inf,1}; float{1}; uint8{3} | | uint8[4]{0,255,0,4}",
      "QuantizeLinear 13 | float[4]{nan,300,-300,1}; float{1}; int8{3} | | int8[4]{-128,127,-128,4}",
      "QuantizeLinear 21 | float[3]{7.5,-8.5,0.5}; float{1}; int4{1} | | int4[3]{7,-7,1}"}},
    {"float16_is_added_in_float",
     {"ReduceSum 13 | float16[3]{26624,15360,15360} | keepdims = 0 | float16{26625}" ALIKE,
      "ReduceSum 13 | bfloat16[3]{17280,16256,16256} | keepdims = 0 | bfloat16{17281}" ALIKE,
      "MatMul 13 | float16[1,3]{26624,15360,15360}; float16[3,1]{15360,15360,15360} | | float16[1,1]{26625}" ALIKE,
      "MatMul 13 | bfloat16[1,3]{17280,16256,16256}; bfloat16[3,1]{16256,16256,16256} | | bfloat16[1,1]{17281}" ALIKE,
      "Conv 22 | float16[1,1,3]{26624,15360,15360}; float16[1,1,3]{15360,15360,15360} | | float16[1,1,1]{26625}" ALIKE,
      "Einsum 12 | float16[3]{26624,15360,15360} | equation = \"i->\" | float16{26625}" ALIKE,
      "GlobalAveragePool 22 | float16[1,1,4]{26624,15360,15360,0} | | float16[1,1,1]{24577}" ALIKE,
      "CumSum 14 | float16[3]{26624,15360,15360}; int64{0} | | float16[3]{26624,26624,26625}" ALIKE}},
    {"normalizations_round_in_their_second_stage",
     {"LayerNormalization 17 | float16[1,3]{49216,49536,14336}; float16[3]{48256,15552,14720}; float16[3]{49152,13312,48256} | | "
      "float16[1,3]{48606,47800,45416}" ALIKE,
      "LayerNormalization 17 | bfloat16[1,3]{48640,49072,16160}; bfloat16[3]{49032,16336,48832}; bfloat16[3]{49096,16360,16256} "
      "| | bfloat16[1,3]{49124,48800,16150}" ALIKE,
      "RMSNormalization 23 | float16[1,3]{16000,48256,14592}; float16[3]{46592,14080,48704} | | "
      "float16[1,3]{47122,46740,47752}" ALIKE,
      "GroupNormalization 21 | bfloat16[1,3,1]{16192,16160,32768}; bfloat16[3]{16296,16392,48928}; "
      "bfloat16[3]{49144,49040,48976} | num_groups = 1 | bfloat16[1,3,1]{48964,48448,15744}" ALIKE}},
    {"many_operands_are_rounded_once",
     {"Sum 13 | float16[1]{26624}; float16[1]{15360}; float16[1]{15360} | | float16[1]{26625}" ALIKE,
      "Sum 13 | bfloat16[1]{17280}; bfloat16[1]{16256}; bfloat16[1]{16256} | | bfloat16[1]{17281}" ALIKE,
      "Sum 13 | float16[1]{31743}; float16[1]{31743}; float16[1]{64511} | | float16[1]{31743}" ALIKE,
      "Mean 13 | float16[1]{31743}; float16[1]{31743} | | float16[1]{31743}" ALIKE}},
    {"a_running_sum_adds_in_order",
     {"CumSum 14 | float[4]{16777216,1,1,-16777216}; int64{0} | | float[4]{16777216,16777216,16777216,0}" ALIKE}},
    {"double_is_computed_in_double",
     {"Erf 13 | double[1]{0.5} | | double[1]{0.5204998778130465}",
      "Softmax 13 | double[2]{0,1} | | double[2]{0.2689414213699951,0.7310585786300049}",
      "MatMul 13 | double[1,2]{1,1e-12}; double[2,1]{1,1} | | double[1,1]{1.000000000001}",
      "Pow 15 | double[1]{2}; float[1]{0.5} | | double[1]{1.4142135623730951}",
      "LeakyRelu 16 | double[1]{-1} | alpha = 0.5 | double[1]{-0.5}"}},
};
enum { N_SENTENCES = sizeof sentences / sizeof sentences[0] };

static void holds(void **state) {
    const sentence *s = *state;
    /* A constant divisor of 0 is an error of the model. */
    const way first = strstr(s->name, "in_the_data_of_a_run") ? GIVEN : CONSTANT;
    int n_wrong = 0;
    for (size_t i = 0; i < sizeof s->lines / sizeof s->lines[0] && s->lines[i]; i++) {
        char line[VALUE_LINE];
        value_case c;
        snprintf(line, sizeof line, "%s", s->lines[i]);
        assert_true(read_case(line, &c));
        n_wrong += run_case_between(&c, s->name, first, (way)(BODIES - 1)); /* messages of kernels */
    }
    assert_int_equal(n_wrong, 0);
}

int main(int argc, char **argv) {
    struct CMUnitTest tests[N_SENTENCES];
    for (int i = 0; i < N_SENTENCES; i++)
        tests[i] =
            (struct CMUnitTest){.name = sentences[i].name, .test_func = holds, .initial_state = (void *)(uintptr_t)&sentences[i]};
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
