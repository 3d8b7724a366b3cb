#include "tp.h"
#include "loops.h"

// add.Tensor, tanh.default, mul.Scalar
KERNEL kernel_0(void** p, const int64_t* n) {
  const float* a0 = (const float*)p[0];
  const float* a1 = (const float*)p[1];
  float* o0 = (float*)p[2];
  #pragma omp parallel if (262144 >= 16384)
  {
  #pragma omp for schedule(static)
    for (int64_t u = 0; u < 64; ++u) {
      const int64_t i0 = u;
      tp::over<1>(0, 4096, [&](int64_t i1, auto m, auto k) {
        const f32 t0 = tp::load(a0 + 4096 * i0 + i1, m);
        const f32 t1 = tp::load(a1 + i1, m);
        const f32 t2 = t0 + t1;
        const f32 t3 = tp::tanh(t2);
        const f32 t4 = t3 * f32(2.0f);
        tp::store(o0 + 4096 * i0 + i1, t4, m);
      });
    }
  }
}
