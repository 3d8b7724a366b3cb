// Arithmetic of tp::vec with PyTorch's semantics: NaN-propagating extrema, wrapping integers, floor division
// and Python's remainder, rounding half to even, exact fmod. Nothing here traps or is undefined for any
// operand.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "vec.h"

namespace tp {

template <class T, class F>
TP_INLINE vec<T> each_lane(vec<T> a, F f) {
  for (int i = 0; i < lanes; ++i) a.set(i, f(a[i]));
  return a;
}
template <class T, class F>
TP_INLINE vec<T> each_lane(vec<T> a, vec<T> b, F f) {
  for (int i = 0; i < lanes; ++i) a.set(i, f(a[i], b[i]));
  return a;
}
template <class T, class F>
TP_INLINE vec<T> each_register(vec<T> a, F f) {
  for (int k = 0; k < vec<T>::regs; ++k) a.r[k] = (typename vec<T>::reg)f(a.r[k]);
  return a;
}

// --- signs -------------------------------------------------------------------------------------------

template <class T>
constexpr bits_of<T> sign_bit = bits_of<T>(bits_of<T>(1) << (8 * sizeof(T) - 1));

// True where the sign bit is set, also for -0 and NaN.
template <class T>
TP_INLINE vec<bool> signbit(vec<T> a) {
  if constexpr (sizeof(T) == 4)
    return bitcast<int32_t>(a) < vec<int32_t>(0);
  else
    return bitcast<int64_t>(a) < vec<int64_t>(0);
}
template <class T>
TP_INLINE vec<T> abs(vec<T> a) {
  if constexpr (is_float<T>)
    return each_register(a, [](auto x) { return (typename vec<T>::wrapped)x & bits_of<T>(~sign_bit<T>); });
  else if constexpr (T(-1) < T(0))
    return where(a < vec<T>(T(0)), -a, a);
  else
    return a;
}
// Magnitude of a, sign bit of b.
template <class T>
TP_INLINE vec<T> copysign(vec<T> a, vec<T> b) {
  using bits = typename vec<T>::wrapped;
  for (int k = 0; k < vec<T>::regs; ++k)
    a.r[k] = (typename vec<T>::reg)(((bits)a.r[k] & bits_of<T>(~sign_bit<T>)) | ((bits)b.r[k] & sign_bit<T>));
  return a;
}
// -1, 0 or 1; 0 for NaN.
template <class T>
TP_INLINE vec<T> sign(vec<T> a) {
  vec<T> zero(T(0));
  if constexpr (T(-1) < T(0))
    return where(a < zero, vec<T>(T(-1)), where(a > zero, vec<T>(T(1)), zero));
  else
    return where(a != zero, vec<T>(T(1)), zero);
}

template <class T>
TP_INLINE vec<bool> isnan(vec<T> a) {
  if constexpr (is_float<T>)
    return a != a;
  else
    return vec<bool>(false);
}
template <class T>
TP_INLINE vec<bool> isinf(vec<T> a) {
  if constexpr (is_float<T>)
    return abs(a) == vec<T>(T(__builtin_inf()));
  else
    return vec<bool>(false);
}

// --- extrema -----------------------------------------------------------------------------------------

// NaN where either is NaN.
template <class T>
TP_INLINE vec<T> maximum(vec<T> a, vec<T> b) {
#if defined(TP_AVX512)
  // VMAXPS gives b where either is NaN, which is right unless only a is.
  if constexpr (__is_same(T, float)) {
    a.r[0] = (typename vec<T>::reg)_mm512_mask_mov_ps(_mm512_max_ps((__m512)a.r[0], (__m512)b.r[0]),
                                                      isnan(a).m, (__m512)a.r[0]);
    return a;
  }
#endif
  return where((a > b) | isnan(a), a, b);
}
template <class T>
TP_INLINE vec<T> minimum(vec<T> a, vec<T> b) {
#if defined(TP_AVX512)
  if constexpr (__is_same(T, float)) {
    a.r[0] = (typename vec<T>::reg)_mm512_mask_mov_ps(_mm512_min_ps((__m512)a.r[0], (__m512)b.r[0]),
                                                      isnan(a).m, (__m512)a.r[0]);
    return a;
  }
#endif
  return where((a < b) | isnan(a), a, b);
}
template <>
TP_INLINE vec<bool> maximum(vec<bool> a, vec<bool> b) {
  return a | b;
}
template <>
TP_INLINE vec<bool> minimum(vec<bool> a, vec<bool> b) {
  return a & b;
}

// --- rounding ----------------------------------------------------------------------------------------

// x held between bounds; NaN passes. Bounds are never NaN, which saves maximum's care for it.
TP_INLINE vec<float> clamp(vec<float> x, vec<float> low, vec<float> high) {
#if defined(TP_AVX512)
  x.r[0] = (vec<float>::reg)_mm512_min_ps((__m512)high.r[0], _mm512_max_ps((__m512)low.r[0], (__m512)x.r[0]));
  return x;
#elif defined(TP_AVX2)
  x.r[0] = (vec<float>::reg)_mm256_min_ps((__m256)high.r[0], _mm256_max_ps((__m256)low.r[0], (__m256)x.r[0]));
  return x;
#else
  x = where(x < low, low, x);
  return where(x > high, high, x);
#endif
}

// a * b + c with one rounding where the machine has the instruction, with two elsewhere.
TP_INLINE vec<float> fma(vec<float> a, vec<float> b, vec<float> c) {
#if defined(TP_AVX512)
  a.r[0] = (vec<float>::reg)_mm512_fmadd_ps((__m512)a.r[0], (__m512)b.r[0], (__m512)c.r[0]);
  return a;
#elif defined(TP_AVX2)
  a.r[0] = (vec<float>::reg)_mm256_fmadd_ps((__m256)a.r[0], (__m256)b.r[0], (__m256)c.r[0]);
  return a;
#elif defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  for (int i = 0; i < lanes; ++i) a.set(i, __builtin_fmaf(a[i], b[i], c[i]));
  return a;
#else
  return a * b + c;
#endif
}
TP_INLINE vec<double> fma(vec<double> a, vec<double> b, vec<double> c) {
#if defined(TP_AVX512)
  for (int k = 0; k < 2; ++k)
    a.r[k] = (vec<double>::reg)_mm512_fmadd_pd((__m512d)a.r[k], (__m512d)b.r[k], (__m512d)c.r[k]);
  return a;
#elif defined(TP_AVX2)
  for (int k = 0; k < 2; ++k)
    a.r[k] = (vec<double>::reg)_mm256_fmadd_pd((__m256d)a.r[k], (__m256d)b.r[k], (__m256d)c.r[k]);
  return a;
#elif defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  for (int i = 0; i < lanes; ++i) a.set(i, __builtin_fma(a[i], b[i], c[i]));
  return a;
#else
  return a * b + c;
#endif
}

#if defined(TP_AVX512)
#define TP_ROUND_PS(x, mode) _mm512_roundscale_ps((__m512)x, mode)
#define TP_ROUND_PD(x, mode) _mm512_roundscale_pd((__m512d)x, mode)
#elif defined(TP_AVX2)
#define TP_ROUND_PS(x, mode) _mm256_round_ps((__m256)x, mode)
#define TP_ROUND_PD(x, mode) _mm256_round_pd((__m256d)x, mode)
#endif
#if defined(TP_ROUND_PS)
#define TP_ROUNDING(name, mode, single, twice)                            \
  TP_INLINE vec<float> name(vec<float> a) {                               \
    return each_register(a, [](auto x) { return TP_ROUND_PS(x, mode); }); \
  }                                                                       \
  TP_INLINE vec<double> name(vec<double> a) {                             \
    return each_register(a, [](auto x) { return TP_ROUND_PD(x, mode); }); \
  }
#else
#define TP_ROUNDING(name, mode, single, twice)              \
  TP_INLINE vec<float> name(vec<float> a) {                 \
    return each_lane(a, [](float x) { return single(x); }); \
  }                                                         \
  TP_INLINE vec<double> name(vec<double> a) {               \
    return each_lane(a, [](double x) { return twice(x); }); \
  }
#endif
TP_ROUNDING(nearest, 8, __builtin_rintf, __builtin_rint)  // half to even
TP_ROUNDING(floor, 9, __builtin_floorf, __builtin_floor)
TP_ROUNDING(ceil, 10, __builtin_ceilf, __builtin_ceil)
TP_ROUNDING(trunc, 11, __builtin_truncf, __builtin_trunc)
#undef TP_ROUNDING

TP_INLINE vec<float> sqrt(vec<float> a) {
#if defined(TP_AVX512)
  return each_register(a, [](auto x) { return _mm512_sqrt_ps((__m512)x); });
#elif defined(TP_AVX2)
  return each_register(a, [](auto x) { return _mm256_sqrt_ps((__m256)x); });
#else
  return each_lane(a, [](float x) { return __builtin_sqrtf(x); });
#endif
}
TP_INLINE vec<double> sqrt(vec<double> a) {
#if defined(TP_AVX512)
  return each_register(a, [](auto x) { return _mm512_sqrt_pd((__m512d)x); });
#elif defined(TP_AVX2)
  return each_register(a, [](auto x) { return _mm256_sqrt_pd((__m256d)x); });
#else
  return each_lane(a, [](double x) { return __builtin_sqrt(x); });
#endif
}
template <class T>
TP_INLINE vec<T> rsqrt(vec<T> a) {
  return vec<T>(T(1)) / sqrt(a);
}
template <class T>
TP_INLINE vec<T> reciprocal(vec<T> a) {
  return vec<T>(T(1)) / a;
}

// --- division and shifts -----------------------------------------------------------------------------

// Remainder of the truncated quotient: exact, sign of a. An integer x fmod 0 is 0.
template <class T>
TP_INLINE T fmod(T a, T b) {
  if constexpr (__is_same(T, float))
    return __builtin_fmodf(a, b);
  else if constexpr (__is_same(T, double))
    return __builtin_fmod(a, b);
  else
    return b == T(0) || (T(-1) < T(0) && b == T(-1)) ? T(0) : T(a % b);
}
// Quotient toward zero. An integer x / 0 is 0, and INT_MIN / -1 wraps to INT_MIN.
template <class T>
TP_INLINE T truncdiv(T a, T b) {
  if constexpr (is_float<T>)
    return T(__builtin_trunc(a / b));
  else if constexpr (T(-1) < T(0))
    return b == T(0) ? T(0) : b == T(-1) ? T(bits_of<T>(0) - bits_of<T>(a)) : T(a / b);
  else
    return b == T(0) ? T(0) : T(a / b);
}
// A count outside [0, bits) shifts everything out: 0, or the sign on the right shift of a signed type.
template <class T>
TP_INLINE T shl(T a, T count) {
  return bits_of<T>(count) < 8 * sizeof(T) ? T(bits_of<T>(a) << bits_of<T>(count)) : T(0);
}
template <class T>
TP_INLINE T shr(T a, T count) {
  if (bits_of<T>(count) < 8 * sizeof(T)) return T(a >> bits_of<T>(count));
  return T(a < T(0) ? -1 : 0);
}
template <class T>
TP_INLINE T nextafter(T a, T b) {
  if constexpr (__is_same(T, float))
    return __builtin_nextafterf(a, b);
  else
    return __builtin_nextafter(a, b);
}
#define TP_BY_LANE(f)                                         \
  template <class T>                                          \
  TP_INLINE vec<T> f(vec<T> a, vec<T> b) {                    \
    return each_lane(a, b, [](T x, T y) { return f(x, y); }); \
  }
TP_BY_LANE(fmod)
TP_BY_LANE(truncdiv)
TP_BY_LANE(shl)
TP_BY_LANE(shr)
TP_BY_LANE(nextafter)
#undef TP_BY_LANE

// Python's %: sign of b.
template <class T>
TP_INLINE vec<T> mod(vec<T> a, vec<T> b) {
  vec<T> m = fmod(a, b), zero(T(0));
  return where((m != zero) & ((m < zero) != (b < zero)), m + b, m);
}
// Python's //. Floats follow CPython: the quotient is taken of a minus the exact remainder, so that
// floordiv(a, b) * b + mod(a, b) is as near to a as rounding permits; a / 0 as IEEE division.
template <class T>
TP_INLINE vec<T> floordiv(vec<T> a, vec<T> b) {
  vec<T> zero(T(0)), one(T(1)), m = fmod(a, b);
  vec<bool> borrow = (m != zero) & ((m < zero) != (b < zero));
  if constexpr (!is_float<T>) {
    vec<T> q = truncdiv(a, b);
    return where(borrow, q - one, q);
  } else {
    vec<T> q = (a - m) / b;
    q = where(borrow, q - one, q);
    vec<T> f = floor(q);
    f = where(q - f > vec<T>(T(0.5)), f + one, f);
    f = where(q == zero, copysign(zero, a / b), f);
    return where(b == zero, a / b, f);
  }
}

// --- one element, as a lane of a vec -----------------------------------------------------------------

#define TP_SCALAR_1(f)      \
  template <class T>        \
  TP_INLINE auto f(T a) {   \
    return f(vec<T>(a))[0]; \
  }
#define TP_SCALAR_2(f)                 \
  template <class T>                   \
  TP_INLINE T f(T a, T b) {            \
    return f(vec<T>(a), vec<T>(b))[0]; \
  }
TP_SCALAR_1(abs)
TP_SCALAR_1(sign)
TP_SCALAR_1(signbit)
TP_SCALAR_1(isnan)
TP_SCALAR_1(isinf)
TP_SCALAR_1(nearest)
TP_SCALAR_1(floor)
TP_SCALAR_1(ceil)
TP_SCALAR_1(trunc)
TP_SCALAR_1(sqrt)
TP_SCALAR_1(rsqrt)
TP_SCALAR_1(reciprocal)
TP_SCALAR_2(copysign)
TP_SCALAR_2(mod)
TP_SCALAR_2(floordiv)
#undef TP_SCALAR_1
#undef TP_SCALAR_2
template <class T>
TP_INLINE T maximum(T a, T b) {
  return (a > b) | (a != a) ? a : b;
}
template <class T>
TP_INLINE T minimum(T a, T b) {
  return (a < b) | (a != a) ? a : b;
}

// --- horizontal reduction: lanes are combined in a fixed tree, so results repeat ---------------------

// f takes two compiler vectors of any length, or two elements.
template <class T, int n, class F>
TP_INLINE T reduce_pack(pack<T, n> a, F f) {
  if constexpr (n == 2)
    return f(a[0], a[1]);
  else
    return reduce_pack<T, n / 2>(f(half_of<T, n>(a, 0), half_of<T, n>(a, 1)), f);
}
template <class T, class F>
TP_INLINE T reduce(vec<T> a, F f) {
  if constexpr (vec<T>::regs == 2)
    return reduce_pack<T, vec<T>::per>(f(a.r[0], a.r[1]), f);
  else
    return reduce_pack<T, vec<T>::per>(a.r[0], f);
}
template <class T>
TP_INLINE T reduce_sum(vec<T> a) {
  if constexpr (is_float<T>)
    return reduce(a, [](auto x, auto y) { return x + y; });
  else
    return T(reduce(bitcast<bits_of<T>>(a), [](auto x, auto y) { return decltype(x)(x + y); }));
}
template <class T>
TP_INLINE T reduce_prod(vec<T> a) {
  if constexpr (is_float<T>)
    return reduce(a, [](auto x, auto y) { return x * y; });
  else
    return T(reduce(bitcast<bits_of<T>>(a), [](auto x, auto y) { return decltype(x)(x * y); }));
}
template <class T>
TP_INLINE T reduce_max(vec<T> a) {
  return reduce(a, [](auto x, auto y) { return (x > y) | (x != x) ? x : y; });
}
template <class T>
TP_INLINE T reduce_min(vec<T> a) {
  return reduce(a, [](auto x, auto y) { return (x < y) | (x != x) ? x : y; });
}
TP_INLINE bool reduce_any(vec<bool> a) {
  return any(a);
}
template <class T>
TP_INLINE T reduce_xor(vec<T> a) {
  return reduce(a, [](auto x, auto y) { return decltype(x)(x ^ y); });
}

}  // namespace tp
