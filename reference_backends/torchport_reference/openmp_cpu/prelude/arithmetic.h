// Arithmetic of tp::vec with PyTorch's semantics: NaN-propagating extrema, wrapping integers, floor division and
// Python's remainder, rounding half to even, exact fmod. Nothing here traps or is undefined for any operand.
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

// --- signs ----------------------------------------------------------------------------------------------------

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
template <class T>
TP_INLINE vec<T> neg(vec<T> a) {
  return -a;
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

// --- extrema --------------------------------------------------------------------------------------------------

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

// --- rounding -------------------------------------------------------------------------------------------------

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
#define TP_ROUNDING(name, mode, single, twice)                                                                    \
  TP_INLINE vec<float> name(vec<float> a) {                                                                       \
    return each_register(a, [](auto x) { return TP_ROUND_PS(x, mode); });                                         \
  }                                                                                                               \
  TP_INLINE vec<double> name(vec<double> a) {                                                                     \
    return each_register(a, [](auto x) { return TP_ROUND_PD(x, mode); });                                         \
  }
#else
#define TP_ROUNDING(name, mode, single, twice)                                                                    \
  TP_INLINE vec<float> name(vec<float> a) {                                                                       \
    return each_lane(a, [](float x) { return single(x); });                                                       \
  }                                                                                                               \
  TP_INLINE vec<double> name(vec<double> a) {                                                                     \
    return each_lane(a, [](double x) { return twice(x); });                                                       \
  }
#endif
TP_ROUNDING(round, 8, __builtin_rintf, __builtin_rint)  // half to even
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

// --- division -------------------------------------------------------------------------------------------------

// Remainder of the truncated quotient: exact, sign of a.
template <class T>
TP_INLINE vec<T> fmod(vec<T> a, vec<T> b) {
  if constexpr (__is_same(T, float))
    return each_lane(a, b, [](float x, float y) { return __builtin_fmodf(x, y); });
  else if constexpr (__is_same(T, double))
    return each_lane(a, b, [](double x, double y) { return __builtin_fmod(x, y); });
  else
    return each_lane(a, b, [](T x, T y) { return y == T(0) || y == T(-1) ? T(0) : T(x % y); });
}
// Python's %: sign of b.
template <class T>
TP_INLINE vec<T> remainder(vec<T> a, vec<T> b) {
  vec<T> m = fmod(a, b), zero(T(0));
  return where((m != zero) & ((m < zero) != (b < zero)), m + b, m);
}
// Integer quotient toward zero; x / 0 gives 0, and INT_MIN / -1 wraps to INT_MIN. Floats: trunc(a / b).
template <class T>
TP_INLINE vec<T> truncdiv(vec<T> a, vec<T> b) {
  if constexpr (is_float<T>)
    return trunc(a / b);
  else if constexpr (T(-1) < T(0))
    return each_lane(a, b, [](T x, T y) {
      return y == T(0) ? T(0) : y == T(-1) ? T(bits_of<T>(0) - bits_of<T>(x)) : T(x / y);
    });
  else
    return each_lane(a, b, [](T x, T y) { return y == T(0) ? T(0) : T(x / y); });
}
// Python's //. Floats follow CPython: the quotient is taken of a minus the exact remainder, so that
// floordiv(a, b) * b + remainder(a, b) is as near to a as rounding permits; a / 0 as IEEE division.
template <class T>
TP_INLINE vec<T> floordiv(vec<T> a, vec<T> b) {
  vec<T> zero(T(0));
  if constexpr (!is_float<T>) {
    vec<T> q = truncdiv(a, b), m = fmod(a, b);
    return where((m != zero) & ((m < zero) != (b < zero)), q - vec<T>(T(1)), q);
  } else {
    vec<T> m = fmod(a, b), q = (a - m) / b;
    q = where((m != zero) & ((m < zero) != (b < zero)), q - vec<T>(T(1)), q);
    vec<T> f = floor(q);
    f = where(q - f > vec<T>(T(0.5)), f + vec<T>(T(1)), f);
    f = where(q == zero, copysign(zero, a / b), f);
    return where(b == zero, a / b, f);
  }
}

// --- shifts ---------------------------------------------------------------------------------------------------

// A count outside [0, bits) shifts everything out: 0, or the sign on the right shift of a signed type.
template <class T>
TP_INLINE vec<T> shift_left(vec<T> a, vec<T> count) {
  return each_lane(a, count, [](T x, T n) {
    return bits_of<T>(n) < 8 * sizeof(T) ? T(bits_of<T>(x) << bits_of<T>(n)) : T(0);
  });
}
template <class T>
TP_INLINE vec<T> shift_right(vec<T> a, vec<T> count) {
  return each_lane(a, count, [](T x, T n) {
    return T(x >> (bits_of<T>(n) < 8 * sizeof(T) ? int(n) : int(8 * sizeof(T) - 1)) >>
             (T(-1) > T(0) && bits_of<T>(n) >= 8 * sizeof(T) ? 1 : 0));
  });
}

// --- horizontal reduction: lanes are combined in a fixed tree, so results repeat --------------------------------

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
template <class T>
TP_INLINE T reduce_xor(vec<T> a) {
  return reduce(a, [](auto x, auto y) { return decltype(x)(x ^ y); });
}

}  // namespace tp
