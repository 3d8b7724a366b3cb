// Elementary functions of tp::vec.
//
// exp, expm1, log, log1p, sigmoid, the hyperbolic functions and erf of float are computed here; their
// polynomials are minimax fits rounded to float, made by fit_polynomials.py beside this file. The others come
// from SLEEF, which libtorch_cpu exports (TP_SLEEF), or lane by lane from libm. SLEEF's float sinh, cosh,
// asinh and acosh are not used: they overflow where the result is still finite.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "arithmetic.h"

// X(function, accuracy suffix of SLEEF)
// clang-format off
#define TP_UNARY_FLOAT(X)                                                                               \
  X(exp2, u10) X(log2, u10) X(log10, u10) X(sin, u10) X(cos, u10) X(tan, u10) X(asin, u10) X(acos, u10) \
  X(atan, u10) X(atanh, u10) X(lgamma, u10) X(erfc, u15)
#define TP_UNARY_DOUBLE(X) \
  TP_UNARY_FLOAT(X) X(exp, u10) X(expm1, u10) X(log, u10) X(log1p, u10) X(tanh, u10) X(erf, u10)
#define TP_UNARY_INNER(X) X(sinh, u10) X(cosh, u10) X(asinh, u10) X(acosh, u10)
#define TP_BINARY_BOTH(X) X(pow, u10) X(atan2, u10) X(hypot, u05)
// clang-format on

#if defined(TP_SLEEF) && defined(TP_AVX512)
#define TP_SLEEF_FLOAT(name, u) Sleef_##name##f16_##u
#define TP_SLEEF_DOUBLE(name, u) Sleef_##name##d8_##u
#elif defined(TP_SLEEF) && defined(TP_AVX2)
#define TP_SLEEF_FLOAT(name, u) Sleef_##name##f8_##u
#define TP_SLEEF_DOUBLE(name, u) Sleef_##name##d4_##u
#elif defined(TP_SLEEF) && defined(__aarch64__)
#define TP_SLEEF_FLOAT(name, u) Sleef_##name##f4_##u
#define TP_SLEEF_DOUBLE(name, u) Sleef_##name##d2_##u
#endif

namespace tp {

#if defined(TP_SLEEF_FLOAT)
#define TP_UNARY(T, f, name)                                 \
  extern "C" vec<T>::reg name(vec<T>::reg);                  \
  TP_INLINE vec<T> f(vec<T> a) {                             \
    return each_register(a, [](auto x) { return name(x); }); \
  }
#define TP_BINARY(T, f, name)                                             \
  extern "C" vec<T>::reg name(vec<T>::reg, vec<T>::reg);                  \
  TP_INLINE vec<T> f(vec<T> a, vec<T> b) {                                \
    for (int k = 0; k < vec<T>::regs; ++k) a.r[k] = name(a.r[k], b.r[k]); \
    return a;                                                             \
  }
#else
#define TP_SLEEF_FLOAT(name, u) __builtin_##name##f
#define TP_SLEEF_DOUBLE(name, u) __builtin_##name
#define TP_UNARY(T, f, name)                          \
  TP_INLINE vec<T> f(vec<T> a) {                      \
    return each_lane(a, [](T x) { return name(x); }); \
  }
#define TP_BINARY(T, f, name)                                    \
  TP_INLINE vec<T> f(vec<T> a, vec<T> b) {                       \
    return each_lane(a, b, [](T x, T y) { return name(x, y); }); \
  }
#endif
#define TP_X(f, u) TP_UNARY(float, f, TP_SLEEF_FLOAT(f, u))
TP_UNARY_FLOAT(TP_X)
#undef TP_X
#define TP_X(f, u) TP_UNARY(double, f, TP_SLEEF_DOUBLE(f, u))
TP_UNARY_DOUBLE(TP_X)
#undef TP_X
#define TP_X(f, u) TP_UNARY(double, inner_##f, TP_SLEEF_DOUBLE(f, u))
TP_UNARY_INNER(TP_X)
#undef TP_X
#define TP_X(f, u) TP_BINARY(float, f, TP_SLEEF_FLOAT(f, u)) TP_BINARY(double, f, TP_SLEEF_DOUBLE(f, u))
TP_BINARY_BOTH(TP_X)
#undef TP_X
#undef TP_UNARY
#undef TP_BINARY

// c[0] + x (c[1] + x (...)), by Horner's rule.
template <int n>
TP_INLINE vec<float> polynomial(vec<float> x, const float (&c)[n]) {
  vec<float> p(c[n - 1]);
  for (int i = n - 2; i >= 0; --i) p = fma(p, x, vec<float>(c[i]));
  return p;
}

// 2^n for integral n in [-126, 127].
TP_INLINE vec<float> power_of_two(vec<float> n) {
  return bitcast<float>((cast<int32_t>(n) + vec<int32_t>(127)) * vec<int32_t>(1 << 23));
}
// a * 2^n with one rounding for integral n in [-252, 254].
TP_INLINE vec<float> scale(vec<float> a, vec<float> n) {
#if defined(TP_AVX512)
  a.r[0] = (vec<float>::reg)_mm512_scalef_ps((__m512)a.r[0], (__m512)n.r[0]);
  return a;
#else
  vec<float> half = floor(n * vec<float>(0.5f));
  return a * power_of_two(half) * power_of_two(n - half);
#endif
}

constexpr float log2_e = 0x1.715476p+0f;
// ln 2 in two parts; the product of the first with an integer below 2^8 is exact.
constexpr float ln2_high = 0x1.62e4p-1f, ln2_low = 0x1.7f7d1cp-20f;

// x = n ln 2 + r with |r| <= ln 2 / 2; the result is e^r - 1.
TP_INLINE vec<float> exp_reduced(vec<float> x, vec<float>& n) {
  constexpr float c[] = {0x1.000000p-1f, 0x1.55548ep-3f, 0x1.55545ep-5f, 0x1.123b92p-7f, 0x1.6db478p-10f};
  n = nearest(x * vec<float>(log2_e));
  vec<float> r = fma(n, vec<float>(-ln2_high), x);
  r = fma(n, vec<float>(-ln2_low), r);
  return fma(r * r, polynomial(r, c), r);
}

TP_INLINE vec<float> exp(vec<float> x) {
  vec<float> n;
  // Outside these bounds the result is infinity or 0; NaN passes.
  vec<float> p = exp_reduced(clamp(x, vec<float>(-104.0f), vec<float>(89.0f)), n);
  return scale(p + vec<float>(1.0f), n);
}

TP_INLINE vec<float> expm1(vec<float> x) {
  vec<float> n;
  vec<float> p = exp_reduced(clamp(x, vec<float>(-30.0f), vec<float>(89.0f)), n);
  // 2^n p + (2^n - 1), computed at half scale so that 2^128 does not overflow early.
  vec<float> t = power_of_two(n - vec<float>(1.0f));
  vec<float> half = fma(t, p, t - vec<float>(0.5f));
  return copysign(half + half, x);
}

// 1 / (1 + e^-x), by the exponential that cannot overflow.
template <class T>
TP_INLINE vec<T> sigmoid(vec<T> x) {
  vec<T> one(T(1)), e = exp(-abs(x));
  return where(signbit(x), e, one) / (one + e);
}

TP_INLINE vec<float> tanh(vec<float> x) {
  // |x| < 0.75: x + x^3 P(x^2). Beyond: 1 - 2 / (1 + e^2|x|), which reaches 1 before 15.
  constexpr float c[] = {-0x1.55554ap-2f, 0x1.110db8p-3f,  -0x1.b97d3cp-5f,
                         0x1.5f785cp-6f,  -0x1.f5d378p-8f, 0x1.c753e0p-10f};
  vec<float> t = abs(x), s = x * x, n;
  vec<float> near = fma(polynomial(s, c) * s, x, x);
  vec<bool> beyond = t >= vec<float>(0.75f);
  if (!any(beyond)) return copysign(near, x);
  vec<float> e = exp_reduced(clamp(t + t, vec<float>(0.0f), vec<float>(30.0f)), n);
  vec<float> far = vec<float>(1.0f) - vec<float>(2.0f) / (scale(e + vec<float>(1.0f), n) + vec<float>(1.0f));
  return copysign(where(beyond, far, near), x);
}

// e^|x| / 2, infinite only where cosh is.
TP_INLINE vec<float> half_exp_abs(vec<float> x) {
  vec<float> n;
  vec<float> p = exp_reduced(clamp(abs(x), vec<float>(0.0f), vec<float>(90.0f)), n);
  return scale(p + vec<float>(1.0f), n - vec<float>(1.0f));
}
TP_INLINE vec<float> cosh(vec<float> x) {
  vec<float> h = half_exp_abs(x);
  return h + vec<float>(0.25f) / h;
}
TP_INLINE vec<float> sinh(vec<float> x) {
  // |x| < 1: x + x^3 P(x^2).
  constexpr float c[] = {0x1.555556p-3f, 0x1.111134p-7f, 0x1.9ffe92p-13f, 0x1.7a15b4p-19f};
  vec<float> s = x * x, h = half_exp_abs(x);
  vec<float> near = fma(polynomial(s, c) * s, x, x);
  return copysign(where(abs(x) < vec<float>(1.0f), near, h - vec<float>(0.25f) / h), x);
}

TP_INLINE vec<float> erf(vec<float> x) {
  // |x| <= 1: x + x P(x^2). Beyond: 1 - exp(-G(|x|)), G = -log erfc, which reaches 1 before 3.95.
  constexpr float p[] = {0x1.06eba8p-3f, -0x1.81273ep-2f,  0x1.ce2cf8p-4f, -0x1.b7f910p-6f,
                         0x1.5405ccp-8f, -0x1.a3f7a6p-11f, 0x1.496bc6p-14f};
  constexpr float g[] = {-0x1.72e420p-12f, -0x1.2085b2p+0f, -0x1.46c582p-1f, -0x1.a60a94p-4f,
                         0x1.654244p-6f,   -0x1.814d20p-9f, 0x1.852dbep-13f};
  vec<float> t = abs(x), n;
  vec<float> near = fma(polynomial(x * x, p), x, x);
  vec<bool> beyond = t > vec<float>(1.0f);
  if (!any(beyond)) return near;
  vec<float> e = exp_reduced(polynomial(clamp(t, vec<float>(1.0f), vec<float>(3.95f)), g), n);
  vec<float> far = vec<float>(1.0f) - scale(e + vec<float>(1.0f), n);
  return where(beyond, copysign(far, x), near);
}

// n ln 2 + log(1 + f) for f in [sqrt(1/2) - 1, sqrt(2) - 1].
TP_INLINE vec<float> log_reduced(vec<float> n, vec<float> f) {
  constexpr float c[] = {0x1.555548p-2f,  -0x1.000006p-2f, 0x1.99a4b6p-3f,  -0x1.555c4ep-3f, 0x1.233766p-3f,
                         -0x1.fc220ep-4f, 0x1.e6f08cp-4f,  -0x1.de3bf8p-4f, 0x1.14573ep-4f};
  vec<float> s = f * f;
  vec<float> tail = fma(vec<float>(-0.5f), s, n * vec<float>(ln2_low));
  tail = fma(s * f, polynomial(f, c), tail);
  return fma(n, vec<float>(ln2_high), f + tail);
}
// The exponent n for which x 2^-n lies in [sqrt(1/2), sqrt(2)); x positive and normal.
TP_INLINE vec<int32_t> log_exponent(vec<float> x) {
  vec<int32_t> n = bitcast<int32_t>(x) - vec<int32_t>(0x3f3504f3);
  n.r[0] = n.r[0] >> 23;
  return n;
}
// The values of log at 0, below 0, and at infinity and NaN.
TP_INLINE vec<float> log_special(vec<float> x, vec<float> finite) {
  constexpr float infinity = __builtin_inff();
  vec<float> y = where(x < vec<float>(infinity), finite, x);
  y = where(x == vec<float>(0.0f), vec<float>(-infinity), y);
  return where(x < vec<float>(0.0f), vec<float>(__builtin_nanf("")), y);
}

TP_INLINE vec<float> log(vec<float> x) {
  vec<bool> denormal = x < vec<float>(0x1p-126f);
  vec<float> y = where(denormal, x * vec<float>(0x1p23f), x);
  vec<int32_t> n = log_exponent(y);
  vec<float> m = bitcast<float>(bitcast<int32_t>(y) - n * vec<int32_t>(1 << 23));
  vec<float> e = cast<float>(n) - where(denormal, vec<float>(23.0f), vec<float>(0.0f));
  return log_special(x, log_reduced(e, m - vec<float>(1.0f)));
}

TP_INLINE vec<float> log1p(vec<float> x) {
  vec<float> u = x + vec<float>(1.0f);
  vec<float> n = cast<float>(log_exponent(u));
  // (1 + x) 2^-n - 1 without the rounding of u.
  vec<float> s = scale(vec<float>(1.0f), -n);
  vec<float> y = log_reduced(n, fma(x, s, s - vec<float>(1.0f)));
  return where(abs(x) < vec<float>(0x1p-24f), x, log_special(u, y));
}

// Beyond 2^30 the square root adds nothing and would overflow: log(2|x|).
constexpr float large = 0x1p30f, ln2 = 0x1.62e43p-1f;
TP_INLINE vec<float> asinh(vec<float> x) {
  vec<float> t = abs(x), one(1.0f), s = t * t;
  vec<float> y = log1p(t + s / (one + sqrt(s + one)));
  return copysign(where(t > vec<float>(large), log(t) + vec<float>(ln2), y), x);
}
TP_INLINE vec<float> acosh(vec<float> x) {
  vec<float> d = x - vec<float>(1.0f);
  vec<float> y = log1p(d + sqrt(fma(d, d, d + d)));
  y = where(x > vec<float>(large), log(x) + vec<float>(ln2), y);
  return where(x < vec<float>(1.0f), vec<float>(__builtin_nanf("")), y);
}

// SLEEF's versions square their operand, or give infinity before the result is: these serve what lies inside.
TP_INLINE vec<double> asinh(vec<double> x) {
  vec<double> t = abs(x), ln2(0x1.62e42fefa39efp-1);
  vec<bool> beyond = t > vec<double>(0x1p500);
  if (!any(beyond)) return inner_asinh(x);
  return where(beyond, copysign(log(t) + ln2, x), inner_asinh(x));
}
TP_INLINE vec<double> acosh(vec<double> x) {
  vec<double> ln2(0x1.62e42fefa39efp-1);
  vec<bool> beyond = x > vec<double>(0x1p500);
  if (!any(beyond)) return inner_acosh(x);
  return where(beyond, log(x) + ln2, inner_acosh(x));
}
TP_INLINE vec<double> half_exp_beyond(vec<double> t) {
  vec<double> root = exp(t * vec<double>(0.5));
  return vec<double>(0.5) * root * root;
}
TP_INLINE vec<double> cosh(vec<double> x) {
  vec<double> t = abs(x);
  vec<bool> beyond = t > vec<double>(700.0);
  if (!any(beyond)) return inner_cosh(x);
  return where(beyond, half_exp_beyond(t), inner_cosh(x));
}
TP_INLINE vec<double> sinh(vec<double> x) {
  vec<double> t = abs(x);
  vec<bool> beyond = t > vec<double>(700.0);
  if (!any(beyond)) return inner_sinh(x);
  return where(beyond, copysign(half_exp_beyond(t), x), inner_sinh(x));
}

// --- one element, rounded as in a vec ----------------------------------------------------------------

#define TP_SCALAR(f)                 \
  TP_INLINE float f(float a) {       \
    return first(f(vec<float>(a)));  \
  }                                  \
  TP_INLINE double f(double a) {     \
    return first(f(vec<double>(a))); \
  }
#define TP_X(f, u) TP_SCALAR(f)
TP_UNARY_DOUBLE(TP_X)
TP_UNARY_INNER(TP_X)
TP_SCALAR(sigmoid)
#undef TP_X
#undef TP_SCALAR
#define TP_X(f, u)                                   \
  TP_INLINE float f(float a, float b) {              \
    return first(f(vec<float>(a), vec<float>(b)));   \
  }                                                  \
  TP_INLINE double f(double a, double b) {           \
    return first(f(vec<double>(a), vec<double>(b))); \
  }
TP_BINARY_BOTH(TP_X)
#undef TP_X

}  // namespace tp
