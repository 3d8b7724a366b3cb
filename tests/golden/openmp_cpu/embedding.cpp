#include "tp.h"
#include "loops.h"

// embedding.default, mul.Scalar
KERNEL kernel_0(void** p, const int64_t* n) {
  const int64_t* a0 = (const int64_t*)p[0];
  const float* a1 = (const float*)p[1];
  float* o0 = (float*)p[2];
  int64_t failed = 0;
  {
    for (int64_t u = 0; u < 128; ++u) {
      const int64_t i1 = u;
      const i64 t0 = tp::spread(a0 + i1);
      const i64 t1 = tp::check(t0, 100, false, tp::whole{}, failed, 1);
      tp::over<1>(0, 64, [&](int64_t i2, auto m, auto k) {
        const f32 t2 = tp::load(a1 + i2 + 64 * tp::first(t1), m);
        const f32 t3 = t2 * f32(2.0f);
        tp::store(o0 + 64 * i1 + i2, t3, m);
      });
    }
  }
  if (failed) *(int64_t*)p[3] = failed;
}
